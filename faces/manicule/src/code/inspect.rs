//! What shards are made of and whether they are right, in local folders and at addresses.

use std::path::Path;

use manicule_code::shards::{
    self, SHARD_ENDING, ShardCounts, ShardError, ShardInspection, ShardSummary,
};
use manicule_core::findings::Verified;
use manicule_core::watch::Watch;
use manicule_store::store::Fetched;

use crate::place::{Remote, fetched, remote};

/// The files of an address: of a shard the folder that it lies in, and its name there.
pub(super) fn files_of(remote: &Remote) -> Result<(Fetched, Option<&str>), ShardError> {
    let only = Some(remote.last()).filter(|last| last.ends_with(SHARD_ENDING));
    let folder = if only.is_some() { remote.parent() } else { remote.folder() };
    Ok((fetched(folder)?, only))
}

/// A shard.
pub(crate) fn inspect(path: &Path) -> Result<ShardInspection, ShardError> {
    match remote(path)? {
        None => shards::inspect(path),
        Some(remote) => shards::inspect_in(&fetched(remote.parent())?, remote.last()),
    }
}

/// The shards of a folder.
pub(crate) fn summarise(path: &Path) -> Result<Vec<ShardSummary>, ShardError> {
    match remote(path)? {
        None => shards::summarise(path),
        Some(remote) => shards::summarise_in(&fetched(remote.folder())?),
    }
}

/// Verifies a shard, or those of a folder.
pub(crate) fn verify(
    path: &Path,
    threads: usize,
    watch: &Watch<'_>,
    failed: &mut dyn FnMut(ShardError),
) -> Result<Verified<ShardCounts>, ShardError> {
    let Some(remote) = remote(path)? else { return shards::verify(path, threads, watch, failed) };
    let (files, only) = files_of(&remote)?;
    shards::verify_in(&files, only, threads, watch, failed)
}
