//! The files of the graph store: leaves of quads, dictionaries of terms, statistics, manifests and
//! frames of the log.
//!
//! Bytes:   docs/formats/leaf.md

pub mod dictionary;
mod head;
mod id;
pub mod leaf;
pub mod log;
pub mod manifest;
mod order;
mod outline;
mod pack;
pub mod statistics;
pub mod synced;

pub use head::{
    FileKind, LOG_VERSION_TRIPLES, MANIFEST_VERSION, MANIFEST_VERSION_TRIPLES, VERSION, kind_of,
};
pub use id::{Id, Tag};
pub use order::{Order, Role};
pub use outline::{outline, verify};
