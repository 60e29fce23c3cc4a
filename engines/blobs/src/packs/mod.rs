//! Packs: blobs read from them, by ranges.
//!
//! Callers: trees, history

mod read;
mod runs;

pub(crate) use read::BlobReader;
pub use read::ReadError;
pub(crate) use runs::{Run, runs_of};
