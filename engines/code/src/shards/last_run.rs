//! The shards that the last run has left: what they say of documents need not be found out again.

use manicule_format_zoekt::{FEATURE_VERSION, Repository, Shard};

use super::family::Family;
use super::open::ShardError;
use super::stored::StoredShard;

/// The shards of the last run, opened.
pub(super) struct LastRun {
    pub(super) opened: Vec<StoredShard>,
}

impl LastRun {
    /// Opens the shards of a repository. None where one can't be read: all is indexed then.
    pub(super) fn open(family: &Family) -> Option<Self> {
        let paths = family.shards().ok()?;
        let opened = paths.iter().map(|path| StoredShard::open(path)).collect::<Result<_, _>>();
        opened.ok().map(|opened| LastRun { opened })
    }

    /// The shards with what their sidecars say; none where one is damaged.
    pub(super) fn shards(&self) -> Vec<Shard<'_>> {
        let shards = self.opened.iter().map(StoredShard::shard);
        shards.collect::<Result<_, ShardError>>().unwrap_or_default()
    }
}

/// Whether shards are what a run with the same options would write of the same documents.
pub(super) fn are_alike(shards: &[Shard<'_>], repository: &Repository, version: &str) -> bool {
    shards.iter().all(|shard| {
        let (metadata, first) = (shard.metadata(), shard.repositories().first());
        metadata.index_feature_version == FEATURE_VERSION
            && metadata.zoekt_version == version
            && first.is_some_and(|first| {
                first.index_options == repository.index_options
                    && first.has_symbols == repository.has_symbols
            })
    })
}
