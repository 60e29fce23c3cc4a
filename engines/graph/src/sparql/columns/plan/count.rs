//! Plans of counts: which pattern's rows are multiplied by which numbers of others, for parts that
//! share one variable with each other.
//!
//! A join of such parts is a tree. One pattern is its root; each branch that is left without it is
//! counted by the variable that it shares with the root, in the same way.

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use spargebra::algebra::{Expression, GraphPattern};

use super::super::super::rewrite::{always_bound, has_exists, in_scope, names, of_expression};
use super::super::count::factor::Times;
use super::super::scan::quads::QuadPattern;
use super::super::state::GraphOf;
use super::super::stop::Outcome;
use super::operator::{Counted, Factor, Filter, Source, is_by_ids};
use super::planner::Planner;
use crate::view::View;

/// Maximum number of parts of a join: each may be tried as root.
const PARTS_MAX: usize = 8;
/// Rows that are counted by scans for each row of the smallest part, at most: of more the rows are
/// looked up, whose blocks then are few. Twice what a join takes a look-up for, as nothing is
/// built of what is scanned.
const ROWS_OF_LEAST_MAX: u64 = 128;

/// Something that is joined, with what it is filtered and multiplied by.
#[derive(Clone)]
struct Part<'p> {
    of: PartSource<'p>,
    names: BTreeSet<String>,
    /// Variables that all of its rows bind.
    bound: BTreeSet<String>,
    given: Context<'p>,
}

#[derive(Clone)]
enum PartSource<'p> {
    Quads(QuadPattern),
    Other(&'p GraphPattern, GraphOf),
}

/// What the rows of a part are filtered and multiplied by.
#[derive(Clone, Default)]
struct Context<'p> {
    filters: Vec<Rc<Filter<'p>>>,
    factors: Vec<Rc<Factor<'p>>>,
}

/// The parts of a join.
#[derive(Default)]
struct Join<'p> {
    parts: Vec<Part<'p>>,
    given: Context<'p>,
    /// Whether it can't have a row.
    is_void: bool,
}

/// A plan, if there is one.
type Plan<'p> = Outcome<Option<Counted<'p>>>;

