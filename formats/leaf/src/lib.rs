//! The files of the graph store: leaves of quads, dictionaries of terms, statistics, manifests and frames of the log.
//!
//! Bytes:   docs/formats/leaf.md
//! Callers: engines/graph

mod id;

pub use id::{Id, Tag};
