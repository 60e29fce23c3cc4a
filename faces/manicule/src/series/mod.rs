//! Prometheus blocks: [`Data`] is opened once, and what asks it is a method of it; blocks are
//! built, merged, split, rewritten, analysed. Each module holds a verb, its call, and its report.

pub mod analyze;
mod blocks;
pub mod build;
mod data;
pub mod diff;
pub mod dump;
mod error;
mod input;
mod inspect;
pub mod json;
pub mod merge;
mod names;
pub mod query;
pub mod reindex;
pub mod rewrite;
pub mod split;
mod target;

pub use analyze::analyze;
pub use blocks::open_block;
pub use build::{BuildCall, build};
pub use data::{Data, Moment, OpenCall};
pub use dump::DumpCall;
pub use error::Error;
pub(crate) use inspect::{block_file, inspect, summarise, verify};
pub use merge::{MergeCall, merge};
pub use reindex::{ReindexCall, reindex};
pub use rewrite::{RewriteCall, rewrite};
pub use split::{SplitCall, split};
pub use target::{Made, Writes, salvage};

/// Arguments of the verbs, and their reports about blocks.
pub use manicule_series::{
    AGGREGATES_ENCODING, Aggregate, Block, BlockError, BlockFacts, BlockFile, BlockInspection,
    BlockSummary, ChunkMeta, ChunkRef, ChunkRow, Damage, DamagedPart, ExternalLabels, Float,
    Histogram, Integer, Interval, Layout, LeftOut, Mark, MarkKind, MatchOp, Matcher, Meta,
    ResetHint, SaidBy, Salvage, Sample, SegmentFile, Selector, SelectorError, ShownLabel,
    ShownLabels, ShownName, Span, SyntaxError, Tombstones, Untaken, Value, Why, block_paths,
};

/// Default memory of posting lists in bytes, approximate, where blocks are merged or indexed again.
pub const MERGE_MEMORY: u64 = 256 << 20;

/// Default memory of posting lists in bytes, approximate, where blocks are rewritten or split.
pub const WRITE_MEMORY: u64 = 512 << 20;

/// Default memory of samples in bytes, approximate, where blocks are built.
pub const BUILD_MEMORY: u64 = 512 << 20;
