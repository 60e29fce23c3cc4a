//! Filters by ids, applied to rows as they pass to where they go.

use spargebra::algebra::{Expression, Function};

use super::super::state::{Columns, GraphOf};
use super::super::stop::Outcome;
use super::super::table::rows::Table;
use super::super::table::sink::Sink;
use crate::view::View;

/// A filter, and the graph that it is in.
#[derive(Clone)]
pub(in crate::sparql) struct GraphFilter<'e> {
    pub(in crate::sparql) expression: &'e Expression,
    pub(in crate::sparql) graph: GraphOf,
}

/// Filters before a sink.
pub(in crate::sparql) struct Filtered<'f, 's, 'v, V> {
    pub(in crate::sparql) columns: &'f Columns<'s, 'v, V>,
    pub(in crate::sparql) filters: &'f [GraphFilter<'f>],
    pub(in crate::sparql) sink: &'f mut (dyn Sink + 'f),
    /// Number of rows that passed.
    pub(in crate::sparql) count: u64,
}

impl<V: View> Sink for Filtered<'_, '_, '_, V> {
    fn push(&mut self, rows: &Table) -> Outcome<()> {
        let mut passing: Option<Table> = None;
        for GraphFilter { expression, graph } in self.filters {
            let rows = passing.as_ref().unwrap_or(rows);
            let marks = self.columns.passes(expression, rows, graph)?;
            passing = Some(rows.picked(&marks));
        }
        let rows = passing.as_ref().unwrap_or(rows);
        self.count += rows.row_count as u64;
        self.sink.push(rows)
    }

    fn len(&self) -> u64 {
        self.sink.len()
    }
}

/// Whether a filter compares variables and constants, so that ids mostly decide it: there is
/// nothing to be gained from having all rows at once.
pub(in crate::sparql) fn is_by_ids(filter: &Expression) -> bool {
    use Expression as E;
    let is_plain =
        |side: &Expression| matches!(side, E::Variable(_) | E::NamedNode(_) | E::Literal(_));
    match filter {
        E::And(left, right) | E::Or(left, right) => is_by_ids(left) && is_by_ids(right),
        E::Not(inner) => is_by_ids(inner),
        E::Bound(_) => true,
        E::FunctionCall(Function::IsIri | Function::IsBlank | Function::IsLiteral, of) => {
            matches!(of[..], [E::Variable(_)])
        }
        E::SameTerm(left, right)
        | E::Equal(left, right)
        | E::Less(left, right)
        | E::LessOrEqual(left, right)
        | E::Greater(left, right)
        | E::GreaterOrEqual(left, right) => is_plain(left) && is_plain(right),
        _ => false,
    }
}
