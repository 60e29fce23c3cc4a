//! What an OPTIONAL may see of the group around it, where something is joined with it: nothing
//! inside of braces of its own. Found by random queries; row by row, in our order of joins and the
//! evaluator's, and vectorised.

use manicule_core::watch::Watch;
use manicule_graph::sparql::{Answer, DefaultGraphChoice, QueryLimits, QueryOptions};
use manicule_graphs::{Evaluation, JoinOrder, PlainGraph, ask, read_into};
use oxrdfio::RdfFormat;

const DATA: &str = "@prefix : <x:> .
:a :p :b , :e . :c :p :b . :c :s 'long' . :a :s 'short' .
:d :q :b . :f :q :e . :f :q :b . :z :r :y .";

#[test]
fn an_optional_sees_no_variable_of_what_it_is_joined_with() {
    let mut graph = PlainGraph::new();
    read_into(&mut graph, DATA.as_bytes(), RdfFormat::Turtle, "x:", None).expect("triples");
    for (optional, want) in [
        // Its own OPTIONAL binds ?c, to something else.
        ("?d :q ?b OPTIONAL { ?c :r ?y }", 0),
        ("?d :q ?b BIND(STRLEN(STR(?c)) AS ?d2) FILTER(BOUND(?d2))", 0),
        ("{ ?d :q ?b FILTER(?c = :a) }", 0),
        ("{ ?d :q ?b FILTER(!BOUND(?c)) }", 5),
        ("?d :q ?b MINUS { ?z :r ?y }", 5),
        ("?d :q ?b MINUS { ?d :q ?b FILTER(BOUND(?c)) }", 5),
        ("{ SELECT ?b ?d { ?d :q ?b } ORDER BY ?b ?d LIMIT 1 }", 2),
        ("?d :q ?b", 5),
        ("?d :q ?b FILTER(?c = :a)", 3),
    ] {
        let text = format!(
            "PREFIX : <x:> SELECT ?c ?b ?d {{ ?c :p ?b OPTIONAL {{ {optional} }} ?c :s ?s }}"
        );
        for evaluation in [
            Evaluation::Rows(JoinOrder::ByCounts),
            Evaluation::Rows(JoinOrder::Evaluators),
            Evaluation::Columns,
        ] {
            let (limits, watch) = (QueryLimits::NONE, Watch::none());
            let default_graph = DefaultGraphChoice::Own;
            let options = QueryOptions { base: None, default_graph, dataset: None, limits };
            let Ok(Answer::Rows(rows)) = ask(&graph, &text, &options, evaluation, &watch) else {
                panic!("no rows: {text}");
            };
            let bound = rows.filter(|row| row.as_ref().expect("a row").get("d").is_some()).count();
            assert_eq!(bound, want, "{evaluation:?}: {optional}");
        }
    }
}
