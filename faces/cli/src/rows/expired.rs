//! `manicule rows expired`: SSTables that a node can drop whole, and what keeps it from it.

use std::io::Write;
use std::path::PathBuf;

use anyhow::Result;
use manicule::rows::json::ExpiredSstable;
use manicule::rows::{Expired, GC_GRACE_S, Overview, expired};
use manicule::times::utc;
use serde_json::json;

use super::recursive::or_one_below;
use super::shared::{name_left_out, open_for_statistics};
use super::times::{GC_GRACE, NOW, system_now};
use crate::command::flag::set;
use crate::command::{Command, Declared, Does, Flag, Help, Operand, Usage, exit, shared};
use crate::messages::say;
use crate::print::{Print, Reader};
use crate::units::{counted, human_len};

pub(super) static COMMAND: Command = Command {
    name: "expired",
    operands: "TABLE",
    summary: "list expired SSTables, and which others block their removal, as sstableexpiredblockers does",
    help: Help {
        calls: &[Usage {
            words: "[OPTIONS] TABLE",
            about: "\
Lists the SSTables of a folder in which everything was deleted or has expired for longer than gc_grace: a compaction drops such an
SSTable completely, without reading it, unless an SSTable that isn't expired has data as old as its newest: that one blocks it.",
        }],
        notes: "\
Blockers are those of sstableexpiredblockers; one without keys between the first and last key of the expired one, which keeps no
compaction from dropping it, is marked as apart. Memtables are not known: what a node hasn't flushed may block too. Only
statistics are read.",
        exit: "0 when there are expired SSTables, 1 when there are none, 2 when something failed.",
    },
    does: Does::Job(&JOB),
};

static JOB: Declared<Options, Call> = Declared::of(FLAGS, finish, Reader::Optional, answer)
    .at_addresses()
    .taking(&[Operand::Path(|o| &mut o.table)]);

static FLAGS: &[Flag<Options>] = &[
    GC_GRACE.does(set!(|o, value| o.gc_grace_s = value.number()?)),
    NOW.does(set!(|o, value| o.now = Some(value.number()?))),
    shared::JSON
        .here("Print one JSON object per line: one for each expired SSTable, then the totals.")
        .sets(|o| &mut o.json),
];

struct Options {
    table: PathBuf,
    gc_grace_s: i64,
    now: Option<i64>,
    json: bool,
}

impl Default for Options {
    fn default() -> Options {
        Options { table: PathBuf::new(), gc_grace_s: GC_GRACE_S, now: None, json: false }
    }
}

struct Call {
    table: PathBuf,
    gc_grace_s: i64,
    now: i64,
    json: bool,
}

fn finish(options: Options) -> Result<Call> {
    let Options { table, gc_grace_s, now, json } = options;
    Ok(Call { table, gc_grace_s, now: now.unwrap_or_else(system_now), json })
}

fn answer(call: &Call, out: &mut Print) -> Result<u8> {
    let overviews = open_for_statistics(&call.table).and_then(|table| table.overviews());
    let found = or_one_below(&call.table, overviews)?;
    name_left_out(&found.left_out);
    found.errors.iter().for_each(|error| say(error));
    let (all, gc_before) = (&found.list, call.now.saturating_sub(call.gc_grace_s));
    let expired = expired(all, gc_before);
    let dropped = expired.iter().filter(|one| one.is_droppable());
    let dropped_len: u64 = dropped.clone().map(|one| all[one.sstable].len).sum();
    for one in &expired {
        if call.json {
            out.report("expired", ExpiredSstable { expired: one, all })?
        } else {
            print_text(one, all, out)?
        }
    }
    let dropped_count = dropped.count();
    if call.json {
        let sums = json!({
            "now": call.now, "gc_grace_seconds": call.gc_grace_s, "sstables": all.len(),
            "expired": expired.len(), "droppable": dropped_count, "droppable_bytes": dropped_len,
        });
        out.row("summary", sums)?;
    } else {
        let (count, sstables) = (expired.len(), counted(all.len() as u64, "SSTable"));
        let (len, at) = (human_len(dropped_len), utc(call.now.saturating_mul(1000)));
        writeln!(
            out,
            "{count} of {sstables} expired, {dropped_count} can be dropped: {len}; gc_grace {} s, at {at}",
            call.gc_grace_s
        )?;
    }
    let code = exit::if_any(!expired.is_empty());
    Ok(if found.errors.is_empty() { code } else { exit::FAILED })
}

fn print_text(expired: &Expired, all: &[Overview], out: &mut Print) -> Result<()> {
    let own = &all[expired.sstable];
    let statistics = &own.stats.statistics;
    let is_droppable = expired.is_droppable();
    writeln!(
        out,
        "{}  {}  last deletion {}, newest write {}: {}",
        own.stats.descriptor,
        human_len(own.len),
        utc(statistics.max_local_time.saturating_mul(1000)),
        utc(statistics.max_timestamp.div_euclid(1000)),
        if is_droppable { "can be dropped" } else { "blocked" },
    )?;
    for blocker in &expired.blockers {
        let other = &all[blocker.sstable];
        let what = if blocker.overlaps { "blocked by" } else { "apart from" };
        let oldest = utc(other.stats.statistics.min_timestamp.div_euclid(1000));
        writeln!(out, "    {what} {}, oldest write {oldest}", other.stats.descriptor)?;
    }
    Ok(())
}
