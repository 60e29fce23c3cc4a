//! Rules of queries that no suite asks for: datasets that the call names, limits, ends, formats.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use manicule_core::watch::Watch;
use manicule_graph::sparql::{
    Answer, DefaultGraphChoice, NamedDataset, QueryLimits, QueryOptions, RowFormat, SparqlError,
    check_query, query_view, write_boolean, write_rows,
};
use manicule_graph::{GraphError, View};
use manicule_graphs::{PlainGraph, read_into};
use oxrdf::{GraphName, NamedNode};
use oxrdfio::RdfFormat;

const OPTIONS: QueryOptions<'static> = QueryOptions {
    base: None,
    default_graph: DefaultGraphChoice::Own,
    dataset: None,
    limits: QueryLimits::NONE,
};

const DATA: &str = r#"
<x:a> <x:p> "07"^^<http://www.w3.org/2001/XMLSchema#integer> .
<x:a> <x:p> "one, \"two\"" .
<x:a> <x:q> <x:b,c> <x:g> .
<x:a> <x:q> <x:b,c> <x:h> .
<x:b> <x:q> "\u0001" <x:h> .
"#;

fn data() -> PlainGraph {
    let mut graph = PlainGraph::new();
    read_into(&mut graph, DATA.as_bytes(), RdfFormat::NQuads, "x:", None).expect("quads");
    graph
}

/// The answer as a document.
fn document(
    view: &impl View,
    text: &str,
    options: &QueryOptions<'_>,
    format: RowFormat,
) -> Result<String, SparqlError> {
    let (watch, mut out) = (Watch::none(), Vec::new());
    match query_view(view, text, options, &watch)? {
        Answer::Rows(rows) => drop(write_rows(rows, format, &mut out)?),
        Answer::Boolean(answer, _) => write_boolean(answer, format, &mut out)?,
        Answer::Triples(_) => panic!("rows or a boolean: {text}"),
    }
    Ok(String::from_utf8(out).expect("text"))
}

fn check(text: &str, format: RowFormat, want: &str) {
    assert_eq!(document(&data(), text, &OPTIONS, format).expect("an answer"), want, "{text}");
}

#[test]
fn values_of_csv_are_quoted_where_they_need_it() {
    let text = "SELECT * { ?s ?p ?o } ORDER BY ?o";
    check(text, RowFormat::Csv, "s,p,o\r\nx:a,x:p,07\r\nx:a,x:p,\"one, \"\"two\"\"\"\r\n");
    let text = "SELECT ?o { GRAPH <x:g> { ?s ?p ?o } }";
    check(text, RowFormat::Csv, "o\r\n\"x:b,c\"\r\n");
}

#[test]
fn numbers_of_tsv_are_as_they_are_written() {
    check("SELECT ?o { ?s ?p ?o FILTER(?o = 7) }", RowFormat::Tsv, "?o\n07\n");
}

#[test]
fn a_string_of_json_has_no_datatype() {
    let want = r#"{"head":{"vars":["o"]},"results":{"bindings":[{"o":{"type":"literal","value":"one, \"two\""}}]}}"#;
    check(
        "SELECT ?o { ?s ?p ?o FILTER(isLiteral(?o) && ?o > '') }",
        RowFormat::Json,
        &format!("{want}\n"),
    );
    check("ASK {}", RowFormat::Json, "{\"head\":{},\"boolean\":true}\n");
}

#[test]
fn xml_holds_no_character_that_it_cannot() {
    let text = "SELECT ?o { GRAPH <x:h> { <x:b> ?p ?o } }";
    let document = document(&data(), text, &OPTIONS, RowFormat::Xml).expect("an answer");
    assert!(document.contains("<literal>\u{fffd}</literal>"), "{document}");
}

#[test]
fn a_table_has_columns() {
    let text = "SELECT ?s (7 AS ?o) { <x:a> <x:p> '' }";
    assert_eq!(
        document(&data(), text, &OPTIONS, RowFormat::Table).expect("an answer"),
        "s  o\n-  -\n"
    );
    let text = "SELECT (STR(?x) AS ?s) ?o { ?x <x:p> ?o FILTER(isNumeric(?o)) }";
    let table = document(&data(), text, &OPTIONS, RowFormat::Table).expect("an answer");
    assert_eq!(table, "s      o\n-----  --\n\"x:a\"  07\n");
}

/// Number of rows of a query over graphs that the call names.
fn rows(text: &str, options: &QueryOptions<'_>) -> usize {
    let document = document(&data(), text, options, RowFormat::Tsv).expect("an answer");
    document.lines().count() - 1
}

#[test]
fn a_union_of_graphs_is_a_set() {
    let all = "SELECT * { ?s ?p ?o }";
    assert_eq!(rows(all, &OPTIONS), 2);
    let union = QueryOptions { default_graph: DefaultGraphChoice::Union, ..OPTIONS };
    assert_eq!(rows(all, &union), 4);
    assert_eq!(rows("SELECT * FROM <x:g> FROM <x:h> { ?s ?p ?o }", &OPTIONS), 2);
    let pair = "SELECT * FROM <x:g> FROM <x:h> { ?s <x:q> ?o . ?s <x:q> ?other }";
    assert_eq!(rows(pair, &OPTIONS), 2);
}

