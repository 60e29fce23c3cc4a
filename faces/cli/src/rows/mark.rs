//! `manicule rows mark`: level and time of repair, changed where SSTables lie.

use std::io::Write;
use std::path::PathBuf;

use anyhow::{Context, Result, bail};
use manicule::rows::json::MarkedSstable;
use manicule::rows::{MarkCall, Repaired, mark};
use manicule::times::{milliseconds, utc};

use super::times::system_now;
use crate::command::flag::set;
use crate::command::spec::spec;
use crate::command::{Command, Declared, Does, Flag, Help, Operand, Usage, exit, shared};
use crate::print::{Print, Reader};
use crate::units::counted;

pub(super) static COMMAND: Command = Command {
    name: "mark",
    operands: "PATH...",
    summary: "change the level or repair time of SSTables in place, as sstablelevelreset and sstablerepairedset do",
    help: Help {
        calls: &[Usage {
            words: "[--level NUM] [--repaired TIME|--unrepaired] PATH...",
            about: "\
Changes the level or the repair time in the Statistics.db of each SSTable, and nothing else: a new Statistics.db is written beside
the old one, with its checksums, and replaces it. PATH is a table's folder, for all of its SSTables, or the Data.db of one. The
node must be stopped.",
        }],
        notes: "\
This is the only command that changes an existing table. A run that was killed leaves each SSTable either unchanged or changed.
Setting or clearing the repair time also clears the pending repair and the transient flag, as sstablerepairedset does. An SSTable
that already has the values isn't touched. Files of ScyllaDB that have a checksum of Statistics.db in Scylla.db are refused.",
        exit: "0 when all SSTables have the new values, 2 when something failed: SSTables before it are changed.",
    },
    does: Does::Job(&JOB),
};

static JOB: Declared<Options, Call> = Declared::of(FLAGS, finish, Reader::Optional, answer)
    .taking(&[Operand::Paths(|o| &mut o.paths)]);

static FLAGS: &[Flag<Options>] = &[
    spec("level", "l", "Set the level for leveled compaction; 0 is that of new SSTables.")
        .takes("NUM")
        .does(set!(|o, value| o.level = Some(value.number()?))),
    spec("repaired", "", "Set the repair time.")
        .takes("TIME")
        .more("Seconds since 1970, RFC 3339, 2024-04-05 (UTC), now, or written: the modification time of its Data.db.")
        .does(set!(|o, value| o.repaired = Some(value.string()?))),
    spec("unrepaired", "", "Mark as never repaired.").sets(|o| &mut o.is_unrepaired),
    shared::DRY_RUN.sets(|o| &mut o.is_dry),
    shared::JSON.here("Print one JSON object per line: one for each SSTable.").sets(|o| &mut o.json),
];

#[derive(Default)]
struct Options {
    paths: Vec<PathBuf>,
    level: Option<u8>,
    repaired: Option<String>,
    is_unrepaired: bool,
    is_dry: bool,
    json: bool,
}

struct Call {
    mark: MarkCall,
    json: bool,
}

/// The last level that leveled compaction has.
const LEVEL_MAX: u8 = 8;

fn finish(options: Options) -> Result<Call> {
    let Options { paths, level, repaired, is_unrepaired, is_dry, json } = options;
    let repaired = match (repaired.as_deref(), is_unrepaired) {
        (Some(_), true) => bail!("--repaired and --unrepaired exclude each other"),
        (None, true) => Some(Repaired::Never),
        (None, false) => None,
        (Some("written"), false) => Some(Repaired::WhenWritten),
        (Some("now"), false) => Some(Repaired::At(system_now().saturating_mul(1000))),
        (Some(text), false) => {
            let at = milliseconds(text).filter(|at| *at > 0);
            Some(Repaired::At(at.with_context(|| format!("--repaired {text:?} is no time"))?))
        }
    };
    if level.is_none() && repaired.is_none() {
        bail!("what is to change? --level NUM, --repaired TIME, or --unrepaired");
    }
    if let Some(level) = level.filter(|level| *level > LEVEL_MAX) {
        bail!("--level {level}: levels are 0 to {LEVEL_MAX}");
    }
    let mark = MarkCall { paths, level: level.map(i32::from), repaired, is_dry };
    Ok(Call { mark, json })
}

fn answer(call: &Call, out: &mut Print) -> Result<u8> {
    let (mut count, mut changed_count) = (0, 0);
    mark(&call.mark, |path, marked| {
        count += 1;
        changed_count += u64::from(marked.is_changed);
        let [before, after] = [&marked.before, &marked.after];
        if call.json {
            out.report("sstable", MarkedSstable { path: &path, marked })?;
            return Ok::<(), anyhow::Error>(());
        }
        let mut changes = Vec::new();
        if before.level != after.level {
            changes.push(format!("level {} to {}", before.level, after.level));
        }
        if before.repaired_at != after.repaired_at {
            let [before, after] = [before, after].map(|it| repaired(it.repaired_at));
            changes.push(format!("repaired {before} to {after}"));
        }
        if before.pending_repair != after.pending_repair {
            changes.push("waits for no repair".to_owned());
        }
        if before.is_transient != after.is_transient {
            changes.push("not transient".to_owned());
        }
        let changes =
            if changes.is_empty() { "is so already".to_owned() } else { changes.join(", ") };
        Ok(writeln!(out, "{}: {changes}", path.display())?)
    })?;
    if !call.json {
        let done = if call.mark.is_dry { "would be changed" } else { "changed" };
        writeln!(out, "{changed_count} of {} {done}", counted(count, "SSTable"))?;
    }
    Ok(exit::DONE)
}

fn repaired(at: i64) -> String {
    if at == 0 { "never".to_owned() } else { utc(at) }
}
