//! A test of the suites, run.

use std::collections::HashMap;

use manicule_core::watch::Watch;
use manicule_graph::export::{ExportOptions, ExportedGraphs, LineOrder, export_view};
use manicule_graph::load::Syntax;
use manicule_graph::sparql::{
    Answer, DefaultGraphChoice, QueryLimits, QueryOptions, RowFormat, SparqlError, Writable,
    check_query, check_update, to_term, write_rows,
};
use manicule_graph::term::TermRef;
use manicule_graph::{GraphChoice, Id, Pattern, Quad, View};
use manicule_graphs::{
    Archive, Cells, Compare, Evaluation, JoinOrder, PlainGraph, apply, ask, compare_rows,
    rdf_format, read_into,
};
use oxrdf::{NamedNode, Term};
use regex::Regex;

use crate::w3c::answers::{Expected, csv_rows, expected_rows, once, rows_of};
use crate::w3c::manifest::{BASE, Entry, MF, Node, QT, RDFS, UT, path_of};
use crate::w3c::place::{Place, Read};

/// A document, and the graph that it is read into.
type File = (Option<NamedNode>, String);

/// How numbers in rows are compared.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Numbers {
    AsWritten,
    ByValue,
}

/// Runs a test.
pub(crate) fn run(
    archive: &Archive,
    entry: &Entry,
    kind: &str,
    numbers: Numbers,
    place: &mut Place,
) -> Result<(), String> {
    match kind {
        "QueryEvaluationTest" | "CSVResultFormatTest" => run_query(archive, entry, numbers, place),
        "UpdateEvaluationTest" => run_update(archive, entry, place),
        kind if kind.ends_with("C14N") => run_canonical(archive, entry, place),
        kind if kind.starts_with("Test") && kind.ends_with("Eval") => {
            run_eval(archive, entry, place)
        }
        kind => run_syntax(archive, entry, kind, place),
    }
}

fn property(entry: &Entry, name: &str) -> Result<Node, String> {
    entry.node.one(&format!("{MF}{name}")).ok_or_else(|| format!("no {name}"))
}

fn load(archive: &Archive, files: &[File]) -> Result<PlainGraph, String> {
    let mut graph = PlainGraph::new();
    for (name, iri) in files {
        let path = path_of(iri);
        let bytes = archive.get(path).ok_or_else(|| format!("{path}: not in the archive"))?;
        let format = rdf_format(path).ok_or_else(|| format!("{path}: of no known syntax"))?;
        if let Some(name) = name {
            let name = graph.enter(TermRef::Iri(name.as_str()));
            graph.create_graph(name);
        }
        read_into(&mut graph, bytes, format, iri, name.clone())?;
    }
    Ok(graph)
}

fn named(text: &str) -> NamedNode {
    NamedNode::new_unchecked(text)
}

fn run_query(
    archive: &Archive,
    entry: &Entry,
    numbers: Numbers,
    place: &mut Place,
) -> Result<(), String> {
    let action = property(entry, "action")?;
    let (iri, mut files) = match &action.term {
        Term::NamedNode(node) => (node.as_str().to_owned(), Vec::new()),
        _ => {
            let query = action.one(&format!("{QT}query")).ok_or("no query")?;
            let mut files: Vec<File> = Vec::new();
            for data in action.all(&format!("{QT}data")) {
                files.push((None, data.text().to_owned()));
            }
            for data in action.all(&format!("{QT}graphData")) {
                files.push(graph_data(&data, &format!("{QT}graph")));
            }
            (query.text().to_owned(), files)
        }
    };
    let text = archive.text(path_of(&iri));
    add_named_files(archive, text, &iri, &mut files);
    let plain = load(archive, &files)?;
    let ask = Ask { archive, entry, numbers, iri: &iri };
    match place {
        Place::Plain => ask.of(&plain),
        Place::Stored(stored) => ask.of(&stored.filled(&plain)),
    }
}

/// A query of a test.
struct Ask<'a> {
    archive: &'a Archive,
    entry: &'a Entry,
    numbers: Numbers,
    iri: &'a str,
}

impl Ask<'_> {
    fn of(&self, view: &impl View) -> Result<(), String> {
        let text = self.archive.text(path_of(self.iri));
        let (watch, result) = (Watch::none(), self.entry.node.one(&format!("{MF}result")));
        for evaluation in [Evaluation::Rows(JoinOrder::ByCounts), Evaluation::Columns] {
            let options = QueryOptions {
                base: Some(self.iri),
                default_graph: DefaultGraphChoice::Own,
                dataset: None,
                limits: QueryLimits::NONE,
            };
            let answer =
                ask(view, text, &options, evaluation, &watch).map_err(|error| error.to_string())?;
            if let Some(result) = &result {
                check_answer(self.archive, text, answer, path_of(result.text()), self.numbers)
                    .map_err(|why| format!("{evaluation:?}: {why}"))?;
            }
        }
        Ok(())
    }
}

