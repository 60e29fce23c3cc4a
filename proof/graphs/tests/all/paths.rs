//! Property paths where the evaluator errs, found by random queries: row by row and vectorised.

use manicule_core::watch::Watch;
use manicule_graph::sparql::{Answer, DefaultGraphChoice, QueryLimits, QueryOptions};
use manicule_graphs::{Evaluation, JoinOrder, PlainGraph, ask, read_into};
use oxrdfio::RdfFormat;

fn counts(data: &str, text: &str) -> [usize; 2] {
    let mut graph = PlainGraph::new();
    read_into(&mut graph, data.as_bytes(), RdfFormat::TriG, "x:", None).expect("quads");
    [Evaluation::Rows(JoinOrder::ByCounts), Evaluation::Columns].map(|evaluation| {
        let (limits, watch) = (QueryLimits::NONE, Watch::none());
        let default_graph = DefaultGraphChoice::Own;
        let options = QueryOptions { base: None, default_graph, dataset: None, limits };
        let Ok(Answer::Rows(rows)) = ask(&graph, text, &options, evaluation, &watch) else {
            panic!("no rows: {text}");
        };
        rows.collect::<Result<Vec<_>, _>>().expect("rows").len()
    })
}

#[test]
fn a_path_of_no_step_begins_at_numbers_that_are_equal() {
    let data = "<x:s> <x:p> 1 . <x:t> <x:q> 01 , 'a' .";
    for (test, want) in [("?d = 1", 2), ("?d IN (1, 'a')", 3), ("sameTerm(?d, 1)", 1)] {
        let text = format!("SELECT * {{ ?c <x:p>* ?d . {{ ?d <x:r>? ?b FILTER({test}) }} }}");
        // From 1 itself and from s there is a way to 1.
        assert_eq!(counts(data, &text), [want + 1; 2], "{test}");
    }
}

#[test]
fn a_path_in_each_graph_is_there_once_whatever_ways_lead_there() {
    let data = "<x:g> { <x:a> <x:p> <x:b> , <x:c> . <x:b> <x:p> <x:d> . <x:c> <x:p> <x:d> }
        <x:h> { <x:a> <x:p> <x:d> }";
    for (text, want) in [
        ("SELECT * { GRAPH ?g { <x:a> <x:p>+ <x:d> } }", 2),
        ("SELECT * { GRAPH ?g { ?x <x:p>+ <x:d> . <x:a> <x:p>+ ?x } }", 2),
        ("SELECT * { GRAPH ?g { <x:a> (<x:p>+)+ ?x } }", 4),
    ] {
        assert_eq!(counts(data, text), [want; 2], "{text}");
    }
}
