//! Terms of RDF: what is stored of them, and when two are one.

mod bytes;
pub mod inline;
mod reference;

pub use bytes::{decode_term, encode_term};
pub(crate) use bytes::{put_tagged, put_typed};
pub use reference::TermRef;

/// The bytes of rdf:type, whose objects are classes.
pub(crate) const RDF_TYPE: &[u8] = b"http://www.w3.org/1999/02/22-rdf-syntax-ns#type";
