//! `manicule rows stats`: what SSTables say of themselves, field by field as sstablemetadata.

use std::io::Write;
use std::path::{Path, PathBuf};

use anyhow::Result;
use manicule::rows::Stats;
use manicule::rows::json::CountedSstable;

use super::recursive::{COPIES, RECURSIVE, Tables, or_below};
use super::shared::{name_left_out, open_for_statistics};
use super::stats_fields::put_text;
use super::times::{GC_GRACE, NOW, system_now};
use crate::command::flag::set;
use crate::command::{Command, Declared, Does, Flag, Help, Operand, Usage, exit, shared};
use crate::messages::say;
use crate::print::{self, Print, Reader};

pub(super) static COMMAND: Command = Command {
    name: "stats",
    operands: "PATH",
    summary: "print SSTable metadata, as sstablemetadata does",
    help: Help {
        calls: &[Usage {
            words: "[OPTIONS] PATH",
            about: "\
Prints the fields of sstablemetadata, with its names, for every version: times, counts, histograms, first and last key, types of
the columns. PATH is a table's folder, whose SSTables are printed one after the other, or the Data.db of one; with -r a folder of
tables, each SSTable below the name of its folder. Data are not read.",
        }],
        notes: "\
Times are the stored numbers, followed by the time in UTC. If versions of sstablemetadata differ in the format of a line, the
latest is used. For histograms the non-empty buckets are printed, with estimated percentiles.",
        exit: "0 when all were read, 2 when something failed: the others are printed.",
    },
    does: Does::Job(&JOB),
};

static JOB: Declared<Options, Call> = Declared::of(FLAGS, finish, Reader::Needed, answer)
    .at_addresses()
    .taking(&[Operand::Path(|o| &mut o.path)]);

static FLAGS: &[Flag<Options>] = &[
    GC_GRACE
        .more("Determines the estimate of droppable tombstones. Default: 0, as in sstablemetadata.")
        .does(set!(|o, value| o.gc_grace_s = value.number()?)),
    NOW.does(set!(|o, value| o.now = Some(value.number()?))),
    RECURSIVE.sets(|o| &mut o.tables.is_recursive),
    COPIES.sets(|o| &mut o.tables.has_copies),
    shared::JSON
        .here("Print one JSON object per line: one for each SSTable.")
        .sets(|o| &mut o.json),
];

#[derive(Default)]
struct Options {
    path: PathBuf,
    gc_grace_s: i64,
    now: Option<i64>,
    tables: Tables,
    json: bool,
}

struct Call {
    path: PathBuf,
    /// In seconds since 1970: what was deleted before may be dropped.
    gc_before: i64,
    tables: Tables,
    json: bool,
}

fn finish(options: Options) -> Result<Call> {
    let Options { path, gc_grace_s, now, tables, json } = options;
    tables.check()?;
    let gc_before = now.unwrap_or_else(system_now).saturating_sub(gc_grace_s);
    Ok(Call { path, gc_before, tables, json })
}

fn answer(call: &Call, out: &mut Print) -> Result<u8> {
    let mut place = 0;
    let has_failed = if call.tables.is_recursive {
        let each = |path: &Path, stats| table(path, stats, call, &mut place, out);
        let (failed, has_failed) = call.tables.each(&call.path, open, each)?;
        has_failed || failed.iter().any(|(_, has_failed)| *has_failed)
    } else {
        table(&call.path, open(&call.path)?, call, &mut place, out)?
    };
    Ok(if has_failed { exit::FAILED } else { exit::DONE })
}

fn open(path: &Path) -> Result<Stats> {
    or_below(path, open_for_statistics(path).and_then(|table| table.stats()))
}

/// Prints a table's SSTables, of which `place` counts those that were printed before; whether one
/// can't be read.
fn table(path: &Path, found: Stats, call: &Call, place: &mut u64, out: &mut Print) -> Result<bool> {
    name_left_out(&found.left_out);
    out.in_pages();
    let mut has_failed = false;
    for sstable in &found.sstables {
        match sstable {
            Ok(stats) if call.json => {
                let mut json = print::json(CountedSstable { stats, gc_before: call.gc_before });
                if call.tables.is_recursive {
                    json["table"] = print::path(path);
                }
                out.row("sstable", json)?;
            }
            Ok(stats) => {
                let mut text = String::new();
                let counted = CountedSstable { stats, gc_before: call.gc_before };
                put_text(counted, &mut text)?;
                out.write_all(if *place > 0 { b"\n" } else { b"" })?;
                if call.tables.is_recursive {
                    writeln!(out, "Table: {}", path.display())?;
                }
                out.write_all(text.as_bytes())?;
                *place += 1;
            }
            Err(error) => {
                say(error);
                has_failed = true;
            }
        }
    }
    Ok(has_failed)
}
