//! The plainest evaluation of the algebra that could be right: bottom up, all solutions of
//! everything, nested loops.

mod groups;
mod paths;
mod values;

use std::borrow::Cow;
use std::cmp::{Ordering, Reverse};
use std::collections::{BTreeMap, BTreeSet};
use std::mem;

use manicule_graphs::{Cells, Compare};
use oxrdf::{GraphName, NamedNode, Quad, Term, Triple, Variable};
use spargebra::algebra::{
    Expression, GraphPattern, OrderExpression, PropertyPathExpression as Path, QueryDataset,
};
use spargebra::term::{GroundTerm, NamedNodePattern, TermPattern, TriplePattern};
use spargebra::{Query, SparqlParser};

use groups::grouped;
use paths::pairs;
use values::{compare, equal, order_key, truth, value};

/// A solution.
type Row = BTreeMap<String, Term>;

/// An answer, and how another one is compared with it.
pub(crate) struct Wanted {
    /// The rows, their variables as the query gives them.
    pub(crate) rows: Vec<Cells>,
    /// Whether their order counts.
    pub(crate) order: Compare,
    /// Which columns are computed.
    pub(crate) by_value: Vec<bool>,
}

/// Quads, and the greatest number of rows that is worth computing.
pub(crate) struct Naive<'q> {
    quads: Cow<'q, [Quad]>,
    /// The named graphs that there are.
    graphs: Vec<NamedNode>,
    rows_max: usize,
    has_too_many: bool,
    /// Number of unknowns inside of paths so far.
    fresh: usize,
}

