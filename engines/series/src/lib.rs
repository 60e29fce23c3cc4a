//! Prometheus blocks: built, written, merged, selected, verified.

mod ask;
mod block;
mod make;
pub mod openmetrics;

pub use ask::{diff, dump, expression, growth, query};
pub use make::{ingest as build, merge, rewrite, split, write};

pub use ask::analyze::{
    Analysis, AnalyzeOptions, Bytes, ChunkAnalysis, Chunks, Count, Distribution, LabelCost,
    LabelOfMetric, Matrix, MetricOfValue, MetricRow, SampleBytes, ValueRow, analyze,
};
pub use ask::matcher::{METRIC_NAME, MatchOp, Matcher};
pub use ask::selector::{Selector, SelectorError, ShownLabel, ShownLabels, ShownName};
pub use block::catalogue::{open_listed_in, open_within_in};
pub use block::data_folder::{
    open_all, open_named, open_newest, open_sound, open_sound_among, open_within, open_within_again,
};
pub use block::error::BlockError;
pub use block::file::{BlockFile, ChunkContent, ChunkRow, SegmentFile};
pub use block::folder::{block_paths, unread_log};
pub use block::inspect::{
    BlockFacts, BlockInspection, BlockSummary, IndexInspection, SegmentInspection, inspect,
    inspect_in, outline, summarise, summarise_in,
};
pub use block::open::Block;
pub use block::opened::{LeftOut, Marked, Opened, SaidBy, Why};
pub use block::salvage::{Damage, DamagedPart, Salvage};
pub use block::samples::SeriesSamples;
pub use block::segments::{Segments, segment_paths};
pub use block::signs;
pub use block::tenants::{Tenant, tenants_in};
pub use block::verify::{BlockCounts, verify, verify_in};
pub use make::owner::Untaken;
pub use make::publish::{Draft, Target};
pub use make::reindex::{ReindexOptions, reindex, reindex_through};
pub use make::segments::SegmentWriter;
pub use manicule_core::pattern::go::{Accepts, SyntaxError};
pub use manicule_format_prometheus::chunk::{
    AGGREGATES_ENCODING, Aggregate, Float, Histogram, Integer, Layout, ResetHint, Sample, Span,
    Value,
};
pub use manicule_format_prometheus::{
    ChunkMeta, ChunkRef, ExternalLabels, Interval, META_NAME, Mark, MarkKind, Meta, PairIndex,
    Tombstones, Ulid, short_name,
};
