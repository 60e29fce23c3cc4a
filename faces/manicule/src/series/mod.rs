//! Prometheus blocks: built, merged, split, rewritten, asked, compared. Each module holds a verb, its call, and what its
//! report says.
//!
//! Callers: faces

pub mod analyze;
pub mod build;
pub mod diff;
pub mod dump;
mod error;
pub mod merge;
mod names;
pub mod query;
pub mod reindex;
pub mod rewrite;
pub mod split;
mod target;

pub use analyze::analyze;
pub use build::{BuildCall, build};
pub use diff::diff;
pub use dump::{DumpCall, dump};
pub use error::Error;
pub use merge::{MergeCall, merge};
pub use query::{OpenCall, open};
pub use reindex::{ReindexCall, reindex};
pub use rewrite::{RewriteCall, rewrite};
pub use split::{SplitCall, split};
pub use target::{Made, Writes, salvage};

/// What verbs take, and what they say of blocks.
pub use manicule_series::{
    Block, BlockError, BlockFile, BlockInspection, BlockSummary, ChunkMeta, ChunkRef, ChunkRow,
    Damage, DamagedPart, Interval, Matcher, Meta, Salvage, Sample, SegmentFile, Selector,
    ShownLabel, ShownLabels, ShownName, Tombstones,
};

/// Label sets kept for a long time, with ids that stay valid while dead series are dropped.
pub mod store {
    pub use manicule_series::store::{
        FreezeError, Frozen, Label, LabelStore, Refused, Selected, SeriesId, Snapshot,
        StaleSnapshot, StoreInput, StoreWriter,
    };
}

/// The writer of an index, step by step.
pub mod write {
    pub use manicule_series::write::{Part, SymbolChoice, WriteError, WriteOptions};
}

/// About how many bytes posting lists may take where blocks are merged or indexed again, unless the user says otherwise.
pub const MERGE_MEMORY: u64 = 256 << 20;

/// About how many bytes posting lists may take where blocks are rewritten or split, unless the user says otherwise.
pub const WRITE_MEMORY: u64 = 512 << 20;

/// About how many bytes samples may take where blocks are built, unless the user says otherwise.
pub const BUILD_MEMORY: u64 = 512 << 20;
