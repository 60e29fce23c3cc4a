//! SPARQL 1.2 over any view: queries, updates and their results.
//!
//! A query is planned, and the plan runs vectorised, over columns of ids: `columns`. Its judge,
//! which evaluates row by row, is in `rows`, for tests.
//!
//! Parser, algebra and the library of functions are those of the Oxigraph family. Where they differ
//! from the recommendation, or lose what a store keeps, the query is rewritten before: a file each
//! in `rewrite`.

mod answer;
mod columns;
mod dataset;
mod error;
mod explain;
mod graphs;
mod levels;
mod number;
mod order_key;
mod place;
mod query;
mod regexes;
mod results;
mod rewrite;
#[cfg(feature = "judge")]
mod rows;
mod seen;
mod session;
mod stored;
mod terms;
mod text;
mod update;
mod view_counts;

pub use answer::{Answer, Rows, Triples};
pub use error::SparqlError;
pub(crate) use number::is_without_value;

pub use explain::{
    Done, Explain, Explained, Operator, QueryTimes, explain, explain_view, explain_words,
};
pub use graphs::{DefaultGraphChoice, NamedDataset};
pub use query::{
    QueryForm, QueryOptions, check_query, gives_triples, query, query_form, query_view,
};
pub use results::{RowFormat, write_boolean, write_rows, write_solutions, write_triples};
#[cfg(feature = "judge")]
pub use rows::{JoinOrder, query_by_rows};
pub use session::{QueryLimits, QueryThreads, QueryWork};
/// A row of the answer of a SELECT.
pub use spareval::QuerySolution as Solution;
pub(crate) use terms::levels;
pub use terms::{blank_label, blank_number, to_term, triple_of, with_term_ref};
pub use update::{Load, UpdateOptions, UpdateWork, Writable, check_update, update, update_any};
