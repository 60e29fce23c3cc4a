//! `manicule rows export`: the rows of a table as CSV, JSON lines, Parquet or Arrow.

use std::io::Write;
use std::ops::{Bound, RangeInclusive};
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use manicule::output::put_whole;
use manicule::rows::{ExportCall, ExportFormat, Taken};
use manicule::tables::{TableFormat, check_built};

use super::bounds::{AFTER, BEFORE, FROM, Side, TO};
use super::chosen::{KEY, OTHERS, TOKENS, tokens};
use super::recursive::or_one_below;
use super::shared::{RAW, SCHEMA, TIMES, Whole, open_whole, tell};
use super::times::{NOW, system_now};
use crate::command::flag::set;
use crate::command::spec::spec;
use crate::command::{Command, Declared, Does, Flag, Help, Operand, Usage, exit, shared};
use crate::named::format_of;
use crate::print::{Print, Reader, not_for_terminal};
use crate::progress::{Show, Signals, watched};

pub(super) static COMMAND: Command = Command {
    name: "export",
    operands: "PATH",
    summary: "export the live rows of a table as CSV, JSON lines, Parquet or Arrow",
    help: Help {
        calls: &[Usage {
            words: "[OPTIONS] PATH",
            about: "\
Writes the live rows of a table, merged from all its SSTables: deleted and expired data are left out. PATH is the table's folder,
or the Data.db of one SSTable. Partitions come in the order of their tokens, rows in that of their clustering.",
        }],
        notes: "\
CSV has a header line, unless there is no row; null is an empty field, an empty text is \"\". Text is verbatim, everything else in
CQL syntax, without quotes around times and addresses. In JSON, null values are omitted. Static columns are in each row of their
partition, and a partition of static columns alone is a row. BOUND is as in `rows slice`, in the order of the table, and applies
within each partition. Parquet and Arrow have lists, maps and structs for collections and user types; varint, decimal, duration
and inet, for which they have no type that holds every value, are text. Arrow is a file with -o, a stream without. With --raw each
line is a fact: a cell, the timestamp of a row, a deletion, with its value (_value), its write time (_written, in microseconds),
and the SSTable. KEY is in CQL syntax, 'text', 5, (4, 'text'), in sstabledump's, text, 5, 4:text, or its bytes, 0x00ff.",
        exit: "0 when there are rows, 1 when there are none, 2 when something failed.",
    },
    does: Does::Job(&JOB),
};

static JOB: Declared<Options, Call> = Declared::of(FLAGS, finish, Reader::Needed, answer)
    .at_addresses()
    .taking(&[Operand::Path(|o| &mut o.path)]);

static FLAGS: &[Flag<Options>] = &[
    spec("format", "", "Output format.")
        .takes("FORMAT")
        .one_of(FORMAT_NAMES)
        .more("Default: by the extension of the output file, else jsonl, which json is too.")
        .does(set!(|o, value| o.format = Some(value.choice_or(FORMATS, of_ending)?))),
    RAW.here("Write one line per fact of each SSTable, not merged, shadowed and expired data included.")
        .sets(|o| &mut o.is_raw),
    KEY.does(set!(|o, value| o.keys.push(value.string()?))),
    TOKENS.does(set!(|o, value| o.tokens.push(tokens(value.text()?)?))),
    OTHERS.sets(|o| &mut o.is_others),
    spec("as-text", "", "Write this column as text in CQL syntax in Parquet and Arrow.")
        .takes("COLUMN")
        .more("May be repeated.")
        .does(set!(|o, value| o.as_text.push(value.string()?))),
    FROM.does(|o, value| o.start.take(&value, Bound::Included)),
    AFTER.does(|o, value| o.start.take(&value, Bound::Excluded)),
    TO.does(|o, value| o.end.take(&value, Bound::Included)),
    BEFORE.does(|o, value| o.end.take(&value, Bound::Excluded)),
    TIMES
        .more(
            "As writetime(NAME), in microseconds, and ttl(NAME), in remaining seconds; for a collection as lists with an item per element.",
        )
        .sets(|o| &mut o.has_times),
    NOW.does(set!(|o, value| o.now = Some(value.number()?))),
    SCHEMA.does(set!(|o, value| o.schema = Some(value.path()))),
    shared::OUTPUT_FILE.does(set!(|o, value| o.output = Some(value.path()))),
];

