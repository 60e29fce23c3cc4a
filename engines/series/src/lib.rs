//! Prometheus blocks: built, written, merged, selected, verified.
//!
//! Callers: faces/manicule

mod block;

pub use block::{Block, BlockError, block_paths, is_ulid, open_all, segment_paths};
mod matcher;

pub use manicule_core::pattern::go::{Accepts, SyntaxError};
pub use matcher::{MatchOp, Matcher};
mod publish;
mod segments;

pub use publish::{Draft, Target};
pub use segments::SegmentWriter;
