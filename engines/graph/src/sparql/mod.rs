//! SPARQL 1.1 over any view: queries, updates and their results.
//!
//! Parser and evaluator are those of the Oxigraph family. Where they differ from the recommendation, or lose what a store keeps, the
//! query is rewritten before they see it: a file each in `rewrite`.
//!
//! Callers: faces/manicule, proof/graphs

mod dataset;
mod error;
mod order_key;
mod query;
mod rewrite;
mod session;
mod stored;
mod terms;
mod text;
mod update;

pub use error::SparqlError;
pub use query::{Answer, DefaultGraphChoice, NamedDataset, QueryOptions, Rows, Triples, query};
pub use session::{QueryLimits, QueryWork};
pub use terms::{blank_label, to_term, with_term_ref};
pub use update::{Load, UpdateOptions, UpdateWork, Writable, update};
