//! `manicule code index`: a folder into zoekt shards. The options are zoekt-index's, in Go's
//! spelling, and some of ours. `git.rs` has the command for git repositories.

mod flags;
mod git;
mod report;

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::time::Instant;

use anyhow::{Result, bail};
use manicule::cache::Cache;
use manicule::code::git::GitReport;
use manicule::code::index::{Error, shards_name, warnings};
use manicule::code::{GitIndexCall, IndexCall, index};
use manicule::watch::Watch;

use crate::command::{Command, Declared, Does, Flag, Help, Operand, Usage, exit};
use crate::messages::say;
use crate::print::{Print, Reader};
use crate::progress::{Show, Signals, watched};
use flags::{Options, finish};
use report::{Done, Of};

pub(super) use flags::index_time;
pub(super) use git::COMMAND as GIT_COMMAND;

pub(super) static COMMAND: Command = Command {
    name: "index",
    operands: "DIR...",
    summary: "index folders into zoekt shards, as zoekt-index does",
    help: Help {
        calls: &[Usage {
            words: "[OPTIONS] DIR...",
            about: "\
Indexes each DIR into the shards that zoekt-index would write, for zoekt-webserver and for manicule. Existing shards are kept if
nothing has changed; otherwise all shards of a DIR are replaced together. Symbols are found by universal-ctags, if it is installed.",
        }],
        notes: "\
With the same --index-time and --shard-id the same folder gives the same bytes. Paths that match .sourcegraph/ignore are skipped;
.gitignore is not respected, as in zoekt-index.

If killed at any moment, it leaves the old index or the new one, and the next run cleans up; interrupted with Ctrl-C or SIGTERM,
it cleans up before it exits. FOLDER may be inside DIR if it is ignored there.",
        exit: "0 when everything is indexed, 2 when something failed.",
    },
    does: Does::Job(&JOB),
};

static JOB: Declared<Options> = Declared::of(FLAGS, finish, Reader::Optional, answer)
    .taking(&[Operand::Paths(|o| &mut o.folders)])
    .in_go_spelling();

static FLAGS: &[Flag<Options>] = &[
    flags::INDEX,
    flags::FILE_LIMIT,
    flags::LARGE_FILE,
    flags::MAX_TRIGRAM_COUNT,
    flags::IGNORE_DIRS,
    flags::SHARD_LIMIT,
    flags::SHARD_PREFIX_OVERRIDE,
    flags::META,
    flags::PARALLELISM,
    flags::DISABLE_CTAGS,
    flags::REQUIRE_CTAGS,
    flags::SHARD_MERGING,
    flags::MEMORY,
    flags::THREADS,
    flags::CTAGS,
    flags::FORCE,
    flags::INDEX_TIME,
    flags::SHARD_ID,
    flags::SOURCE,
    flags::ZOEKT_VERSION,
    flags::JSON,
    flags::QUIET,
];

fn answer(options: &Options, out: &mut Print) -> Result<u8> {
    let index = |call: &GitIndexCall, watch: &Watch<'_>| {
        for warning in warnings(&call.index) {
            say(&warning);
        }
        let call = IndexCall { cache: Cache::of_user(), ..call.index.clone() };
        let indexed = index(&call, watch)?;
        let mut report = GitReport::default();
        report.index = indexed.report;
        Ok(Done { repository: indexed.repository, report, of: Of::Folder })
    };
    index_each(options, |call| shards_name(&call.index), index, out)
}

