//! Decisions about source code: which files a question needs, in which order, and what is known
//! about them already.
//!
//! Formats: docs/formats/tree.md, docs/formats/zoekt.md

pub mod shards;
pub mod tree;
mod trust;

pub use manicule_core::findings::{FINDINGS_MAX, FileFinding};
