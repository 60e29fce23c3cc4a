//! Explanations of queries: what they say is what the query did, and a plan alone does nothing.

use manicule_core::watch::Watch;
use manicule_graph::View;
use manicule_graph::sparql::{
    DefaultGraphChoice, Explain, Explained, Operator, QueryLimits, QueryOptions, explain_view,
};
use manicule_graphs::{Archive, PlainGraph, read_into};
use oxrdfio::RdfFormat;

use crate::shop::{Form, Shop};

const OPTIONS: QueryOptions<'static> = QueryOptions {
    base: None,
    default_graph: DefaultGraphChoice::Own,
    dataset: None,
    limits: QueryLimits::NONE,
};

/// Ten tools with a weight each, three of them red.
fn tools() -> PlainGraph {
    let tools = (0..10).map(|tool| {
        let red =
            if tool < 3 { format!("<x:{tool}> <x:color> <x:red> .\n") } else { String::new() };
        format!("<x:{tool}> <x:weight> {tool} .\n{red}")
    });
    let mut graph = PlainGraph::new();
    let text: String = tools.collect();
    read_into(&mut graph, text.as_bytes(), RdfFormat::Turtle, "x:", None).expect("triples");
    graph
}

fn explained(text: &str, options: &QueryOptions<'_>, how: Explain) -> Explained {
    let watch = Watch::none();
    explain_view(&tools(), text, options, how, &watch, || 0).expect(text)
}

/// The operators in the order in which they are shown, with estimates and rows.
fn listed(operator: &Operator) -> Vec<(String, Option<u64>, Option<u64>)> {
    let own = format!("{} {}", operator.name, operator.detail).trim_end().to_owned();
    let mut all = vec![(own, operator.estimate, operator.done.map(|done| done.rows))];
    all.extend(operator.inside.iter().flat_map(listed));
    all
}

const RED: &str =
    "SELECT ?tool ?weight { ?tool <x:weight> ?weight ; <x:color> <x:red> FILTER(?weight > 0) }";

#[test]
fn a_plan_is_not_run() {
    for text in [RED, "ASK { ?s ?p ?o }", "CONSTRUCT WHERE { ?s <x:weight> ?o }"] {
        let explained = explained(text, &OPTIONS, Explain::Plan);
        let work = explained.work;
        assert_eq!((work.scans, work.quads, work.rows), (0, 0, 0), "{text}");
        assert!(work.estimates > 0 && explained.times.is_none(), "{text}: {work:?}");
        assert!(listed(&explained.plan).iter().all(|(_, _, rows)| rows.is_none()), "{text}");
    }
}

#[test]
fn a_plan_begins_with_what_is_rare() {
    let explained = explained(RED, &OPTIONS, Explain::Plan);
    let all = listed(&explained.plan);
    let patterns: Vec<_> = all.iter().filter(|(what, ..)| what.starts_with("pattern")).collect();
    let [(first, 3), (second, 3)] =
        [0, 1].map(|at: usize| (patterns[at].0.as_str(), patterns[at].1.expect("an estimate")))
    else {
        panic!("{patterns:?}")
    };
    assert_eq!(first, "pattern ?tool <x:color> <x:red>");
    assert_eq!(second, "pattern ?tool <x:weight> ?weight");
}

#[test]
fn an_analysis_has_the_rows_of_each_operator() {
    let explained = explained(RED, &OPTIONS, Explain::Analyze);
    assert_eq!(explained.work.rows, 2);
    let all = listed(&explained.plan);
    assert_eq!(all[0], ("answer".to_owned(), all[1].1, Some(2)));
    let scan = |(what, _, rows): &(String, Option<u64>, Option<u64>)| {
        what == "pattern ?tool <x:color> <x:red>" && *rows == Some(3)
    };
    assert!(all.iter().any(scan), "{all:?}");
}

