//! `manicule rows partitions`: the largest partitions of a table.
//!
//! Callers: rows

use std::io::Write;
use std::path::PathBuf;

use anyhow::{Context, Result};
use manicule::rows::{
    GC_GRACE_S, OpenCall, PartitionOptions, PartitionReport, PartitionSize, Times, open, partitions,
};
use serde_json::{Value as Json, json};

use super::times::{NOW, TOP, TOP_DEFAULT, system_now};
use crate::command::flag::set;
use crate::command::spec::spec;
use crate::command::{Command, Declared, Does, Flag, Help, Operands, Syntax, Usage, exit, shared};
use crate::messages::say;
use crate::print::{Print, Reader};
use crate::progress::{Show, Signals, watched};
use crate::units::{counted, human_len};

pub(super) static COMMAND: Command = Command {
    name: "partitions",
    operands: "PATH",
    summary: "the largest partitions of a table, from its indexes alone",
    help: Help {
        calls: &[Usage {
            words: "[OPTIONS] PATH",
            about: "\
The largest partitions, largest first: uncompressed bytes, blocks of rows in the index, SSTables that have the partition, token, key. PATH is a
table's folder, whose SSTables are united by key, or the Data.db of one. Keys are as CQL writes them, `(value, value)` where they have
several columns.",
        }],
        notes: "\
Sizes are exact, and come from the indexes alone, whatever the partitions' size; SSTables are read side by side, in the order of their keys, so
that memory grows with --top and the number of SSTables, not of partitions. Of tables with tries (da, ea, ms, mt) a page of data is read for
each partition that is listed, and, where there are several SSTables, for each small one. Bytes of several SSTables are added up: a row
that two of them have counts twice, as it does for --rows.",
        exit: "0 when the partitions were listed, 2 when something failed.",
        elsewhere: ELSEWHERE,
    },
    does: Does::Job(&JOB),
};

static ELSEWHERE: &[(&[&str], &str)] = &[
    (&["--csv", "-m"], "--json is the form for programs"),
    (&["--current-timestamp", "-u"], "--now says the time"),
    (&["--partitions-only", "-y"], "partitions alone are listed unless --rows is given"),
    (&["--min-rows", "-w", "--min-cells", "-c"], "--rows counts rows and cells of those listed"),
    (&["--min-tombstones", "-o"], "manicule rows tombstones lists by tombstones"),
];

static JOB: Declared<Options, Call> = Declared {
    syntax: Syntax::gnu(FLAGS, Operands::One(|o| &mut o.path)),
    new: Options::new,
    finish,
    reader: Reader::Needed,
    answer,
};

static FLAGS: &[Flag<Options>] = &[
    TOP.more("Unsaid, 20.").does(set!(|o, value| o.partitions.listed_count_max = value.number()?)),
    spec("min-size", "t", "Only partitions of this size or more, such as 100MiB.")
        .takes("SIZE")
        .does(set!(|o, value| o.partitions.len_min = value.size()?)),
    spec("rows", "", "Also count rows, cells and tombstones of the partitions that are listed.")
        .more("They are read.")
        .sets(|o| &mut o.has_rows),
    NOW.does(set!(|o, value| o.now = Some(value.number()?))),
    shared::JSON.more("The last one, of type summary, has the sums.").sets(|o| &mut o.json),
];

struct Options {
    path: Option<PathBuf>,
    partitions: PartitionOptions,
    has_rows: bool,
    now: Option<i64>,
    json: bool,
}

impl Options {
    fn new() -> Options {
        let partitions =
            PartitionOptions { listed_count_max: TOP_DEFAULT, len_min: 0, counted: None };
        Options { path: None, partitions, has_rows: false, now: None, json: false }
    }
}

struct Call {
    path: PathBuf,
    partitions: PartitionOptions,
    json: bool,
}

fn finish(options: Options) -> Result<Call> {
    let path = options.path.context("a path is wanted: manicule rows partitions ks/t-0123")?;
    let mut partitions = options.partitions;
    let now = options.now.unwrap_or_else(system_now);
    partitions.counted = options.has_rows.then_some(Times { now, gc_grace_s: GC_GRACE_S });
    Ok(Call { path, partitions, json: options.json })
}

fn answer(call: &Call, out: &mut Print) -> Result<u8> {
    let opened = open(&OpenCall::new(call.path.clone()))?;
    opened.left_out.iter().for_each(|left_out| say(&left_out.why));
    let report = watched(Show::Progress, Signals::Noted, |watch| {
        partitions(&opened, &call.partitions, watch)
    })?;
    out.in_pages();
    let sstable_count = opened.sstables.len() as u64;
    match call.json {
        true => print_json(&report, sstable_count, out)?,
        false => print_text(&report, sstable_count, out)?,
    }
    Ok(exit::DONE)
}

fn print_text(report: &PartitionReport, sstable_count: u64, out: &mut Print) -> Result<()> {
    let is_counted = report.largest.iter().any(|(_, size)| size.counts.is_some());
    if !report.largest.is_empty() {
        let counts = if is_counted { "      rows     cells  tombstones" } else { "" };
        writeln!(out, "    bytes  blocks  SSTables{counts}  {:>20}  key", "token")?;
    }
    for (key, size) in &report.largest {
        let PartitionSize { len, block_count, parts, token, counts, .. } = size;
        let (len, parts) = (human_len(*len), parts.len());
        write!(out, "{len:>9}  {block_count:>6}  {parts:>8}")?;
        if let Some(counts) = counts {
            write!(out, "{:>10}{:>10}  {:>10}", counts.rows, counts.cells, counts.total())?;
        }
        let token = token.map_or_else(|| "-".to_owned(), |token| token.0.to_string());
        writeln!(out, "  {token:>20}  {key}")?;
    }
    let PartitionReport { count, bytes, .. } = report;
    let (count, sstables) = (counted(*count, "partition"), counted(sstable_count, "SSTable"));
    writeln!(out, "{count}, {} in {sstables}", human_len(*bytes))?;
    Ok(())
}

fn print_json(report: &PartitionReport, sstable_count: u64, out: &mut Print) -> Result<()> {
    for (key, size) in &report.largest {
        out.row("partition", as_json(key, size))?;
    }
    let PartitionReport { count, bytes, .. } = report;
    let sums = json!({ "partitions": count, "bytes": bytes, "sstables": sstable_count });
    out.row("summary", sums)?;
    Ok(())
}

fn as_json(key: &str, size: &PartitionSize) -> Json {
    let mut json = json!({
        "key": key,
        "token": size.token.map(|token| token.0),
        "bytes": size.len,
        "blocks": size.block_count,
        "sstables": size.parts.len(),
    });
    if let Some(counts) = &size.counts {
        json["rows"] = counts.rows.into();
        json["cells"] = counts.cells.into();
        json["tombstones"] = counts.total().into();
    }
    json
}
