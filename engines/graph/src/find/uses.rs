//! Counts of the quads that a term is in, by its places.

use std::collections::BTreeSet;

use manicule_format_leaf::{Id, Order, Tag};

use crate::error::GraphError;
use crate::snapshot::State;

/// Numbers of quads of all graphs that a term is in, by its place there.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Uses {
    /// As subject.
    pub subject: u64,
    /// As predicate.
    pub predicate: u64,
    /// As object.
    pub object: u64,
    /// As the name of their graph.
    pub graph: u64,
}

impl Uses {
    /// Whether there are none.
    pub fn is_none(&self) -> bool {
        *self == Uses::default()
    }
}

/// Counter of uses. Predicates and graphs are few: which terms are such is looked up once.
#[derive(Debug)]
pub(super) struct Counter<'s> {
    state: &'s State,
    predicates: BTreeSet<Id>,
    graphs: BTreeSet<Id>,
    /// Number of look-ups in orders.
    pub(super) lookups: u64,
}

impl<'s> Counter<'s> {
    pub(super) fn new(state: &'s State) -> Result<Self, GraphError> {
        let (mut predicates, mut graphs) = (BTreeSet::new(), BTreeSet::new());
        for order in [Order::Pos, Order::Posg] {
            add_firsts(state, order, &mut predicates)?;
        }
        add_firsts(state, Order::Gspo, &mut graphs)?;
        Ok(Counter { state, predicates, graphs, lookups: 0 })
    }

    /// The uses of a term.
    pub(super) fn count(&mut self, id: Id) -> Result<Uses, GraphError> {
        let mut uses = Uses { object: self.of(&[Order::Osp, Order::Ospg], id)?, ..Uses::default() };
        if id.tag() == Tag::IRI {
            uses.subject = self.of(&[Order::Spo, Order::Spog], id)?;
            if self.predicates.contains(&id) {
                uses.predicate = self.of(&[Order::Pos, Order::Posg], id)?;
            }
            if self.graphs.contains(&id) {
                uses.graph = self.of(&[Order::Gspo], id)?;
            }
        }
        Ok(uses)
    }

    fn of(&mut self, orders: &[Order], id: Id) -> Result<u64, GraphError> {
        let mut count = 0;
        for order in orders {
            self.lookups += 1;
            count += self.state.count(*order, &[id])?;
        }
        Ok(count)
    }
}

/// Adds the ids that rows of an order begin with, which are looked for one after the other; also
/// such whose rows are all removed.
fn add_firsts(state: &State, order: Order, ids: &mut BTreeSet<Id>) -> Result<(), GraphError> {
    let set = state.base.set(order);
    let (mut next, mut column) = (0, Vec::new());
    while next < set.row_count() {
        column.clear();
        set.decode(0, next..next + 1, &mut column)?;
        let id = Id(column[0]);
        ids.insert(id);
        next = set.range(&[id])?.end;
    }
    for layer in &state.layers {
        let places = layer.range(order, &[]);
        ids.extend(places.map(|at| layer.row(order, at)[0]));
    }
    Ok(())
}
