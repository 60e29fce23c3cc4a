//! The numbers of a search: `--stats`, and the summary that ends `--json`.

use std::io::{self, Write};
use std::time::Duration;

use grep_printer::Stats;
use serde_json::json;

use super::call::Call;
use super::output::Out;
use crate::flags::{Find, Mode};
use crate::print::typed;

/// Prints the numbers where the results went.
pub(crate) fn print(call: &Call, stats: &Stats, elapsed: Duration, out: &Out) -> io::Result<()> {
    if call.is_direct() {
        let mut stdout = call.stdout();
        write(call, stats, elapsed, &mut stdout)?;
        return stdout.flush();
    }
    let mut buffer = out.buffer();
    write(call, stats, elapsed, &mut buffer)?;
    out.print_last(&buffer)
}

fn write(call: &Call, stats: &Stats, elapsed: Duration, to: &mut dyn Write) -> io::Result<()> {
    if call.mode == Mode::Search(Find::Json) {
        let total = json!({
            "secs": elapsed.as_secs(),
            "nanos": elapsed.subsec_nanos(),
            "human": format!("{:.6}s", elapsed.as_secs_f64()),
        });
        let data = json!({ "elapsed_total": total, "stats": stats });
        return writeln!(to, "{}", typed("summary", json!({ "data": data })));
    }
    writeln!(to)?;
    let rows: [(u64, &str); 6] = [
        (stats.matches(), "matches"),
        (stats.matched_lines(), "matched lines"),
        (stats.searches_with_match(), "files contained matches"),
        (stats.searches(), "files searched"),
        (stats.bytes_printed(), "bytes printed"),
        (stats.bytes_searched(), "bytes searched"),
    ];
    for (number, what) in rows {
        writeln!(to, "{number} {what}")?;
    }
    writeln!(to, "{:.6} seconds spent searching", stats.elapsed().as_secs_f64())?;
    writeln!(to, "{:.6} seconds total", elapsed.as_secs_f64())
}
