//! Which order answers a pattern, and with which prefix.

use manicule_format_leaf::{Id, Order};

use crate::quad::{GraphChoice, Pattern};

/// The rows of an order that begin with some ids.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Range {
    /// The order.
    pub(super) order: Order,
    ids: [Id; 4],
    len: usize,
}

impl Range {
    fn new(order: Order, prefix: &[Id]) -> Self {
        let mut ids = [Id::MIN; 4];
        ids[..prefix.len()].copy_from_slice(prefix);
        Range { order, ids, len: prefix.len() }
    }

    /// What the rows begin with.
    pub(super) fn prefix(&self) -> &[Id] {
        &self.ids[..self.len]
    }

    /// Whether all rows that begin so are those of the pattern.
    pub(super) fn is_exact(&self, pattern: &Pattern) -> bool {
        let bound =
            [pattern.subject, pattern.predicate, pattern.object].into_iter().flatten().count();
        let graph = usize::from(matches!(pattern.graph, GraphChoice::Named(_)));
        self.len == bound + graph
    }
}

/// All rows of the default graph, or of all named ones, by their predicates.
pub(super) fn by_predicate(graph: GraphChoice) -> Range {
    Range::new(if graph == GraphChoice::Default { Order::Pos } else { Order::Posg }, &[])
}

/// The ranges that hold all rows of a pattern: the shorter one of two is to be read.
pub(super) fn ranges(pattern: &Pattern) -> (Range, Option<Range>) {
    let Pattern { subject, predicate, object, graph } = *pattern;
    let [spo, pos, osp] = match graph {
        GraphChoice::Default => Order::DEFAULT,
        _ => [Order::Spog, Order::Posg, Order::Ospg],
    };
    let over_graphs = match (subject, predicate, object) {
        (Some(s), Some(p), Some(o)) => Range::new(spo, &[s, p, o]),
        (Some(s), Some(p), None) => Range::new(spo, &[s, p]),
        (Some(s), None, Some(o)) => Range::new(osp, &[o, s]),
        (Some(s), None, None) => Range::new(spo, &[s]),
        (None, Some(p), Some(o)) => Range::new(pos, &[p, o]),
        (None, Some(p), None) => Range::new(pos, &[p]),
        (None, None, Some(o)) => Range::new(osp, &[o]),
        (None, None, None) => Range::new(spo, &[]),
    };
    let GraphChoice::Named(name) = graph else { return (over_graphs, None) };
    match (subject, predicate, object) {
        (Some(s), Some(p), Some(o)) => (Range::new(Order::Gspo, &[name, s, p, o]), None),
        (Some(s), Some(p), None) => (Range::new(Order::Gspo, &[name, s, p]), None),
        (Some(s), None, None) => (Range::new(Order::Gspo, &[name, s]), None),
        (None, None, None) => (Range::new(Order::Gspo, &[name]), None),
        (Some(s), None, Some(_)) => (Range::new(Order::Gspo, &[name, s]), Some(over_graphs)),
        (None, ..) => (Range::new(Order::Gspo, &[name]), Some(over_graphs)),
    }
}
