//! `manicule rows tombstones`: who has the tombstones of a table.

use std::cmp::Reverse;
use std::io::Write;
use std::path::{Path, PathBuf};

use anyhow::Result;
use manicule::rows::json::{PartitionWithTombstones, TableTombstones, TombstoneSums};
use manicule::rows::{
    AGE_LIMITS_S, GC_GRACE_S, PartitionTombstones, Times, TombstoneCounts, TombstoneKind,
    TombstoneReport, TombstonesCall,
};
use manicule::times::utc;
use serde_json::json;

use super::recursive::{COPIES, RECURSIVE, Tables, or_below};
use super::shared::{Whole, name_left_out, open_whole};
use super::times::{GC_GRACE, NOW, TOP, TOP_DEFAULT, system_now};
use crate::command::flag::set;
use crate::command::{Command, Declared, Does, Flag, Help, Operand, Usage, exit, shared};
use crate::print::{self, Print, Reader};
use crate::progress::{Show, Signals, watched};
use crate::table::format::Sheet;
use crate::table::listed::{Listed, with_sheet};
use crate::units::{counted, human_age};

pub(super) static COMMAND: Command = Command {
    name: "tombstones",
    operands: "PATH",
    summary: "count tombstones, and list the partitions with the most: rows, ranges, cells",
    help: Help {
        calls: &[Usage {
            words: "[OPTIONS] PATH",
            about: "\
Counts the tombstones of a table by kind and age, and those that a compaction may drop, and lists the partitions that have the
most: of rows, of ranges of rows (with deletions of whole partitions), of cells (with those of collections). PATH is a table's
folder, whose SSTables are combined by key, or the Data.db of one. Keys are in CQL syntax. With -r PATH is a folder of tables,
each of which is a line, the one with the most tombstones first.",
        }],
        notes: "\
A tombstone may be dropped when it is older than the table's gc_grace_seconds, if no SSTable outside the compaction has what it
deletes; no file records that, nor gc_grace_seconds: give it with --gc-grace. Expired data count as tombstones from their expiry
time on. The data are read once, SSTables in parallel in key order, and no value is decoded; memory doesn't grow with the table. A
tombstone that two SSTables have counts twice. With --format or --output all partitions that have some are listed, in the order of
their tokens.",
        exit: "0 when there are tombstones, 1 when there are none, 2 when something failed.",
    },
    does: Does::Job(&JOB),
};

static JOB: Declared<Options, Call> = Declared::of(FLAGS, finish, Reader::Needed, answer)
    .at_addresses()
    .taking(&[Operand::Path(|o| &mut o.path)]);

static FLAGS: &[Flag<Options>] = with_sheet![
    TOP.here("List NUM partitions in each list.")
        .more("Default: 20.")
        .does(set!(|o, value| o.top = Some(value.number()?))),
    GC_GRACE.does(set!(|o, value| o.gc_grace_s = value.number()?)),
    NOW.does(set!(|o, value| o.now = Some(value.number()?))),
    RECURSIVE.more("Print one line per table.").sets(|o| &mut o.tables.is_recursive),
    COPIES.sets(|o| &mut o.tables.has_copies),
    shared::JSON.more("The last object, of type summary, has the totals.").sets(|o| &mut o.json),
];

struct Options {
    path: PathBuf,
    top: Option<usize>,
    gc_grace_s: i64,
    now: Option<i64>,
    tables: Tables,
    json: bool,
    sheet: Sheet,
}

impl Default for Options {
    fn default() -> Options {
        Options {
            path: PathBuf::new(),
            top: None,
            gc_grace_s: GC_GRACE_S,
            now: None,
            tables: Tables::default(),
            json: false,
            sheet: Sheet::default(),
        }
    }
}

struct Call {
    path: PathBuf,
    tombstones: TombstonesCall,
    tables: Tables,
    json: bool,
    sheet: Sheet,
    /// Whether it was said how many partitions are listed.
    is_top: bool,
}

