//! What a repository holds: with a password more than without.

use std::path::{Path, PathBuf};

use manicule_blobs::{Ahead, Id, Inspection, Kept};
pub use manicule_blobs::{FileCount, KeyCost, KeyFile};
use manicule_core::watch::Watch;

use super::error::Error;
use super::open::{OpenCall, Repository, files_of};

/// A repository's files and keys, and what only its password shows.
#[derive(Debug)]
pub struct RepositoryInspection {
    /// Its folder.
    pub path: PathBuf,
    /// Its files by their kinds, and its key files.
    pub files: Inspection,
    /// What the password showed, if one was given.
    pub opened: Option<OpenedInspection>,
}

/// What a repository shows to its password.
#[derive(Debug)]
pub struct OpenedInspection {
    /// Version of its format.
    pub version: u32,
    /// Its name in the config.
    pub id: String,
    /// The key file that the password opened.
    pub key: Id,
    /// rustic's mark that nothing may be deleted.
    pub is_append_only: bool,
    /// rustic's mark of a hot half, which lacks the packs of data.
    pub is_hot: bool,
    /// Its oldest snapshot.
    pub oldest: Option<Kept>,
    /// Its newest.
    pub newest: Option<Kept>,
    /// Files that can't be read, as sentences.
    pub broken: Vec<String>,
}

/// Lists a repository's files, and reads its keys; with a password also its config and its
/// snapshots.
pub fn inspect(
    path: &Path,
    password: Option<Vec<u8>>,
    threads: usize,
    watch: &Watch<'_>,
) -> Result<RepositoryInspection, Error> {
    let files = Inspection::of(&files_of(path)?)?;
    let path = path.to_owned();
    let opened = match password {
        None => None,
        Some(password) => {
            let path = path.clone();
            let (key_hint, index_cache, ahead) = (None, None, Ahead::Snapshots);
            let call = OpenCall { path, password, key_hint, threads, index_cache, ahead };
            Some(look(Repository::open(&call)?, watch)?)
        }
    };
    Ok(RepositoryInspection { path, files, opened })
}

fn look(repository: Repository, watch: &Watch<'_>) -> Result<OpenedInspection, Error> {
    let snapshots = repository.snapshots(watch)?;
    let mut broken = repository.broken_keys;
    broken.extend(snapshots.broken.iter().map(ToString::to_string));
    let config = repository.engine.config();
    Ok(OpenedInspection {
        version: config.version.number(),
        id: config.id.clone(),
        key: repository.engine.key_id(),
        is_append_only: config.is_append_only,
        is_hot: config.is_hot,
        oldest: snapshots.kept.first().cloned(),
        newest: snapshots.kept.last().cloned(),
        broken,
    })
}
