//! Commits of a git repository indexed into shards, as zoekt-git-index does: read from the object
//! store, without a checkout.
//!
//! | file | what |
//! |---|---|
//! | repository | a repository opened: its folders, references, config, revisions |
//! | objects | commits, trees and blobs, each compared with its id |
//! | config | what the config says of the repository: name, URLs, rank |
//! | modules | submodules: what `.gitmodules` says, and where their repositories are |
//! | gather | the files of commits, of several branches and submodules |
//! | kept | documents that the shards of the last run still have |
//! | delta | files that have changed since the last run |
//! | source | all that as documents of a run |
//! | run | the run |
//!
//! Bytes:   docs/formats/zoekt.md, section *Git*

mod error;
mod options;

#[cfg(feature = "git")]
mod config;
#[cfg(feature = "git")]
mod delta;
#[cfg(feature = "git")]
mod gather;
#[cfg(feature = "git")]
mod kept;
#[cfg(feature = "git")]
mod modules;
#[cfg(feature = "git")]
mod objects;
#[cfg(feature = "git")]
mod repository;
#[cfg(feature = "git")]
mod run;
#[cfg(feature = "git")]
mod source;

use std::path::Path;

pub use error::GitError;
pub use options::{Delta, GitOptions, GitReport, MissingBranches, Submodules};
#[cfg(feature = "git")]
pub use run::{index_git, index_git_through};

/// Whether a folder is a git repository without a checkout.
pub fn is_bare_repository(folder: &Path) -> bool {
    let head = std::fs::read(folder.join("HEAD")).unwrap_or_default();
    let is_commit = head.len() >= 40 && head.trim_ascii().iter().all(u8::is_ascii_hexdigit);
    (head.starts_with(b"ref: ") || is_commit)
        && folder.join("objects").is_dir()
        && folder.join("refs").is_dir()
}
