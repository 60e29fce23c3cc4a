//! The shards that the last run has left: what they say of documents need not be found out again.

use std::collections::HashMap;

use manicule_format_zoekt::{FEATURE_VERSION, Repository, Shard};

use super::family::Family;
use super::open::ShardError;
use super::stored::StoredShard;
use super::symbols::Symbols;

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

/// Symbols of the last run's documents.
pub(super) struct KnownSymbols<'k> {
    shards: &'k [Shard<'k>],
    /// Shard and number of each document that has symbols.
    by_name: HashMap<&'k [u8], (usize, usize)>,
}

impl<'k> KnownSymbols<'k> {
    /// Those of shards that are [alike](are_alike).
    pub(super) fn new(shards: &'k [Shard<'k>]) -> Self {
        let mut by_name = HashMap::new();
        for (index, shard) in shards.iter().enumerate() {
            for number in 0..shard.document_count() {
                // One without symbols may be one that ctags failed on.
                let has_symbols =
                    shard.symbol_ranges(number).is_ok_and(|ranges| !ranges.is_empty());
                if let Ok(name) = shard.names().text(number)
                    && has_symbols
                {
                    by_name.insert(name, (index, number));
                }
            }
        }
        KnownSymbols { shards, by_name }
    }

    /// The symbols of a document, if it had this content.
    pub(super) fn of(&self, name: &[u8], content: &[u8]) -> Option<Symbols> {
        let (shard, number) = *self.by_name.get(name)?;
        let shard = &self.shards[shard];
        let is_same = shard.contents().text(number).is_ok_and(|before| before == content);
        is_same.then(|| Symbols::of(shard, number, content).ok())?
    }
}
