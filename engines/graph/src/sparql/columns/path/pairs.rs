//! Property paths: pairs of nodes, from the nodes that are known at one end.

use std::collections::BTreeSet;

use oxrdf::{NamedNode, Variable};
use spargebra::algebra::PropertyPathExpression as Path;
use spargebra::term::{NamedNodePattern, TermPattern, TriplePattern};

use super::super::super::rewrite::constant;
use super::super::join::order::LOOK_UP_COST;
use super::super::join::tables;
use super::super::plan::operator::Path as PlannedPath;
use super::super::scan::quads::QuadPattern;
use super::super::state::{Columns, GraphOf};
use super::super::stop::{Outcome, Stop};
use super::super::table::groups::Groups;
use super::super::table::rows::{Table, UNBOUND, gathered};
use super::reach::{Edges, Search, SortedEdges};
use crate::quad::{GraphChoice, Pattern};
use crate::view::View;
use crate::{GraphError, Id};

/// Number of pairs between two looks at the time and the memory.
const WORK_PER_LOOK: usize = 1 << 15;

/// Number of nodes that paths begin at, and of edges, up to which these are searched sorted.
const STARTS_FEW: usize = 8;
const EDGES_FEW: usize = 2048;

/// Which end of a path is the first.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Way {
    Forward,
    Backward,
}

impl Way {
    fn turned(self) -> Way {
        match self {
            Way::Forward => Way::Backward,
            Way::Backward => Way::Forward,
        }
    }
}

/// The nodes that paths begin at.
#[derive(Clone, Copy, Debug)]
enum Starts<'n> {
    /// All that there are.
    All,
    /// Some of the view's, each once.
    Some(&'n [u64]),
    /// One that begins and ends a path without steps whether or not it is a node of the graph.
    Constant(&'n [u64; 1]),
}

impl<'n> Starts<'n> {
    fn nodes(self) -> Option<&'n [u64]> {
        match self {
            Starts::All => None,
            Starts::Some(nodes) => Some(nodes),
            Starts::Constant(node) => Some(node),
        }
    }
}

/// Where paths begin and end.
#[derive(Default)]
struct Pairs {
    from: Vec<u64>,
    to: Vec<u64>,
}

/// One end of a path.
enum End<'p> {
    Variable(&'p str),
    Constant([u64; 1]),
}

impl<V: View> Columns<'_, '_, V> {
    /// The solutions of a path. A seed has the only values that its variables may have.
    pub(in crate::sparql) fn path(
        &self,
        path: &PlannedPath<'_>,
        seed: Option<&Table>,
    ) -> Outcome<Table> {
        let graph = match &path.graph {
            GraphOf::Variable(name) => {
                let name = Variable::new_unchecked(name).into();
                return self.in_each_graph(&name, seed, &|graph| {
                    self.path_in(path, &GraphOf::Id(graph), seed)
                });
            }
            GraphOf::Parameter(name) => match self.parameter(name) {
                Some(id) => GraphOf::Id(Id(id)),
                None => unreachable!("what is evaluated in each graph has its parameter"),
            },
            other => other.clone(),
        };
        self.path_in(path, &graph, seed)
    }

    /// The values of the variables at the ends that are parameters, as a row.
    fn given_ends(&self, path: &PlannedPath<'_>) -> Table {
        let mut given = Table::default();
        for end in [path.subject, path.object] {
            let TermPattern::Variable(variable) = end else { continue };
            let id = self.parameter(variable.as_str()).filter(|id| *id != UNBOUND);
            if let (Some(id), None) = (id, given.place(variable.as_str())) {
                given.row_count = 1;
                given.push(variable.as_str().to_owned(), vec![id]);
            }
        }
        given
    }