const FORMAT_NAMES: &[&str] = &["csv", "jsonl", "parquet", "arrow"];
const FORMATS: &[ExportFormat] = &[
    ExportFormat::Csv,
    ExportFormat::JsonLines,
    ExportFormat::Table(TableFormat::Parquet),
    ExportFormat::Table(TableFormat::ArrowFile),
];

#[derive(Default)]
struct Options {
    path: PathBuf,
    format: Option<ExportFormat>,
    keys: Vec<String>,
    tokens: Vec<RangeInclusive<i64>>,
    is_others: bool,
    start: Side,
    end: Side,
    has_times: bool,
    is_raw: bool,
    as_text: Vec<String>,
    now: Option<i64>,
    schema: Option<PathBuf>,
    output: Option<PathBuf>,
}

struct Call {
    path: PathBuf,
    export: ExportCall,
    output: Option<PathBuf>,
}

fn finish(options: Options) -> Result<Call> {
    let Options { path, format, keys, tokens, is_others, has_times, is_raw, as_text, .. } = options;
    let Options { start, end, now, schema, output, .. } = options;
    let (start, end) = (start.bound(), end.bound());
    let is_bounded = (&start, &end) != (&Bound::Unbounded, &Bound::Unbounded);
    if is_raw && (is_bounded || has_times) {
        bail!(
            "bounds and --times are of rows: leave them out with --raw, whose facts have their times"
        );
    }
    let is_all = keys.is_empty() && tokens.is_empty();
    if !keys.is_empty() && !tokens.is_empty() {
        bail!("-k and --tokens exclude each other: leave out one of them");
    }
    if is_all && is_others {
        bail!("--others than which? -k KEY, or --tokens FROM..TO");
    }
    // All are all others than none.
    let taken = if is_all || is_others { Taken::Others } else { Taken::These };
    let named = || format_of(output.as_deref(), "csv, jsonl, parquet or arrow", of_path);
    let format = match format {
        Some(format) => format,
        None => named()?.unwrap_or(ExportFormat::JsonLines),
    };
    let format = of_place(format, output.is_some());
    if let ExportFormat::Table(_) = format {
        check_built()?;
    }
    let now = now.unwrap_or_else(system_now);
    Ok(Call {
        path,
        export: ExportCall {
            format,
            keys,
            tokens,
            taken,
            as_text,
            start,
            end,
            has_times,
            is_raw,
            now,
            schema,
        },
        output,
    })
}

/// What the ending of a name says.
fn of_path(path: &Path) -> Option<ExportFormat> {
    of_ending(path.extension()?.to_str()?)
}

fn of_ending(ending: &str) -> Option<ExportFormat> {
    let ending = ending.to_ascii_lowercase();
    let ending = if matches!(&*ending, "json" | "ndjson") { "jsonl" } else { &*ending };
    let at = FORMAT_NAMES.iter().position(|name| *name == ending)?;
    Some(FORMATS[at])
}

/// Arrow is a file where there is a file, otherwise a stream.
fn of_place(format: ExportFormat, is_file: bool) -> ExportFormat {
    match format {
        ExportFormat::Table(TableFormat::ArrowFile) if !is_file => {
            ExportFormat::Table(TableFormat::ArrowStream)
        }
        format => format,
    }
}

fn answer(call: &Call, out: &mut Print) -> Result<u8> {
    if let ExportFormat::Table(_) = call.export.format {
        not_for_terminal(call.output.as_deref())?;
    }
    let Whole { table, sstables } = or_one_below(&call.path, open_whole(&call.path))?;
    let write = |out: &mut dyn Write, show| {
        watched(show, Signals::Noted, |watch| {
            table.export(&call.export, watch, |part| Ok::<(), anyhow::Error>(out.write_all(part)?))
        })
    };
    let (counts, named) = match &call.output {
        Some(path) => put_whole(path, |file| write(file, Show::Progress))
            .with_context(|| path.display().to_string())?,
        None => {
            out.in_pages();
            write(out, Show::Nothing)?
        }
    };
    tell(&sstables.left_out, &named);
    Ok(exit::if_any(counts.rows > 0))
}