impl<'c, 's, 'v, V: View> Planner<'c, 's, 'v, V> {
    /// How the rows of a pattern are counted, in all or by a variable, if that takes less time than
    /// to make them.
    pub(in crate::sparql) fn count<'p>(
        &self,
        pattern: &'p GraphPattern,
        graph: &GraphOf,
        key: Option<&str>,
    ) -> Plan<'p> {
        let plan = self.counted_part(pattern, graph, Context::default(), key)?;
        let is_short =
            |plan: &Counted<'_>| plan.least().saturating_mul(ROWS_OF_LEAST_MAX) >= plan.row_count();
        Ok(plan.filter(is_short))
    }

    fn counted_part<'p>(
        &self,
        pattern: &'p GraphPattern,
        graph: &GraphOf,
        mut given: Context<'p>,
        key: Option<&str>,
    ) -> Plan<'p> {
        use GraphPattern as P;
        match pattern {
            P::Union { left, right } => {
                let Some(left) = self.counted_part(left, graph, given.clone(), key)? else {
                    return Ok(None);
                };
                let Some(right) = self.counted_part(right, graph, given, key)? else {
                    return Ok(None);
                };
                Ok(Some(self.sum(vec![left, right])))
            }
            P::LeftJoin { left, right, expression } => {
                let mut filters = Vec::new();
                if let Some(expression) = expression {
                    if !is_closed(expression, &always_bound(right)) || !is_by_ids(expression) {
                        return Ok(None);
                    }
                    filters.push(Rc::new(Filter::plain(self.number(), expression)));
                }
                let own = Context { filters, factors: Vec::new() };
                let Some(factor) = self.factor(left, right, graph, own, Times::AtLeastOne)? else {
                    return Ok(None);
                };
                given.factors.push(factor);
                self.counted_part(left, graph, given, key)
            }
            P::Minus { left, right } => {
                // Rows that share nothing take nothing away.
                if !in_scope(left).is_disjoint(&in_scope(right)) {
                    let own = Context::default();
                    let Some(factor) = self.factor(left, right, graph, own, Times::IfNone)? else {
                        return Ok(None);
                    };
                    given.factors.push(factor);
                }
                self.counted_part(left, graph, given, key)
            }
            P::Bgp { .. } | P::Join { .. } | P::Graph { .. } | P::Filter { .. } => {
                let mut join = Join { given, ..Join::default() };
                if !self.join_parts(pattern, graph, &mut join)? || join.parts.len() > PARTS_MAX {
                    return Ok(None);
                }
                if join.is_void {
                    return Ok(Some(self.sum(Vec::new())));
                }
                match give_out(join) {
                    Some(parts) => self.tree(parts, key),
                    None => Ok(None),
                }
            }
            _ => Ok(None),
        }
    }

    /// The rows of all of some parts.
    fn sum<'p>(&self, parts: Vec<Counted<'p>>) -> Counted<'p> {
        Counted { number: self.number(), of: Source::Sum(parts), factors: Vec::new() }
    }

    /// The rows of a part as a factor of another one's, with which it shares one variable or none.
    fn factor<'p>(
        &self,
        left: &GraphPattern,
        right: &'p GraphPattern,
        graph: &GraphOf,
        given: Context<'p>,
        times: Times,
    ) -> Outcome<Option<Rc<Factor<'p>>>> {
        let mut shared: Vec<String> =
            in_scope(left).intersection(&in_scope(right)).cloned().collect();
        let key = shared.pop();
        let is_bound =
            |key: &String| always_bound(left).contains(key) && always_bound(right).contains(key);
        if !shared.is_empty() || !key.as_ref().is_none_or(is_bound) {
            return Ok(None);
        }
        let rows = self.counted_part(right, graph, given, key.as_deref())?;
        Ok(rows.map(|rows| Rc::new(Factor { key, rows, times })))
    }

    /// Takes a join apart. False if something is not known here.
    fn join_parts<'p>(
        &self,
        pattern: &'p GraphPattern,
        graph: &GraphOf,
        join: &mut Join<'p>,
    ) -> Outcome<bool> {
        use GraphPattern as P;
        match pattern {
            P::Bgp { patterns } => {
                for triple in patterns {
                    match self.quad_pattern(triple, graph)? {
                        Some(pattern) => {
                            let names: BTreeSet<String> = pattern.names().into_iter().collect();
                            let bound = names.clone();
                            let (of, given) = (PartSource::Quads(pattern), Context::default());
                            join.parts.push(Part { of, names, bound, given });
                        }
                        None => join.is_void = true,
                    }
                }
                Ok(true)
            }
            P::Join { left, right } => {
                Ok(self.join_parts(left, graph, join)? && self.join_parts(right, graph, join)?)
            }
            P::Graph { name, inner } => match self.graph(name) {
                GraphOf::Variable(_) => Ok(false),
                graph => self.join_parts(inner, &graph, join),
            },
            P::Filter { expr, inner } => Ok(self.join_filter(expr, inner, graph, join)?
                && self.join_parts(inner, graph, join)?),
            P::Union { .. } | P::LeftJoin { .. } | P::Minus { .. } => {
                let (names, bound) = (in_scope(pattern), always_bound(pattern));
                let of = PartSource::Other(pattern, graph.clone());
                join.parts.push(Part { of, names, bound, given: Context::default() });
                Ok(true)
            }
            _ => Ok(false),
        }
    }

    /// Takes a filter apart. False if it is not known here.
    fn join_filter<'p>(
        &self,
        filter: &'p Expression,
        inner: &'p GraphPattern,
        graph: &GraphOf,
        join: &mut Join<'p>,
    ) -> Outcome<bool> {
        use Expression as E;
        let exists = match filter {
            E::And(left, right) => {
                return Ok(self.join_filter(left, inner, graph, join)?
                    && self.join_filter(right, inner, graph, join)?);
            }
            E::Exists(pattern) => Some((pattern, Times::IfAny)),
            E::Not(not) => match &**not {
                E::Exists(pattern) => Some((pattern, Times::IfNone)),
                _ => None,
            },
            _ => None,
        };
        let Some((pattern, times)) = exists else {
            if !is_by_ids(filter) || !is_closed(filter, &always_bound(inner)) {
                return Ok(false);
            }
            join.given.filters.push(Rc::new(Filter::plain(self.number(), filter)));
            return Ok(true);
        };
        // What is inside may see no more of the row than the key.
        let is_plain = |pattern: &GraphPattern| matches!(pattern, GraphPattern::Bgp { .. });
        let sees = match &**pattern {
            GraphPattern::Filter { expr, inner } if is_plain(inner) => {
                is_closed(expr, &always_bound(inner)) && !has_exists(expr)
            }
            other => is_plain(other),
        };
        let inside = names(pattern);
        if !sees || inside.is_disjoint(&in_scope(inner)) {
            return Ok(false);
        }
        match self.factor(inner, pattern, graph, Context::default(), times)? {
            Some(factor) => join.given.factors.push(factor),
            None => return Ok(false),
        }
        Ok(true)
    }

    /// The plan of parts that are joined, with the first as root that makes the others branches of
    /// one variable each.
    fn tree<'p>(&self, parts: Vec<Part<'p>>, key: Option<&str>) -> Plan<'p> {
        let is_root = |at: &usize| key.is_none_or(|key| parts[*at].bound.contains(key));
        let mut roots: Vec<usize> = (0..parts.len()).filter(is_root).collect();
        // The root's rows pass by, those of all others are written into an array. What has parts
        // itself has a root in each.
        roots.sort_by_key(|at| match &parts[*at].of {
            PartSource::Quads(pattern) => (1, u64::MAX - pattern.count),
            PartSource::Other(..) => (0, 0),
        });
        for root in roots {
            if let Some(plan) = self.tree_from(&parts, root, key)? {
                return Ok(Some(plan));
            }
        }
        Ok(None)
    }

    fn tree_from<'p>(&self, parts: &[Part<'p>], root: usize, key: Option<&str>) -> Plan<'p> {
        let Part { of, names, given, .. } = &parts[root];
        let mut given = given.clone();
        // Branches of one key are multiplied with each other first: mostly few keys are left of
        // them.
        let mut by_key: BTreeMap<Option<String>, Vec<Part<'p>>> = BTreeMap::new();
        for branch in branches(parts, root) {
            let is_shared =
                |name: &&String| branch.iter().any(|part| part.names.contains(name.as_str()));
            let mut shared = names.iter().filter(is_shared);
            let (key, more) = (shared.next().cloned(), shared.next());
            if more.is_some() {
                return Ok(None);
            }
            by_key.entry(key).or_default().extend(branch);
        }
        for (key, branch) in by_key {
            let Some(rows) = self.tree(branch, key.as_deref())? else { return Ok(None) };
            given.factors.push(Rc::new(Factor { key, rows, times: Times::Each }));
        }
        match of {
            PartSource::Quads(pattern) => {
                let number = self.number();
                let pattern = QuadPattern { number, ..pattern.clone() };
                let of = Source::Quads(pattern, given.filters);
                Ok(Some(Counted { number, of, factors: given.factors }))
            }
            PartSource::Other(pattern, graph) => self.counted_part(pattern, graph, given, key),
        }
    }
}