    fn path_in(
        &self,
        path: &PlannedPath<'_>,
        graph: &GraphOf,
        seed: Option<&Table>,
    ) -> Outcome<Table> {
        let given = self.given_ends(path);
        let seed = if given.row_count == 0 { seed } else { Some(&given) };
        let (subject, object) = (self.end(path.subject)?, self.end(path.object)?);
        let seeded = |end: &End<'_>| match end {
            End::Variable(name) => seed.filter(|seed| seed.place(name).is_some()).map(|seed| {
                let mut distinct = tables::distinct(seed, &[name], &self.meter)?;
                Ok(distinct.columns.swap_remove(0))
            }),
            End::Constant(_) => None,
        };
        let (of_subject, of_object) = (seeded(&subject).transpose()?, seeded(&object).transpose()?);
        let (way, starts) = match (&subject, &object) {
            (End::Constant(node), _) => (Way::Forward, Starts::Constant(node)),
            (_, End::Constant(node)) => (Way::Backward, Starts::Constant(node)),
            _ => match (&of_subject, &of_object) {
                (Some(nodes), Some(others)) if others.len() < nodes.len() => {
                    (Way::Backward, Starts::Some(others))
                }
                (Some(nodes), _) => (Way::Forward, Starts::Some(nodes)),
                (None, Some(nodes)) => (Way::Backward, Starts::Some(nodes)),
                (None, None) => (Way::Forward, Starts::All),
            },
        };
        let pairs = self.pairs(path.path, graph, way, starts)?;
        let (subjects, objects) = match way {
            Way::Forward => (pairs.from, pairs.to),
            Way::Backward => (pairs.to, pairs.from),
        };
        let table = ends(&subject, subjects, &object, objects);
        let table = of_parameters(table, &given);
        self.meter.charge(&table)?;
        Ok(table)
    }

    fn end<'p>(&self, term: &'p TermPattern) -> Outcome<End<'p>> {
        Ok(match term {
            TermPattern::Variable(variable) => End::Variable(variable.as_str()),
            other => {
                let term = constant(other).expect("all unknowns became variables");
                End::Constant([self.ids.id(&term)?])
            }
        })
    }

    /// Pairs of a path, of those at least that begin at the starts.
    fn pairs(&self, path: &Path, graph: &GraphOf, way: Way, starts: Starts<'_>) -> Outcome<Pairs> {
        match path {
            Path::NamedNode(node) => self.steps(&Predicates::One(node), graph, way, starts),
            Path::NegatedPropertySet(nodes) => {
                self.steps(&Predicates::AllBut(nodes), graph, way, starts)
            }
            Path::Reverse(inner) => self.pairs(inner, graph, way.turned(), starts),
            Path::Alternative(one, other) => {
                let mut pairs = self.pairs(one, graph, way, starts)?;
                let mut others = self.pairs(other, graph, way, starts)?;
                pairs.from.append(&mut others.from);
                pairs.to.append(&mut others.to);
                Ok(pairs)
            }
            Path::Sequence(one, other) => {
                let (first, second) = match way {
                    Way::Forward => (one, other),
                    Way::Backward => (other, one),
                };
                let before = self.pairs(first, graph, way, starts)?;
                let middle = self.distinct_of(&before.to)?;
                let after = self.pairs(second, graph, way, Starts::Some(&middle))?;
                let left = table(["from", "middle"], before);
                let joined = tables::inner(&left, &table(["middle", "to"], after), &self.meter)?;
                let names = ["from", "to"].map(str::to_owned);
                let [from, to] = columns(joined.projected(&names));
                Ok(Pairs { from, to })
            }
            Path::ZeroOrOne(inner) => {
                let mut pairs = self.pairs(inner, graph, way, starts)?;
                for node in self.nodes(graph, starts)? {
                    pairs.from.push(node);
                    pairs.to.push(node);
                }
                let all = table(["from", "to"], pairs);
                let [from, to] = columns(tables::distinct(&all, &["from", "to"], &self.meter)?);
                Ok(Pairs { from, to })
            }
            Path::OneOrMore(inner) => self.closure(inner, graph, way, starts),
            Path::ZeroOrMore(inner) => {
                let mut pairs = self.closure(inner, graph, way, starts)?;
                // A node may lead to itself by steps too.
                let itself = pairs.from.iter().zip(&pairs.to).filter(|(from, to)| from == to);
                let itself: BTreeSet<u64> = itself.map(|(from, _)| *from).collect();
                for node in self.nodes(graph, starts)? {
                    if !itself.contains(&node) {
                        pairs.from.push(node);
                        pairs.to.push(node);
                    }
                }
                Ok(pairs)
            }
        }
    }

    /// Single steps, by one predicate or by all but some.
    fn steps(
        &self,
        predicates: &Predicates<'_>,
        graph: &GraphOf,
        way: Way,
        starts: Starts<'_>,
    ) -> Outcome<Pairs> {
        let variable = |name| TermPattern::Variable(Variable::new_unchecked(name));
        let predicate = match predicates {
            Predicates::One(node) => NamedNodePattern::NamedNode((*node).clone()),
            Predicates::AllBut(_) => Variable::new_unchecked("by").into(),
        };
        let (subject, object) = match way {
            Way::Forward => (variable("from"), variable("to")),
            Way::Backward => (variable("to"), variable("from")),
        };
        let triple = TriplePattern { subject, predicate, object };
        let Some(pattern) = self.quad_pattern(&triple, graph)? else {
            return Ok(Pairs::default());
        };
        let mut found = self.steps_of(&pattern, starts)?;
        if let Predicates::AllBut(nodes) = predicates {
            let mut left_out = BTreeSet::new();
            for node in *nodes {
                left_out.extend(self.ids.find(&node.clone().into())?.map(|id| id.0));
            }
            let by = found.column("by").unwrap_or_default();
            let marks: Vec<bool> = by.iter().map(|id| !left_out.contains(id)).collect();
            found = found.marked(&marks);
        }
        let names = ["from", "to"].map(str::to_owned);
        let [from, to] = columns(found.projected(&names));
        Ok(Pairs { from, to })
    }

    fn steps_of(&self, pattern: &QuadPattern, starts: Starts<'_>) -> Outcome<Table> {
        match starts.nodes() {
            Some(nodes) if (nodes.len() as u64).saturating_mul(LOOK_UP_COST) < pattern.count => {
                let mut known = Table { row_count: nodes.len(), ..Table::default() };
                known.push("from".to_owned(), nodes.to_vec());
                self.look_up(&known, pattern, 1.0)
            }
            _ => self.scan(pattern, None),
        }
    }

    /// Pairs that one step or several lead from one to the other, each once.
    fn closure(
        &self,
        inner: &Path,
        graph: &GraphOf,
        way: Way,
        starts: Starts<'_>,
    ) -> Outcome<Pairs> {
        let edges = match starts.nodes() {
            Some(nodes) => self.edges_from(inner, graph, way, nodes)?,
            None => self.pairs(inner, graph, way, Starts::All)?,
        };
        let all;
        let starts = match starts.nodes() {
            Some(nodes) => nodes,
            None => {
                all = self.distinct_of(&edges.from)?;
                &all
            }
        };
        if starts.len() <= STARTS_FEW && edges.from.len() <= EDGES_FEW {
            let edges = SortedEdges::new(&edges.from, &edges.to);
            return self.reached(starts, &mut |start, to| edges.reach(start, to));
        }
        let edges = Edges::new(&edges.from, &edges.to, &mut || self.meter.check(0))?;
        let mut search = Search::new(&edges);
        self.reached(starts, &mut |start, to| search.reach(start, to))
    }

    /// Some nodes, each with those that `reach` appends.
    fn reached(
        &self,
        starts: &[u64],
        reach: &mut dyn FnMut(u64, &mut Vec<u64>) -> usize,
    ) -> Outcome<Pairs> {
        let (mut pairs, mut work) = (Pairs::default(), 0);
        for start in starts {
            let count = reach(*start, &mut pairs.to);
            pairs.from.resize(pairs.from.len() + count, *start);
            work += 1 + count;
            if work > WORK_PER_LOOK {
                self.meter.check(2 * pairs.to.len())?;
                work = 0;
            }
        }
        self.meter.passed(pairs.to.len())?;
        Ok(pairs)
    }

    /// The edges that paths from some nodes may take: by steps from one front of nodes to the next,
    /// or all there are where the fronts come to be large.
    fn edges_from(&self, inner: &Path, graph: &GraphOf, way: Way, nodes: &[u64]) -> Outcome<Pairs> {
        let (mut edges, mut front) = (Pairs::default(), nodes.to_vec());
        let mut met: BTreeSet<u64> = nodes.iter().copied().collect();
        let all_count = self.edge_count(inner, graph)?;
        while !front.is_empty() {
            if (met.len() as u64).saturating_mul(LOOK_UP_COST) >= all_count {
                return self.pairs(inner, graph, way, Starts::All);
            }
            let mut next = self.pairs(inner, graph, way, Starts::Some(&front))?;
            front = next.to.iter().copied().filter(|node| met.insert(*node)).collect();
            edges.from.append(&mut next.from);
            edges.to.append(&mut next.to);
            self.meter.check(2 * edges.to.len())?;
        }
        Ok(edges)
    }

    /// About how many quads all steps of a path are.
    fn edge_count(&self, path: &Path, graph: &GraphOf) -> Outcome<u64> {
        let predicate = match path {
            Path::NamedNode(node) => NamedNodePattern::NamedNode(node.clone()),
            Path::NegatedPropertySet(_) => Variable::new_unchecked("by").into(),
            Path::Reverse(inner)
            | Path::ZeroOrOne(inner)
            | Path::OneOrMore(inner)
            | Path::ZeroOrMore(inner) => return self.edge_count(inner, graph),
            Path::Alternative(one, other) | Path::Sequence(one, other) => {
                return Ok(self.edge_count(one, graph)? + self.edge_count(other, graph)?);
            }
        };
        let [subject, object] =
            ["from", "to"].map(|name| TermPattern::Variable(Variable::new_unchecked(name)));
        let triple = TriplePattern { subject, predicate, object };
        Ok(self.quad_pattern(&triple, graph)?.map_or(0, |pattern| pattern.count))
    }

    /// Each id once.
    fn distinct_of(&self, ids: &[u64]) -> Outcome<Vec<u64>> {
        let groups = Groups::of(&[ids], ids.len(), &self.meter)?;
        Ok(gathered(ids, &groups.first_rows))
    }

    /// The starts of paths without steps: those that are subject or object of a quad of the graph,
    /// and a constant.
    fn nodes(&self, graph: &GraphOf, starts: Starts<'_>) -> Outcome<Vec<u64>> {
        let nodes = match starts {
            Starts::Constant(node) => return Ok(node.to_vec()),
            Starts::Some(nodes) => nodes,
            Starts::All => {
                let [subject, object] =
                    ["from", "to"].map(|name| TermPattern::Variable(Variable::new_unchecked(name)));
                let predicate = Variable::new_unchecked("by").into();
                let triple = TriplePattern { subject, predicate, object };
                let Some(pattern) = self.quad_pattern(&triple, graph)? else {
                    return Ok(Vec::new());
                };
                let needed = ["from", "to"].map(str::to_owned).into();
                let [mut nodes, mut objects] = columns(self.scan(&pattern, Some(&needed))?);
                nodes.append(&mut objects);
                return self.distinct_of(&nodes);
            }
        };
        let graph = match graph {
            GraphOf::Default => GraphChoice::Default,
            GraphOf::Id(id) => GraphChoice::Named(*id),
            GraphOf::Name(name) => match self.ids.find(&name.clone().into())? {
                Some(id) => GraphChoice::Named(id),
                None => return Ok(Vec::new()),
            },
            GraphOf::Variable(_) | GraphOf::Parameter(_) => {
                unreachable!("a path is evaluated in each graph of a variable")
            }
        };
        let mut kept = Vec::new();
        for node in nodes {
            let id = Some(Id(*node));
            let any = Pattern { subject: None, predicate: None, object: None, graph };
            let mut is_node = false;
            for pattern in [Pattern { subject: id, ..any }, Pattern { object: id, ..any }] {
                let first = self.graphs.quads(&pattern).next().transpose();
                is_node |= first.map_err(|error: GraphError| Stop::Failed(error.into()))?.is_some();
            }
            if is_node {
                kept.push(*node);
            }
        }
        Ok(kept)
    }
}

