//! Small random graphs, and queries over their words.

use std::fmt::Write;

use manicule_testkit::Rng;
use oxrdf::vocab::xsd;
use oxrdf::{GraphName, Literal, NamedNode, Quad, Term, Triple};

const SUBJECTS: [&str; 5] = ["x:s0", "x:s1", "x:s2", "x:s3", "x:s4"];
const PREDICATES: [&str; 3] = ["x:p0", "x:p1", "x:p2"];
const GRAPHS: [&str; 2] = ["x:g0", "x:g1"];
const VARIABLES: [&str; 4] = ["?a", "?b", "?c", "?d"];

/// Which terms there are.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Terms {
    /// Those of RDF 1.1.
    Plain,
    /// Triple terms too.
    WithTriples,
}

/// Some quads over few terms, so that they meet.
pub(crate) fn random_quads(rng: &mut Rng, terms: Terms) -> Vec<Quad> {
    let node = |text: &str| NamedNode::new_unchecked(text);
    let mut quads: Vec<Quad> = Vec::new();
    for _ in 0..20 + rng.below(50) {
        let object: Term = match rng.below(8) {
            0 | 1 => Literal::from(rng.below(4) as i64).into(),
            2 => Literal::new_simple_literal(rng.pick(&["a", "b"])).into(),
            3 => odd_literal(rng).into(),
            _ => node(rng.pick(&SUBJECTS)).into(),
        };
        let object = match terms {
            Terms::WithTriples if rng.one_in(2) => triple(rng, object),
            _ => object,
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

/// A triple term of an object, now and then one inside another.
fn triple(rng: &mut Rng, object: Term) -> Term {
    let node = |text: &str| NamedNode::new_unchecked(text);
    let (subject, predicate) = (node(rng.pick(&SUBJECTS)), node(rng.pick(&PREDICATES)));
    let triple = Triple::new(subject, predicate, object).into();
    if rng.one_in(5) { self::triple(rng, triple) } else { triple }
}

/// A literal that is written otherwise than its value would be, or is of a rarer kind.
fn odd_literal(rng: &mut Rng) -> Literal {
    let typed = |text: &str, datatype| Literal::new_typed_literal(text, datatype);
    match rng.below(6) {
        0 => typed("01", xsd::INTEGER),
        1 => typed("1.50", xsd::DECIMAL),
        2 => typed("2.0", xsd::DECIMAL),
        3 => typed("2020-02-01", xsd::DATE),
        4 => Literal::new_language_tagged_literal_unchecked("a", "en"),
        _ => Literal::new_simple_literal("1"),
    }
}

/// A query, sometimes over graphs that it names, one of which may be nowhere.
pub(crate) fn with_graphs(query: String, rng: &mut Rng) -> String {
    if !rng.one_in(5) {
        return query;
    }
    let mut names = [GRAPHS[0], GRAPHS[1], "x:nowhere"].to_vec();
    names.retain(|name| rng.one_in(if *name == "x:nowhere" { 6 } else { 2 }) || *name == GRAPHS[0]);
    let mut from = String::new();
    for name in names {
        for what in ["FROM", "FROM NAMED"] {
            if rng.one_in(2) {
                let _ = write!(from, "{what} <{name}> ");
            }
        }
    }
    query.replacen(" WHERE ", &format!(" {from}WHERE "), 1)
}

/// A query.
pub(crate) fn random_query(rng: &mut Rng, terms: Terms) -> String {
    let mut writer = Writer { rng, terms, fresh: 0 };
    match writer.rng.below(8) {
        0 => return writer.grouped(2),
        1 => {
            let (names, group) = (writer.names(), writer.group(2));
            let distinct = if writer.rng.one_in(3) { "DISTINCT " } else { "" };
            let keys = writer.keys(&names);
            let (limit, offset) = (1 + writer.rng.below(9), writer.rng.below(3));
            let names = names.join(" ");
            return format!(
                "SELECT {distinct}{names} WHERE {group}ORDER BY {keys}LIMIT {limit} OFFSET {offset}"
            );
        }
        _ => {}
    }
    let group = writer.group(2);
    let mut computed = String::new();
    (1..=writer.fresh).for_each(|number| computed += &format!(" ?z{number}"));
    let head = match writer.rng.below(4) {
        0 => "DISTINCT ?a ?b".to_owned(),
        1 => "?a ?c ?d".to_owned(),
        2 => format!("?a ?b{computed}"),
        _ => "?a ?b ?c ?d".to_owned(),
    };
    format!("SELECT {head} WHERE {group}")
}

struct Writer<'r> {
    rng: &'r mut Rng,
    terms: Terms,
    /// Number of variables of BIND and of aggregates so far.
    fresh: usize,
}

impl Writer<'_> {
    fn variable(&mut self) -> String {
        self.rng.pick(&VARIABLES).to_owned()
    }

    fn fresh(&mut self) -> usize {
        self.fresh += 1;
        self.fresh
    }

    /// Some of the variables.
    fn names(&mut self) -> Vec<&'static str> {
        let names: Vec<&str> = VARIABLES.into_iter().filter(|_| self.rng.below(3) > 0).collect();
        if names.is_empty() { vec!["?a"] } else { names }
    }

    /// All variables that are given as keys of ORDER BY, so that no two rows that differ are equal
    /// in order.
    fn keys(&mut self, names: &[&str]) -> String {
        let mut keys = String::new();
        for name in names {
            let _ = if self.rng.one_in(3) {
                write!(keys, "DESC({name}) ")
            } else {
                write!(keys, "{name} ")
            };
        }
        keys
    }

    fn subject(&mut self) -> String {
        if self.rng.one_in(8) { format!("<{}>", self.rng.pick(&SUBJECTS)) } else { self.variable() }
    }

    /// Whether a triple term comes next, one time of some.
    fn has_triple(&mut self, of: usize) -> bool {
        self.terms == Terms::WithTriples && self.rng.one_in(of)
    }

    fn object(&mut self) -> String {
        match self.rng.below(12) {
            0 => format!("<{}>", self.rng.pick(&SUBJECTS)),
            1 => self.rng.pick(&["1", "2", "\"a\"", "01", "2.0"]).to_owned(),
            _ => self.variable(),
        }
    }

    fn predicate(&mut self) -> String {
        format!("<{}>", self.rng.pick(&PREDICATES))
    }

    fn triple(&mut self) -> String {
        let (subject, mut object) = (self.subject(), self.object());
        while self.has_triple(2) {
            let predicate = if self.rng.one_in(3) { self.variable() } else { self.predicate() };
            object = format!("<<( {} {predicate} {object} )>>", self.subject());
        }
        let predicate = match self.rng.below(8) {
            0 => self.variable(),
            1 => self.path(2),
            _ => self.predicate(),
        };
        format!("{subject} {predicate} {object} . ")
    }

    fn path(&mut self, depth: usize) -> String {
        if depth == 0 {
            let predicate = self.predicate();
            return if self.rng.one_in(4) { format!("^{predicate}") } else { predicate };
        }
        let depth = depth - 1;
        match self.rng.below(9) {
            0 | 1 => format!("({})+", self.path(depth)),
            2 | 3 => format!("({})*", self.path(depth)),
            4 => format!("({})?", self.path(depth)),
            5 => format!("({}/{})", self.path(depth), self.path(depth)),
            6 => format!("({}|{})", self.path(depth), self.path(depth)),
            7 => format!("^({})", self.path(depth)),
            _ => {
                let back = if self.rng.one_in(2) { "^" } else { "" };
                format!("!({}|{back}{})", self.predicate(), self.predicate())
            }
        }
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
        match self.rng.below(14) {
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
                let (group, fresh) = (self.group(depth), self.fresh());
                let what = if self.has_triple(2) {
                    self.rng.pick(&[
                        "SUBJECT(?a)",
                        "OBJECT(?b)",
                        "OBJECT(OBJECT(?b))",
                        "TRIPLE(?a, <x:p0>, ?b)",
                        "COALESCE(PREDICATE(?a), ?b)",
                        "STR(OBJECT(?a))",
                        "<<( <x:s1> <x:p1> ?c )>>",
                    ])
                } else {
                    self.rng.pick(&["?a", "?a + 1", "STR(?b)", "STRLEN(STR(?c))"])
                };
                format!("{group}BIND({what} AS ?z{fresh}) ")
            }
            8 if self.rng.one_in(2) => {
                let (group, fresh) = (self.group(depth), self.fresh());
                let what = self.rng.pick(&["STR(?b)", "UCASE(STR(?b))", "LCASE(?c)", "LANG(?d)"]);
                format!("{group}BIND({what} AS ?z{fresh}) {}", self.with_object(fresh, "z"))
            }
            8 => format!("{{ SELECT DISTINCT ?a ?c WHERE {}}} ", self.group(depth)),
            9 if self.rng.one_in(3) => {
                let (key, group, fresh) = (self.variable(), self.group(depth), self.fresh());
                let then = self.with_object(fresh, "n");
                format!(
                    "{{ SELECT {key} (GROUP_CONCAT(DISTINCT {key}) AS ?n{fresh}) WHERE {group}GROUP BY {key} }} {then}"
                )
            }
            9 => format!("{{ {}}} {}", self.grouped(depth), self.triples()),
            10 => {
                let (group, keys) = (self.group(depth), self.keys(&["?b", "?a"]));
                let limit = 1 + self.rng.below(5);
                format!("{{ SELECT ?a ?b WHERE {group}ORDER BY {keys}LIMIT {limit} }} ")
            }
            _ => self.triples(),
        }
    }

    /// A pattern, or a filter, that a computed value is looked up by.
    fn with_object(&mut self, fresh: usize, letter: &str) -> String {
        let (one, predicate) = (self.variable(), self.predicate());
        match self.rng.below(4) {
            0 => format!("FILTER(?{letter}{fresh} = {one}) "),
            1 => format!("FILTER(?{letter}{fresh} IN (\"1\", \"a\", \"x:s1\")) "),
            _ => format!("{one} {predicate} ?{letter}{fresh} . "),
        }
    }

    /// A SELECT with aggregates.
    fn grouped(&mut self, depth: usize) -> String {
        let key = self.variable();
        let mut of = self.variable();
        while of == key {
            of = self.variable();
        }
        let group = self.group(depth);
        // Sums are of numbers mostly: what is none makes an error of the whole.
        let inner = match self.rng.below(3) {
            0 => group,
            1 => format!("{{ {group}FILTER(BOUND({of})) }} "),
            _ => format!("{{ {group}FILTER(isNumeric({of})) }} "),
        };
        let (keys, by) = match self.rng.below(5) {
            0 => (String::new(), String::new()),
            1 => (format!("{key} {of} "), format!("GROUP BY {key} {of} ")),
            _ => (format!("{key} "), format!("GROUP BY {key} ")),
        };
        let mut aggregates = String::new();
        for _ in 0..1 + self.rng.below(2) {
            let fresh = self.fresh();
            let aggregate = match self.rng.below(12) {
                0 | 1 => "COUNT(*)".to_owned(),
                2 => "COUNT(DISTINCT *)".to_owned(),
                3 => format!("COUNT({of})"),
                4 => format!("COUNT(DISTINCT {of})"),
                5 => format!("SUM({of})"),
                6 => format!("AVG({of})"),
                7 => format!("{}(STRLEN(STR({of})))", self.rng.pick(&["MIN", "MAX"])),
                // The order of the values is nobody's promise, the length of the whole is.
                8 => format!("STRLEN(GROUP_CONCAT({of}))"),
                9 => format!("STRLEN(GROUP_CONCAT(DISTINCT {of}; SEPARATOR=\"--\"))"),
                10 if !by.is_empty() => format!("SAMPLE({key})"),
                _ => format!("{}({of})", self.rng.pick(&["MIN", "MAX"])),
            };
            let _ = write!(aggregates, "({aggregate} AS ?n{fresh}) ");
        }
        let having = match self.rng.below(5) {
            0 => "HAVING(COUNT(*) >= 2) ".to_owned(),
            1 => format!("HAVING(COUNT(DISTINCT {of}) < 3) "),
            _ => String::new(),
        };
        format!("SELECT {keys}{aggregates}WHERE {inner}{by}{having}")
    }

    fn test(&mut self) -> String {
        let (one, other) = (self.variable(), self.variable());
        let predicate = self.predicate();
        if self.has_triple(3) {
            return match self.rng.below(6) {
                0 => format!("isTRIPLE({one})"),
                1 => format!("SUBJECT({one}) = {other}"),
                2 => format!("OBJECT({one}) < 3"),
                3 => format!("OBJECT({one}) = OBJECT({other})"),
                4 => format!("EXISTS {{ ?x {predicate} <<( {one} ?y {other} )>> }}"),
                _ => format!("NOT EXISTS {{ ?x ?y <<( {one} {predicate} ?z )>> }}"),
            };
        }
        match self.rng.below(23) {
            0 => format!("BOUND({one})"),
            1 => format!("!BOUND({one})"),
            2 => format!("sameTerm({one}, {other})"),
            3 => format!("{one} < {other}"),
            4 => format!("{one} < 2 || sameTerm({one}, <x:s1>)"),
            5 => format!("EXISTS {{ {one} {predicate} {other} . }}"),
            6 => format!("NOT EXISTS {{ {one} {predicate} {other} . }}"),
            7 => format!("{one} = {other}"),
            8 => format!("{one} = 1 || {other} = <x:s2>"),
            9 => format!("{one} IN (1, \"a\", <x:s0>)"),
            10 => format!("{one} >= 1 && {other} < 3"),
            11 => format!("{}({one})", self.rng.pick(&["isIRI", "!isLiteral", "isNumeric"])),
            12 => format!("CONTAINS(STR({one}), \"1\")"),
            13 => format!("EXISTS {{ {one} {} {other} . }}", self.path(1)),
            14 => format!("EXISTS {{ {one} {predicate} {other} FILTER({other} < 3) }}"),
            15 => format!("EXISTS {{ {one} {predicate} ?x FILTER(!sameTerm(?x, {other})) }}"),
            16 => format!("NOT EXISTS {{ ?x {predicate} {one} FILTER(sameTerm(?x, {other})) }}"),
            17 => format!(
                "NOT EXISTS {{ {one} {predicate} ?x FILTER NOT EXISTS {{ ?x {} {other} }} }}",
                self.predicate()
            ),
            18 => format!("<http://www.w3.org/2001/XMLSchema#integer>({one}) < 2"),
            19 => format!("STR({one}) < STR({other})"),
            20 => format!("UCASE(STR({one})) = STR({other})"),
            21 => format!("isBlank({one}) || LANG({other}) = \"en\""),
            _ => format!("{one} + 1 = {other}"),
        }
    }
}
