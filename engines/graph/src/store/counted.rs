//! Statistics of a new generation: carried on from those of the one before, or gathered where that
//! has none.

use manicule_core::watch::{Steps, Watch};
use manicule_format_leaf::statistics::{ScopeStatistics, Statistics};
use manicule_format_leaf::{Id, Order, Tag};

use crate::base::{Gatherer, carry_on};
use crate::dictionary::Piece;
use crate::error::GraphError;
use crate::overlay::{Change, Changes, Entry, Keep, Layer};
use crate::snapshot::State;
use crate::term::RDF_TYPE;

/// Statistics of a state: those of its generation, carried on through the commits after it; of a
/// generation without any, all rows are read.
pub fn current_statistics(state: &State) -> Result<Statistics, GraphError> {
    if let (Some(statistics), true) = (state.base.statistics(), state.layers.is_empty()) {
        return Ok(statistics.clone());
    }
    let none = || {
        let terms = Piece::new(state.keys, state.next_terms);
        Layer::new(state.commit..=state.commit, &Changes::default(), terms)
    };
    let is_empty = state.layers.is_empty();
    let all = if is_empty { none() } else { Layer::merged(&state.layers, Keep::Net) };
    statistics_of(state, &all, &Watch::none())
}

/// Statistics of a state whose layers are `all` in one.
pub(super) fn statistics_of(
    state: &State,
    all: &Layer,
    watch: &Watch<'_>,
) -> Result<Statistics, GraphError> {
    let meter = watch.silent();
    let mut steps = meter.steps();
    let type_predicate = state.find_text(Tag::IRI, RDF_TYPE, state.keys.hash(RDF_TYPE))?;
    let Some(before) = state.base.statistics() else {
        let default = gather(state, Order::DEFAULT, type_predicate, &mut steps)?;
        let named = gather(state, NAMED, type_predicate, &mut steps)?;
        return Ok(Statistics { default, named, graphs: gather_graphs(state)? });
    };
    let mut carried =
        |before, orders| carry(before, state, all, orders, type_predicate, &mut steps);
    let default = carried(&before.default, Order::DEFAULT)?;
    let named = carried(&before.named, NAMED)?;
    Ok(Statistics { default, named, graphs: carry_graphs(&before.graphs, all) })
}

/// The orders of named graphs by subject, by predicate and object, by object.
const NAMED: [Order; 3] = [Order::Spog, Order::Posg, Order::Ospg];

fn gather(
    state: &State,
    [by_subject, by_predicate, by_object]: [Order; 3],
    type_predicate: Option<Id>,
    steps: &mut Steps<'_, '_>,
) -> Result<ScopeStatistics, GraphError> {
    let mut gatherer = Gatherer::new(type_predicate);
    for row in state.scan(by_subject, &[])? {
        steps.add(1)?;
        let [subject, predicate, ..] = row?;
        gatherer.by_subject(subject, predicate);
    }
    for row in state.scan(by_predicate, &[])? {
        steps.add(1)?;
        let [predicate, object, ..] = row?;
        gatherer.by_predicate(predicate, object);
    }
    for row in state.scan(by_object, &[])? {
        steps.add(1)?;
        gatherer.by_object(row?[0]);
    }
    Ok(gatherer.finish())
}

fn gather_graphs(state: &State) -> Result<Vec<(Id, u64)>, GraphError> {
    let mut graphs: Vec<(Id, u64)> = Vec::new();
    for row in state.scan(Order::Gspo, &[])? {
        let [name, ..] = row?;
        match graphs.last_mut() {
            Some((last, count)) if *last == name => *count += 1,
            _ => graphs.push((name, 1)),
        }
    }
    Ok(graphs)
}

fn carry(
    before: &ScopeStatistics,
    state: &State,
    all: &Layer,
    orders: [Order; 3],
    type_predicate: Option<Id>,
    steps: &mut Steps<'_, '_>,
) -> Result<ScopeStatistics, GraphError> {
    let changes = orders.map(|order| all.entries(order));
    let mut rows = orders.map(|order| state.base_rows(order));
    let mut count = |order: usize, prefix: &[Id]| {
        steps.add(1)?;
        rows[order](prefix)
    };
    carry_on(before, changes.each_ref().map(Vec::as_slice), type_predicate, &mut count)
}

fn carry_graphs(before: &[(Id, u64)], all: &Layer) -> Vec<(Id, u64)> {
    let mut graphs: std::collections::BTreeMap<Id, u64> = before.iter().copied().collect();
    let entries: Vec<Entry<4>> = all.entries(Order::Gspo);
    for ([name, ..], change) in entries {
        let count = graphs.entry(name).or_default();
        *count = match change {
            Change::Added => *count + 1,
            Change::Removed => count.saturating_sub(1),
        };
    }
    graphs.retain(|_, count| *count > 0);
    graphs.into_iter().collect()
}
