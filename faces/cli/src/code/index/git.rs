//! `manicule code git-index`: commits of git repositories into zoekt shards. The options are
//! zoekt-git-index's, in Go's spelling, and some of ours.

use std::path::Path;

use anyhow::Result;
use manicule::code::git::{Delta, MissingBranches, shards_name};
use manicule::code::index::Unchanged;
use manicule::code::{GitIndexCall, index_git};
use manicule::watch::Watch;

use super::flags::{self, Options, finish, zoekt};
use super::index_each;
use super::report::{Done, Of};
use crate::command::flag::set;
use crate::command::{Command, Declared, Does, Flag, Help, Operand, Usage};
use crate::print::{Print, Reader};

pub(crate) static COMMAND: Command = Command {
    name: "git-index",
    operands: "REPOSITORY...",
    summary: "index commits of git repositories into zoekt shards, as zoekt-git-index does",
    help: Help {
        calls: &[Usage {
            words: "[OPTIONS] REPOSITORY...",
            about: "\
Indexes branches of each REPOSITORY, bare or not, into the shards that zoekt-git-index would write: from its object store, without
a checkout. A file that several branches have is stored once. An index of the same commits is kept; of other ones, files that the
shards have already are not read again, nor are their symbols looked for.",
        }],
        notes: "\
Name and links of the repository are what section zoekt of its config says (web-url, web-url-type, repoid, priority), or follow
from the URL of origin. Paths that match a commit's own .sourcegraph/ignore are skipped.

Submodules are indexed with the repositories that -repo_cache has of them; without it, those that are checked out. As in
zoekt-git-index, a file of a submodule from -repo_cache is of the last of the branches that have it.

A manicule that was built without the feature git refuses.",
        exit: "0 when everything is indexed, 2 when something failed.",
    },
    does: Does::Job(&JOB),
};

static JOB: Declared<Options> = Declared::of(FLAGS, finish, Reader::Optional, answer)
    .taking(&[Operand::Paths(|o| &mut o.folders)])
    .in_go_spelling();

static FLAGS: &[Flag<Options>] = &[
    zoekt("branches", "Index these branches, tags or commits, comma-separated. Default: HEAD.")
        .takes("LIST")
        .more("A name with * stands for all branches that it matches.")
        .does(set!(|o, value| {
            let list = value.string()?;
            let names = list.split(',').map(str::to_owned);
            o.call.branches = if list.is_empty() { Vec::new() } else { names.collect() };
        })),
    zoekt("prefix", "Put before names that are none by themselves. Default: refs/heads/.")
        .takes("TEXT")
        .does(set!(|o, value| o.call.branch_prefix = value.string()?)),
    zoekt("allow_missing_branches", "Leave out branches that are not there.")
        .does(set!(|o, value| o.call.missing_branches =
            if value.on { MissingBranches::LeftOut } else { MissingBranches::Refused })),
    zoekt("submodules", "Index submodules too. Default: true.")
        .does(set!(|o, value| o.call.submodules = value.on)),
    zoekt("repo_cache", "FOLDER of bare repositories, each at HOST/PATH.git of its URL.")
        .takes("FOLDER")
        .more("A REPOSITORY in it is called HOST/PATH.")
        .does(set!(|o, value| {
            let path = value.path();
            o.call.repository_cache = Some(path).filter(|path| *path != Path::new(""));
        })),
    zoekt("incremental", "Keep an index of the same commits. Default: true.")
        .does(set!(|o, value| o.call.index.unchanged =
            if value.on { Unchanged::Stays } else { Unchanged::IsWrittenAgain })),
    zoekt("delta", "Add shards of what has changed, and keep the others.")
        .more("Needs -submodules=false, and an index of the same branches.")
        .does(set!(|o, value| o.call.delta = if value.on { Delta::UpTo(0) } else { Delta::Off })),
    zoekt("delta_threshold", "Index all if there are more shards than this already.")
        .takes("NUM")
        .does(set!(|o, value| o.delta_shards_max = value.number()?)),
    flags::INDEX,
    flags::FILE_LIMIT,
    flags::LARGE_FILE,
    flags::MAX_TRIGRAM_COUNT,
    flags::SHARD_LIMIT,
    flags::SHARD_PREFIX_OVERRIDE,
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
        let indexed = index_git(call, watch)?;
        let (repository, report) = (indexed.repository, indexed.report);
        Ok(Done { repository, report, of: Of::Repository })
    };
    index_each(options, shards_name, index, out)
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;

    use super::*;

    #[test]
    fn options_are_those_of_zoekt_git_index() {
        let call = |line: &str| JOB.parsed(line).expect(line).call;
        let new = call("a");
        assert_eq!(
            (new.branches, new.branch_prefix.as_str()),
            (vec!["HEAD".into()], "refs/heads/")
        );
        assert_eq!((new.submodules, new.delta), (true, Delta::Off));
        assert_eq!(new.index.unchanged, Unchanged::Stays);
        let all = call(
            "-branches=main,dev -prefix refs/remotes/origin/ -submodules=false -repo_cache /srv/git \
             -incremental=false -delta -delta_threshold=3 -allow_missing_branches a",
        );
        assert_eq!(all.branches, ["main", "dev"]);
        assert_eq!(all.branch_prefix, "refs/remotes/origin/");
        assert_eq!((all.submodules, all.delta), (false, Delta::UpTo(3)));
        assert_eq!(all.repository_cache, Some(PathBuf::from("/srv/git")));
        assert_eq!(all.index.unchanged, Unchanged::IsWrittenAgain);
        assert_eq!(all.missing_branches, MissingBranches::LeftOut);
        assert_eq!(call("-branches= a").branches, Vec::<String>::new());
        assert_eq!(call("-delta_threshold=3 a").delta, Delta::Off);
        assert_eq!(call("-repo_cache= a").repository_cache, None);
    }
}
