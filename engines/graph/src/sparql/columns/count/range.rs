//! COUNT of one pattern, in all or for each id at one of its places, without reading its quads.

use manicule_format_leaf::Role;
use oxrdf::{Literal, Variable};
use spargebra::algebra::{AggregateExpression, AggregateFunction, Expression, GraphPattern};
use spargebra::term::TriplePattern;

use super::super::scan::quads::QuadPattern;
use super::super::state::{Columns, GraphOf};
use super::super::stop::{Outcome, Stop};
use super::super::table::rows::Table;
use crate::GraphError;
use crate::view::View;

/// What is counted of a group.
enum Counted {
    /// Its quads.
    Quads,
    /// The distinct ids at a place.
    Ids(Role),
}

impl<V: View> Columns<'_, '_, V> {
    /// The groups of a pattern, where all that is asked of them is counts that the view has; none
    /// elsewhere.
    pub(in crate::sparql) fn counted(
        &self,
        inner: &GraphPattern,
        graph: &GraphOf,
        variables: &[Variable],
        aggregates: &[(Variable, AggregateExpression)],
    ) -> Outcome<Option<Table>> {
        let timer = self.start_timer();
        let Some((triple, graph)) = single_triple(inner, graph) else { return Ok(None) };
        let Some(pattern) = self.quad_pattern(triple, &graph)? else { return Ok(None) };
        let of = |(_, aggregate): &(Variable, AggregateExpression)| counted(aggregate, &pattern);
        let Some(wanted) = aggregates.iter().map(of).collect::<Option<Vec<_>>>() else {
            return Ok(None);
        };
        let table = match variables {
            [] => self.counted_in_all(&pattern, &wanted)?,
            [key] => self.counted_by(&pattern, key, &wanted)?,
            _ => None,
        };
        let Some(mut table) = table else { return Ok(None) };
        table.names = variables.iter().map(|variable| variable.as_str().to_owned()).collect();
        table.names.extend(aggregates.iter().map(|(variable, _)| variable.as_str().to_owned()));
        self.meter.scanned(0)?;
        self.meter.charge(&table)?;
        let what = format_args!("counts of {}", pattern.text);
        self.record(timer, &what, Some(pattern.count), &table);
        Ok(Some(table))
    }

    fn counted_in_all(&self, pattern: &QuadPattern, wanted: &[Counted]) -> Outcome<Option<Table>> {
        let ids = pattern.ids();
        let mut columns = Vec::with_capacity(wanted.len());
        for counted in wanted {
            let count = match counted {
                Counted::Quads => self.graphs.count(&ids).map_err(failed)?,
                Counted::Ids(place) => {
                    let counts = self.graphs.counts_by(&ids, *place).map_err(failed)?;
                    counts.map(|counts| counts.len() as u64)
                }
            };
            let Some(count) = count else { return Ok(None) };
            columns.push(vec![self.number(count)?]);
        }
        Ok(Some(Table { columns: columns.into(), row_count: 1, ..Table::default() }))
    }

    fn counted_by(
        &self,
        pattern: &QuadPattern,
        key: &Variable,
        wanted: &[Counted],
    ) -> Outcome<Option<Table>> {
        let is_quads = |counted: &Counted| matches!(counted, Counted::Quads);
        let place = pattern.place_of(key.as_str()).filter(|_| wanted.iter().all(is_quads));
        let Some(place) = place else { return Ok(None) };
        let Some(counts) = self.graphs.counts_by(&pattern.ids(), place).map_err(failed)? else {
            return Ok(None);
        };
        let mut columns = vec![counts.iter().map(|(id, _)| id.0).collect()];
        let numbers: Vec<u64> =
            counts.iter().map(|(_, count)| self.number(*count)).collect::<Outcome<_>>()?;
        columns.extend(wanted.iter().map(|_| numbers.clone()));
        Ok(Some(Table { columns: columns.into(), row_count: counts.len(), ..Table::default() }))
    }

    fn number(&self, count: u64) -> Outcome<u64> {
        self.ids.id(&Literal::from(count as i64).into())
    }
}

fn failed(error: GraphError) -> Stop {
    Stop::Failed(error.into())
}

/// A triple pattern with nothing else, and its graph.
fn single_triple<'p>(
    pattern: &'p GraphPattern,
    graph: &GraphOf,
) -> Option<(&'p TriplePattern, GraphOf)> {
    match pattern {
        GraphPattern::Bgp { patterns } => match &patterns[..] {
            [triple] => Some((triple, graph.clone())),
            _ => None,
        },
        GraphPattern::Graph { name, inner } => single_triple(inner, &GraphOf::named(name)),
        _ => None,
    }
}

/// What an aggregate counts; none if it does something else.
fn counted(aggregate: &AggregateExpression, pattern: &QuadPattern) -> Option<Counted> {
    match aggregate {
        // A variable that occurs twice leaves quads out.
        _ if pattern.has_repeated() => None,
        AggregateExpression::CountSolutions { distinct: false } => Some(Counted::Quads),
        AggregateExpression::FunctionCall {
            name: AggregateFunction::Count,
            expr: Expression::Variable(variable),
            distinct,
        } => {
            let place = pattern.place_of(variable.as_str())?;
            Some(if *distinct { Counted::Ids(place) } else { Counted::Quads })
        }
        _ => None,
    }
}
