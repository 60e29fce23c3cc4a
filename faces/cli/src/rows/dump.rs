//! `manicule rows dump`: an SSTable as JSON.

use std::io::Write;
use std::path::PathBuf;

use anyhow::{Result, bail};
use manicule::rows::{DumpCall, DumpLayout, OpenCall, dump_damaged};

use super::losses::Losses;
use super::recursive::or_one_below;
use super::shared::{Whole, name_left_out, open_whole};
use super::times::{NOW, system_now};
use crate::command::flag::set;
use crate::command::spec::spec;
use crate::command::{Command, Declared, Does, Flag, Help, Operand, Usage, exit};
use crate::print::{Print, Reader};
use crate::progress::{Show, Signals, watched};

pub(super) static COMMAND: Command = Command {
    name: "dump",
    operands: "PATH",
    summary: "print an SSTable as JSON, as sstabledump does; also what is readable of a damaged one",
    help: Help {
        calls: &[Usage {
            words: "[OPTIONS] PATH",
            about: "\
Prints everything in an SSTable: partitions, rows, range tombstones, cells, with their timestamps, as one JSON array, byte for
byte as the sstabledump of the release that writes its version. PATH is its Data.db, or a folder with a single SSTable.",
        }],
        notes: "\
KEY is in CQL syntax, 'text', 5, (4, 'text'), in sstabledump's, text, 5, 4:text, or its bytes, 0x00ff. Where sstabledump fails
with an exception, at an empty boolean or collection, \"\" or null is printed; with -x it prints the positions of the partition
before; here they are correct. With --salvage, what is lost is reported on standard error: partition, bytes and offset in the
uncompressed data. Rows whose bytes don't match their checksum in CRC.db are printed and reported.",
        exit: "\
0 when all was printed, 1 when --salvage found damage, 2 when something failed: for a damaged table the array printed until then
is incomplete.",
    },
    does: Does::Job(&JOB),
};

static JOB: Declared<Options, Call> = Declared::of(FLAGS, finish, Reader::Needed, answer)
    .at_addresses()
    .taking(&[Operand::Path(|o| &mut o.path)]);

static FLAGS: &[Flag<Options>] = &[
    spec("key", "k", "Print only the partition with this key.")
        .takes("KEY")
        .more("May be repeated. Uses the index.")
        .does(set!(|o, value| o.only.push(value.string()?))),
    spec("exclude-key", "x", "Leave out the partition with this key.")
        .takes("KEY")
        .more("May be repeated. Uses the index.")
        .does(set!(|o, value| o.without.push(value.string()?))),
    spec("keys", "e", "Print only keys.").more("Reads only the index.").sets(|o| &mut o.has_keys),
    spec("lines", "d", "Print one line per row or marker, in sstabledump's representation.")
        .more("Times are not formatted.")
        .sets(|o| &mut o.has_lines),
    spec("raw-times", "t", "Print times as the stored numbers.")
        .more("Write times in microseconds; deletion and expiry times in seconds.")
        .sets(|o| &mut o.has_raw_times),
    NOW.does(set!(|o, value| o.now = Some(value.number()?))),
    spec("salvage", "", "Continue past damage, and print what can be read.")
        .more("Files may be missing, except Data.db, Statistics.db and CompressionInfo.db.")
        .sets(|o| &mut o.is_salvage),
];

#[derive(Default)]
struct Options {
    path: PathBuf,
    only: Vec<String>,
    without: Vec<String>,
    has_keys: bool,
    has_lines: bool,
    has_raw_times: bool,
    now: Option<i64>,
    is_salvage: bool,
}

struct Call {
    path: PathBuf,
    dump: DumpCall,
    is_salvage: bool,
}

fn finish(options: Options) -> Result<Call> {
    let Options { path, only, without, has_keys, has_lines, has_raw_times, is_salvage, .. } =
        options;
    let is_part = !only.is_empty() || !without.is_empty();
    let layout = match (has_keys, has_lines) {
        (true, true) => bail!("-e prints keys and -d rows: leave out one of them"),
        (true, false) => DumpLayout::Keys,
        (false, true) => DumpLayout::Lines,
        (false, false) => DumpLayout::Json,
    };
    if is_part && (has_keys || is_salvage) {
        bail!("-k and -x choose among rows: leave them out with -e, and with --salvage");
    }
    if is_salvage && has_keys {
        bail!("--salvage prints rows: leave out -e");
    }
    let now = options.now.unwrap_or_else(system_now);
    Ok(Call { path, dump: DumpCall { layout, only, without, now, has_raw_times }, is_salvage })
}

fn answer(call: &Call, out: &mut Print) -> Result<u8> {
    if call.is_salvage {
        return salvaged(call, out);
    }
    let Whole { table, sstables } = or_one_below(&call.path, open_whole(&call.path))?;
    name_left_out(&sstables.left_out);
    out.in_pages();
    watched(Show::Progress, Signals::Noted, |watch| {
        table.dump(&call.dump, watch, |part| {
            Ok::<(), anyhow::Error>(out.write_all(part.as_bytes())?)
        })
    })?;
    Ok(exit::DONE)
}

fn salvaged(call: &Call, out: &mut Print) -> Result<u8> {
    out.in_pages();
    let mut losses = Losses::default();
    watched(Show::Progress, Signals::Noted, |watch| {
        let open = OpenCall::new(call.path.clone());
        dump_damaged(
            &open,
            &call.dump,
            watch,
            |part| Ok::<(), anyhow::Error>(out.write_all(part.as_bytes())?),
            |loss, key| losses.tell(loss, key),
        )
    })?;
    Ok(exit::if_any(losses.sum_up()))
}
