//! Prometheus blocks: built, written, merged, selected, verified.
//!
//! Callers: faces/manicule

mod block;
mod matcher;
mod publish;
pub mod query;
mod segments;
pub mod write;
mod selector;
mod verify;

pub use block::{Block, BlockError, block_paths, open_all, segment_paths};
pub use manicule_core::pattern::go::{Accepts, SyntaxError};
pub use matcher::{MatchOp, Matcher};
mod openmetrics;
mod publish;
mod segments;

pub use block::{Block, BlockError, block_paths, is_ulid, open_all, segment_paths};
pub use openmetrics::{
    Dialect, Kind, LabelError, LabelSet, Parser, Sample, SyntaxError, TextError,
};
pub use publish::{Draft, Target};
pub use segments::SegmentWriter;
pub use selector::{METRIC_NAME, Selector, SelectorError};
pub mod write;
mod samples;

pub use block::{Block, BlockError, block_paths, is_ulid, open_all, segment_paths};
pub use samples::SeriesSamples;
pub mod store;
pub use verify::{Verified, verify};
