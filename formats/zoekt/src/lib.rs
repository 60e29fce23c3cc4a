//! zoekt shards: a positional trigram index of source code, with the contents themselves.
//!
//! Bytes:   docs/formats/zoekt.md
//! Callers: engines/code

mod words;

pub use words::{Category, Skip};