fn finish(options: Options) -> Result<Call> {
    let Options { path, top, gc_grace_s, now, tables, json, sheet } = options;
    tables.check()?;
    let times = Times { now: now.unwrap_or_else(system_now), gc_grace_s };
    let tombstones = TombstonesCall { times, top: top.unwrap_or(TOP_DEFAULT) };
    Ok(Call { path, tombstones, tables, json, sheet, is_top: top.is_some() })
}

fn answer(call: &Call, out: &mut Print) -> Result<u8> {
    if !call.sheet.is_plain() {
        return listed(call).print(&call.sheet, out);
    }
    if call.tables.is_recursive {
        return answer_all(call, out);
    }
    let (report, sstable_count) = table(call, open(&call.path)?)?;
    out.in_pages();
    let times = call.tombstones.times;
    if call.json {
        print_json(&report, times, sstable_count, out)?
    } else {
        print_text(&report, times, sstable_count as u64, out)?
    }
    Ok(exit::if_any(report.all.counts.total() > 0))
}

/// All partitions that have tombstones as a table.
fn listed(call: &Call) -> Listed {
    let Times { now, gc_grace_s } = call.tombstones.times;
    Listed::of("rows.partitions", vec![call.path.clone()])
        .with("now", [now])
        .with("gc_grace", [gc_grace_s])
        .at_least("_tombstones", 1)
        .all_dear()
        .refuse(&[
            ("--top", call.is_top),
            ("--recursive", call.tables.is_recursive),
            ("--json", call.json),
        ])
}

fn open(path: &Path) -> Result<Whole> {
    or_below(path, open_whole(path))
}

/// The tombstones of a table, and the number of its SSTables.
fn table(call: &Call, opened: Whole) -> Result<(TombstoneReport, usize)> {
    let Whole { table, sstables } = opened;
    name_left_out(&sstables.left_out);
    let report =
        watched(Show::Progress, Signals::Noted, |watch| table.tombstones(&call.tombstones, watch))?;
    Ok((report, sstables.list.len()))
}

/// A line for each table below a folder.
fn answer_all(call: &Call, out: &mut Print) -> Result<u8> {
    let (mut tables, has_failed) =
        call.tables.each(&call.path, open, |_, opened| table(call, opened))?;
    tables.sort_by_key(|(_, (report, _))| Reverse(report.all.counts.total()));
    let mut sums = TombstoneCounts::default();
    tables.iter().for_each(|(_, (report, _))| sums.add(&report.all.counts));
    out.in_pages();
    if !call.json {
        writeln!(
            out,
            "tombstones      rows    ranges     cells  droppable  partitions  SSTables  table"
        )?;
    }
    for (path, (report, sstable_count)) in &tables {
        let (counts, affected) = (&report.all.counts, report.all.affected_count);
        if call.json {
            let (all, sstable_count) = (&report.all, *sstable_count);
            out.report("table", TableTombstones { path, all, sstable_count })?;
            continue;
        }
        write!(out, "{:>10}{:>10}", counts.total(), counts.of_rows())?;
        write!(out, "{:>10}{:>10}", counts.of_ranges(), counts.of_cells())?;
        write!(out, "{:>11}{affected:>12}", counts.droppable)?;
        writeln!(out, "{sstable_count:>10}  {}", path.display())?;
    }
    print_sums(&sums, tables.len() as u64, call, out)?;
    let code = exit::if_any(sums.total() > 0);
    Ok(if has_failed { exit::FAILED } else { code })
}

fn print_sums(
    sums: &TombstoneCounts,
    table_count: u64,
    call: &Call,
    out: &mut Print,
) -> Result<()> {
    let Times { now, gc_grace_s } = call.tombstones.times;
    if call.json {
        let call = json!({ "now": now, "gc_grace_seconds": gc_grace_s, "tables": table_count });
        out.row("summary", print::json_with(sums, call))?;
        return Ok(());
    }
    let (tombstones, tables) = (counted(sums.total(), "tombstone"), counted(table_count, "table"));
    writeln!(out, "{tombstones} in {tables}; {}", droppable(sums, call.tombstones.times))?;
    Ok(())
}

