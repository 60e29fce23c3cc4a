//! The order of joins, by real counts: the evaluator knows none, and takes a million for every
//! predicate.
//!
//! The triple patterns, paths and VALUES of a join become a chain of lateral joins, which the
//! evaluator keeps as it is: first what has the fewest quads; then, of what shares a variable with
//! the chain, what has the fewest for a few solutions of the chain so far, which are looked up. So
//! counts of joins are counts of this data, not products of independent guesses.
//!
//! Left to the evaluator: joins with inner queries and the like, which it may want to begin with.

use spargebra::algebra::{Expression, GraphPattern};
use spargebra::term::{NamedNodePattern, TermPattern, TriplePattern};

use super::super::rewrite::variables::{Variables, always_bound, in_scope};
use super::super::rewrite::walk::{self, Children};
use super::counts::{Counts, Place, Solution};

/// Maximum number of solutions by which a pattern is counted.
const SOLUTIONS_MAX: usize = 3;
/// Number of quads taken from each of them.
const QUADS_EACH: usize = 2;
/// A count from which on nothing better is looked for.
const FEW: u64 = 1;
/// Length that a path between a known end and an unknown one is taken for, in quads.
const PATH_COUNT: u64 = 100;
/// And one between two unknown ends.
const OPEN_PATH_COUNT: u64 = 1_000_000;
/// Number of quads of a subject and a predicate, where no solution is at hand.
const OBJECTS_EACH: u64 = 8;

/// What is known where a pattern begins.
#[derive(Clone, Default)]
struct Known {
    bound: Variables,
    solutions: Vec<Solution>,
}

pub(super) struct Joins<'c> {
    counts: &'c dyn Counts,
}

/// Puts the joins of a pattern in order.
pub(super) fn order_joins(pattern: GraphPattern, counts: &dyn Counts) -> GraphPattern {
    Joins { counts }.order(pattern, None, &Known::default()).0
}

type Graph<'g> = Option<&'g NamedNodePattern>;

