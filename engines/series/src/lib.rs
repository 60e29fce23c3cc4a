//! Prometheus blocks: built, written, merged, selected, verified.
//!
//! Callers: faces/manicule

mod analyze;
mod block;
mod block_file;
pub mod build;
pub mod diff;
pub mod dump;
pub mod growth;
mod inspect;
mod matcher;
pub mod merge;
pub mod openmetrics;
mod publish;
pub mod query;
mod reindex;
pub mod rewrite;
mod salvage;
mod samples;
mod segments;
mod selector;
mod signs;
pub mod split;
pub mod store;
mod verify;
pub mod write;

pub use analyze::{
    Analysis, AnalyzeOptions, Bytes, ChunkAnalysis, Chunks, Count, Distribution, LabelCost,
    LabelOfMetric, Matrix, MetricOfValue, MetricRow, SampleBytes, ValueRow, analyze,
};
pub use block::{
    Block, BlockError, Opened, block_paths, open_all, open_newest, open_sound, open_within,
    segment_paths, unread_log,
};
pub use block_file::{BlockFile, ChunkContent, ChunkRow, SegmentFile};
pub use inspect::{
    BlockInspection, BlockSummary, IndexInspection, SegmentInspection, inspect, outline, summarise,
};
pub use manicule_core::pattern::go::{Accepts, SyntaxError};
pub use manicule_format_prometheus::chunk::{Sample, Value};
pub use manicule_format_prometheus::{
    ChunkMeta, ChunkRef, INDEX_MAGIC, Interval, Meta, PairIndex, SEGMENT_MAGIC, TOMBSTONES_MAGIC,
    Tombstones, Ulid, short_name,
};
pub use matcher::{MatchOp, Matcher};
pub use publish::{Draft, Target};
pub use reindex::{ReindexOptions, reindex, reindex_through};
pub use salvage::{Damage, DamagedPart, Salvage};
pub use samples::SeriesSamples;
pub use segments::SegmentWriter;
pub use selector::{METRIC_NAME, Selector, SelectorError, ShownLabel, ShownLabels, ShownName};
pub use signs::{
    begins_as_index, has_block_meta, is_block, is_block_name, is_of_block, is_of_data,
};
pub use verify::{Verified, has_block_parts, verify};