/// The parts without the root, those together that share variables which the root doesn't have.
fn branches<'p>(parts: &[Part<'p>], root: usize) -> Vec<Vec<Part<'p>>> {
    let mut branches: Vec<(BTreeSet<String>, Vec<Part<'p>>)> = Vec::new();
    for (at, part) in parts.iter().enumerate() {
        if at == root {
            continue;
        }
        let mut names: BTreeSet<String> =
            part.names.difference(&parts[root].names).cloned().collect();
        let (own, others): (Vec<_>, Vec<_>) =
            branches.into_iter().partition(|(other, _)| !other.is_disjoint(&names));
        branches = others;
        let mut all = vec![part.clone()];
        for (other, parts) in own {
            names.extend(other);
            all.extend(parts);
        }
        branches.push((names, all));
    }
    branches.into_iter().map(|(_, parts)| parts).collect()
}

/// The parts of a join, each with the filters and factors of its rows. None if a filter needs two
/// of them, or they share a variable that some row leaves unbound.
fn give_out(join: Join<'_>) -> Option<Vec<Part<'_>>> {
    let Join { mut parts, given, .. } = join;
    for (at, part) in parts.iter().enumerate() {
        let others = parts.iter().enumerate().filter(|(other, _)| *other != at);
        for (_, other) in others {
            let mut shared = part.names.intersection(&other.names);
            if !shared.all(|name| part.bound.contains(name) && other.bound.contains(name)) {
                return None;
            }
        }
    }
    for filter in given.filters {
        let part = parts.iter_mut().find(|part| is_closed(filter.expression, &part.bound))?;
        part.given.filters.push(filter);
    }
    for factor in given.factors {
        let has_key = |part: &Part<'_>| match &factor.key {
            Some(key) => part.bound.contains(key),
            None => true,
        };
        let part = parts.iter_mut().find(|part| has_key(part))?;
        part.given.factors.push(factor);
    }
    Some(parts)
}

/// Whether all variables of a filter are among those that every row binds.
fn is_closed(filter: &Expression, bound: &BTreeSet<String>) -> bool {
    let mut names = BTreeSet::new();
    of_expression(filter, &mut names);
    names.is_subset(bound)
}