impl<'q> Naive<'q> {
    pub(crate) fn new(quads: &'q [Quad]) -> Naive<'q> {
        let mut graphs: Vec<NamedNode> = Vec::new();
        for quad in quads {
            if let GraphName::NamedNode(name) = &quad.graph_name
                && !graphs.contains(name)
            {
                graphs.push(name.clone());
            }
        }
        Naive { quads: quads.into(), graphs, rows_max: 0, has_too_many: false, fresh: 0 }
    }

    /// The answer of a SELECT; none if there are too many rows on the way.
    pub(crate) fn answer(mut self, text: &str, rows_max: usize) -> Option<Wanted> {
        self.rows_max = rows_max;
        let query = SparqlParser::new().parse_query(text).expect("a query");
        let Query::Select { pattern, dataset, .. } = query else { panic!("a SELECT: {text}") };
        if let Some(dataset) = dataset {
            self.take(dataset);
        }
        let rows = self.eval(&pattern, None);
        let names = projected(&pattern);
        let cells = |row: &Row| names.iter().map(|name| row.get(name).cloned()).collect();
        // What is computed has such a name.
        let by_value = names.iter().map(|name| name.starts_with(['n', 'z'])).collect();
        let order = if is_ordered(&pattern) { Compare::Exact } else { Compare::Bag };
        let rows = rows.iter().map(cells).collect();
        (!self.has_too_many).then_some(Wanted { rows, order, by_value })
    }

    /// Makes the quads those of a dataset: copies of what its default graph is the union of, and
    /// its named graphs.
    fn take(&mut self, dataset: QueryDataset) {
        let is_in = |quad: &Quad, names: &[NamedNode]| {
            names.iter().any(|name| quad.graph_name == GraphName::from(name.clone()))
        };
        let mut quads: Vec<Quad> = Vec::new();
        for quad in self.quads.iter() {
            if dataset.named.as_ref().is_none_or(|named| is_in(quad, named))
                && quad.graph_name != GraphName::DefaultGraph
            {
                quads.push(quad.clone());
            }
            let copy = Quad { graph_name: GraphName::DefaultGraph, ..quad.clone() };
            if is_in(quad, &dataset.default) && !quads.contains(&copy) {
                quads.push(copy);
            }
        }
        self.quads = quads.into();
        self.graphs = dataset.named.unwrap_or_else(|| mem::take(&mut self.graphs));
    }

    fn bounded(&mut self, rows: Vec<Row>) -> Vec<Row> {
        if rows.len() > self.rows_max {
            self.has_too_many = true;
            return Vec::new();
        }
        rows
    }

    fn eval(&mut self, pattern: &GraphPattern, graph: Option<&NamedNode>) -> Vec<Row> {
        use GraphPattern as P;
        let rows = match pattern {
            P::Bgp { patterns } => self.bgp(patterns, graph),
            P::Path { subject, path, object } => self.path(subject, path, object, graph),
            P::Join { left, right } => {
                let (left, right) = (self.eval(left, graph), self.eval(right, graph));
                left.iter()
                    .flat_map(|one| right.iter().filter_map(|other| merged(one, other)))
                    .collect()
            }
            P::LeftJoin { left, right, expression } => {
                let (left, right) = (self.eval(left, graph), self.eval(right, graph));
                let mut rows = Vec::new();
                for one in &left {
                    let mut is_alone = true;
                    for row in right.iter().filter_map(|other| merged(one, other)) {
                        if expression.as_ref().is_none_or(|test| self.holds(test, &row, graph)) {
                            is_alone = false;
                            rows.push(row);
                        }
                    }
                    if is_alone {
                        rows.push(one.clone());
                    }
                }
                rows
            }
            P::Filter { expr, inner } => {
                let mut rows = self.eval(inner, graph);
                rows.retain(|row| self.holds(expr, row, graph));
                rows
            }
            P::Union { left, right } => [self.eval(left, graph), self.eval(right, graph)].concat(),
            P::Graph { name, inner } => self.graph(name, inner),
            P::Extend { inner, variable, expression } => {
                let mut rows = self.eval(inner, graph);
                for row in &mut rows {
                    if let Some(term) = value(expression, row) {
                        row.insert(variable.as_str().to_owned(), term);
                    }
                }
                rows
            }
            P::Minus { left, right } => {
                let (mut left, right) = (self.eval(left, graph), self.eval(right, graph));
                left.retain(|one| {
                    let shares = |other: &Row| other.keys().any(|name| one.contains_key(name));
                    !right.iter().any(|other| shares(other) && merged(one, other).is_some())
                });
                left
            }
            P::Values { variables, bindings } => {
                let names = variables.iter().map(|variable| variable.as_str().to_owned());
                let names: Vec<String> = names.collect();
                let row = |cells: &Vec<Option<GroundTerm>>| {
                    let cells = names.iter().cloned().zip(cells.iter().cloned());
                    cells.filter_map(|(name, cell)| Some((name, cell?.into()))).collect()
                };
                bindings.iter().map(row).collect()
            }
            P::Project { inner, .. } => {
                let (mut rows, names) = (self.eval(inner, graph), projected(pattern));
                rows.iter_mut().for_each(|row| row.retain(|name, _| names.contains(name)));
                rows
            }
            P::Distinct { inner } => {
                let rows = self.eval(inner, graph);
                let texts = |row: &Row| format!("{row:?}");
                let mut seen = BTreeSet::new();
                rows.into_iter().filter(|row| seen.insert(texts(row))).collect()
            }
            P::OrderBy { inner, expression } => {
                let mut rows = self.eval(inner, graph);
                rows.sort_by(|one, other| {
                    let keys = expression.iter().map(|key| in_order(key, one, other));
                    keys.fold(Ordering::Equal, Ordering::then)
                });
                rows
            }
            P::Slice { inner, start, length } => {
                let rows = self.eval(inner, graph).into_iter().skip(*start);
                rows.take(length.unwrap_or(usize::MAX)).collect()
            }
            P::Group { inner, variables, aggregates } => {
                grouped(&self.eval(inner, graph), variables, aggregates)
            }
            other => panic!("the random queries have none: {other}"),
        };
        self.bounded(rows)
    }

    fn triples(&self, graph: Option<&NamedNode>) -> Vec<[Term; 3]> {
        let in_graph = |quad: &&Quad| match (&quad.graph_name, graph) {
            (GraphName::DefaultGraph, None) => true,
            (GraphName::NamedNode(name), Some(graph)) => name == graph,
            _ => false,
        };
        let quads = self.quads.iter().filter(in_graph).cloned();
        quads.map(|quad| [quad.subject.into(), quad.predicate.into(), quad.object]).collect()
    }

    fn bgp(&mut self, patterns: &[TriplePattern], graph: Option<&NamedNode>) -> Vec<Row> {
        let triples = self.triples(graph);
        let mut rows = vec![Row::new()];
        for pattern in patterns {
            let places = places(pattern);
            let extended = rows.iter().flat_map(|row| {
                let bound = |triple: &[Term; 3]| {
                    let mut row = row.clone();
                    let all =
                        places.iter().zip(triple).all(|(place, term)| bind(&mut row, place, term));
                    all.then_some(row)
                };
                triples.iter().filter_map(bound).collect::<Vec<_>>()
            });
            let extended = extended.collect();
            rows = self.bounded(extended);
        }
        rows
    }

    fn path(
        &mut self,
        subject: &TermPattern,
        path: &Path,
        object: &TermPattern,
        graph: Option<&NamedNode>,
    ) -> Vec<Row> {
        match path {
            Path::Reverse(path) => return self.path(object, path, subject, graph),
            Path::Sequence(first, second) => {
                self.fresh += 1;
                let middle = Variable::new_unchecked(format!(" {}", self.fresh));
                let middle = TermPattern::Variable(middle);
                let left = self.path(subject, first, &middle, graph);
                let right = self.path(&middle, second, object, graph);
                let found = |one: &Row| {
                    right.iter().filter_map(|other| merged(one, other)).collect::<Vec<_>>()
                };
                let mut rows: Vec<Row> = left.iter().flat_map(found).collect();
                if let TermPattern::Variable(middle) = &middle {
                    rows.iter_mut().for_each(|row| drop(row.remove(middle.as_str())));
                }
                return self.bounded(rows);
            }
            Path::Alternative(one, other) => {
                let one = self.path(subject, one, object, graph);
                return [one, self.path(subject, other, object, graph)].concat();
            }
            _ => {}
        }
        let triples = self.triples(graph);
        let (from, to) = (place(subject), place(object));
        let mut nodes: Vec<Term> =
            triples.iter().flat_map(|[s, _, o]| [s.clone(), o.clone()]).collect();
        nodes.extend([&from, &to].into_iter().filter_map(|place| match place {
            Place::Constant(term) => Some(term.clone()),
            Place::Unknown(_) | Place::Triple(_) => None,
        }));
        nodes.sort_by_key(Term::to_string);
        nodes.dedup();
        let rows = pairs(path, &triples, &nodes).into_iter().filter_map(|(start, end)| {
            let mut row = Row::new();
            (bind(&mut row, &from, &start) && bind(&mut row, &to, &end)).then_some(row)
        });
        rows.collect()
    }

    fn graph(&mut self, name: &NamedNodePattern, inner: &GraphPattern) -> Vec<Row> {
        let mut rows = Vec::new();
        for graph in self.graphs.clone() {
            let own = match name {
                NamedNodePattern::NamedNode(name) if *name != graph => continue,
                NamedNodePattern::NamedNode(_) => Row::new(),
                NamedNodePattern::Variable(variable) => {
                    Row::from([(variable.as_str().to_owned(), graph.clone().into())])
                }
            };
            let inside = self.eval(inner, Some(&graph));
            rows.extend(inside.iter().filter_map(|row| merged(row, &own)));
        }
        rows
    }

    /// Whether a test is true; an error is not.
    fn holds(&mut self, test: &Expression, row: &Row, graph: Option<&NamedNode>) -> bool {
        self.test(test, row, graph) == Some(true)
    }

    fn test(&mut self, test: &Expression, row: &Row, graph: Option<&NamedNode>) -> Option<bool> {
        match test {
            Expression::Bound(variable) => Some(row.contains_key(variable.as_str())),
            Expression::Not(inner) => self.test(inner, row, graph).map(|truth| !truth),
            Expression::Or(one, other) => {
                match (self.test(one, row, graph), self.test(other, row, graph)) {
                    (Some(true), _) | (_, Some(true)) => Some(true),
                    (Some(false), Some(false)) => Some(false),
                    _ => None,
                }
            }
            Expression::And(one, other) => {
                match (self.test(one, row, graph), self.test(other, row, graph)) {
                    (Some(false), _) | (_, Some(false)) => Some(false),
                    (Some(true), Some(true)) => Some(true),
                    _ => None,
                }
            }
            Expression::SameTerm(one, other) => Some(value(one, row)? == value(other, row)?),
            Expression::Equal(one, other) => equal(&value(one, row)?, &value(other, row)?),
            Expression::Less(one, other) => {
                Some(compare(&value(one, row)?, &value(other, row)?)? == Ordering::Less)
            }
            Expression::GreaterOrEqual(one, other) => {
                Some(compare(&value(one, row)?, &value(other, row)?)? != Ordering::Less)
            }
            Expression::In(one, others) => {
                let one = value(one, row)?;
                let mut outcome = Some(false);
                for other in others {
                    match value(other, row).and_then(|other| equal(&one, &other)) {
                        Some(true) => return Some(true),
                        Some(false) => {}
                        None => outcome = None,
                    }
                }
                outcome
            }
            Expression::FunctionCall(function, of) => truth(function, of, row),
            Expression::Exists(pattern) => {
                // A filter at its top sees the row as well.
                let (inner, filter) = match &**pattern {
                    GraphPattern::Filter { expr, inner } => (inner, Some(expr)),
                    _ => (pattern, None),
                };
                let rows = self.eval(inner, graph);
                let mut partners = rows.iter().filter_map(|other| merged(row, other));
                Some(partners.any(|both| filter.is_none_or(|test| self.holds(test, &both, graph))))
            }
            other => panic!("the random queries have none: {other}"),
        }
    }
}

/// The order of two rows by one key of ORDER BY.
fn in_order(key: &OrderExpression, one: &Row, other: &Row) -> Ordering {
    let of = |expression: &Expression, row: &Row| order_key(value(expression, row).as_ref());
    match key {
        OrderExpression::Asc(by) => of(by, one).cmp(&of(by, other)),
        OrderExpression::Desc(by) => Reverse(of(by, one)).cmp(&Reverse(of(by, other))),
    }
}

fn is_ordered(pattern: &GraphPattern) -> bool {
    match pattern {
        GraphPattern::OrderBy { .. } => true,
        GraphPattern::Slice { inner, .. }
        | GraphPattern::Project { inner, .. }
        | GraphPattern::Distinct { inner } => is_ordered(inner),
        _ => false,
    }
}

fn projected(pattern: &GraphPattern) -> Vec<String> {
    match pattern {
        GraphPattern::Project { variables, .. } => {
            variables.iter().map(|variable| variable.as_str().to_owned()).collect()
        }
        GraphPattern::Distinct { inner } | GraphPattern::Slice { inner, .. } => projected(inner),
        other => panic!("a projection: {other}"),
    }
}

fn merged(one: &Row, other: &Row) -> Option<Row> {
    let mut row = one.clone();
    for (name, term) in other {
        if row.entry(name.clone()).or_insert_with(|| term.clone()) != term {
            return None;
        }
    }
    Some(row)
}

/// What is at a place of a pattern.
enum Place {
    /// An unknown, by its name.
    Unknown(String),
    Constant(Term),
    /// A triple term.
    Triple(Box<[Place; 3]>),
}

fn place(term: &TermPattern) -> Place {
    match term {
        TermPattern::Variable(variable) => Place::Unknown(variable.as_str().to_owned()),
        TermPattern::BlankNode(node) => Place::Unknown(format!("_:{}", node.as_str())),
        TermPattern::NamedNode(node) => Place::Constant(node.clone().into()),
        TermPattern::Literal(literal) => Place::Constant(literal.clone().into()),
        TermPattern::Triple(triple) => Place::Triple(Box::new(places(triple))),
    }
}

fn places(pattern: &TriplePattern) -> [Place; 3] {
    [
        place(&pattern.subject),
        place(&match pattern.predicate.clone() {
            NamedNodePattern::NamedNode(node) => TermPattern::NamedNode(node),
            NamedNodePattern::Variable(variable) => TermPattern::Variable(variable),
        }),
        place(&pattern.object),
    ]
}

fn bind(row: &mut Row, place: &Place, term: &Term) -> bool {
    match (place, term) {
        (Place::Constant(constant), term) => constant == term,
        (Place::Unknown(name), term) => {
            row.entry(name.clone()).or_insert_with(|| term.clone()) == term
        }
        (Place::Triple(places), Term::Triple(triple)) => {
            let Triple { subject, predicate, object } = (**triple).clone();
            let terms = [subject.into(), predicate.into(), object];
            places.iter().zip(&terms).all(|(place, term)| bind(row, place, term))
        }
        (Place::Triple(_), _) => false,
    }
}
