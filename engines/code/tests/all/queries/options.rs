//! What a request asks for besides its query.

use manicule_code::shards::find::OpenShard;
use manicule_code::shards::find::rank::{RankOptions, RankUntil, Scoring, Unit};
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

    /// Where zoekt ends its search early.
    pub(super) fn until(&self, shards: &[OpenShard<'_>]) -> RankUntil {
        let all: usize = shards.iter().map(|open| open.shard().document_count()).sum();
        let shown = self.number("MaxDocDisplayCount");
        let of_shard = self.number("ShardMaxMatchCount");
        let of_shard = of_shard.or(shown.map(|shown| all + 100 * shown)).unwrap_or(100_000);
        let of_repository = self.number("ShardRepoMaxMatchCount");
        let count = |number: usize| number as u64;
        RankUntil { shard: Some(count(of_shard)), repository: of_repository.map(count), all: None }
    }
}
