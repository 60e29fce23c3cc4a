//! `manicule rows list`: the SSTables of a table, a line each.

use std::fmt::Write as _;
use std::io::Write;
use std::path::{Path, PathBuf};

use anyhow::Result;
use manicule::rows::json::ListedSstable;
use manicule::rows::{Overview, Overviews};
use manicule::times::utc;
use serde_json::json;

use super::recursive::{COPIES, RECURSIVE, Tables, or_below};
use super::shared::{name_left_out, open_for_statistics};
use super::times::{GC_GRACE, NOW, system_now};
use crate::command::flag::set;
use crate::command::{Command, Declared, Does, Flag, Help, Operand, Usage, exit, shared};
use crate::messages::say;
use crate::print::{Print, Reader};
use crate::table::format::Sheet;
use crate::table::listed::{Listed, with_sheet};
use crate::units::{counted, human_len};

pub(super) static COMMAND: Command = Command {
    name: "list",
    operands: "PATH",
    summary: "list the SSTables of a table: size, level, repaired, times, tokens, droppable, overlaps",
    help: Help {
        calls: &[Usage {
            words: "[OPTIONS] PATH",
            about: "\
Prints one line per SSTable: the size of its files, its level, whether it was repaired, its oldest and newest write time, its
first and last token, the estimated share of droppable tombstones, and how many of the others may have some of its partitions.
PATH is a table's folder, or the Data.db of one SSTable; with -r a folder of tables. Data and indexes are not read.",
        }],
        notes: "\
Repaired is `no`, `pending` while a repair runs, or the time. SSTables overlap if keys of one can lie between the first and last
key of the other, as in Cassandra; in leveled compaction none do within a level from 1 on. droppable is what sstablemetadata calls
Estimated droppable tombstones.",
        exit: "0 when all were listed, 2 when something failed: those that can be read are listed.",
    },
    does: Does::Job(&JOB),
};

static JOB: Declared<Options, Call> = Declared::of(FLAGS, finish, Reader::Needed, answer)
    .at_addresses()
    .taking(&[Operand::Path(|o| &mut o.path)]);

static FLAGS: &[Flag<Options>] = with_sheet![
    GC_GRACE
        .more("Determines the droppable share. Default: 0, as in sstablemetadata.")
        .does(set!(|o, value| o.gc_grace_s = value.number()?)),
    NOW.does(set!(|o, value| o.now = Some(value.number()?))),
    RECURSIVE.more("SSTables are listed with their paths.").sets(|o| &mut o.tables.is_recursive),
    COPIES.sets(|o| &mut o.tables.has_copies),
    shared::JSON
        .here("Print one JSON object per line: one for each SSTable, with the names of those that it overlaps, then the totals.")
        .sets(|o| &mut o.json),
];

#[derive(Default)]
struct Options {
    path: PathBuf,
    gc_grace_s: i64,
    now: Option<i64>,
    tables: Tables,
    json: bool,
    sheet: Sheet,
}

struct Call {
    path: PathBuf,
    /// In seconds since 1970: what was deleted before may be dropped.
    gc_before: i64,
    tables: Tables,
    json: bool,
    sheet: Sheet,
}

fn finish(options: Options) -> Result<Call> {
    let Options { path, gc_grace_s, now, tables, json, sheet } = options;
    tables.check()?;
    let gc_before = now.unwrap_or_else(system_now).saturating_sub(gc_grace_s);
    Ok(Call { path, gc_before, tables, json, sheet })
}

fn answer(call: &Call, out: &mut Print) -> Result<u8> {
    if !call.sheet.is_plain() {
        return Listed::of("rows.sstables", vec![call.path.clone()])
            .with("now", [call.gc_before])
            .with("gc_grace", [0])
            .refuse(&[("--recursive", call.tables.is_recursive), ("--json", call.json)])
            .print(&call.sheet, out);
    }
    let table = |path: &Path| {
        let overviews = open_for_statistics(path).and_then(|table| table.overviews());
        or_below(path, overviews)
    };
    let (tables, mut has_failed) = if call.tables.is_recursive {
        call.tables.each(&call.path, table, |_, overviews| Ok(overviews))?
    } else {
        (vec![(call.path.clone(), table(&call.path)?)], false)
    };
    out.in_pages();
    if !call.json {
        writeln!(
            out,
            "    bytes  level              repaired          oldest write          newest write  \
             {:>20}  {:>20}  droppable  overlaps  SSTable",
            "first token", "last token"
        )?;
    }
    let (mut count, mut len) = (0, 0);
    for (_, Overviews { list, errors, left_out }) in &tables {
        name_left_out(left_out);
        errors.iter().for_each(|error| say(error));
        has_failed |= !errors.is_empty();
        for one in list {
            (count, len) = (count + 1, len + one.len);
            if call.json {
                let gc_before = call.gc_before;
                out.report("sstable", ListedSstable { one, all: list, gc_before })?
            } else {
                out.write_all(line(one, call).as_bytes())?
            }
        }
    }
    if call.json {
        out.row("summary", json!({ "sstables": count, "bytes": len }))?
    } else {
        writeln!(out, "{}, {}", counted(count, "SSTable"), human_len(len))?
    }
    Ok(if has_failed { exit::FAILED } else { exit::DONE })
}

fn line(one: &Overview, call: &Call) -> String {
    let statistics = &one.stats.statistics;
    let mut line = format!("{:>9}  {:>5}", human_len(one.len), statistics.level);
    let repaired = match (statistics.pending_repair, statistics.repaired_at) {
        (Some(_), _) => "pending".to_owned(),
        (None, 0) => "no".to_owned(),
        (None, at) => utc(at),
    };
    let _ = write!(line, "  {repaired:>20}");
    for micros in [statistics.min_timestamp, statistics.max_timestamp] {
        let _ = write!(line, "  {:>20}", utc(micros.div_euclid(1_000_000).saturating_mul(1000)));
    }
    for token in [one.tokens.map(|it| it.0), one.tokens.map(|it| it.1)] {
        let token = token.map_or_else(|| "-".to_owned(), |token| token.0.to_string());
        let _ = write!(line, "  {token:>20}");
    }
    let overlaps = one.overlaps.as_ref();
    let overlaps = overlaps.map_or_else(|| "-".to_owned(), |others| others.len().to_string());
    let droppable = statistics.droppable_ratio(call.gc_before);
    let _ = writeln!(line, "  {droppable:>9.3}  {overlaps:>8}  {}", name(one, call));
    line
}

/// What SSTables are called: by the names of their files, of several tables by their paths.
fn name(one: &Overview, call: &Call) -> String {
    let name = one.stats.descriptor.to_string();
    match one.path.parent().filter(|_| call.tables.is_recursive) {
        Some(folder) => folder.join(name).display().to_string(),
        None => name,
    }
}
