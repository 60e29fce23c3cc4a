//! Documents of RDF, read: every syntax, compressed or not, each statement's terms given to a sink.
//!
//! | step | file |
//! |---|---|
//! | which syntax | `format` |
//! | bytes, decompressed, in pieces for threads | `source` |
//! | N-Triples and N-Quads: the usual shapes, then the rest | `line`, `lines` |
//! | the other syntaxes | `document` |
//! | terms as the document writes them, checked where they are new | `raw`, `iri` |
//!
//! Callers: sparql, faces/manicule

mod document;
mod fault;
mod format;
mod iri;
mod line;
mod lines;
mod raw;
mod source;

pub use document::{Document, DocumentError, Rest};
pub use fault::Fault;
pub use format::Syntax;
pub use lines::read_lines;
pub use raw::{Checked, RawQuad, RawTerm, Sink};
pub use source::{Piece, Pieces, Place, Source};
