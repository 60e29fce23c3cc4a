//! Packs: blobs read from them, by ranges.
//!
//! Callers: trees, check, repair

mod read;
mod runs;

pub(crate) use read::BlobReader;
pub use read::ReadError;
pub(crate) use runs::{Run, runs_of};
