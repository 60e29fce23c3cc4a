//! A store of RDF: terms and quads, transactions, merging in the background, SPARQL.
//!
//! Bytes:   docs/formats/leaf.md
//! Callers: faces/manicule

mod error;
pub mod export;
pub mod load;
mod quad;
pub mod sparql;
pub mod term;
mod view;

pub use error::GraphError;
pub use manicule_format_leaf::{Id, Tag};
pub use quad::{GraphChoice, Pattern, Quad};
pub use view::View;
