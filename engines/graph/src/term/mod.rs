//! Terms of RDF: what is stored of them, and when two are one.
//!
//! Callers: all of this engine

mod bytes;
pub mod inline;
mod reference;

pub use bytes::{decode_term, encode_term};
pub(crate) use bytes::{put_tagged, put_typed};
pub use reference::TermRef;
