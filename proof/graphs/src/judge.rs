//! The two ways to answer a query: vectorised, as programs do, and row by row, by the judge.

use manicule_core::watch::Watch;
use manicule_graph::View;
pub use manicule_graph::sparql::JoinOrder;
use manicule_graph::sparql::{Answer, QueryOptions, SparqlError, query_by_rows, query_view};

/// The way in which a query is answered. All of them give the same solutions.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Evaluation {
    /// Vectorised.
    Columns,
    /// Row by row.
    Rows(JoinOrder),
}

/// Asks a query of a view.
///
/// # Errors
/// As those of the query.
pub fn ask<'v, V: View>(
    view: &'v V,
    text: &str,
    options: &QueryOptions<'_>,
    evaluation: Evaluation,
    watch: &'v Watch<'v>,
) -> Result<Answer<'v>, SparqlError> {
    match evaluation {
        Evaluation::Columns => query_view(view, text, options, watch),
        Evaluation::Rows(order) => query_by_rows(view, text, options, order, watch),
    }
}
