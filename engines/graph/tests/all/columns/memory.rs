//! Queries in little memory: they give the rows that they give in much.

use std::collections::HashSet;

use manicule_core::watch::Watch;
use manicule_graph::sparql::{Answer, QueryLimits, QueryOptions, SparqlError, query};
use manicule_graph::{Snapshot, Store};
use manicule_testkit::Rng;
use spareval::QuerySolution;

use super::stores::{OPTIONS, change};
use crate::common::on_disk;

/// Rows of a query that may take some memory, and the bytes that it has put into a file.
fn rows_within(view: &Snapshot, text: &str, memory_max: u64) -> Result<(Vec<String>, u64), String> {
    let limits = QueryLimits { memory_max, ..QueryLimits::NONE };
    let watch = Watch::none();
    let options = QueryOptions { limits, ..OPTIONS };
    let answer = query(view, text, &options, &watch).map_err(|error| error.to_string())?;
    let Answer::Rows(mut rows) = answer else { panic!("{text} gives rows") };
    let row = |row: Result<QuerySolution, SparqlError>| {
        row.map(|row| format!("{:?}", row.values())).map_err(|error| error.to_string())
    };
    let all = rows.by_ref().map(row).collect::<Result<_, _>>()?;
    Ok((all, rows.work().spilled_len))
}

#[test]
fn what_a_query_answers_is_the_same_in_little_memory() {
    let folder = tempfile::tempdir().expect("a folder");
    let store = Store::create(folder.path(), &on_disk()).expect("a store");
    change(&mut Rng::new(2), &store, 5000);
    let view = store.snapshot();
    let pattern = "?s <x:p1> ?x . ?s <x:p2> ?y";
    let much = u64::MAX;
    // Memory, whether a file is needed for it, and whether rows are in order.
    for (text, memory_max, is_spilled, is_ordered) in [
        ("SELECT * { PATTERN }", 1000, false, false),
        ("SELECT * { PATTERN } OFFSET 2 LIMIT 10000", 1000, false, false),
        ("SELECT * { PATTERN OPTIONAL { ?y <x:p3> ?z } }", 20_000, false, false),
        (
            "SELECT * { { PATTERN } UNION { ?s ?p ?x } MINUS { ?s <x:p4> ?z } }",
            20_000,
            false,
            false,
        ),
        ("SELECT * { PATTERN } ORDER BY ?y DESC(?x) ?s", 2000, true, true),
        ("SELECT * { PATTERN } ORDER BY DESC(STR(?y)) ?s ?x", 20_000, true, true),
        ("SELECT ?s ?y { PATTERN } ORDER BY ?s ?y LIMIT 100", 2000, true, true),
        ("SELECT DISTINCT ?s ?y { PATTERN }", 2000, true, false),
        ("SELECT DISTINCT ?y ?s { PATTERN } ORDER BY ?y ?s", 2000, true, true),
        ("SELECT ?s ?x ?y (COUNT(*) AS ?n) { PATTERN } GROUP BY ?s ?x ?y", 20_000, true, false),
        (
            "SELECT ?s (SUM(?x) AS ?n) (MAX(STR(?y)) AS ?m) { PATTERN } GROUP BY ?s",
            20_000,
            true,
            false,
        ),
        (
            "SELECT ?y (COUNT(DISTINCT ?s) AS ?n) { PATTERN } GROUP BY ?y HAVING(COUNT(*) > 0)",
            20_000,
            true,
            false,
        ),
        (
            "SELECT (COUNT(*) AS ?n) (SAMPLE(1) AS ?m) { SELECT DISTINCT ?s ?y { PATTERN } }",
            2000,
            true,
            false,
        ),
    ] {
        let text = text.replace("PATTERN", pattern);
        let (mut want, spilled_len) = rows_within(&view, &text, much).expect("rows");
        assert_eq!(spilled_len, 0, "{text}");
        let (mut got, spilled_len) =
            rows_within(&view, &text, memory_max).unwrap_or_else(|error| panic!("{text}: {error}"));
        assert_eq!(spilled_len > 0, is_spilled, "{text}");
        if !is_ordered {
            want.sort_unstable();
            got.sort_unstable();
        }
        if text.contains("OFFSET") {
            // Other rows may be left out.
            assert_eq!(got.len(), want.len(), "{text}");
        } else {
            assert!(!got.is_empty() && got == want, "{text}: {} of {}", got.len(), want.len());
        }
    }
    // What can't be parted needs its memory.
    let text = "SELECT (GROUP_CONCAT(STR(?y)) AS ?all) { ?s <x:p1> ?x . ?s <x:p2> ?y }";
    let want = "the limit of 500 bytes of memory was passed; raise it, or ask for less";
    assert_eq!(rows_within(&view, text, 500).expect_err("an error"), want);
}

#[test]
fn an_answer_that_is_long_comes_while_the_query_goes_on() {
    let folder = tempfile::tempdir().expect("a folder");
    let store = Store::create(folder.path(), &on_disk()).expect("a store");
    change(&mut Rng::new(2), &store, 3000);
    let view = store.snapshot();
    let limits = QueryLimits { memory_max: 8 << 20, ..QueryLimits::NONE };
    let options = QueryOptions { limits, ..OPTIONS };
    let watch = Watch::none();
    // Some 10^10 rows: who waits for all of them waits for ever.
    let text = "SELECT * { ?a <x:p1> ?b . ?c <x:p2> ?d . ?e ?p ?f }";
    let Ok(Answer::Rows(rows)) = query(&view, text, &options, &watch) else { panic!("no rows") };
    let rows: Vec<_> = rows.take(1_000_000).collect::<Result<_, _>>().expect("rows");
    let distinct: HashSet<String> = rows.iter().map(|row| format!("{:?}", row.values())).collect();
    assert_eq!(distinct.len(), 1_000_000);
    let text = "CONSTRUCT { ?a ?e ?c } { ?a <x:p1> ?b . ?c <x:p2> ?d . ?e <x:p3> ?f }";
    let Ok(Answer::Triples(triples)) = query(&view, text, &options, &watch) else {
        panic!("no triples")
    };
    assert_eq!(triples.take(5000).filter(Result::is_ok).count(), 5000);
}