/// The rows that have the values of parameters.
fn of_parameters(mut table: Table, given: &Table) -> Table {
    for (name, value) in given.names.iter().zip(given.columns.iter()) {
        if let Some(column) = table.column(name) {
            let marks: Vec<bool> = column.iter().map(|id| *id == value[0]).collect();
            table = table.marked(&marks);
        }
    }
    table
}

/// The predicates of a step.
enum Predicates<'p> {
    One(&'p NamedNode),
    AllBut(&'p [NamedNode]),
}

fn table([from, to]: [&str; 2], pairs: Pairs) -> Table {
    let row_count = pairs.from.len();
    let names = vec![from.to_owned(), to.to_owned()];
    Table { names, columns: vec![pairs.from, pairs.to].into(), row_count, ..Table::default() }
}

fn columns(mut table: Table) -> [Vec<u64>; 2] {
    let mut columns = table.columns.drain(..);
    std::array::from_fn(|_| columns.next().unwrap_or_default())
}

/// The variables at the ends of pairs, of the pairs that agree with the ends.
fn ends(subject: &End<'_>, subjects: Vec<u64>, object: &End<'_>, objects: Vec<u64>) -> Table {
    let is_same = |one: &End<'_>, other: &End<'_>| match (one, other) {
        (End::Variable(one), End::Variable(other)) => one == other,
        _ => false,
    };
    let agrees = |end: &End<'_>, id: u64| match end {
        End::Constant([own]) => *own == id,
        End::Variable(_) => true,
    };
    let is_loop = is_same(subject, object);
    let marks: Vec<bool> = subjects
        .iter()
        .zip(&objects)
        .map(|(from, to)| agrees(subject, *from) && agrees(object, *to) && (!is_loop || from == to))
        .collect();
    let mut all = Table { row_count: subjects.len(), ..Table::default() };
    if let End::Variable(name) = subject {
        all.push((*name).to_owned(), subjects);
    }
    if let (End::Variable(name), false) = (object, is_loop) {
        all.push((*name).to_owned(), objects);
    }
    all.marked(&marks)
}
