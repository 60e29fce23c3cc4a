//! Counts of a pattern's quads, in all and by the ids at one place, from the ends of ranges: no row
//! is read between them.

use std::collections::BTreeMap;

use manicule_format_leaf::statistics::Statistics;
use manicule_format_leaf::{Id, Order, Role};

use super::state::State;
use crate::error::GraphError;
use crate::quad::{GraphChoice, Pattern};

/// Number of rows that are read and counted as quickly as one range is bounded: a microsecond and a
/// half, beside 5 ns a row.
const ROWS_PER_RANGE: u64 = 300;
/// Number of rows that take no time worth a choice.
const ROWS_FREE: u64 = 4096;

/// The distinct ids at a place of a pattern, increasing, each with the number of its quads; none
/// where they are too many for that, or in no order.
pub(super) fn counts_by(
    state: &State,
    pattern: &Pattern,
    place: Role,
) -> Result<Option<Vec<(Id, u64)>>, GraphError> {
    let Some((order, prefix)) = order_of(pattern, place) else { return Ok(None) };
    let statistics = state.base.statistics().filter(|_| !state.has_idle);
    let Some(statistics) = statistics else { return Ok(None) };
    let positions = state.base.set(order).range(&prefix)?;
    let row_count = positions.end - positions.start;
    match group_count(statistics, pattern, place) {
        Some(count) if count.saturating_mul(ROWS_PER_RANGE) <= row_count + ROWS_FREE => {}
        _ => return Ok(None),
    }
    let mut counts: BTreeMap<Id, i64> = BTreeMap::new();
    let column = prefix.len();
    let mut group = prefix.clone();
    group.push(Id::MIN);
    let (set, mut next, mut first) = (state.base.set(order), positions.start, Vec::new());
    while next < positions.end {
        first.clear();
        set.decode(column, next..next + 1, &mut first)?;
        group[column] = Id(first[0]);
        // Of damaged leaves the range could end before it began.
        let end = set.range(&group)?.end.max(next + 1);
        counts.insert(group[column], (end - next) as i64);
        next = end;
    }
    for layer in &state.layers {
        let places = layer.range(order, &prefix);
        let mut next = places.start;
        while next < places.end {
            group[column] = layer.row(order, next)[column];
            let own = layer.range(order, &group);
            next = own.end;
            *counts.entry(group[column]).or_default() += layer.growth(order, own);
        }
    }
    let counted = counts.into_iter().filter(|(_, count)| *count > 0);
    Ok(Some(counted.map(|(id, count)| (id, count as u64)).collect()))
}

/// The order in which a pattern's quads lie together, by the ids at a place; and what they begin
/// with.
fn order_of(pattern: &Pattern, place: Role) -> Option<(Order, Vec<Id>)> {
    let graph = match pattern.graph {
        GraphChoice::Named(name) => Some(name),
        GraphChoice::Default | GraphChoice::AnyNamed => None,
    };
    let bound = |role: &Role| match role {
        Role::Subject => pattern.subject,
        Role::Predicate => pattern.predicate,
        Role::Object => pattern.object,
        Role::Graph => graph,
    };
    let orders = match pattern.graph {
        GraphChoice::Default => &Order::DEFAULT[..],
        _ => &Order::NAMED[..],
    };
    orders.iter().find_map(|order| {
        let (columns, mut open) = (order.columns(), 0..);
        let first = open.find(|at| columns.get(*at).is_none_or(|role| bound(role).is_none()))?;
        let is_all = columns[first..].iter().all(|role| bound(role).is_none());
        let is_next = columns.get(first) == Some(&place);
        (is_all && is_next).then(|| (*order, columns[..first].iter().filter_map(bound).collect()))
    })
}

/// About how many ids there are at a place, where the statistics of the leaves say.
fn group_count(statistics: &Statistics, pattern: &Pattern, place: Role) -> Option<u64> {
    let scope = match pattern.graph {
        GraphChoice::Default => &statistics.default,
        _ => &statistics.named,
    };
    match (pattern.subject, pattern.predicate, pattern.object, place) {
        (None, _, None, Role::Graph) => Some(statistics.graphs.len() as u64),
        (None, None, None, Role::Subject) => Some(scope.subject_count),
        (None, None, None, Role::Predicate) => Some(scope.predicates.len() as u64),
        (None, None, None, Role::Object) => Some(scope.object_count),
        (None, Some(predicate), None, Role::Object) => {
            scope.predicate(predicate).map(|row| row.object_count)
        }
        _ => None,
    }
}
