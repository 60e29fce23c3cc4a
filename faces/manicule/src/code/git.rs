//! Commits of git repositories indexed into zoekt shards, without a checkout. With feature `git`.

use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::{Path, PathBuf};

pub use manicule_code::shards::{Delta, GitError, GitReport, MissingBranches};
#[cfg(feature = "git")]
use manicule_code::shards::{GitOptions, Linguist, Submodules};
use manicule_core::go::clean;
use manicule_core::watch::Watch;

#[cfg(feature = "git")]
use super::index::options;
use super::index::{Error, IndexCall, base_name, describe};

/// Arguments of indexing a git repository. Options of zoekt-git-index are in parentheses; its
/// defaults are those of [`GitIndexCall::new`].
#[derive(Clone, Debug)]
pub struct GitIndexCall {
    /// What holds for folders too. The folder is the repository, bare or not; what is indexed are
    /// its commits. With [`Unchanged::Stays`](super::index::Unchanged::Stays) an index of the same
    /// commits stays (`-incremental`), and blobs that the shards have are not read again.
    pub index: IndexCall,
    /// Branches, tags and commits to index; a name with `*` stands for the branches that it matches
    /// (`-branches`).
    pub branches: Vec<String>,
    /// Put before a name that is none of a reference by itself (`-prefix`).
    pub branch_prefix: String,
    /// Whether a branch may be missing (`-allow_missing_branches`).
    pub missing_branches: MissingBranches,
    /// Whether submodules are indexed (`-submodules`): those that `repository_cache` has, or
    /// without one, those that are checked out.
    pub submodules: bool,
    /// Folder of bare repositories, named by their URLs. A repository in it has its path there as
    /// its name (`-repo_cache`).
    pub repository_cache: Option<PathBuf>,
    /// Whether only what has changed is indexed (`-delta`, `-delta_threshold`).
    pub delta: Delta,
}

/// Result of indexing a git repository.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct GitIndexed {
    /// The repository's name.
    pub repository: String,
    /// Report of the run.
    pub report: GitReport,
}

impl GitIndexCall {
    /// The defaults of zoekt-git-index: the commit that `HEAD` is at, with submodules.
    pub fn new(folder: PathBuf, output: PathBuf) -> Self {
        GitIndexCall {
            index: IndexCall::new(folder, output),
            branches: vec!["HEAD".to_owned()],
            branch_prefix: "refs/heads/".to_owned(),
            missing_branches: MissingBranches::Refused,
            submodules: true,
            repository_cache: None,
            delta: Delta::Off,
        }
    }
}

/// Indexes commits of a git repository.
#[cfg(not(feature = "git"))]
pub fn index_git(_: &GitIndexCall, _: &Watch<'_>) -> Result<GitIndexed, Error> {
    Err(Error::NoGit)
}

/// Indexes commits of a git repository.
#[cfg(feature = "git")]
pub fn index_git(call: &GitIndexCall, watch: &Watch<'_>) -> Result<GitIndexed, Error> {
    let repository = describe(&call.index, || name(call))?;
    let (name, linguist) = (repository.name.to_string(), Linguist::default());
    let source = OsString::from_vec(whole(&call.index.folder).unwrap_or_default());
    let options = options(&call.index, repository, source, &linguist)?;
    let git = GitOptions {
        branches: call.branches.clone(),
        branch_prefix: call.branch_prefix.clone(),
        missing_branches: call.missing_branches,
        submodules: match (&call.repository_cache, call.submodules) {
            (_, false) => Submodules::Off,
            (Some(cache), true) => Submodules::Cached(cache.clone()),
            (None, true) => Submodules::OfWorktree,
        },
        delta: call.delta,
    };
    let report = manicule_code::shards::index_git(&git, &options, watch);
    Ok(GitIndexed { repository: name, report: report.map_err(Error::Index)? })
}

/// Prefix of the shards' names; repositories for which it is the same replace each other.
pub fn shards_name(call: &GitIndexCall) -> Result<OsString, Error> {
    let name = || Ok(OsString::from_vec(describe(&call.index, || name(call))?.name.0));
    call.index.shard_prefix.clone().map_or_else(name, Ok)
}

/// The repository's path in the cache, or its folder's name; without `.git` at the end.
fn name(call: &GitIndexCall) -> Option<Vec<u8>> {
    let path = whole(&call.index.folder)?;
    let path = path.strip_suffix(b"/.git").unwrap_or(&path);
    let cache = call.repository_cache.as_ref().and_then(|cache| whole(cache));
    let cached = cache.and_then(|cache| path.strip_prefix(&cache[..])?.strip_prefix(b"/"));
    let name = cached.map(<[u8]>::to_vec);
    let name = name.or_else(|| base_name(Path::new(OsStr::from_bytes(path))))?;
    Some(name.strip_suffix(b".git").unwrap_or(&name).to_vec())
}

/// A path made absolute lexically.
fn whole(path: &Path) -> Option<Vec<u8>> {
    Some(clean(std::path::absolute(path).ok()?.as_os_str().as_bytes()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn repositories_are_named_by_their_place() {
        let check = |folder: &str, cache: Option<&str>, want: &str| {
            let call = GitIndexCall {
                repository_cache: cache.map(PathBuf::from),
                ..GitIndexCall::new(folder.into(), PathBuf::new())
            };
            assert_eq!(shards_name(&call).unwrap(), want, "{folder} {cache:?}");
        };
        check("/srv/git/example.org/lamps.git", None, "lamps");
        check("/srv/git/example.org/lamps.git/", Some("/srv/git/"), "example.org/lamps");
        check("/home/me/lamps/.git", None, "lamps");
        check("/home/me/x/../lamps", Some("/srv/git"), "lamps");
    }
}