impl Joins<'_> {
    /// A pattern in order, and what is known after it.
    fn order(
        &self,
        pattern: GraphPattern,
        graph: Graph<'_>,
        known: &Known,
    ) -> (GraphPattern, Known) {
        use GraphPattern as P;
        match pattern {
            P::Bgp { ref patterns } if patterns.is_empty() => (pattern, known.clone()),
            P::Bgp { .. } | P::Join { .. } => self.join(pattern, graph, known),
            P::Graph { name, inner } => {
                let (inner, known) = self.order(*inner, Some(&name), known);
                (P::Graph { name, inner: Box::new(inner) }, known)
            }
            P::LeftJoin { left, right, expression } => {
                let (left, known) = self.order(*left, graph, known);
                let (right, _) = self.order(*right, graph, &known);
                let expression =
                    expression.map(|expression| self.expression(expression, graph, &known));
                (P::LeftJoin { left: left.into(), right: right.into(), expression }, known)
            }
            P::Lateral { left, right } => {
                let (left, known) = self.order(*left, graph, known);
                let (right, known) = self.order(*right, graph, &known);
                (P::Lateral { left: left.into(), right: right.into() }, known)
            }
            P::Filter { expr, inner } => {
                let (inner, known) = self.order(*inner, graph, known);
                let expr = self.expression(expr, graph, &known);
                (P::Filter { expr, inner: inner.into() }, known)
            }
            P::Extend { inner, variable, expression } => {
                let (inner, known) = self.order(*inner, graph, known);
                let expression = self.expression(expression, graph, &known);
                (P::Extend { inner: inner.into(), variable, expression }, known)
            }
            P::Union { left, right } => {
                let (left, _) = self.order(*left, graph, known);
                let (right, _) = self.order(*right, graph, known);
                let union = P::Union { left: left.into(), right: right.into() };
                let known = after(&union, known);
                (union, known)
            }
            other => {
                let other = walk::inside(other, &mut Alone { joins: self, graph });
                let known = after(&other, known);
                (other, known)
            }
        }
    }

    /// The patterns of an EXISTS, which know the row.
    fn expression(&self, expression: Expression, graph: Graph<'_>, known: &Known) -> Expression {
        let mut inside = Inside { joins: self, graph, known };
        inside.child_expression(expression)
    }

    fn join(
        &self,
        pattern: GraphPattern,
        graph: Graph<'_>,
        known: &Known,
    ) -> (GraphPattern, Known) {
        let (mut simple, mut others) = (Vec::new(), Vec::new());
        flatten(pattern, &mut simple, &mut others);
        let shares = |other: &GraphPattern| {
            let names = in_scope(other);
            simple.iter().any(|item| item.variables().iter().any(|name| names.contains(name)))
        };
        if others.iter().any(|other| !is_simple_enough(other) && shares(other)) {
            let alone =
                others.into_iter().map(|other| self.order(other, graph, &Known::default()).0);
            let all = simple.into_iter().map(Item::pattern).chain(alone);
            let joined = joined(all).unwrap_or_default();
            let known = after(&joined, known);
            return (joined, known);
        }
        let (chains, mut known) = self.chains(simple, graph, known);
        let mut parts = chains;
        for other in others {
            let (other, after) = self.order(other, graph, &known);
            parts.push(other);
            known = after;
        }
        (joined(parts.into_iter()).unwrap_or_default(), known)
    }

    /// Chains of what hangs together.
    fn chains(
        &self,
        mut items: Vec<Item>,
        graph: Graph<'_>,
        known: &Known,
    ) -> (Vec<GraphPattern>, Known) {
        let (mut chains, mut known, mut chain) = (Vec::new(), known.clone(), None);
        while !items.is_empty() {
            let connected =
                |item: &Item| item.variables().iter().any(|name| known.bound.contains(name));
            let is_any_connected = items.iter().any(connected);
            let candidates: Vec<usize> =
                (0..items.len()).filter(|at| !is_any_connected || connected(&items[*at])).collect();
            let next = self.least(&items, &candidates, graph, &known);
            let is_connected = connected(&items[next]);
            let item = items.remove(next);
            known = self.extended(known, &item, graph, !items.is_empty());
            if !is_connected {
                chains.extend(chain.take());
            }
            chain = Some(match chain {
                Some(left) => {
                    GraphPattern::Lateral { left: Box::new(left), right: Box::new(item.pattern()) }
                }
                None => item.pattern(),
            });
        }
        chains.extend(chain);
        (chains, known)
    }

    fn least(
        &self,
        items: &[Item],
        candidates: &[usize],
        graph: Graph<'_>,
        known: &Known,
    ) -> usize {
        let mut best = (u64::MAX, candidates[0]);
        if candidates.len() == 1 {
            return best.1;
        }
        for at in candidates {
            let count = self.count(&items[*at], graph, known);
            if count < best.0 {
                best = (count, *at);
            }
            if count <= FEW {
                break;
            }
        }
        best.1
    }

    /// How many quads an item has for a solution, about.
    fn count(&self, item: &Item, graph: Graph<'_>, known: &Known) -> u64 {
        match item {
            Item::Values(GraphPattern::Values { bindings, .. }) => bindings.len() as u64,
            Item::Values(_) => 0,
            Item::Path(_, ends) => {
                let unknown = ends.iter().filter(|name| !known.bound.contains(*name)).count();
                [FEW, PATH_COUNT, OPEN_PATH_COUNT][unknown.min(2)]
            }
            Item::Triple(triple) => {
                let nothing = [Solution::new()];
                let solutions =
                    if known.solutions.is_empty() { &nothing } else { known.solutions.as_slice() };
                let counts = solutions.iter().map(|solution| {
                    let count = self.counts.count(triple, graph, solution);
                    guessed(count, triple, &known.bound, solution)
                });
                counts.sum::<u64>() / solutions.len() as u64
            }
        }
    }

    /// What is known after an item.
    fn extended(&self, known: Known, item: &Item, graph: Graph<'_>, is_needed: bool) -> Known {
        let Known { mut bound, solutions } = known;
        let had_none = bound.is_empty();
        bound.extend(item.variables());
        let Item::Triple(triple) = item else { return Known { bound, solutions } };
        if !is_needed || (solutions.is_empty() && !had_none) {
            return Known { bound, solutions };
        }
        let nothing = vec![Solution::new()];
        let from = if had_none { &nothing } else { &solutions };
        let mut extended = Vec::new();
        for solution in from {
            extended.extend(self.counts.some(triple, graph, solution, QUADS_EACH));
        }
        extended.truncate(SOLUTIONS_MAX);
        Known { bound, solutions: extended }
    }
}

