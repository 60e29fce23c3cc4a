//! `manicule blobs restore`: files and folders of a snapshot, put into a folder.

use std::ffi::OsString;
use std::io::Write;
use std::os::unix::ffi::OsStringExt;
use std::path::{Path, PathBuf};
use std::time::Instant;

use anyhow::{Context, Result, bail};
use manicule::blobs::choose::snapshot_at;
use manicule::blobs::restore::{Fault, Overwrite, RestoreEvent, RestoreSums};
use manicule::blobs::snapshots::{bytes_in_words, in_words};
use manicule::blobs::{Ahead, Repository, RestoreCall};

use super::choice::{Choice, snapshot_and_folder, with_choice};
use super::repo::Repo;
use crate::command::flag::set;
use crate::command::spec::spec;
use crate::command::{Command, Declared, Does, Flag, Help, Operand, Usage, exit, shared};
use crate::messages::say;
use crate::print::{Print, Reader};
use crate::progress::{Signals, watched};

pub(super) static COMMAND: Command = Command {
    name: "restore",
    operands: "SNAPSHOT[:PATH] --target DIR",
    summary: "restore files and folders of a snapshot into a folder",
    help: Help {
        calls: &[Usage {
            words: "[OPTIONS] SNAPSHOT[:PATH] --target DIR",
            about: "\
Restores a snapshot into DIR, or only the contents of the folder PATH, or the file PATH. Modes, times, links, extended attributes
and, for root, owners are restored. SNAPSHOT is an id prefix, or latest.",
        }],
        notes: "\
Nothing is written to the repository, not even a lock. Each blob is compared with its id, and a file appears only when complete:
one with damaged or missing parts is reported, and not written. A file that already has its content is not written again. Nothing
is written outside DIR, whatever names a snapshot has, and no link in it is followed. Sockets are skipped. Patterns are those of
`find`.",
        exit: "0 when everything was restored, 1 when nothing was selected, 2 when something could not be restored or failed.",
    },
    does: Does::Job(&JOB),
};

static JOB: Declared<Options, Call> = Declared::of(FLAGS, finish, Reader::Optional, answer)
    .at_addresses()
    .taking(&[Operand::Word(set!(|o, word| o.snapshot = word))]);

static FLAGS: &[Flag<Options>] = with_choice![
    spec("target", "t", "Restore into DIR; create it if missing.")
        .takes("DIR")
        .does(set!(|o, value| o.target = Some(value.path()))),
    spec("include", "i", "Only files that match PATTERN, and their parent folders.")
        .takes("PATTERN")
        .more("May be repeated.")
        .does(set!(|o, value| o.include.push(value.os().to_owned().into_vec()))),
    spec("exclude", "e", "Only files that don't match PATTERN.")
        .takes("PATTERN")
        .more("May be repeated.")
        .does(set!(|o, value| o.exclude.push(value.os().to_owned().into_vec()))),
    spec("ignore-case", "", "Ignore case in patterns.").sets(|o| &mut o.ignore_case),
    spec("overwrite", "", "Which existing files to replace. Default: always.")
        .takes("WHICH")
        .choices(&[
            ("always", "all"),
            ("if-changed", "those whose size or time differs; others are not compared"),
            ("if-newer", "those older than in the snapshot"),
            ("never", "none"),
        ])
        .does(set!(|o, value| o.overwrite = Some(value.choice(&OVERWRITES)?))),
    spec("sparse", "", "Write blobs of zeros as holes.").sets(|o| &mut o.sparse),
    spec("delete", "", "Remove from DIR what is not in the snapshot.")
        .more("Only what --include and --exclude select, in folders that are restored; with --dry-run it is listed.")
        .sets(|o| &mut o.delete),
    spec("verify", "", "Read back each file that was written.").sets(|o| &mut o.verify),
    shared::DRY_RUN.sets(|o| &mut o.dry_run),
    spec("json", "", "Print the counts as one object, as restic does.").sets(|o| &mut o.json),
];

const OVERWRITES: [Overwrite; 4] =
    [Overwrite::Always, Overwrite::IfChanged, Overwrite::IfNewer, Overwrite::Never];

#[derive(Default)]
struct Options {
    repo: Repo,
    choice: Choice,
    snapshot: OsString,
    target: Option<PathBuf>,
    include: Vec<Vec<u8>>,
    exclude: Vec<Vec<u8>>,
    ignore_case: bool,
    overwrite: Option<Overwrite>,
    sparse: bool,
    delete: bool,
    verify: bool,
    dry_run: bool,
    json: bool,
}

struct Call {
    repo: Repo,
    choice: Choice,
    snapshot: String,
    restore: RestoreCall,
    json: bool,
}