#[test]
fn graphs_of_the_call_take_the_place_of_the_querys() {
    let [g, h] = ["x:g", "x:h"].map(NamedNode::new_unchecked);
    let mut dataset =
        NamedDataset { default: Some(vec![h.into()]), named: Some(vec![g.clone().into()]) };
    let options = QueryOptions { dataset: Some(&dataset), ..OPTIONS };
    assert_eq!(rows("SELECT * FROM <x:g> { ?s ?p ?o }", &options), 2);
    assert_eq!(rows("SELECT * FROM NAMED <x:h> { GRAPH ?g { ?s ?p ?o } }", &options), 1);
    assert_eq!(rows("SELECT ?g { GRAPH ?g {} }", &options), 1);
    // The default graph among others, and as the call chooses it.
    let all = "SELECT * { ?s ?p ?o }";
    let own = rows(all, &OPTIONS);
    dataset.default = Some(vec![GraphName::DefaultGraph, g.into()]);
    assert!(rows(all, &QueryOptions { dataset: Some(&dataset), ..OPTIONS }) > own);
    dataset.default = None;
    assert_eq!(rows(all, &QueryOptions { dataset: Some(&dataset), ..OPTIONS }), own);
}

#[test]
fn a_limit_ends_a_query_and_says_so() {
    let check = |limits: QueryLimits, text: &str, what: &str| {
        let options = QueryOptions { limits, ..OPTIONS };
        let outcome = document(&data(), text, &options, RowFormat::Tsv);
        let Err(SparqlError::Limit { what: got, .. }) = outcome else {
            panic!("{text}: {outcome:?}")
        };
        assert_eq!(got, what);
    };
    let none = QueryLimits::NONE;
    check(QueryLimits { rows_max: 1, ..none }, "SELECT * { ?s ?p ?o }", "rows");
    check(
        QueryLimits { quads_max: 3, ..none },
        "SELECT * { ?s ?p ?o . ?t ?q ?r }",
        "quads looked up",
    );
    // Inside an expression.
    let text = "SELECT (EXISTS { ?s ?p ?o . ?t ?q ?r } AS ?e) {}";
    check(QueryLimits { quads_max: 3, ..none }, text, "quads looked up");
    let text = "SELECT (CONCAT(STR(?o), 'and a long text after it') AS ?l) { ?s ?p ?o }";
    check(QueryLimits { computed_len_max: 100, ..none }, text, "bytes of computed values");
}

#[test]
fn long_scans_give_their_first_row_at_once() {
    let mut text = String::new();
    for number in 0..12_000 {
        text += &format!("<x:s{number}> <x:p> <x:o{}> .\n", number % 10);
    }
    let mut graph = PlainGraph::new();
    read_into(&mut graph, text.as_bytes(), RdfFormat::NTriples, "x:", None).expect("triples");
    let watch = Watch::none();
    let first = |text: &str| match query_view(&graph, text, &OPTIONS, &watch).expect("an answer") {
        Answer::Rows(mut rows) => {
            rows.next().expect("a row").expect("terms");
            rows.work().quads
        }
        Answer::Boolean(..) | Answer::Triples(_) => panic!("{text} gives rows"),
    };
    // A first few.
    assert_eq!(first("SELECT * { ?s ?p ?o }"), 16);
    assert_eq!(first("SELECT ?o ?n { ?s <x:p> ?o }"), 16);
    assert_eq!(first("SELECT * { ?s ?p <x:o1> }"), 1_200);
    assert_eq!(first("SELECT (COUNT(*) AS ?n) { ?s ?p ?o }"), 12_000);
}

#[test]
fn a_watch_ends_a_query() {
    let mut graph = PlainGraph::new();
    let lines: String = (0..100).map(|at| format!("<x:{at}> <x:p> <x:o> .\n")).collect();
    read_into(&mut graph, lines.as_bytes(), RdfFormat::NTriples, "x:", None).expect("triples");
    // Not at the first look, which is before anything is done.
    let looks = AtomicU64::new(0);
    let stop = || looks.fetch_add(1, Relaxed) > 1;
    let watch = Watch::new(&|_| {}, &stop);
    let text = "SELECT (COUNT(*) AS ?n) { ?a <x:p> ?c . ?b <x:p> ?c . ?d <x:p> ?c }";
    let answer = query_view(&graph, text, &OPTIONS, &watch);
    let outcome = answer.map(|answer| match answer {
        Answer::Rows(rows) => rows.collect::<Result<Vec<_>, _>>().map(|rows| rows.len()),
        Answer::Boolean(..) | Answer::Triples(_) => panic!("rows"),
    });
    let stopped = matches!(
        outcome,
        Ok(Err(SparqlError::Store(GraphError::Stopped(_))))
            | Err(SparqlError::Store(GraphError::Stopped(_)))
    );
    assert!(stopped && looks.load(Relaxed) == 3, "{outcome:?} after {looks:?}");
}

#[test]
fn a_text_that_is_none_is_refused_with_its_place() {
    let error = check_query("SELECT * {\n ?s ?p }", None).expect_err("no query");
    assert!(matches!(&error, SparqlError::Syntax(why) if why.contains('2')), "{error}");
}

#[test]
fn an_order_of_all_terms_is_total() {
    let values: String = (0..200)
        .map(|at| match at % 5 {
            0 => format!("{} ", at % 7),
            1 => format!("'{}' ", at % 11),
            2 => format!("{}.5 ", at % 3),
            3 => format!("'2020-01-0{}'^^<http://www.w3.org/2001/XMLSchema#date> ", at % 9 + 1),
            _ => format!("'{at}'^^<x:type> "),
        })
        .collect();
    let text = format!("SELECT ?v {{ VALUES ?v {{ {values} }} }} ORDER BY ?v");
    assert_eq!(rows(&text, &OPTIONS), 200);
}
