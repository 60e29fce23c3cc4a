//! Any text as a query and as a request, over a small graph and under limits: an answer or an
//! error, never a panic, and no hang.
#![no_main]

use std::cell::RefCell;
use std::time::Instant;

use libfuzzer_sys::fuzz_target;
use manicule_core::watch::Watch;
use manicule_graph::sparql::{
    Answer, DefaultGraphChoice, QueryLimits, QueryOptions, QueryThreads, SparqlError, UpdateOptions, update_any,
};
use manicule_graphs::{Evaluation, JoinOrder, PlainGraph, ask, read_into};
use oxrdfio::RdfFormat;

const DATA: &str = "<x:a> <x:p> <x:b> . <x:b> <x:p> <x:c> . <x:c> <x:p> <x:a> . <x:a> <x:q> 1, 01, 1.50, 'a', 'b'@en . \
    _:n <x:q> '2020-01-01'^^<http://www.w3.org/2001/XMLSchema#date> ; <x:p> _:n . \
    << <x:a> <x:p> _:n >> <x:q> 'c'@ar--rtl . <x:d> <x:q> <<( <x:a> <x:q> <<( _:n <x:p> 01 )>> )>> . \
    <x:g> { <x:a> <x:p> <x:c> . <x:d> a <x:T> }";

const LIMITS: QueryLimits = QueryLimits {
    rows_max: 1000,
    rows_taken: u64::MAX,
    quads_max: 20_000,
    computed_len_max: 1 << 20,
    memory_max: 1 << 20,
    threads: QueryThreads::ONE,
};

thread_local! {
    static GRAPH: RefCell<PlainGraph> = RefCell::new(graph());
}

fn graph() -> PlainGraph {
    let mut graph = PlainGraph::new();
    read_into(&mut graph, DATA.as_bytes(), RdfFormat::TriG, "x:", None).expect("TriG");
    graph
}

fn now_ns() -> u64 {
    thread_local! { static START: Instant = Instant::now(); }
    START.with(|start| start.elapsed().as_nanos() as u64)
}

fn count(answer: Answer<'_>) -> u64 {
    let ends = |error: &SparqlError| !error.to_string().is_empty();
    match answer {
        Answer::Boolean(..) => 1,
        Answer::Rows(rows) => {
            rows.take_while(|row| row.as_ref().map_err(ends).is_ok()).count() as u64
        }
        Answer::Triples(triples) => {
            triples.take_while(|triple| triple.as_ref().map_err(ends).is_ok()).count() as u64
        }
    }
}

fuzz_target!(|bytes: &[u8]| {
    let Ok(text) = str::from_utf8(bytes) else { return };
    let (report, stop) = (|_| {}, || false);
    let watch = Watch::new(&report, &stop).until(now_ns() + 2_000_000_000, now_ns);
    for evaluation in [Evaluation::Columns, Evaluation::Rows(JoinOrder::ByCounts)] {
        let options = QueryOptions {
            base: Some("x:base"),
            default_graph: DefaultGraphChoice::Own,
            dataset: None,
            limits: LIMITS,
        };
        GRAPH.with_borrow(|graph| {
            if let Ok(answer) = ask(graph, text, &options, evaluation, &watch) {
                assert!(count(answer) <= LIMITS.rows_max, "a limit is kept");
            }
        });
    }
    let mut changed = graph();
    let mut load = |_: &str, _: &mut dyn FnMut(&oxrdf::Triple)| {
        Err(SparqlError::Refused("nothing is loaded".to_owned()))
    };
    let mut options = UpdateOptions {
        base: None,
        default_graph: DefaultGraphChoice::Own,
        using: None,
        limits: LIMITS,
        load: &mut load,
    };
    let _ = update_any(&mut changed, text, &mut options, &watch);
});