fn finish(options: Options) -> Result<Call> {
    let (snapshot, below) = snapshot_and_folder(options.snapshot);
    let target = options.target.context("missing --target DIR")?;
    if !options.include.is_empty() && !options.exclude.is_empty() {
        bail!("one of --include and --exclude is taken at a time");
    }
    if options.dry_run && options.verify {
        bail!("--dry-run writes nothing that --verify could read: leave out one of them");
    }
    let chooses = !options.include.is_empty() || !options.exclude.is_empty();
    if options.delete && !chooses && is_root(&target) {
        bail!("--delete with the target / takes --include or --exclude, lest all of it goes");
    }
    let restore = RestoreCall {
        below,
        target,
        include: options.include,
        exclude: options.exclude,
        ignores_case: options.ignore_case,
        overwrite: options.overwrite.unwrap_or(Overwrite::Always),
        is_sparse: options.sparse,
        is_dry: options.dry_run,
        is_deleting: options.delete,
        is_verifying: options.verify,
    };
    let Options { repo, choice, json, .. } = options;
    Ok(Call { repo, choice, snapshot, restore, json })
}

fn is_root(path: &Path) -> bool {
    path.canonicalize().unwrap_or_else(|_| path.to_owned()) == Path::new("/")
}

fn answer(call: &Call, out: &mut Print) -> Result<u8> {
    call.repo.ask(Ahead::Index, out, |open, out| answer_of(call, open, out))
}

fn answer_of(call: &Call, open: &Repository, out: &mut Print) -> Result<u8> {
    let (begin, is_said) = (Instant::now(), !call.json && !call.repo.quiet);
    let mut is_of_data = false;
    let sums = watched(call.repo.show(), Signals::Noted, |watch| {
        let snapshots = open.snapshots(watch)?;
        let at = snapshot_at(&snapshots, &call.snapshot, &call.choice.filter())?;
        let (kept, target) = (&snapshots.kept[at], call.restore.target.display());
        if is_said {
            writeln!(out, "restoring {} to {target}", in_words(kept))?;
        }
        let mut lost = Ok(());
        let mut report = |event: RestoreEvent<'_>| match event {
            RestoreEvent::Failed { path, fault, why } => {
                say(&format_args!("{}: {why}", String::from_utf8_lossy(path)));
                is_of_data |= fault == Fault::Data;
            }
            RestoreEvent::Deleted { path } if is_said && call.restore.is_dry && lost.is_ok() => {
                let path = String::from_utf8_lossy(path);
                lost = writeln!(out, "deleted   {target}{path}");
            }
            RestoreEvent::Deleted { .. } => {}
        };
        let sums = open.restore(kept, &call.restore, watch, &mut report)?;
        lost?;
        Ok::<_, anyhow::Error>(sums)
    })?;
    if is_of_data {
        say(&"`manicule blobs check` lists what a missing or damaged pack damages");
    }
    let seconds = begin.elapsed().as_secs();
    if call.json {
        writeln!(out, "{}", as_json(&sums, seconds))?
    } else {
        writeln!(out, "{}", as_text(&sums, seconds))?
    }
    if call.restore.is_verifying && is_said {
        let (count, target) = (sums.verified, call.restore.target.display());
        writeln!(out, "finished verifying {count} files in {target}")?;
    }
    Ok(if sums.failures > 0 { exit::FAILED } else { exit::if_any(sums.nodes > 0) })
}

fn as_text(sums: &RestoreSums, seconds: u64) -> String {
    let clock = match seconds / 3600 {
        0 => format!("{}:{:02}", seconds / 60, seconds % 60),
        hours => format!("{hours}:{:02}:{:02}", seconds / 60 % 60, seconds % 60),
    };
    let total = sums.nodes - sums.skipped;
    let restored = sums.restored - sums.skipped;
    let bytes = bytes_in_words(sums.bytes);
    let mut text = if restored == total && sums.bytes_written == sums.bytes {
        format!("Summary: Restored {total} files/dirs ({bytes}) in {clock}")
    } else {
        let written = bytes_in_words(sums.bytes_written);
        format!(
            "Summary: Restored {restored} / {total} files/dirs ({written} / {bytes}) in {clock}"
        )
    };
    if sums.skipped > 0 {
        let bytes = bytes_in_words(sums.bytes_skipped);
        text += &format!(", skipped {} files/dirs {bytes}", sums.skipped);
    }
    if sums.deleted > 0 {
        text += &format!(", deleted {} files/dirs", sums.deleted);
    }
    text
}

/// Fields of zero are left out, as restic leaves them out.
fn as_json(sums: &RestoreSums, seconds: u64) -> String {
    let fields = [
        ("seconds_elapsed", seconds),
        ("total_files", sums.nodes - sums.skipped),
        ("files_restored", sums.restored - sums.skipped),
        ("files_skipped", sums.skipped),
        ("files_deleted", sums.deleted),
        ("total_bytes", sums.bytes),
        ("bytes_restored", sums.bytes_written),
        ("bytes_skipped", sums.bytes_skipped),
    ];
    let mut json = "{\"message_type\":\"summary\"".to_owned();
    for (name, count) in fields.into_iter().filter(|(_, count)| *count > 0) {
        json += &format!(",\"{name}\":{count}");
    }
    json + "}"
}