/// The operators of a plan without what is known of them.
fn tree(operator: &Operator, depth: usize, out: &mut String) {
    out.push_str(&format!("{:depth$}{} {}\n", "", operator.name, operator.detail));
    operator.inside.iter().for_each(|inside| tree(inside, depth + 1, out));
}

/// Checks that what is planned is what runs. Whether the query is answered.
fn check_tree(view: &impl View, name: &str, text: &str) -> bool {
    let watch = Watch::none();
    let options = QueryOptions { base: Some("http://base/"), ..OPTIONS };
    let of = |how| explain_view(view, text, &options, how, &watch, || 0);
    let (planned, run) = match (of(Explain::Plan), of(Explain::Analyze)) {
        (Ok(planned), Ok(run)) => (planned, run),
        // What fails when it runs has a plan all the same.
        (_, Err(_)) => return false,
        (Err(error), Ok(_)) => panic!("{name} has no plan, and runs: {error}"),
    };
    let [mut want, mut got] = [String::new(), String::new()];
    tree(&planned.plan, 0, &mut want);
    tree(&run.plan, 0, &mut got);
    // The time of the one query is not that of the other.
    let is_same = want == got || text.to_lowercase().contains("now()");
    assert!(is_same, "{name}:\n{want}\n{got}");
    true
}

#[test]
fn what_is_planned_is_what_runs() {
    let shop = Shop::read();
    let (triples, _triples_folder) = shop.store(Form::Triples);
    let (quads, _quads_folder) = shop.store(Form::Quads);
    let (triples, quads) = (triples.snapshot(), quads.snapshot());
    let queries = |archive: &Archive, folder: &str| -> Vec<(String, String)> {
        let paths =
            archive.paths().filter(|path| path.starts_with(folder) && path.ends_with(".rq"));
        let texts = paths.map(|path| (path.to_owned(), archive.get(path).map(<[u8]>::to_vec)));
        let texts = texts.filter_map(|(path, text)| Some((path, String::from_utf8(text?).ok()?)));
        texts.collect()
    };
    let golden = queries(&shop.archive, "queries/");
    let same = golden.iter().filter(|(name, text)| match Form::of(text) {
        Form::Triples => check_tree(&triples, name, text),
        Form::Quads => check_tree(&quads, name, text),
    });
    assert!(same.count() == 61 && golden.len() == 61);
    let suites = Archive::golden(&["rdf-tests"]);
    let suites = queries(&suites, "sparql/sparql1");
    // Over few triples: some are cross products.
    let tools = tools();
    let same = suites.iter().filter(|(name, text)| check_tree(&tools, name, text));
    assert!(same.count() > 500 && suites.len() > 500, "queries of the suites");
}

#[test]
fn whatever_is_asked_has_a_plan() {
    for text in [
        "ASK { ?s ?p ?o }",
        "SELECT * { ?s <x:weight> ?o LATERAL { ?s <x:color> ?t } }",
        "SELECT * { ?s ?p ?o } LIMIT 1",
        "SELECT * { ?s ?p ?o FILTER(RAND() < 1) }",
        "SELECT * { ?s ?p ?o BIND(NOW() AS ?n) BIND(BNODE(STR(?s)) AS ?b) }",
        "SELECT (SUM(RAND()) AS ?c) { ?s ?p ?o }",
        "SELECT * { ?s ?p ?o BIND(EXISTS { ?s <x:color> ?c } AS ?is) } ORDER BY (EXISTS { ?s <x:color> ?o })",
        "SELECT * { ?a ?p ?b . ?c ?q ?d FILTER(CONCAT(STR(?a), STR(?b), STR(?c), STR(?d)) != STR(?p)) }",
        "SELECT * { ?s ?p ?o FILTER EXISTS { SELECT ?s { ?s ?p ?x FILTER(?x != ?o) } } }",
    ] {
        let explained = explained(text, &OPTIONS, Explain::Analyze);
        assert!(explained.plan.done.is_some(), "{text}");
    }
}
