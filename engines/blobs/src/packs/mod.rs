//! Packs: headers and blobs read from them, by ranges.

mod bring;
mod header;
mod read;
mod runs;

pub(crate) use bring::{bring_contents, bring_trees, brought};
pub(crate) use header::{HeaderError, end_of, read_header};
pub use read::ReadError;
pub(crate) use read::{BLOB_LEN_MAX, BlobReader};
pub(crate) use runs::{Run, runs_of};