/// A count, less what variables are worth that are bound to nobody knows what.
fn guessed(count: u64, triple: &TriplePattern, bound: &Variables, solution: &Solution) -> u64 {
    let is_guess = |name: Option<String>| {
        name.is_some_and(|name| bound.contains(&name) && !solution.contains_key(&name))
    };
    let mut count = count;
    if is_guess(Place::Subject.variable(triple)) {
        count = count.min(OBJECTS_EACH);
    }
    if is_guess(Place::Object.variable(triple)) {
        count = count.isqrt();
    }
    count
}

/// What is known after a pattern that was not looked into.
fn after(pattern: &GraphPattern, known: &Known) -> Known {
    let mut bound = known.bound.clone();
    bound.extend(always_bound(pattern));
    Known { bound, solutions: known.solutions.clone() }
}

/// A part of a join that goes into a chain.
enum Item {
    Triple(TriplePattern),
    /// A path, with the variables of its ends.
    Path(GraphPattern, Vec<String>),
    Values(GraphPattern),
}

impl Item {
    fn variables(&self) -> Variables {
        match self {
            Item::Triple(triple) => {
                Place::ALL.iter().filter_map(|place| place.variable(triple)).collect()
            }
            Item::Path(_, ends) => ends.iter().cloned().collect(),
            Item::Values(values) => always_bound(values),
        }
    }

    fn pattern(self) -> GraphPattern {
        match self {
            Item::Triple(triple) => GraphPattern::Bgp { patterns: vec![triple] },
            Item::Path(pattern, _) | Item::Values(pattern) => pattern,
        }
    }
}

/// Takes a join apart.
fn flatten(pattern: GraphPattern, simple: &mut Vec<Item>, others: &mut Vec<GraphPattern>) {
    match pattern {
        GraphPattern::Join { left, right } => {
            flatten(*left, simple, others);
            flatten(*right, simple, others);
        }
        GraphPattern::Bgp { patterns } if !patterns.is_empty() => {
            simple.extend(patterns.into_iter().map(Item::Triple));
        }
        GraphPattern::Path { ref subject, ref object, .. } => {
            let ends = [subject, object].into_iter().filter_map(|end| match end {
                TermPattern::Variable(variable) => Some(variable.as_str().to_owned()),
                _ => None,
            });
            let ends = ends.collect();
            simple.push(Item::Path(pattern, ends));
        }
        // A row that leaves a variable unbound is compatible with any value, which no chain is made
        // for.
        GraphPattern::Values { ref bindings, .. }
            if bindings.iter().flatten().all(Option::is_some) =>
        {
            simple.push(Item::Values(pattern));
        }
        other => others.push(other),
    }
}

/// Whether the evaluator evaluates a pattern for each solution of the chain before it.
fn is_simple_enough(pattern: &GraphPattern) -> bool {
    use GraphPattern as P;
    match pattern {
        P::Bgp { .. } | P::Path { .. } | P::Values { .. } => true,
        P::Join { left, right } | P::Union { left, right } => {
            is_simple_enough(left) && is_simple_enough(right)
        }
        P::Lateral { left, right } | P::LeftJoin { left, right, .. } => {
            is_simple_enough(left) && is_simple_enough(right)
        }
        P::Filter { inner, .. } | P::Extend { inner, .. } | P::Graph { inner, .. } => {
            is_simple_enough(inner)
        }
        _ => false,
    }
}

fn joined(parts: impl Iterator<Item = GraphPattern>) -> Option<GraphPattern> {
    parts.reduce(|left, right| GraphPattern::Join { left: left.into(), right: right.into() })
}

/// Patterns that begin with nothing known.
struct Alone<'a, 'c> {
    joins: &'a Joins<'c>,
    graph: Graph<'a>,
}

impl Children for Alone<'_, '_> {
    fn child(&mut self, pattern: GraphPattern) -> GraphPattern {
        self.joins.order(pattern, self.graph, &Known::default()).0
    }

    fn child_expression(&mut self, expression: Expression) -> Expression {
        walk::expression_inside(expression, self)
    }
}

/// Patterns inside expressions.
struct Inside<'a, 'c> {
    joins: &'a Joins<'c>,
    graph: Graph<'a>,
    known: &'a Known,
}

impl Children for Inside<'_, '_> {
    fn child(&mut self, pattern: GraphPattern) -> GraphPattern {
        self.joins.order(pattern, self.graph, self.known).0
    }

    fn child_expression(&mut self, expression: Expression) -> Expression {
        walk::expression_inside(expression, self)
    }
}
