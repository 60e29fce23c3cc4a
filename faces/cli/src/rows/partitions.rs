//! `manicule rows partitions`: the largest partitions of a table.

use std::cmp::Reverse;
use std::io::Write;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use manicule::rows::json::{LargePartition, PartitionSums};
use manicule::rows::{
    GC_GRACE_S, PartitionOptions, PartitionReport, PartitionSize, RankedBy, Times,
};
use manicule::sizes::bytes;

use super::recursive::{COPIES, RECURSIVE, Tables, or_below};
use super::shared::{Whole, name_left_out, open_whole};
use super::times::{NOW, TOP, TOP_DEFAULT, system_now};
use crate::command::flag::set;
use crate::command::spec::spec;
use crate::command::{Command, Declared, Does, Flag, Help, Operand, Usage, exit, shared};
use crate::print::{Print, Reader};
use crate::progress::{Show, Signals, watched};
use crate::table::format::Sheet;
use crate::table::listed::{Listed, with_sheet};
use crate::units::{counted, human_len};

pub(super) static COMMAND: Command = Command {
    name: "partitions",
    operands: "PATH",
    summary: "list the largest partitions of a table, by size from its indexes alone, or by contents",
    help: Help {
        calls: &[Usage {
            words: "[OPTIONS] PATH",
            about: "\
Lists the largest partitions, largest first: uncompressed bytes, blocks of rows in the index, SSTables that have the partition,
token, key. PATH is a table's folder, whose SSTables are combined by key, or the Data.db of one; with -r a folder of tables, whose
partitions are listed together. Keys are in CQL syntax, `(value, value)` if they have several columns.",
        }],
        notes: "\
Sizes are exact, and come from the indexes alone, however large the partitions are; with --by the data are read too, once.
SSTables are read in parallel, in key order, so that memory grows with --top and the number of SSTables, not of partitions. Of
tables with tries (da, ea, ms, mt) a page of data is read for each partition that is listed, and, where there are several
SSTables, for each small one. Bytes of several SSTables are added up: a row that two of them have counts twice, as it does for
--rows. With --format or --output all partitions are listed, in the order of their tokens.",
        exit: "0 when the partitions were listed, 2 when something failed: with -r those of other tables are listed.",
    },
    does: Does::Job(&JOB),
};

static JOB: Declared<Options, Call> = Declared::of(FLAGS, finish, Reader::Needed, answer)
    .at_addresses()
    .taking(&[Operand::Path(|o| &mut o.path)]);

static FLAGS: &[Flag<Options>] = with_sheet![
    TOP.more("Default: 20.").does(set!(|o, value| o.top = Some(value.number()?))),
    spec("by", "", "Rank partitions by this.")
        .takes("WHAT")
        .one_of(&["size", "rows", "cells", "tombstones"])
        .more("Default: size. Otherwise all partitions are read, and those with a count of 0 are not listed.")
        .does(set!(|o, value| o.by = Some(value.choice(&RANKS)?))),
    spec("min", "", "List only partitions with NUM or more.")
        .takes("NUM")
        .more("With size, NUM may have a unit: 100MiB.")
        .does(set!(|o, value| o.min = Some(value.string()?))),
    spec("min-size", "t", "List only partitions of this size or more, such as 100MiB.")
        .takes("SIZE")
        .more("The same as --by size --min SIZE.")
        .does(set!(|o, value| o.len_min = Some(value.size()?))),
    spec("rows", "", "Also count rows, cells and tombstones of the partitions that are listed.")
        .more("The partitions are read.")
        .sets(|o| &mut o.has_rows),
    RECURSIVE.more("The partitions of all tables are listed together.").sets(|o| &mut o.tables.is_recursive),
    COPIES.sets(|o| &mut o.tables.has_copies),
    NOW.does(set!(|o, value| o.now = Some(value.number()?))),
    shared::JSON.more("The last object, of type summary, has the totals.").sets(|o| &mut o.json),
];

/// What the words of `--by` mean.
const RANKS: [RankedBy; 4] =
    [RankedBy::Size, RankedBy::Rows, RankedBy::Cells, RankedBy::Tombstones];

#[derive(Default)]
struct Options {
    path: PathBuf,
    top: Option<usize>,
    by: Option<RankedBy>,
    min: Option<String>,
    len_min: Option<u64>,
    has_rows: bool,
    tables: Tables,
    now: Option<i64>,
    json: bool,
    sheet: Sheet,
}

struct Call {
    path: PathBuf,
    partitions: PartitionOptions,
    tables: Tables,
    json: bool,
    sheet: Sheet,
    /// Whether it was said how many are listed, and what ranks them.
    ranking: [bool; 2],
}

fn finish(options: Options) -> Result<Call> {
    let Options { path, top, by, min, len_min, has_rows, tables, now, json, sheet } = options;
    tables.check()?;
    let ranking = [top.is_some(), by.is_some()];
    let (top, by) = (top.unwrap_or(TOP_DEFAULT), by.unwrap_or(RankedBy::Size));
    let min = match (by, min, len_min) {
        (_, None, None) => 0,
        (RankedBy::Size, Some(text), None) => bytes(&text).context("--min")?,
        (_, Some(text), None) => {
            text.parse().ok().with_context(|| format!("--min {text:?} is no number"))?
        }
        (RankedBy::Size, None, Some(len)) => len,
        (_, _, Some(_)) => bail!("--min-size is --by size --min: leave out one of them"),
    };
    let now = now.unwrap_or_else(system_now);
    let is_counted = has_rows || by != RankedBy::Size;
    let counted = is_counted.then_some(Times { now, gc_grace_s: GC_GRACE_S });
    let partitions = PartitionOptions { listed_count_max: top, by, min, counted };
    Ok(Call { path, partitions, tables, json, sheet, ranking })
}