/// A graph's name and its document: one IRI, or a node with both.
fn graph_data(data: &Node, graph: &str) -> File {
    match (data.one(&format!("{RDFS}label")), data.one(graph)) {
        (Some(label), Some(file)) => (Some(named(label.text())), file.text().to_owned()),
        _ => (Some(named(data.text())), data.text().to_owned()),
    }
}

/// Documents that FROM and FROM NAMED name are read under their own names.
fn add_named_files(archive: &Archive, text: &str, iri: &str, files: &mut Vec<File>) {
    let from = Regex::new(r"(?i)FROM\s+(?:NAMED\s+)?<([^>]*)>").expect("a pattern");
    for found in from.captures_iter(text) {
        let folder = iri.rsplit_once('/').map_or("", |(folder, _)| folder);
        let name = &found[1];
        let name = if name.contains(':') { name.to_owned() } else { format!("{folder}/{name}") };
        let file = (Some(named(&name)), name.clone());
        if name.starts_with(BASE) && archive.get(path_of(&name)).is_some() && !files.contains(&file)
        {
            files.push(file);
        }
    }
}

fn check_answer(
    archive: &Archive,
    text: &str,
    answer: Answer<'_>,
    path: &str,
    numbers: Numbers,
) -> Result<(), String> {
    let rows = match answer {
        Answer::Triples(triples) => {
            let triples: Result<Vec<_>, SparqlError> = triples.collect();
            let got = triples.map_err(|error| error.to_string())?.into_iter().map(|triple| {
                vec![
                    Some(triple.subject.into()),
                    Some(triple.predicate.into()),
                    Some(triple.object),
                    None,
                ]
            });
            let got: Vec<Cells> = got.collect();
            let want = load(archive, &[(None, format!("{BASE}{path}"))])?;
            return compare_rows(&quads_of(&want), &got, Compare::Bag, &[]);
        }
        Answer::Boolean(got, _) => {
            let want = expected_rows(archive, path)?;
            let is_same = matches!(want, Expected::Boolean(want) if want == got);
            return if is_same { Ok(()) } else { Err(format!("{got}")) };
        }
        Answer::Rows(rows) => rows,
    };
    if path.ends_with(".csv") {
        let mut document = Vec::new();
        write_rows(rows, RowFormat::Csv, &mut document).map_err(|error| error.to_string())?;
        let got = csv_rows(&String::from_utf8(document).expect("text"));
        let want = csv_rows(archive.text(path));
        return if got == want { Ok(()) } else { Err(format!("{want:?} wanted, {got:?} got")) };
    }
    let (mut got, mut names) = rows_of(rows)?;
    let Expected::Rows { mut rows, order } = expected_rows(archive, path)? else {
        return Err("a boolean was wanted".to_owned());
    };
    let reduced = Regex::new(r"(?i)\bREDUCED\b").expect("a pattern");
    if reduced.is_match(text) {
        (got, rows) = (once(got), once(rows));
    }
    names.extend(rows.iter().flat_map(|row| row.keys().cloned()));
    names.sort_unstable();
    names.dedup();
    let cells = |rows: &[HashMap<String, Term>]| -> Vec<Cells> {
        rows.iter().map(|row| names.iter().map(|name| row.get(name).cloned()).collect()).collect()
    };
    let by_value = vec![numbers == Numbers::ByValue; names.len()];
    compare_rows(&cells(&rows), &cells(&got), order, &by_value)
}

/// All quads.
pub(crate) fn all_quads(view: &impl View) -> Vec<Quad> {
    let graphs = [GraphChoice::Default, GraphChoice::AnyNamed].into_iter();
    let all = |graph| Pattern { subject: None, predicate: None, object: None, graph };
    graphs
        .flat_map(|graph| view.quads(&all(graph)).collect::<Vec<_>>())
        .map(|quad| quad.expect("a quad"))
        .collect()
}

fn quads_of(view: &impl View) -> Vec<Cells> {
    let read = |id| view.read_term(id, to_term).expect("a term");
    let row = |quad: Quad| {
        let graph = (quad.graph != Id::DEFAULT_GRAPH).then(|| read(quad.graph));
        let triple = [quad.subject, quad.predicate, quad.object].map(|id| Some(read(id)));
        triple.into_iter().chain([graph]).collect()
    };
    all_quads(view).into_iter().map(row).collect()
}

fn update_files(node: &Node) -> Vec<File> {
    let data = node.all(&format!("{UT}data")).into_iter();
    let named = node.all(&format!("{UT}graphData")).into_iter();
    data.map(|data| (None, data.text().to_owned()))
        .chain(named.map(|data| graph_data(&data, &format!("{UT}graph"))))
        .collect()
}

