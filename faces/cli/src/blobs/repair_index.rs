//! `manicule blobs repair-index`: a damaged index, made right by the packs.

use std::io::Write;
use std::time::Duration;

use anyhow::{Result, bail};
use manicule::blobs::json::{RepairSummary, WrittenIndex};
use manicule::blobs::repair::{ChangedPack, Effect, PackChange, ReadPacks, RepairReport};
use manicule::blobs::{Ahead, RepairCall, Repository};

use super::repo::{Repo, with_repo};
use crate::command::flag::set;
use crate::command::spec::spec;
use crate::command::{Command, Declared, Does, Flag, Help, Usage, exit, shared};
use crate::messages::say;
use crate::print::{Print, Reader};
use crate::progress::{Signals, watched};
use crate::units::counted;

pub(super) static COMMAND: Command = Command {
    name: "repair-index",
    operands: "",
    summary: "repair a damaged index from the pack headers",
    help: Help {
        calls: &[Usage {
            words: "[OPTIONS]",
            about: "\
Makes the index list exactly the packs that exist, as their headers do. Reads the headers of packs that no index file lists, whose
size does not match their entries, or that index files list inconsistently; with --read-all-packs, of all packs. Try --dry-run
first.",
        }],
        notes: "\
New index files are written and synced before the old ones are removed, and files that need no change stay: if it is interrupted,
no blob is lost, and the next call continues. The repository is locked meanwhile, as by restic. Stale locks are removed: those of
processes of this machine that have ended, and those not refreshed for 30 minutes. If a pack's header can't be read, its blobs are
read, and intact ones stay in the index; `restic repair packs` copies them into other packs.",
        exit: "0 when every pack is in the index, 1 when one's header can't be read, 2 when something failed.",
    },
    does: Does::Job(&JOB),
};

static JOB: Declared<Options, Call> =
    Declared::of(FLAGS, finish, Reader::Optional, answer).at_addresses();

static FLAGS: &[Flag<Options>] = with_repo![
    spec("read-all-packs", "", "Read the headers of all packs.")
        .more("Also finds entries with wrong offsets and wrong ids.")
        .sets(|o| &mut o.read_all),
    shared::DRY_RUN
        .here("Report what would be done; write nothing, not even a lock.")
        .sets(|o| &mut o.dry_run),
    spec("retry-lock", "", "Wait this long for the lock of another process, such as 5m.")
        .takes("TIME")
        .does(set!(|o, value| o.retry_lock_ms = value.duration_ms()?)),
    shared::JSON.more("The last object, of type summary, has the counts.").sets(|o| &mut o.json),
];

#[derive(Default)]
struct Options {
    repo: Repo,
    read_all: bool,
    dry_run: bool,
    retry_lock_ms: i64,
    json: bool,
}

struct Call {
    repo: Repo,
    job: RepairCall,
    json: bool,
}

fn finish(options: Options) -> Result<Call> {
    let Options { repo, read_all, dry_run, retry_lock_ms, json } = options;
    if dry_run && retry_lock_ms > 0 {
        bail!("--retry-lock is for calls that lock, and --dry-run takes none");
    }
    let retry_for = Duration::from_millis(retry_lock_ms.max(0) as u64);
    let effect = if dry_run { Effect::DryRun } else { Effect::Repair { retry_for } };
    let read = if read_all { ReadPacks::All } else { ReadPacks::Doubtful };
    Ok(Call { repo, job: RepairCall { read, effect }, json })
}

fn answer(call: &Call, out: &mut Print) -> Result<u8> {
    call.repo.ask(Ahead::Nothing, out, |open, out| answer_of(call, open, out))
}

fn answer_of(call: &Call, open: &Repository, out: &mut Print) -> Result<u8> {
    let repaired =
        watched(call.repo.show(), Signals::Noted, |watch| open.repair_index(&call.job, watch))?;
    for id in &repaired.stale_locks {
        say(&format_args!("lock {} was stale, and was removed", id.short()));
    }
    out.in_pages();
    let report = &repaired.report;
    if call.json {
        print_json(report, call.job.effect, out)?
    } else {
        print_text(report, call.job.effect, out)?
    }
    Ok(exit::if_any(report.is_whole()))
}

fn print_text(report: &RepairReport, effect: Effect, out: &mut Print) -> Result<()> {
    for ChangedPack { id, change } in &report.changed {
        writeln!(out, "pack {id}: {}", sentence(change))?;
    }
    for removed in &report.index_removed {
        match &removed.error {
            Some(error) => writeln!(out, "index file {} can't be read: {error}", removed.id)?,
            None => writeln!(out, "index file {} is replaced", removed.id)?,
        }
    }
    report.written.iter().try_for_each(|id| writeln!(out, "index file {id} is new"))?;
    let would = match effect {
        Effect::DryRun => "would be ",
        Effect::Repair { .. } => "",
    };
    writeln!(
        out,
        "{} and {} read; {} {would}written, {} {would}removed, {} {would}kept",
        counted(report.index_read, "index file"),
        counted(report.headers_read, "pack header"),
        report.index_written,
        report.index_removed.len(),
        report.index_kept,
    )?;
    Ok(())
}

fn sentence(change: &PackChange) -> String {
    let blobs = |count: &u32| counted(u64::from(*count), "blob");
    match change {
        PackChange::Added { blobs: count } => format!("in no index, {} added", blobs(count)),
        PackChange::Replaced { blobs: count, blobs_before } => {
            format!("its header has other blobs than the index, {count} in place of {blobs_before}")
        }
        PackChange::Missing { blobs_before } => {
            format!("its file is gone, and {} from the index", blobs(blobs_before))
        }
        PackChange::Unreadable { blobs: 0, blobs_before: 0, error } => {
            format!("in no index, and its header can't be read: {error}")
        }
        PackChange::Unreadable { blobs: count, blobs_before, error } => {
            format!("its header can't be read, {count} of {} kept: {error}", blobs(blobs_before))
        }
    }
}

fn print_json(report: &RepairReport, effect: Effect, out: &mut Print) -> Result<()> {
    report.changed.iter().try_for_each(|pack| out.report("pack", pack))?;
    report.index_removed.iter().try_for_each(|removed| out.report("index", removed))?;
    report.written.iter().try_for_each(|id| out.report("index", WrittenIndex(id)))?;
    let dry_run = effect == Effect::DryRun;
    Ok(out.report("summary", RepairSummary { dry_run, report })?)
}
