//! The golden queries: answers of Apache Jena over the data of a shop.

mod shop;

use manicule_core::watch::Watch;
use manicule_graph::sparql::{Answer, QueryLimits, QueryOptions, query};
use manicule_graph::{View, sparql::DefaultGraphChoice};
use manicule_graphs::{Archive, Cells, Compare, compare_rows};
use oxrdf::Term;
use oxrdfio::{RdfFormat, RdfParser};
use sparesults::{QueryResultsFormat, QueryResultsParser, SliceQueryResultsParserOutput};

use shop::{Shop, header};

/// Queries whose answers differ from the expected ones, and why.
const DIFFERENT: [(&str, &str); 0] = [];

const OPTIONS: QueryOptions<'static> = QueryOptions {
    base: None,
    default_graph: DefaultGraphChoice::Own,
    dataset: None,
    limits: QueryLimits::NONE,
};

/// An answer, read whole.
enum Whole {
    Boolean(bool),
    Rows(Vec<String>, Vec<Cells>),
}

fn expected(archive: &Archive, name: &str) -> Whole {
    if let Some(bytes) = archive.get(&format!("expected/{name}.nt")) {
        let triples = RdfParser::from_format(RdfFormat::NTriples).for_slice(bytes);
        return graph(triples.map(|quad| {
            let quad = quad.expect("a triple");
            [quad.subject.into(), quad.predicate.into(), quad.object]
        }));
    }
    let text = archive.text(&format!("expected/{name}.srj"));
    let parser = QueryResultsParser::from_format(QueryResultsFormat::Json);
    match parser.for_slice(text.as_bytes()).expect("results") {
        SliceQueryResultsParserOutput::Boolean(answer) => Whole::Boolean(answer),
        SliceQueryResultsParserOutput::Solutions(solutions) => {
            let names = names(solutions.variables());
            let rows = solutions.map(|row| row.expect("a row").values().to_vec()).collect();
            Whole::Rows(names, rows)
        }
    }
}

fn names(variables: &[oxrdf::Variable]) -> Vec<String> {
    variables.iter().map(|variable| variable.as_str().to_owned()).collect()
}

fn graph(triples: impl Iterator<Item = [Term; 3]>) -> Whole {
    let rows = triples.map(|triple| triple.map(Some).to_vec()).collect();
    Whole::Rows(["s", "p", "o"].map(str::to_owned).to_vec(), rows)
}

fn asked(view: &impl View, text: &str) -> Result<Whole, String> {
    let watch = Watch::none();
    Ok(match query(view, text, &OPTIONS, &watch).map_err(|error| error.to_string())? {
        Answer::Boolean(answer, _) => Whole::Boolean(answer),
        Answer::Rows(rows) => {
            let names = names(rows.variables());
            let rows: Result<Vec<_>, _> =
                rows.map(|row| row.map(|row| row.values().to_vec())).collect();
            Whole::Rows(names, rows.map_err(|error| error.to_string())?)
        }
        Answer::Triples(triples) => {
            let triples: Result<Vec<_>, _> = triples.collect();
            let triples = triples.map_err(|error| error.to_string())?;
            graph(
                triples
                    .into_iter()
                    .map(|triple| [triple.subject.into(), triple.predicate.into(), triple.object]),
            )
        }
    })
}

fn compare(text: &str, want: Whole, got: Whole) -> Result<(), String> {
    let (want_names, want, got_names, got) = match (want, got) {
        (Whole::Boolean(want), Whole::Boolean(got)) if want == got => return Ok(()),
        (Whole::Rows(want_names, want), Whole::Rows(got_names, got)) => {
            (want_names, want, got_names, got)
        }
        _ => return Err("another kind of answer, or the other boolean".to_owned()),
    };
    let columns: Option<Vec<usize>> =
        want_names.iter().map(|name| got_names.iter().position(|other| other == name)).collect();
    let Some(columns) = columns.filter(|_| want_names.len() == got_names.len()) else {
        return Err(format!("variables {want_names:?} wanted, {got_names:?} got"));
    };
    let got: Vec<Cells> =
        got.into_iter().map(|row| columns.iter().map(|at| row[*at].clone()).collect()).collect();
    let computed = header(text, "computed");
    let by_value: Vec<bool> =
        want_names.iter().map(|name| computed.contains(&format!("?{name}").as_str())).collect();
    let order = if header(text, "order") == ["exact"] { Compare::Exact } else { Compare::Bag };
    compare_rows(&want, &got, order, &by_value)
}

#[test]
fn queries_have_jenas_answers() {
    let (shop, mut wrong) = (Shop::read(), Vec::new());
    let paths: Vec<&str> =
        shop.archive.paths().filter(|path| path.starts_with("queries/")).collect();
    assert_eq!(paths.len(), 61);
    for path in paths {
        let name = path.trim_start_matches("queries/").trim_end_matches(".rq");
        let text = shop.archive.text(path);
        let got = asked(shop.data(text), text);
        let same = got.and_then(|got| compare(text, expected(&shop.archive, name), got));
        let excuse = DIFFERENT.iter().find(|(excused, _)| *excused == name);
        match (same, excuse) {
            (Ok(()), None) | (Err(_), Some(_)) => {}
            (Err(why), None) => wrong.push(format!("{name}: {why}")),
            (Ok(()), Some((_, why))) => wrong.push(format!("{name} is right, though: {why}")),
        }
    }
    assert!(wrong.is_empty(), "{} wrong:\n{}", wrong.len(), wrong.join("\n"));
}
