//! Rows of a generation: all orders of a scope hold the same quads, every id names a term that may
//! be in its place, and the statistics are those of the rows.
//!
//! Orders are compared by their counts and by a sum of keyed hashes of their rows, which are
//! distinct. Where those differ, each row is looked up in the other order, so that the finding
//! names it.

use std::sync::Arc;

use manicule_core::bytes::mix;
use manicule_core::sorted::HashKeys;
use manicule_core::watch::{Phase, Steps, Unit};
use manicule_format_leaf::statistics::{ScopeStatistics, Statistics};
use manicule_format_leaf::{Id, Order, Role, Tag};

use super::checked::Checked;
use super::statistics::check_statistics;
use crate::base::{BaseRows, Gatherer};
use crate::dictionary::place_of;
use crate::error::GraphError;
use crate::export::put_term;
use crate::snapshot::generation::Generation;
use crate::snapshot::{Snapshot, State};
use crate::term::RDF_TYPE;
use crate::term::inline::{is_inlined, literal_of};
use crate::view::View;

pub(super) fn check_orders(
    checked: &mut Checked<'_>,
    root: &str,
    generation: &Arc<Generation>,
) -> Result<(), GraphError> {
    let keys = [1, 2].map(|part| mix(checked.random, part));
    let all = Order::ALL.iter().map(|order| generation.set(*order).row_count()).sum();
    let meter = checked.watch.phase(Phase::Verifying, Unit::Rows, all);
    let mut steps = meter.steps();
    let manifest = generation.manifest();
    let scopes: [(&[Order], u64); 2] =
        [(&Order::DEFAULT, manifest.default_count), (&Order::NAMED, manifest.named_count)];
    let type_predicate = generation.find_text(Tag::IRI, RDF_TYPE);
    let Some(type_predicate) = checked.taken(type_predicate)? else { return Ok(()) };
    let mut pass = Pass { checked, root, generation, keys, graphs: Vec::new() };
    let mut counted = Vec::new();
    for (orders, want) in scopes {
        let mut gatherer = Gatherer::new(type_predicate);
        let Some(first) = pass.order(orders[0], &mut gatherer, &mut steps)? else { continue };
        if first.rows != want {
            let got = first.rows;
            let what = format!("quads of {}: wanted {want}, got {got}", orders[0].name());
            pass.checked.find(root, what);
        }
        pass.checked.counts.quads += first.rows;
        let mut are_same = true;
        for order in &orders[1..] {
            let other = pass.order(*order, &mut gatherer, &mut steps)?;
            are_same &= other == Some(first);
            if other.is_some_and(|other| other != first) {
                pass.differences(orders[0], *order)?;
                pass.differences(*order, orders[0])?;
            }
        }
        counted.extend(are_same.then(|| gatherer.finish()));
    }
    let graphs = std::mem::take(&mut pass.graphs);
    // Of orders that disagree statistics say nothing.
    if let Ok([default, named]) = <[ScopeStatistics; 2]>::try_from(counted) {
        check_statistics(checked, generation, &Statistics { default, named, graphs });
    }
    drop(steps);
    meter.end();
    Ok(())
}

/// Rows of an order as a number: of two orders equal if they hold the same quads.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Sum {
    rows: u64,
    hashes: [u64; 2],
}

struct Pass<'p, 'c> {
    checked: &'p mut Checked<'c>,
    root: &'p str,
    generation: &'p Arc<Generation>,
    keys: [u64; 2],
    /// Graphs and their rows.
    graphs: Vec<(Id, u64)>,
}

impl Pass<'_, '_> {
    /// The rows of an order, which `gatherer` counts too; none where they can't be read.
    fn order(
        &mut self,
        order: Order,
        gatherer: &mut Gatherer,
        steps: &mut Steps<'_, '_>,
    ) -> Result<Option<Sum>, GraphError> {
        let set = self.generation.set(order);
        let mut sum = Sum { rows: 0, hashes: [0; 2] };
        let mut last = None;
        for row in BaseRows::new(set.clone(), 0..set.row_count()) {
            let Some(row) = self.checked.taken(row)? else { return Ok(None) };
            steps.add(1)?;
            sum.rows += 1;
            let quad = order.quad(row);
            for (hash, key) in sum.hashes.iter_mut().zip(self.keys) {
                *hash = hash.wrapping_add(quad.iter().fold(key, |hash, id| mix(hash, id.0)));
            }
            let [subject, predicate, object, graph] = quad;
            match order.columns()[0] {
                Role::Subject => gatherer.by_subject(subject, predicate),
                Role::Predicate => gatherer.by_predicate(predicate, object),
                Role::Object => gatherer.by_object(object),
                Role::Graph => count_graph(&mut self.graphs, graph),
            }
            // Each id of each place is the first of its rows in some order.
            if last != Some(row[0]) {
                self.id(order, row[0]);
                last = Some(row[0]);
            }
        }
        self.checked.counts.rows += sum.rows;
        Ok(Some(sum))
    }

    /// Whether an id names a term that may be the first column of an order.
    fn id(&mut self, order: Order, id: Id) {
        let (numbers, tag) = (&self.generation.manifest().next_numbers, id.tag());
        let is_resource = [Tag::IRI, Tag::BLANK].contains(&tag);
        let (is_allowed, place) = match order.columns()[0] {
            Role::Subject => (is_resource, "subject"),
            Role::Predicate => (tag == Tag::IRI, "predicate"),
            Role::Object => (true, "object"),
            Role::Graph => (is_resource, "graph"),
        };
        let has_term = match place_of(tag) {
            Some(_) => id.payload() < numbers.of(tag),
            None if tag == Tag::BLANK => id.payload() < numbers.of(tag),
            None => is_inlined(tag) && literal_of(id).is_some(),
        };
        let name = order.name();
        if !has_term {
            self.checked.find(self.root, format!("{place} {id:?} in {name} names no term"));
        } else if !is_allowed {
            self.checked.find(self.root, format!("{place} {id:?} in {name} can't be one"));
        }
    }

    /// Names the quads of an order that another one lacks.
    fn differences(&mut self, order: Order, other: Order) -> Result<(), GraphError> {
        let (set, others) = (self.generation.set(order), self.generation.set(other));
        let state = State::of(self.generation.clone(), HashKeys::new(self.checked.random));
        let snapshot = Snapshot::new(Arc::new(state));
        for row in BaseRows::new(set.clone(), 0..set.row_count()) {
            let quad = order.quad(row?);
            if !others.contains(&other.row(quad))? {
                let quad = shown(&snapshot, quad);
                let (own, other) = (order.name(), other.name());
                self.checked.find(self.root, format!("{quad}: it is in {own} and not in {other}"));
            }
        }
        Ok(())
    }
}

/// Counts the next row of the order that begins with graphs.
fn count_graph(graphs: &mut Vec<(Id, u64)>, name: Id) {
    match graphs.last_mut() {
        Some((last, count)) if *last == name => *count += 1,
        _ => graphs.push((name, 1)),
    }
}

/// A quad as N-Quads writes it; an id that has no term as its number.
fn shown(snapshot: &Snapshot, quad: [Id; 4]) -> String {
    let mut line = Vec::new();
    for id in quad.into_iter().filter(|id| *id != Id::DEFAULT_GRAPH) {
        if !line.is_empty() {
            line.push(b' ');
        }
        let put = snapshot.read_term(id, |term| put_term(term, &mut line));
        if put.is_err() {
            line.extend_from_slice(format!("{id:?}").as_bytes());
        }
    }
    String::from_utf8_lossy(&line).into_owned()
}
