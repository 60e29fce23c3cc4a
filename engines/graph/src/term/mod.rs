//! Terms of RDF: what is stored of them, and when two are one.

mod bytes;
pub mod inline;
mod plain;
mod reference;
mod triple;

pub use bytes::{decode_term, encode_term};
pub(crate) use plain::{put_directional, put_tagged, put_typed};
pub use reference::{Direction, TRIPLE_LEVELS_MAX, TermRef, TooManyLevels, TripleBuf, TripleRef};

/// The bytes of rdf:type, whose objects are classes.
pub(crate) const RDF_TYPE: &[u8] = b"http://www.w3.org/1999/02/22-rdf-syntax-ns#type";
