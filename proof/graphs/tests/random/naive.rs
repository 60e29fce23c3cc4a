//! The plainest evaluation of the algebra that could be right: bottom up, all solutions of everything, nested loops.
//!
//! Callers: main

use std::collections::{BTreeMap, BTreeSet};

use manicule_graphs::Cells;
use oxrdf::{GraphName, NamedNode, Quad, Term};
use spargebra::algebra::{Expression, GraphPattern, PropertyPathExpression as Path};
use spargebra::term::{GroundTerm, NamedNodePattern, TermPattern, TriplePattern};
use spargebra::{Query, SparqlParser};

/// A solution.
type Row = BTreeMap<String, Term>;

/// Two ends of a path.
type Ends = (Term, Term);

/// Quads, and the greatest number of rows that is worth computing.
pub(crate) struct Naive<'q> {
    quads: &'q [Quad],
    rows_max: usize,
    has_too_many: bool,
}

impl<'q> Naive<'q> {
    pub(crate) fn new(quads: &'q [Quad]) -> Naive<'q> {
        Naive { quads, rows_max: 0, has_too_many: false }
    }

    /// The rows of a SELECT, its variables in the order of their names as it gives them; none if there are too many on the way.
    pub(crate) fn rows(mut self, text: &str, rows_max: usize) -> Option<Vec<Cells>> {
        self.rows_max = rows_max;
        let query = SparqlParser::new().parse_query(text).expect("a query");
        let Query::Select { pattern, .. } = query else { panic!("a SELECT: {text}") };
        let rows = self.eval(&pattern, None);
        let names = projected(&pattern);
        let cells = |row: &Row| names.iter().map(|name| row.get(name).cloned()).collect();
        (!self.has_too_many).then(|| rows.iter().map(cells).collect())
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
                    if let Expression::Variable(from) = expression
                        && let Some(term) = row.get(from.as_str()).cloned()
                    {
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
            let places = [
                place(&pattern.subject),
                place(&match pattern.predicate.clone() {
                    NamedNodePattern::NamedNode(node) => TermPattern::NamedNode(node),
                    NamedNodePattern::Variable(variable) => TermPattern::Variable(variable),
                }),
                place(&pattern.object),
            ];
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
        let triples = self.triples(graph);
        let (from, to) = (place(subject), place(object));
        let mut nodes: Vec<Term> =
            triples.iter().flat_map(|[s, _, o]| [s.clone(), o.clone()]).collect();
        nodes.extend([&from, &to].into_iter().filter_map(|place| place.as_ref().err().cloned()));
        nodes.sort_by_key(Term::to_string);
        nodes.dedup();
        let rows = pairs(path, &triples, &nodes).into_iter().filter_map(|(start, end)| {
            let mut row = Row::new();
            (bind(&mut row, &from, &start) && bind(&mut row, &to, &end)).then_some(row)
        });
        rows.collect()
    }

    fn graph(&mut self, name: &NamedNodePattern, inner: &GraphPattern) -> Vec<Row> {
        let mut names: Vec<NamedNode> = Vec::new();
        for quad in self.quads {
            if let GraphName::NamedNode(name) = &quad.graph_name
                && !names.contains(name)
            {
                names.push(name.clone());
            }
        }
        let mut rows = Vec::new();
        for graph in names {
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
            Expression::SameTerm(one, other) => Some(value(one, row)? == value(other, row)?),
            Expression::Less(one, other) => less(&value(one, row)?, &value(other, row)?),
            Expression::Exists(pattern) => {
                let rows = self.eval(pattern, graph);
                Some(rows.iter().any(|other| merged(row, other).is_some()))
            }
            other => panic!("the random queries have none: {other}"),
        }
    }
}

fn projected(pattern: &GraphPattern) -> Vec<String> {
    match pattern {
        GraphPattern::Project { variables, .. } => {
            variables.iter().map(|variable| variable.as_str().to_owned()).collect()
        }
        GraphPattern::Distinct { inner } => projected(inner),
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

/// The name of an unknown, or the term.
type Place = Result<String, Term>;

fn place(term: &TermPattern) -> Place {
    match term {
        TermPattern::Variable(variable) => Ok(variable.as_str().to_owned()),
        TermPattern::BlankNode(node) => Ok(format!("_:{}", node.as_str())),
        TermPattern::NamedNode(node) => Err(node.clone().into()),
        TermPattern::Literal(literal) => Err(literal.clone().into()),
    }
}

fn bind(row: &mut Row, place: &Place, term: &Term) -> bool {
    match place {
        Err(constant) => constant == term,
        Ok(name) => row.entry(name.clone()).or_insert_with(|| term.clone()) == term,
    }
}

fn value(expression: &Expression, row: &Row) -> Option<Term> {
    match expression {
        Expression::Variable(variable) => row.get(variable.as_str()).cloned(),
        Expression::NamedNode(node) => Some(node.clone().into()),
        Expression::Literal(literal) => Some(literal.clone().into()),
        other => panic!("the random queries have none: {other}"),
    }
}

fn less(one: &Term, other: &Term) -> Option<bool> {
    let (Term::Literal(one), Term::Literal(other)) = (one, other) else { return None };
    if one.datatype() != other.datatype() {
        return None;
    }
    match (one.value().parse::<i64>(), other.value().parse::<i64>()) {
        (Ok(one), Ok(other)) => Some(one < other),
        _ => Some(one.value() < other.value()),
    }
}

/// The pairs of ends that a path connects, as a bag.
fn pairs(path: &Path, triples: &[[Term; 3]], nodes: &[Term]) -> Vec<Ends> {
    let of = |path| pairs(path, triples, nodes);
    match path {
        Path::NamedNode(name) => {
            let is_it = |triple: &&[Term; 3]| triple[1] == Term::from(name.clone());
            triples.iter().filter(is_it).map(|[s, _, o]| (s.clone(), o.clone())).collect()
        }
        Path::NegatedPropertySet(names) => {
            let is_it = |triple: &&[Term; 3]| {
                !names.iter().any(|name| triple[1] == Term::from(name.clone()))
            };
            triples.iter().filter(is_it).map(|[s, _, o]| (s.clone(), o.clone())).collect()
        }
        Path::Reverse(path) => of(path).into_iter().map(|(start, end)| (end, start)).collect(),
        Path::Sequence(first, second) => composed(&of(first), &of(second)),
        Path::Alternative(one, other) => [of(one), of(other)].concat(),
        Path::ZeroOrOne(path) => set([itself(nodes), of(path)].concat()),
        Path::OneOrMore(path) => closure(set(of(path))),
        Path::ZeroOrMore(path) => set([itself(nodes), closure(set(of(path)))].concat()),
    }
}

fn itself(nodes: &[Term]) -> Vec<Ends> {
    nodes.iter().map(|node| (node.clone(), node.clone())).collect()
}

fn composed(first: &[Ends], second: &[Ends]) -> Vec<Ends> {
    let mut all = Vec::new();
    for (start, middle) in first {
        for (other, end) in second {
            if middle == other {
                all.push((start.clone(), end.clone()));
            }
        }
    }
    all
}

fn set(mut pairs: Vec<Ends>) -> Vec<Ends> {
    pairs.sort_by_key(|(start, end)| (start.to_string(), end.to_string()));
    pairs.dedup();
    pairs
}

fn closure(steps: Vec<Ends>) -> Vec<Ends> {
    let mut all = steps.clone();
    loop {
        let next = set([all.clone(), composed(&all, &steps)].concat());
        if next.len() == all.len() {
            return next;
        }
        all = next;
    }
}