/// How many a compaction may drop, and by which times.
fn droppable(counts: &TombstoneCounts, Times { now, gc_grace_s }: Times) -> String {
    let (count, at) = (counts.droppable, utc(now.saturating_mul(1000)));
    format!("{count} may be dropped: older than gc_grace, {gc_grace_s} s, at {at}")
}

fn print_text(
    report: &TombstoneReport,
    times: Times,
    sstable_count: u64,
    out: &mut Print,
) -> Result<()> {
    let all = &report.all;
    let (tombstones, rows) =
        (counted(all.counts.total(), "tombstone"), counted(all.counts.rows, "row"));
    let (affected, partitions) = (all.affected_count, counted(all.partition_count, "partition"));
    let sstables = counted(sstable_count, "SSTable");
    writeln!(out, "{tombstones} in {affected} of {partitions}; {rows} in {sstables}")?;
    writeln!(out, "{}", droppable(&all.counts, times))?;
    writeln!(out, "\nby kind:")?;
    for (name, count) in kinds(&all.counts) {
        writeln!(out, "{count:>10}  {}", name.replace('_', " "))?;
    }
    writeln!(out, "\nby age:")?;
    for (place, count) in all.ages.iter().enumerate() {
        writeln!(out, "{count:>10}  {}", age_class(place))?;
    }
    for (kind, partitions) in &report.lists {
        print_list(*kind, partitions, times.now, out)?;
    }
    Ok(())
}

fn print_list(
    kind: TombstoneKind,
    partitions: &[(String, PartitionTombstones)],
    now: i64,
    out: &mut Print,
) -> Result<()> {
    let what = match kind {
        TombstoneKind::Rows => "rows",
        TombstoneKind::Ranges => "ranges and partitions",
        TombstoneKind::Cells => "cells and collections",
    };
    writeln!(out, "\npartitions with most tombstones of {what}:")?;
    if partitions.is_empty() {
        writeln!(out, "      none")?;
        return Ok(());
    }
    writeln!(out, "     count  of any kind  droppable    oldest  SSTables  key")?;
    for (key, partition) in partitions {
        let PartitionTombstones { sstable_count, counts, oldest, .. } = partition;
        let (count, total, droppable) = (kind.count(partition), counts.total(), counts.droppable);
        let age_s = oldest.map_or(0, |oldest| now.saturating_sub(oldest).max(0) as u64);
        let oldest = human_age(age_s);
        writeln!(
            out,
            "{count:>10}  {total:>11}  {droppable:>9}  {oldest:>8}  {sstable_count:>8}  {key}"
        )?;
    }
    Ok(())
}

/// Counts by kind: those that are tombstones.
fn kinds(counts: &TombstoneCounts) -> Vec<(&'static str, u64)> {
    let is_kind = |name: &str| !matches!(name, "droppable" | "rows" | "cells");
    counts.fields().into_iter().filter(|(name, _)| is_kind(name)).collect()
}

/// Name of a class of ages.
fn age_class(place: usize) -> String {
    let age = |place: usize| human_age(AGE_LIMITS_S[place] as u64);
    match (place.checked_sub(1), place < AGE_LIMITS_S.len()) {
        (None, _) => format!("under {}", age(0)),
        (Some(before), true) => format!("{} to {}", age(before), age(place)),
        (Some(before), false) => format!("{} or more", age(before)),
    }
}

fn print_json(
    report: &TombstoneReport,
    times: Times,
    sstable_count: usize,
    out: &mut Print,
) -> Result<()> {
    for (kind, partitions) in &report.lists {
        for (key, partition) in partitions {
            out.report("partition", PartitionWithTombstones { kind: *kind, key, partition })?;
        }
    }
    Ok(out.report("summary", TombstoneSums { report, times, sstable_count })?)
}
