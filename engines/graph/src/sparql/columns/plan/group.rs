//! Groups of a plan: from counts that an index has, from numbers of rows without the rows, or of
//! the rows.

use oxrdf::Variable;
use spargebra::algebra::{AggregateExpression, AggregateFunction, Expression, GraphPattern};
use spargebra::term::TriplePattern;

use super::super::super::rewrite::{Variables, always_bound, in_scope, names_of, of_expression};
use super::super::scan::quads::{At, QuadPattern};
use super::super::state::GraphOf;
use super::super::stop::{Outcome, Stop};
use super::operator::{Group, IndexCounts, Operator, Wanted};
use super::planner::Planner;
use crate::view::View;

impl<'p, 's, 'v, V: View> Planner<'p, 's, 'v, V> {
    /// The groups of a pattern.
    pub(super) fn group<'q>(
        &self,
        inner: &'q GraphPattern,
        graph: &GraphOf,
        variables: &'q [Variable],
        aggregates: &'q [(Variable, AggregateExpression)],
    ) -> Outcome<Operator<'q>> {
        let mut wanted: Variables =
            variables.iter().map(|variable| variable.as_str().to_owned()).collect();
        let mut exists = Vec::with_capacity(aggregates.len());
        for (_, aggregate) in aggregates {
            if let AggregateExpression::FunctionCall { expr, name, .. } = aggregate {
                if let AggregateFunction::Custom(_) = name {
                    return Err(Stop::Unsupported("aggregate of another system"));
                }
                of_expression(expr, &mut wanted);
                exists.push(self.exists_over(expr, inner, graph)?);
                if !exists.last().is_none_or(Vec::is_empty) {
                    wanted.extend(names_of(expr));
                }
            } else {
                exists.push(Vec::new());
            }
        }
        let row = visible(inner);
        if aggregates.iter().any(|(_, aggregate)| counts_distinct_rows(aggregate)) {
            wanted.extend(row.iter().cloned());
        }
        let index = self.index_counts(inner, graph, aggregates)?;
        let is_known = match &index {
            Some(index) if variables.is_empty() => self.has_count(index)?,
            _ => false,
        };
        let group = Group { inner: None, variables, aggregates, exists, wanted, row, index };
        let mut group = Box::new(group);
        if is_known {
            return Ok(Operator::Group(group));
        }
        if let Some(key) = counted_key(inner, variables, aggregates)
            && let Some(counted) = self.count(inner, graph, key)?
        {
            return Ok(Operator::Count { counted, group });
        }
        group.inner = Some(Box::new(self.plan(inner, graph)?));
        Ok(Operator::Group(group))
    }

    /// What an index is asked for, where all that is asked is counts of one pattern.
    fn index_counts(
        &self,
        inner: &GraphPattern,
        graph: &GraphOf,
        aggregates: &[(Variable, AggregateExpression)],
    ) -> Outcome<Option<IndexCounts>> {
        let Some((triple, graph)) = self.single_triple(inner, graph) else { return Ok(None) };
        let Some(pattern) = self.quad_pattern(triple, &graph)? else { return Ok(None) };
        let of = |(_, aggregate): &(_, _)| wanted_of(aggregate, &pattern);
        let wanted = aggregates.iter().map(of).collect::<Option<Vec<_>>>();
        Ok(wanted.map(|wanted| IndexCounts { pattern, wanted }))
    }

    /// Whether the view has the number of quads, and that is all that is asked.
    fn has_count(&self, index: &IndexCounts) -> Outcome<bool> {
        let is_quads = |wanted: &Wanted| matches!(wanted, Wanted::Quads);
        let is_plain = |place: &At| !matches!(place, At::Parameter(_));
        if !index.wanted.iter().all(is_quads) || !index.pattern.places.iter().all(is_plain) {
            return Ok(false);
        }
        let count = self.columns.graphs.count(&index.pattern.ids());
        Ok(count.map_err(|error| Stop::Failed(error.into()))?.is_some())
    }

    /// A triple pattern with nothing else, and its graph.
    fn single_triple<'q>(
        &self,
        pattern: &'q GraphPattern,
        graph: &GraphOf,
    ) -> Option<(&'q TriplePattern, GraphOf)> {
        match pattern {
            GraphPattern::Bgp { patterns } => match &patterns[..] {
                [triple] => Some((triple, graph.clone())),
                _ => None,
            },
            GraphPattern::Graph { name, inner } => self.single_triple(inner, &self.graph(name)),
            _ => None,
        }
    }
}

/// What an aggregate counts of a pattern's quads; none if it does something else.
fn wanted_of(aggregate: &AggregateExpression, pattern: &QuadPattern) -> Option<Wanted> {
    match aggregate {
        // A variable that occurs twice leaves quads out.
        _ if pattern.has_repeated() => None,
        AggregateExpression::CountSolutions { distinct: false } => Some(Wanted::Quads),
        AggregateExpression::FunctionCall {
            name: AggregateFunction::Count,
            expr: Expression::Variable(variable),
            distinct,
        } => {
            let place = pattern.place_of(variable.as_str())?;
            Some(if *distinct { Wanted::Ids(place) } else { Wanted::Quads })
        }
        _ => None,
    }
}

/// The variable by which rows are counted, if there is one; none where something else than the
/// number of rows is asked.
fn counted_key<'q>(
    inner: &GraphPattern,
    variables: &'q [Variable],
    aggregates: &[(Variable, AggregateExpression)],
) -> Option<Option<&'q str>> {
    let key = variables.first().map(Variable::as_str);
    let bound = always_bound(inner);
    let is_count = |(_, aggregate): &(_, AggregateExpression)| counts_rows(aggregate, &bound);
    let is_known = variables.len() < 2
        && key.is_none_or(|key| bound.contains(key))
        && aggregates.iter().all(is_count);
    is_known.then_some(key)
}

/// Whether an aggregate is the number of rows, all of which bind some variables.
fn counts_rows(aggregate: &AggregateExpression, bound: &Variables) -> bool {
    match aggregate {
        AggregateExpression::CountSolutions { distinct } => !distinct,
        AggregateExpression::FunctionCall {
            name: AggregateFunction::Count,
            expr: Expression::Variable(variable),
            distinct: false,
        } => bound.contains(variable.as_str()),
        AggregateExpression::FunctionCall { .. } => false,
    }
}

/// Whether an aggregate counts distinct rows.
fn counts_distinct_rows(aggregate: &AggregateExpression) -> bool {
    matches!(aggregate, AggregateExpression::CountSolutions { distinct: true })
}

/// The variables that a user sees of a pattern.
fn visible(pattern: &GraphPattern) -> Variables {
    in_scope(pattern).into_iter().filter(|name| !name.starts_with(' ')).collect()
}
