//! A layer of the overlay: what some commits that follow each other did, as a run for each order,
//! and the terms that they added. A run is sorted when it is first asked for, but of those by
//! subject: a process that asks one question of a log reads few of them.

use std::ops::{Range, RangeInclusive};
use std::sync::{Arc, OnceLock};

use manicule_format_leaf::{Id, Order};

use super::run::{Change, Entry, Keep, Run, merged, settle};
use crate::dictionary::Piece;
use crate::quad::Quad;

/// Changes of quads and graphs, in the order in which they were asked for.
#[derive(Clone, Debug, Default)]
pub struct Changes {
    /// Subject, predicate, object in the default graph.
    pub default: Vec<Entry<3>>,
    /// Subject, predicate, object, graph.
    pub named: Vec<Entry<4>>,
    /// Names of graphs.
    pub graphs: Vec<Entry<1>>,
}

impl Changes {
    /// Adds or removes a quad, and nothing else.
    pub fn push_quad(&mut self, quad: Quad, change: Change) {
        let Quad { subject, predicate, object, graph } = quad;
        if graph == Id::DEFAULT_GRAPH {
            self.default.push(([subject, predicate, object], change))
        } else {
            self.named.push(([subject, predicate, object, graph], change))
        }
    }

    /// Adds or removes a quad. The graph of one that is added exists from then on.
    pub fn push(&mut self, quad: Quad, change: Change) {
        self.push_quad(quad, change);
        let graph = quad.graph;
        if graph == Id::DEFAULT_GRAPH {
            return;
        }
        if change == Change::Added && self.graphs.last() != Some(&([graph], Change::Added)) {
            self.graphs.push(([graph], change));
        }
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.default.is_empty() && self.named.is_empty() && self.graphs.is_empty()
    }

    /// Sorts them, and keeps the newest of each row.
    pub fn settle(&mut self) {
        settle(&mut self.default, Keep::Newest);
        settle(&mut self.named, Keep::Newest);
        settle(&mut self.graphs, Keep::Newest);
    }

    /// How many quads were added and removed.
    pub fn quad_counts(&self) -> (u64, u64) {
        fn added<const N: usize>(entries: &[Entry<N>]) -> usize {
            entries.iter().filter(|(_, change)| *change == Change::Added).count()
        }
        let added = added(&self.default) + added(&self.named);
        (added as u64, (self.default.len() + self.named.len() - added) as u64)
    }
}

/// What some commits did.
#[derive(Debug)]
pub struct Layer {
    /// Numbers of the commits.
    pub commits: RangeInclusive<u64>,
    default: Runs<3, 3>,
    named: Runs<4, 4>,
    graphs: Run<1>,
    terms: Piece,
}

impl Layer {
    /// A layer of changes that are settled.
    pub fn new(commits: RangeInclusive<u64>, changes: &Changes, terms: Piece) -> Self {
        let default = Run::new(&changes.default);
        let named = Run::new(&changes.named);
        Layer::of_runs(commits, default, named, Run::new(&changes.graphs), terms)
    }

    /// A layer of runs by subject, and of the names of graphs.
    pub fn of_runs(
        commits: RangeInclusive<u64>,
        default: Run<3>,
        named: Run<4>,
        graphs: Run<1>,
        terms: Piece,
    ) -> Self {
        let (default, named) = (Runs::of(Order::DEFAULT, default), Runs::of(Order::NAMED, named));
        Layer { commits, default, named, graphs, terms }
    }

    /// One layer of several that follow each other, oldest first.
    ///
    /// Panics if there is none.
    pub fn merged(layers: &[Arc<Layer>], keep: Keep) -> Self {
        let (first, rest) = layers.split_first().expect("something to merge");
        let last = layers.last().expect("something to merge");
        let mut terms = first.terms.clone();
        rest.iter().for_each(|layer| terms.append(&layer.terms));
        let default: Vec<_> = layers.iter().map(|layer| &layer.default).collect();
        let named: Vec<_> = layers.iter().map(|layer| &layer.named).collect();
        Layer {
            commits: *first.commits.start()..=*last.commits.end(),
            default: Runs::merged(&default, keep),
            named: Runs::merged(&named, keep),
            graphs: merged(&layers.iter().map(|one| &one.graphs).collect::<Vec<_>>(), keep),
            terms,
        }
    }

    /// The terms.
    pub fn terms(&self) -> &Piece {
        &self.terms
    }

    /// What was done with graphs.
    pub fn graphs(&self) -> &Run<1> {
        &self.graphs
    }

