//! `manicule cache`: what is kept in the user's cache folder.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use anyhow::{Context, Result, bail};
use manicule::blobs::{clear_caches, kept_caches};
use manicule::cache::{BUILD_MEMORY, Cache, Work, now_ns, run_in_background};
use manicule::code::json::KeptNow;
use manicule::code::tree::{self, BuildError, Kept, KeptState, Reuse, WhenBusy};
use manicule::kinds::{Deal, recognise};
use manicule::place::{clear_fetched, fetched_len};
use serde_json::json;

use crate::command::flag::set;
use crate::command::spec::spec;
use crate::command::{Command, Declared, Does, Flag, Help, Operand, Usage, cores, exit, shared};
use crate::print::{self, Print, Reader};
use crate::progress::{Show, Signals, watched};
use crate::units::{counted, human_age, human_len};

pub(crate) static COMMAND: Command = Command {
    name: "cache",
    operands: "list|clear|build",
    summary: "list, clear or build the indexes in the cache folder",
    help: Help {
        notes: "\
Indexes are kept in $MANICULE_CACHE_DIR, or else in manicule under $XDG_CACHE_HOME or ~/.cache. Those of trees together are
limited to $MANICULE_CACHE_MAX bytes (default: 4 GiB); the least recently used are removed first. With $MANICULE_NO_INDEX set none
is used or written.",
        ..Help::NONE
    },
    does: Does::Group(&[&LIST, &CLEAR, &BUILD]),
};

static LIST: Command = Command {
    name: "list",
    operands: "",
    summary: "list the indexes: tree, files, size, age, last use",
    help: Help {
        calls: &[Usage {
            words: "[--json]",
            about: "\
Lists the indexes: tree, files, size, age, last use; and those of restic repositories (--index-cache), which are encrypted, so
that only their size and age are known.",
        }],
        exit: "0 on success, 2 when something failed.",
        ..Help::NONE
    },
    does: Does::Job(&LIST_JOB),
};

static LIST_JOB: Declared<Options> =
    Declared::of(LIST_FLAGS, Ok, Reader::Optional, |options, out| list(&of_user()?, options, out));

static LIST_FLAGS: &[Flag<Options>] = &[shared::JSON.sets(|o| &mut o.json)];

static CLEAR: Command = Command {
    name: "clear",
    operands: "[PATH...]",
    summary: "remove the index of each tree, or of all trees",
    help: Help {
        calls: &[Usage {
            words: "[PATH...]",
            about: "\
Removes the index of each tree; without PATH those of all trees, and those of restic repositories.",
        }],
        exit: "0 on success, 1 when there was no such index, 2 when something failed.",
        ..Help::NONE
    },
    does: Does::Job(&CLEAR_JOB),
};

static CLEAR_JOB: Declared<Options> =
    Declared::of(&[], Ok, Reader::Optional, |options, out| clear(&of_user()?, options, out))
        .taking(&[Operand::Paths(|o| &mut o.paths)]);

static BUILD: Command = Command {
    name: "build",
    operands: "[PATH...]",
    summary: "build or update the index of a tree",
    help: Help {
        calls: &[Usage {
            words: "[OPTIONS] [PATH...]",
            about: "\
Builds or updates the index of the tree at PATH. Default: the current folder.",
        }],
        exit: "0 on success, 2 when something failed.",
        ..Help::NONE
    },
    does: Does::Job(&BUILD_JOB),
};

static BUILD_JOB: Declared<Options> =
    Declared::of(BUILD_FLAGS, Ok, Reader::Optional, |options, out| {
        build(&of_user()?, options, out)
    })
    .taking(&[Operand::Paths(|o| &mut o.paths)]);

static BUILD_FLAGS: &[Flag<Options>] = &[
    spec("all", "", "Read every file again, even if it looks unchanged.")
        .does(set!(|o| o.work.reuse = Reuse::Nothing)),
    // The first name of this option.
    spec("anew", "", "As --all.").hidden().does(set!(|o| o.work.reuse = Reuse::Nothing)),
    spec("background", "", "For the process that works beside others.").hidden().does(|o, _| {
        o.background = true;
        o.work.when_busy = WhenBusy::GiveUp;
        Ok(())
    }),
    shared::THREADS.does(set!(|o, value| o.work.threads = value.threads()?)),
    shared::MEMORY
        .more("Default: 256MiB. Builds that need more write more segments.")
        .does(set!(|o, value| o.work.memory = value.size()?)),
    shared::JSON.sets(|o| &mut o.json),
];

fn of_user() -> Result<Cache> {
    Cache::of_user().context(
        "there is no cache folder: HOME is not set, or MANICULE_NO_INDEX is; set MANICULE_CACHE_DIR",
    )
}

struct Options {
    json: bool,
    background: bool,
    work: Work,
    paths: Vec<PathBuf>,
}

impl Default for Options {
    fn default() -> Self {
        let work = Work {
            reuse: Reuse::Unchanged,
            when_busy: WhenBusy::Wait,
            threads: cores(),
            memory: BUILD_MEMORY,
        };
        Options { json: false, background: false, work, paths: Vec::new() }
    }
}

