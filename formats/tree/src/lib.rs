//! The document-level index of a source tree: which files hold which grams, and how each file looked when that was
//! found out. Ours; it holds no contents.
//!
//! Bytes:   docs/formats/tree.md
//! Callers: engines/code

mod frame;
pub mod grams;
pub mod manifest;
pub mod segment;

pub use frame::{Kind, VERSION, kind_of};