fn run_update(archive: &Archive, entry: &Entry, place: &mut Place) -> Result<(), String> {
    let action = property(entry, "action")?;
    let iri = action.one(&format!("{UT}request")).ok_or("no request")?.text().to_owned();
    let text = archive.text(path_of(&iri));
    let mut plain = load(archive, &update_files(&action))?;
    let got = match place {
        Place::Plain => {
            do_request(&mut plain, text, &iri)?;
            quads_of(&plain)
        }
        Place::Stored(stored) => {
            stored.filled(&plain);
            let mut transaction = stored.store.begin().map_err(|error| error.to_string())?;
            do_request(&mut transaction, text, &iri)?;
            transaction.commit().map_err(|error| error.to_string())?;
            quads_of(&stored.store.snapshot())
        }
    };
    let want = load(archive, &update_files(&property(entry, "result")?))?;
    compare_rows(&quads_of(&want), &got, Compare::Bag, &[])
}

fn do_request(store: &mut impl Writable, text: &str, iri: &str) -> Result<(), String> {
    apply(store, text, Some(iri)).map_err(|error| error.to_string())
}

/// The base that a document is read with.
fn base_of(entry: &Entry, iri: &str) -> String {
    match &entry.base {
        Some(base) if !iri.contains("/rdf-xml/") => {
            format!("{base}{}", iri.rsplit('/').next().unwrap_or_default())
        }
        _ => iri.to_owned(),
    }
}

/// Reads a document.
fn read_document(
    archive: &Archive,
    iri: &str,
    base: &str,
    place: &mut Place,
) -> Result<Vec<Cells>, String> {
    let path = path_of(iri);
    let bytes = archive.get(path).ok_or_else(|| format!("{path}: not in the archive"))?;
    let format = rdf_format(path).ok_or_else(|| format!("{path}: of no known syntax"))?;
    Ok(match place.read(bytes, format, base)? {
        Read::Plain(graph) => quads_of(&graph),
        Read::Stored(snapshot) => quads_of(&snapshot),
    })
}

fn run_eval(archive: &Archive, entry: &Entry, place: &mut Place) -> Result<(), String> {
    let (action, result) = (property(entry, "action")?, property(entry, "result")?);
    let got = read_document(archive, action.text(), &base_of(entry, action.text()), place)?;
    // What is wanted is read by the library alone.
    let want = read_document(archive, result.text(), result.text(), &mut Place::Plain)?;
    compare_rows(&want, &got, Compare::Bag, &[])
}

/// A document, written by us: but for the labels of blank nodes it is the one that is wanted.
fn run_canonical(archive: &Archive, entry: &Entry, place: &mut Place) -> Result<(), String> {
    let (action, result) = (property(entry, "action")?, property(entry, "result")?);
    let iri = action.text();
    let bytes = archive.get(path_of(iri)).ok_or("not in the archive")?;
    let format = rdf_format(path_of(iri)).ok_or("of no known syntax")?;
    let got = match place.read(bytes, format, &base_of(entry, iri))? {
        Read::Plain(graph) => lines_of(&graph),
        Read::Stored(snapshot) => lines_of(&snapshot),
    }?;
    let label = Regex::new(r"_:\w+").expect("a pattern");
    let want = label.replace_all(archive.text(path_of(result.text())), "_:b");
    let got = label.replace_all(&got, "_:b");
    if got == want { Ok(()) } else { Err(format!("{want} wanted, {got} got")) }
}

fn lines_of(view: &impl View) -> Result<String, String> {
    let options = ExportOptions {
        syntax: Syntax::NQuads,
        graphs: ExportedGraphs::All,
        order: LineOrder::Sorted,
        prefixes: &[],
    };
    let mut out = Vec::new();
    let written = export_view(view, &options, &mut out, &Watch::none());
    written.map_err(|error| error.to_string())?;
    String::from_utf8(out).map_err(|error| error.to_string())
}

fn run_syntax(
    archive: &Archive,
    entry: &Entry,
    kind: &str,
    place: &mut Place,
) -> Result<(), String> {
    let action = property(entry, "action")?;
    let iri = action.text();
    let outcome = if kind.starts_with("Test") {
        read_document(archive, iri, &base_of(entry, iri), place).map(|_| ())
    } else {
        let text = archive.text(path_of(iri));
        let checked = if iri.ends_with(".ru") {
            check_update(text, Some(iri))
        } else {
            check_query(text, Some(iri))
        };
        checked.map_err(|error| error.to_string())
    };
    match (kind.contains("Positive"), outcome) {
        (true, outcome) => outcome,
        (false, Err(_)) => Ok(()),
        (false, Ok(())) => Err("accepted".to_owned()),
    }
}
