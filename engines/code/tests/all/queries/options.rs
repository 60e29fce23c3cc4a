//! What a request asks for besides its query.

use std::collections::BTreeMap;

use manicule_code::shards::find::OpenShard;
use manicule_code::shards::find::rank::{FileMatch, RankOptions, Scoring, Unit};
use serde_json::Value;

/// What a request asks for besides the query.
pub(super) struct Options<'o>(pub(super) &'o Value);

impl Options<'_> {
    pub(super) fn number(&self, name: &str) -> Option<usize> {
        self.0[name].as_u64().map(|number| number as usize).filter(|number| *number > 0)
    }

    pub(super) fn is_set(&self, name: &str) -> bool {
        self.0[name] == true
    }

    pub(super) fn rank(&self) -> RankOptions {
        let context = self.number("NumContextLines").unwrap_or(0);
        RankOptions {
            scoring: if self.is_set("UseBM25Scoring") {
                Scoring::Frequency
            } else {
                Scoring::Place
            },
            unit: if self.is_set("ChunkMatches") { Unit::Chunks { context } } else { Unit::Lines },
        }
    }

    /// Leaves out the documents that zoekt doesn't look at: it stops early in a shard, or in a
    /// repository of it, at a maximum number of matches.
    pub(super) fn stop_early(&self, shards: &[OpenShard<'_>], files: &mut Vec<FileMatch>) {
        let all: usize = shards.iter().map(|open| open.shard().document_count()).sum();
        let shown = self.number("MaxDocDisplayCount");
        let of_shard = self.number("ShardMaxMatchCount");
        let shard_max = of_shard.or(shown.map(|shown| all + 100 * shown)).unwrap_or(100_000);
        let repository_max = self.number("ShardRepoMaxMatchCount").unwrap_or(usize::MAX);
        let (mut in_shard, mut in_repository) = (BTreeMap::new(), BTreeMap::new());
        files.retain(|file| {
            let open = &shards[file.shard_number];
            let repository = open.shard().repository_of(file.document);
            let of_shard = in_shard.entry(file.shard_number).or_insert(0);
            let of_repository = in_repository.entry((file.shard_number, repository)).or_insert(0);
            let is_seen = *of_shard < shard_max && *of_repository < repository_max;
            if is_seen {
                *of_shard += file.matches.count() as usize;
                *of_repository += file.matches.count() as usize;
            }
            is_seen
        });
    }
}
