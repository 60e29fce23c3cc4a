//! Options of indexing a git repository, beside those of any run, and its report.

use std::path::PathBuf;

use super::super::index::IndexReport;

/// Options of a git repository. Names of zoekt-git-index's options are in parentheses.
#[derive(Clone, Debug)]
pub struct GitOptions {
    /// Branches and other revisions; one with `*` is a glob of branches (`-branches`).
    pub branches: Vec<String>,
    /// Put before what is no revision by itself (`-prefix`).
    pub branch_prefix: String,
    /// A branch that isn't there (`-allow_missing_branches`).
    pub missing_branches: MissingBranches,
    /// Where submodules are found (`-submodules`, `-repo_cache`).
    pub submodules: Submodules,
    /// Whether only what has changed is indexed (`-delta`).
    pub delta: Delta,
}

/// What a branch that isn't there is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MissingBranches {
    /// An error.
    Refused,
    /// Left out.
    LeftOut,
}

/// Where the repositories of submodules are.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Submodules {
    /// They are not indexed.
    Off,
    /// In the repository itself, for those that its worktree has checked out.
    OfWorktree,
    /// Below this folder, each under host and path of its URL.
    Cached(PathBuf),
}

/// Whether only what has changed is indexed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Delta {
    /// All is indexed.
    Off,
    /// What has changed is added as new shards, unless there are more shards than this already
    /// (`-delta_threshold`); 0 is any number.
    UpTo(u64),
}

/// Report of indexing a git repository.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct GitReport {
    /// What was written.
    pub index: IndexReport,
    /// Number of documents taken from the shards of before, without reading their blobs.
    pub kept: u64,
    /// The shards are of what has changed; the others stay.
    pub is_delta: bool,
    /// What was passed over: submodules that are not there, and why all was indexed.
    pub notes: Vec<String>,
}