fn list(cache: &Cache, options: &Options, out: &mut Print) -> Result<u8> {
    let kept = tree::list(&cache.folder)?;
    let of_repositories = kept_caches(&cache.folder)?;
    for row in &kept {
        if options.json {
            out.line(KeptNow { kept: row, now: SystemTime::now() })?;
        } else {
            writeln!(out, "{}", as_text(row))?;
        }
    }
    for row in &of_repositories {
        let (len, age) = (row.len, seconds_since(row.written_at));
        if options.json {
            let path = print::path(&row.path);
            let row =
                json!({"repository": "restic", "path": path, "len": len, "made_seconds_ago": age});
            writeln!(out, "{row}")?;
        } else {
            let (len, age, path) = (human_len(len), human_age(age), row.path.display());
            writeln!(
                out,
                "{len:>9}  {:<48}  {path}",
                format!("of a restic repository, made {age} ago")
            )?;
        }
    }
    if !options.json {
        let len = kept.iter().map(|row| row.len).sum();
        let (count, folder) = (indexes(kept.len()), cache.folder.display());
        writeln!(
            out,
            "{count}, {} of at most {}, in {folder}",
            human_len(len),
            human_len(cache.len_max)
        )?;
        let fetched = fetched_len(&cache.folder)?;
        if fetched > 0 {
            let [len, len_max] = [fetched, cache.len_max].map(human_len);
            writeln!(out, "whole files of object stores, {len} of at most {len_max}")?;
        }
        if !of_repositories.is_empty() {
            let len = of_repositories.iter().map(|row| row.len).sum();
            let count = indexes(of_repositories.len());
            writeln!(out, "{count} of restic repositories, {}, without a limit", human_len(len))?;
        }
    }
    Ok(exit::DONE)
}

fn indexes(count: usize) -> String {
    if count == 1 { "1 index".to_owned() } else { format!("{count} indexes") }
}

fn as_text(row: &Kept) -> String {
    let root = row.root.as_deref().map_or("(of an unknown tree)".into(), Path::to_string_lossy);
    let (len, used) = (human_len(row.len), human_age(seconds_since(row.used_at)));
    match row.made_at_ns {
        Some(made_at_ns) => {
            let made = human_age(now_ns().saturating_sub(made_at_ns) / 1_000_000_000);
            let files = row.file_count;
            let files = counted(files, "file");
            format!("{len:>9}  {files:>15}  made {made:>8} ago, used {used:>8} ago  {root}")
        }
        None => {
            let state = match row.state {
                KeptState::Unfinished => "never finished: its build was interrupted",
                KeptState::Refused => "none: its file system keeps no times to rely on",
                state => state.word(),
            };
            format!("{len:>9}  {state:<48}  {root}")
        }
    }
}

pub(crate) fn seconds_since(time: SystemTime) -> u64 {
    time.elapsed().map_or(0, |age| age.as_secs())
}

fn clear(cache: &Cache, options: &Options, out: &mut Print) -> Result<u8> {
    let roots: Vec<PathBuf> = if !options.paths.is_empty() {
        let canonical = |path: &PathBuf| {
            std::fs::canonicalize(path).with_context(|| path.display().to_string())
        };
        options.paths.iter().map(canonical).collect::<Result<_>>()?
    } else {
        tree::list(&cache.folder)?.into_iter().map(|row| row.path).collect()
    };
    let mut removed = 0;
    for root in &roots {
        let done = if options.paths.is_empty() {
            tree::clear_cache_dir(root)?
        } else {
            tree::clear(&cache.folder, root)?
        };
        removed += usize::from(done);
    }
    if options.paths.is_empty() {
        removed += clear_caches(&cache.folder)?;
        clear_fetched(&cache.folder)?;
        cache.forget_notes();
    }
    writeln!(out, "{} removed", indexes(removed))?;
    Ok(exit::if_any(removed > 0 || options.paths.is_empty()))
}

fn build(cache: &Cache, options: &Options, out: &mut Print) -> Result<u8> {
    if options.background {
        run_in_background();
    }
    let (show, signals) = if options.background {
        (Show::Nothing, Signals::Plain)
    } else {
        (Show::Progress, Signals::Noted)
    };
    let here = [PathBuf::from(".")];
    let roots = if options.paths.is_empty() { &here[..] } else { &options.paths };
    for root in roots {
        refuse_without_text(root)?;
        let built = watched(show, signals, |watch| cache.build(root, &options.work, watch));
        let report = match built {
            Ok(report) => report,
            // The child of another call is at it: as good as done.
            Err(BuildError::Busy) if options.background => continue,
            // It names the folder.
            Err(error @ BuildError::UnsuitableFileSystem(_)) => return Err(error.into()),
            Err(error) => return Err(error).with_context(|| root.display().to_string()),
        };
        if options.json {
            out.line(report)?;
            continue;
        }
        writeln!(
            out,
            "{} in {}; {} read ({}), {} without grams; index {} in {}",
            counted(report.file_count, "file"),
            counted(report.folder_count, "folder"),
            report.read_count,
            human_len(report.read_len),
            report.unknown_count,
            human_len(report.index_len),
            counted(report.segment_count, "segment"),
        )?;
    }
    Ok(exit::DONE)
}

/// An index of a folder that is searched in another way would be used by no call.
fn refuse_without_text(root: &Path) -> Result<()> {
    let deal = Deal::of(vec![root.to_owned()], false);
    match deal.paths.keys().find(|system| !system.is_text()) {
        Some(_) if deal.trees().is_empty() => {
            let (path, kind) = (root.display(), recognise(root)?);
            bail!("{path} is {kind}: `manicule find` searches it as that, without an index of ours")
        }
        _ => Ok(()),
    }
}