/// What was found in one table, or in all below a folder.
struct Found {
    report: PartitionReport,
    sstable_count: u64,
    /// The folders of the listed partitions' tables, if there may be several.
    folders: Option<Vec<PathBuf>>,
}

fn answer(call: &Call, out: &mut Print) -> Result<u8> {
    if !call.sheet.is_plain() {
        return listed(call).print(&call.sheet, out);
    }
    let (found, has_failed) = if call.tables.is_recursive {
        all_tables(call)?
    } else {
        (table(call, open(&call.path)?)?, false)
    };
    out.in_pages();
    if call.json {
        print_json(&found, out)?
    } else {
        print_text(&found, out)?
    }
    Ok(if has_failed { exit::FAILED } else { exit::DONE })
}

/// All partitions as a table, which has no ranks.
fn listed(call: &Call) -> Listed {
    let PartitionOptions { min, counted, .. } = &call.partitions;
    let [is_top, is_by] = call.ranking;
    let listed = Listed::of("rows.partitions", vec![call.path.clone()]).refuse(&[
        ("--top", is_top),
        ("--by", is_by),
        ("--recursive", call.tables.is_recursive),
        ("--json", call.json),
    ]);
    let listed = if *min > 0 { listed.at_least("_bytes", *min) } else { listed };
    match counted {
        Some(times) => listed.with("now", [times.now]).all_dear(),
        None => listed,
    }
}

fn open(path: &Path) -> Result<Whole> {
    or_below(path, open_whole(path))
}

fn table(call: &Call, opened: Whole) -> Result<Found> {
    let Whole { table, sstables } = opened;
    name_left_out(&sstables.left_out);
    let report =
        watched(Show::Progress, Signals::Noted, |watch| table.partitions(&call.partitions, watch))?;
    Ok(Found { report, sstable_count: sstables.list.len() as u64, folders: None })
}

/// The partitions of all tables below a folder, the largest of all first.
fn all_tables(call: &Call) -> Result<(Found, bool)> {
    let (tables, has_failed) =
        call.tables.each(&call.path, open, |_, opened| table(call, opened))?;
    let mut all = PartitionReport { count: 0, bytes: 0, largest: Vec::new() };
    let (mut listed, mut sstable_count) = (Vec::new(), 0);
    for (folder, Found { report, sstable_count: own, .. }) in tables {
        (all.count, all.bytes) = (all.count + report.count, all.bytes + report.bytes);
        sstable_count += own;
        listed.extend(report.largest.into_iter().map(|partition| (folder.clone(), partition)));
    }
    let by = call.partitions.by;
    listed.sort_by_key(|(_, (_, size))| Reverse(by.rank(size.len, size.counts.as_ref())));
    listed.truncate(call.partitions.listed_count_max);
    let (folders, largest) = listed.into_iter().unzip();
    all.largest = largest;
    Ok((Found { report: all, sstable_count, folders: Some(folders) }, has_failed))
}

fn print_text(found: &Found, out: &mut Print) -> Result<()> {
    let Found { report, sstable_count, folders } = found;
    let is_counted = report.largest.iter().any(|(_, size)| size.counts.is_some());
    if !report.largest.is_empty() {
        let counts = if is_counted { "      rows     cells  tombstones" } else { "" };
        let of = if folders.is_some() { " of table" } else { "" };
        writeln!(out, "    bytes  blocks  SSTables{counts}  {:>20}  key{of}", "token")?;
    }
    for (place, (key, size)) in report.largest.iter().enumerate() {
        let PartitionSize { len, block_count, parts, token, counts, .. } = size;
        let (len, parts) = (human_len(*len), parts.len());
        write!(out, "{len:>9}  {block_count:>6}  {parts:>8}")?;
        if let Some(counts) = counts {
            write!(out, "{:>10}{:>10}  {:>10}", counts.rows, counts.cells, counts.total())?;
        }
        let token = token.map_or_else(|| "-".to_owned(), |token| token.0.to_string());
        write!(out, "  {token:>20}  {key}")?;
        match folders {
            Some(folders) => writeln!(out, " of {}", folders[place].display())?,
            None => writeln!(out)?,
        }
    }
    let PartitionReport { count, bytes, .. } = report;
    let (count, sstables) = (counted(*count, "partition"), counted(*sstable_count, "SSTable"));
    writeln!(out, "{count}, {} in {sstables}", human_len(*bytes))?;
    Ok(())
}

fn print_json(found: &Found, out: &mut Print) -> Result<()> {
    let Found { report, sstable_count, folders } = found;
    for (place, (key, size)) in report.largest.iter().enumerate() {
        let table = folders.as_ref().map(|folders| &*folders[place]);
        out.report("partition", LargePartition { key, size, table })?;
    }
    Ok(out.report("summary", PartitionSums { report, sstable_count: *sstable_count })?)
}