/// Indexes the folders or repositories of a command line, each by `index`; `shards_name` tells how
/// its shards are called.
fn index_each(
    options: &Options,
    shards_name: impl Fn(&GitIndexCall) -> Result<OsString, Error>,
    index: impl Fn(&GitIndexCall, &Watch<'_>) -> Result<Done, Error>,
    out: &mut Print,
) -> Result<u8> {
    let mut code = exit::DONE;
    for call in calls(options, shards_name)? {
        let started = Instant::now();
        match watched(Show::of(options.form), Signals::Noted, |watch| index(&call, watch)) {
            Ok(done) => {
                done.warn(&call.index);
                done.tell(&call.index, started.elapsed(), options.form, out)?;
            }
            // The others can still be indexed.
            Err(error) => {
                let error = anyhow::Error::new(error);
                say(&format_args!("{error:#}"));
                code = exit::FAILED;
            }
        }
    }
    Ok(code)
}

/// A call for each folder. Two whose shards have the same names would replace each other.
fn calls(
    options: &Options,
    shards_name: impl Fn(&GitIndexCall) -> Result<OsString, Error>,
) -> Result<Vec<GitIndexCall>> {
    let call = |folder: &PathBuf| {
        let mut call = options.call.clone();
        call.index.folder.clone_from(folder);
        call
    };
    let calls: Vec<GitIndexCall> = options.folders.iter().map(call).collect();
    let mut by_name: BTreeMap<OsString, &Path> = BTreeMap::new();
    for call in &calls {
        // A folder without a name is reported when it is its turn.
        let Ok(name) = shards_name(call) else { continue };
        if let Some(first) = by_name.insert(name.clone(), &call.index.folder) {
            bail!(
                "{} and {} would both be {:?}, and the shards of the second replace those of the first: call for each, \
                 with a name from -meta or -shard_prefix_override, or with another folder for -index",
                first.display(),
                call.index.folder.display(),
                name.to_string_lossy()
            );
        }
    }
    Ok(calls)
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;

    use manicule::code::index::INDEX_MEMORY_MIN;
    use manicule::code::{IndexCall, Symbols};

    use super::*;

    #[test]
    fn options_are_spelled_as_in_go() {
        for line in [
            "-index out -file_limit 7 -disable_ctags a b",
            "--index out --file_limit 7 --disable_ctags a b",
            "-index=out -file_limit=7 -disable_ctags=false a b",
            "a -index=out b --file_limit=7 -require_ctags=0 -shard_merging=F",
        ] {
            let options = JOB.parsed(line).unwrap();
            assert_eq!(options.folders, [Path::new("a"), Path::new("b")], "{line}");
            assert_eq!(options.call.index.output, Path::new("out"), "{line}");
            assert_eq!(options.call.index.limits.size_max, 7, "{line}");
        }
        let options = JOB.parsed("-index=x=y -large_file a -large_file=!b - -- -c -- -d").unwrap();
        assert_eq!(options.call.index.output, Path::new("x=y"));
        assert_eq!(options.call.index.large_files, ["a", "!b"]);
        assert_eq!(options.folders, ["-", "-c", "--", "-d"].map(Path::new));
    }

    #[test]
    fn symbols_are_those_of_the_last_word() {
        let read = |line: &str| {
            let call = JOB.parsed(line).expect(line).call.index;
            (call.symbols, call.symbols_required)
        };
        let by = |path: &str| Symbols::By(PathBuf::from(path));
        assert_eq!(read("a"), (Symbols::WhereFound, false));
        assert_eq!(read("-disable_ctags a"), (Symbols::Off, false));
        assert_eq!(read("-disable_ctags -disable_ctags=false a"), (Symbols::WhereFound, false));
        assert_eq!(read("-require_ctags --ctags x/y a"), (by("x/y"), true));
        assert_eq!(read("--ctags off --ctags require a"), (Symbols::WhereFound, true));
        assert_eq!(read("--ctags=z -disable_ctags=false a"), (by("z"), false));
    }

    #[test]
    fn nought_is_the_default() {
        let (new, options) = (
            IndexCall::new(PathBuf::new(), PathBuf::new()),
            JOB.parsed("-file_limit 0 -shard_limit 0 -max_trigram_count 0 -parallelism 0 a")
                .unwrap(),
        );
        assert_eq!(options.call.index.limits, new.limits);
        assert_eq!(options.call.index.shard_len_max, new.shard_len_max);
        assert_eq!(options.call.index.threads, new.threads);
    }

    #[test]
    fn memory_has_a_floor() {
        for (line, want) in [
            ("--memory 0 a", INDEX_MEMORY_MIN),
            ("--memory=1KiB a", INDEX_MEMORY_MIN),
            ("--memory=1.5G a", 3 << 29),
            ("--memory 10TiB a", 10 << 40),
        ] {
            assert_eq!(JOB.parsed(line).unwrap().call.index.memory, want, "{line}");
        }
    }

    #[test]
    fn what_is_wrong_is_said() {
        for (line, want) in [
            ("", "missing DIR; usage: manicule code index DIR..."),
            (
                "-x a",
                "there is no option -x; `manicule code index --help` lists them; if it is not an option, put it after --",
            ),
            ("-index", "-index wants a value: -index FOLDER"),
            (
                "--memory much a",
                "--memory: \"much\" is no size such as 512MiB, 1.5G or 2TB: a number, with a unit if need be",
            ),
            ("-file_limit -1 a", "-file_limit \"-1\" is no number"),
            ("-disable_ctags=maybe a", "-disable_ctags is true or false, not \"maybe\""),
            ("--ctags= a", "--ctags is the path of a program, off or require"),
            (
                "-meta m a b",
                "-meta describes one repository: name one folder, and call again for the others",
            ),
            (
                "--index-time today a",
                "--index-time \"today\" is no time such as 2026-01-31T12:00:00.5Z",
            ),
            (
                "--shard-id x a",
                "--shard-id \"x\" is no id: 20 digits of 0-9a-v, the last one 0 or g",
            ),
        ] {
            let error = JOB.parsed(line).err().expect(line);
            assert_eq!(format!("{error:#}"), want);
        }
    }
}
