//! zoekt shards: their contents, and searches of them in place.

pub use manicule_code::shards::{
    Count, FoundShard, Lists, Repository, RepositoryInspection, SectionInspection, Shard,
    ShardError, ShardInspection, ShardSummary, map_shards,
};

/// Documents of shards, handed to visitors.
pub mod find {
    pub use manicule_code::shards::find::{
        Admit, Census, Document, Foreseen, OpenShard, Order, Receipt, Request, ShardFiles, Skipped,
        Visit, Visitors, census, not_indexed, repository_count, visit,
    };
}