    /// The changes of triples in the default graph, by subject.
    pub fn default_quads(&self) -> &Run<3> {
        self.default.get(0)
    }

    /// The changes of quads in named graphs, by subject.
    pub fn named_quads(&self) -> &Run<4> {
        self.named.get(0)
    }

    /// Number of quads that were changed.
    pub fn row_count(&self) -> usize {
        self.default_quads().row_count() + self.named_quads().row_count()
    }

    /// Memory that is held when all orders have been asked for, in bytes.
    pub fn memory(&self) -> usize {
        let default = self.default_quads().memory() * Order::DEFAULT.len();
        let named = self.named_quads().memory() * Order::NAMED.len();
        default + named + self.graphs.memory() + self.terms.memory()
    }

    /// Places of the rows of an order that begin with a prefix.
    pub fn range(&self, order: Order, prefix: &[Id]) -> Range<usize> {
        match self.run(order) {
            OrderRun::Default(run) => run.range(prefix),
            OrderRun::Named(run) => run.range(prefix),
        }
    }

    /// By how much the number of quads grew at these places.
    pub fn growth(&self, order: Order, places: Range<usize>) -> i64 {
        match self.run(order) {
            OrderRun::Default(run) => run.growth(places),
            OrderRun::Named(run) => run.growth(places),
        }
    }

    /// The row at a place.
    #[inline]
    pub fn row(&self, order: Order, at: usize) -> [Id; 4] {
        match self.run(order) {
            OrderRun::Default(run) => {
                let [first, second, third] = run.rows()[at];
                [first, second, third, Id::DEFAULT_GRAPH]
            }
            OrderRun::Named(run) => run.rows()[at],
        }
    }

    /// The entries of an order.
    pub fn entries(&self, order: Order) -> Vec<Entry<4>> {
        match self.run(order) {
            OrderRun::Default(run) => {
                let wide = |([a, b, c], change): Entry<3>| ([a, b, c, Id::DEFAULT_GRAPH], change);
                run.entries().map(wide).collect()
            }
            OrderRun::Named(run) => run.entries().collect(),
        }
    }

    /// Places of removed rows.
    #[inline]
    pub fn removed(&self, order: Order) -> &[u32] {
        match self.run(order) {
            OrderRun::Default(run) => run.removed(),
            OrderRun::Named(run) => run.removed(),
        }
    }

    #[inline]
    fn run(&self, order: Order) -> OrderRun<'_> {
        match order {
            Order::Spo | Order::Pos | Order::Osp => {
                OrderRun::Default(self.default.get(order as usize))
            }
            _ => OrderRun::Named(self.named.get(order as usize - Order::DEFAULT.len())),
        }
    }
}

enum OrderRun<'a> {
    Default(&'a Run<3>),
    Named(&'a Run<4>),
}

/// A run for each order of a scope. The first of them is there: its columns are subject, predicate,
/// object and, of four, graph.
#[derive(Debug)]
struct Runs<const N: usize, const ORDERS: usize> {
    orders: [Order; ORDERS],
    runs: [OnceLock<Run<N>>; ORDERS],
}

impl<const N: usize, const ORDERS: usize> Runs<N, ORDERS> {
    fn of(orders: [Order; ORDERS], first: Run<N>) -> Self {
        let runs = [const { OnceLock::new() }; ORDERS];
        runs[0].set(first).expect("it is empty");
        Runs { orders, runs }
    }

    /// The run of an order.
    fn get(&self, at: usize) -> &Run<N> {
        self.runs[at].get_or_init(|| run_of(self.orders[at], self.get(0)))
    }

    /// Those of some layers in one. An order that nobody has asked for stays unsorted.
    fn merged(all: &[&Self], keep: Keep) -> Self {
        let runs = std::array::from_fn(|at| {
            if all.iter().all(|runs| runs.runs[at].get().is_none()) {
                return OnceLock::new();
            }
            merged(&all.iter().map(|runs| runs.get(at)).collect::<Vec<_>>(), keep).into()
        });
        Runs { orders: all[0].orders, runs }
    }
}

/// The run of an order, out of that by subject.
fn run_of<const N: usize>(order: Order, first: &Run<N>) -> Run<N> {
    let columns = order.columns();
    let permuted = |(row, change): Entry<N>| {
        (std::array::from_fn(|column| row[columns[column] as usize]), change)
    };
    let mut entries: Vec<Entry<N>> = first.entries().map(permuted).collect();
    entries.sort_unstable_by_key(|entry| entry.0);
    Run::new(&entries)
}
