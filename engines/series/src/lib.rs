//! Prometheus blocks: built, written, merged, selected, verified.
//!
//! Callers: faces/manicule

mod block;
mod matcher;
mod publish;
mod segments;

pub use block::{Block, BlockError, block_paths, open_all, segment_paths};
pub mod query;

pub use block::{Block, BlockError, block_paths, is_ulid, open_all, segment_paths};
pub use manicule_core::pattern::go::{Accepts, SyntaxError};
pub use matcher::{MatchOp, Matcher};
pub use publish::{Draft, Target};
pub use segments::SegmentWriter;
pub mod write;
