//! Exports: what is written of a view reads back as the same quads, in every syntax.

use std::collections::BTreeSet;

use manicule_core::watch::Watch;
use manicule_graph::GraphChoice;
use manicule_graph::export::{ExportError, ExportOptions, ExportedGraphs, LineOrder, export_view};
use manicule_graph::load::Syntax;
use manicule_graphs::{PlainGraph, rdf_format, read_into};

const DATA: &str = "\
<http://a/s> <http://a/p> \"01\"^^<http://www.w3.org/2001/XMLSchema#integer> .\n\
<http://a/s> <http://a/p> \"a\\\"b\\\\\\n\\r\\té\" .\n\
<http://a/s> <http://a/p> \"colour\"@en-gb .\n\
<http://a/s> <http://a/q> <http://a/s> .\n";
/// What JSON-LD has no place for.
const TRIPLES: &str = "\
<http://a/r> <http://a/q> <<( <http://a/s> <http://a/p> \"01\"^^<http://www.w3.org/2001/XMLSchema#integer> )>> .\n\
<http://a/r> <http://a/q> <<( <http://a/s> <http://a/p> <<( <http://a/s> <http://a/q> \"a\\\"b\"@ar--rtl )>> )>> .\n\
<http://a/r> <http://a/q> \"colour\"@en--ltr .\n";
const NAMED: &str = "<http://a/s> <http://a/p> <http://a/o> <http://a/g> .\n";

fn graph(text: &str) -> PlainGraph {
    let mut graph = PlainGraph::new();
    let format = rdf_format("a.nq").expect("a format");
    read_into(&mut graph, text.as_bytes(), format, "http://base/", None).expect("it parses");
    graph
}

fn written(graph: &PlainGraph, options: &ExportOptions<'_>) -> Result<String, ExportError> {
    let mut out = Vec::new();
    let count = export_view(graph, options, &mut out, &Watch::none())?;
    assert!(count > 0);
    Ok(String::from_utf8(out).expect("UTF-8"))
}

fn all(syntax: Syntax, order: LineOrder) -> ExportOptions<'static> {
    ExportOptions { syntax, graphs: ExportedGraphs::All, order, prefixes: &[] }
}

fn lines(text: &str) -> BTreeSet<&str> {
    text.lines().collect()
}

#[test]
fn every_syntax_reads_back_as_the_same_quads() {
    let canonical = DATA.replace("\\t", "\t");
    let whole = canonical.clone() + NAMED;
    for syntax in Syntax::ALL {
        let triples = if syntax == Syntax::JsonLd { "" } else { TRIPLES };
        let want = if syntax.has_graphs() { &whole } else { &canonical };
        let want = &(want.clone() + triples);
        let text = written(&graph(want), &all(syntax, LineOrder::Stored)).expect("it is written");
        let mut again = PlainGraph::new();
        let format = rdf_format(&format!("a.{}", syntax.ending())).expect("a format");
        read_into(&mut again, text.as_bytes(), format, "http://base/", None).expect("it parses");
        let lines_again =
            written(&again, &all(Syntax::NQuads, LineOrder::Stored)).expect("written");
        assert_eq!(lines(&lines_again), lines(want), "{syntax:?}: {text}");
    }
}

#[test]
fn sorted_lines_are_the_canonical_ones() {
    let whole = DATA.replace("\\t", "\t") + NAMED;
    let text = written(&graph(&whole), &all(Syntax::NQuads, LineOrder::Sorted)).expect("written");
    assert!(text.lines().is_sorted());
    assert_eq!(lines(&text), lines(&whole));
}

#[test]
fn named_graphs_are_refused_where_the_syntax_has_none() {
    let graph = graph(&format!("{DATA}{NAMED}"));
    let refused = written(&graph, &all(Syntax::Turtle, LineOrder::Stored));
    assert!(matches!(refused, Err(ExportError::NoGraphs(Syntax::Turtle))));
    let graphs = ExportedGraphs::Triples(GraphChoice::AnyNamed);
    let options = ExportOptions { graphs, ..all(Syntax::NTriples, LineOrder::Stored) };
    let text = written(&graph, &options).expect("the named one alone");
    assert_eq!(text, "<http://a/s> <http://a/p> <http://a/o> .\n");
}

#[test]
fn json_ld_refuses_triple_terms() {
    let refused = written(&graph(TRIPLES), &all(Syntax::JsonLd, LineOrder::Stored));
    assert!(matches!(refused, Err(ExportError::Output(_))), "{refused:?}");
}

#[test]
fn turtle_uses_prefixes() {
    let prefixes = [("a".to_owned(), "http://a/".to_owned())];
    let options = ExportOptions { prefixes: &prefixes, ..all(Syntax::Turtle, LineOrder::Stored) };
    let text = written(&graph(DATA), &options).expect("written");
    assert!(text.starts_with("@prefix a: <http://a/> .\n") && text.contains("a:q a:s"), "{text}");
    let prefixes = [("a".to_owned(), "no iri".to_owned())];
    let options = ExportOptions { prefixes: &prefixes, ..all(Syntax::Turtle, LineOrder::Stored) };
    assert!(matches!(written(&graph(DATA), &options), Err(ExportError::Prefix(_))));
}
