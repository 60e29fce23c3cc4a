//! Documents of RDF, read: every syntax, compressed or not, each statement's terms given to a sink.
//!
//! | step | file |
//! |---|---|
//! | which syntax | `format` |
//! | bytes, decompressed, in pieces for threads | `source` |
//! | N-Triples and N-Quads: the usual shapes, then the rest | `cut`, `line`, `lines` |
//! | the other syntaxes | `document`, `levels` |
//! | a load into a transaction | `insert`, `run` |
//! | a document by its IRI | `named` |
//! | terms as the document writes them, checked where they are new | `raw`, `iri` |

mod cut;
mod document;
mod fault;
mod format;
mod insert;
mod iri;
mod levels;
mod line;
mod lines;
mod named;
mod raw;
mod run;
mod source;

pub(crate) use cut::Cut;
pub use document::{Document, DocumentError, Rest};
pub use fault::Fault;
pub use format::Syntax;
pub use insert::{Insert, NamedGraphs};
pub use lines::read_lines;
pub use named::load_iri;
pub use raw::{Checked, RawQuad, RawTerm, Sink};
pub(crate) use run::{FAULTS_LISTED_MAX, read_document};
pub use run::{Input, LoadError, LoadOptions, LoadReport, OnFault, check_iri, load_into};
pub use source::{Piece, Pieces, Place, Source, is_packed};
