//! Small random graphs, and queries over their words.
//!
//! Callers: main

use std::fmt::Write;

use manicule_testkit::Rng;
use oxrdf::{GraphName, Literal, NamedNode, Quad, Term};

const SUBJECTS: [&str; 5] = ["x:s0", "x:s1", "x:s2", "x:s3", "x:s4"];
const PREDICATES: [&str; 3] = ["x:p0", "x:p1", "x:p2"];
const GRAPHS: [&str; 2] = ["x:g0", "x:g1"];
const VARIABLES: [&str; 4] = ["?a", "?b", "?c", "?d"];
const PATHS: [&str; 8] = [
    "<x:p0>+",
    "<x:p0>*",
    "<x:p1>?",
    "(<x:p0>|<x:p1>)",
    "^<x:p2>/<x:p0>",
    "(<x:p0>|^<x:p1>)+",
    "<x:p0>/<x:p1>?",
    "!(<x:p0>|<x:p1>)",
];

/// Some quads over few terms, so that they meet.
pub(crate) fn random_quads(rng: &mut Rng) -> Vec<Quad> {
    let node = |text: &str| NamedNode::new_unchecked(text);
    let mut quads: Vec<Quad> = Vec::new();
    for _ in 0..20 + rng.below(50) {
        let object: Term = match rng.below(4) {
            0 => Literal::from(rng.below(4) as i64).into(),
            1 => Literal::new_simple_literal(rng.pick(&["a", "b"])).into(),
            _ => node(rng.pick(&SUBJECTS)).into(),
        };
        let graph = match rng.below(2) {
            0 => GraphName::DefaultGraph,
            _ => node(rng.pick(&GRAPHS)).into(),
        };
        let quad = Quad::new(node(rng.pick(&SUBJECTS)), node(rng.pick(&PREDICATES)), object, graph);
        if !quads.contains(&quad) {
            quads.push(quad);
        }
    }
    quads
}

/// A query.
pub(crate) fn random_query(rng: &mut Rng) -> String {
    let mut writer = Writer { rng, fresh: 0 };
    let group = writer.group(2);
    let head = match writer.rng.below(4) {
        0 => "SELECT DISTINCT ?a ?b",
        1 => "SELECT ?a ?c ?d",
        _ => "SELECT ?a ?b ?c ?d",
    };
    format!("{head} WHERE {group}")
}

struct Writer<'r> {
    rng: &'r mut Rng,
    /// Number of variables of BIND so far.
    fresh: usize,
}

impl Writer<'_> {
    fn variable(&mut self) -> String {
        self.rng.pick(&VARIABLES).to_owned()
    }

    fn subject(&mut self) -> String {
        if self.rng.one_in(8) { format!("<{}>", self.rng.pick(&SUBJECTS)) } else { self.variable() }
    }

    fn object(&mut self) -> String {
        match self.rng.below(12) {
            0 => format!("<{}>", self.rng.pick(&SUBJECTS)),
            1 => self.rng.pick(&["1", "2", "\"a\""]).to_owned(),
            _ => self.variable(),
        }
    }

    fn triple(&mut self) -> String {
        let (subject, object) = (self.subject(), self.object());
        let predicate = match self.rng.below(8) {
            0 => self.variable(),
            1 => self.rng.pick(&PATHS).to_owned(),
            _ => format!("<{}>", self.rng.pick(&PREDICATES)),
        };
        format!("{subject} {predicate} {object} . ")
    }

    fn triples(&mut self) -> String {
        (0..1 + self.rng.below(2)).map(|_| self.triple()).collect()
    }

    fn group(&mut self, depth: usize) -> String {
        let mut text = "{ ".to_owned();
        for _ in 0..1 + self.rng.below(2) {
            let part = self.part(depth);
            text.push_str(&part);
        }
        if self.rng.one_in(3) {
            let test = self.test();
            let _ = write!(text, "FILTER({test}) ");
        }
        text + "} "
    }

    fn part(&mut self, depth: usize) -> String {
        if depth == 0 {
            return self.triples();
        }
        let depth = depth - 1;
        match self.rng.below(11) {
            0 | 1 => format!("{}OPTIONAL {}", self.triples(), self.group(depth)),
            2 => format!("{}UNION {}", self.group(depth), self.group(depth)),
            3 => format!("{}MINUS {}", self.triples(), self.group(depth)),
            4 => format!("GRAPH {} {}", self.variable(), self.group(depth)),
            5 => format!("GRAPH <{}> {}", self.rng.pick(&GRAPHS), self.group(depth)),
            6 => {
                let (one, other) = (self.variable(), self.object());
                let other = if other.starts_with('?') { "UNDEF".to_owned() } else { other };
                format!("VALUES {one} {{ <x:s1> {other} 2 }} {}", self.triples())
            }
            7 => {
                self.fresh += 1;
                let (fresh, group) = (self.fresh, self.group(depth));
                format!("{group}BIND(?a AS ?z{fresh}) ")
            }
            8 => format!("{{ SELECT DISTINCT ?a ?c WHERE {}}} ", self.group(depth)),
            _ => self.triples(),
        }
    }

    fn test(&mut self) -> String {
        let (one, other) = (self.variable(), self.variable());
        match self.rng.below(7) {
            0 => format!("BOUND({one})"),
            1 => format!("!BOUND({one})"),
            2 => format!("sameTerm({one}, {other})"),
            3 => format!("{one} < {other}"),
            4 => format!("{one} < 2 || sameTerm({one}, <x:s1>)"),
            5 => format!("EXISTS {{ {one} <x:p1> {other} . }}"),
            _ => format!("NOT EXISTS {{ {one} <x:p0> {other} . }}"),
        }
    }
}
