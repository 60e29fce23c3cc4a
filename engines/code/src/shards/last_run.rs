//! The shards that the last run has left: what they say of documents need not be found out again.

use std::collections::HashMap;

use manicule_format_zoekt::{FEATURE_VERSION, Repository, Shard, Skip};

use super::family::Family;
use super::index::{IndexReport, ShardReport, Tally};
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

    /// The report of shards that stay: `shards` are those of this run.
    pub(super) fn report(&self, shards: &[Shard<'_>]) -> IndexReport {
        let (mut tally, mut reports) = (Tally::default(), Vec::new());
        for (StoredShard { path, .. }, shard) in self.opened.iter().zip(shards) {
            let documents = alive(shard);
            let mut posting_count = 0;
            for number in &documents {
                let content = shard.contents().text(*number).unwrap_or_default();
                let runes = shard.contents().rune_range(*number);
                posting_count += u64::from((runes.end - runes.start).saturating_sub(2));
                let symbol_count = shard.symbol_ranges(*number).map_or(0, |ranges| ranges.len());
                let skip = Skip::ALL.into_iter().find(|skip| skip.marker() == content);
                tally.add(skip, content.len(), symbol_count);
            }
            reports.push(ShardReport {
                path: path.clone(),
                len: shard.file_len(),
                document_count: documents.len() as u64,
                posting_count,
                window_count: 0,
            });
        }
        IndexReport { is_unchanged: true, shards: reports, ..tally.report() }
    }
}

/// The documents of a shard that its sidecar doesn't say are gone.
pub(super) fn alive(shard: &Shard<'_>) -> Vec<usize> {
    let gone = shard.repositories().first().and_then(|first| first.file_tombstones.as_ref());
    let is_alive = |number: &usize| {
        let name = shard.names().text(*number).unwrap_or_default();
        gone.is_none_or(|gone| !gone.contains_key(String::from_utf8_lossy(name).as_ref()))
    };
    (0..shard.document_count()).filter(is_alive).collect()
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
