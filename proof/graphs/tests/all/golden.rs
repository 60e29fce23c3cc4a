//! The golden queries: answers of Apache Jena over the data of a shop.

use manicule_core::watch::Watch;
use manicule_graph::sparql::{Answer, QueryLimits, QueryOptions, QueryThreads};
use manicule_graph::{View, sparql::DefaultGraphChoice};
use manicule_graphs::{Archive, Cells, Compare, Evaluation, JoinOrder, ask, compare_rows};
use oxrdf::Term;
use oxrdfio::{RdfFormat, RdfParser};
use sparesults::{QueryResultsFormat, QueryResultsParser, SliceQueryResultsParserOutput};

use crate::shop::{Form, Shop, header};

/// Queries whose order of joins matters.
const JOINED: [&str; 7] = [
    "q14-ag1",
    "q25-exists",
    "q42-optgroup",
    "q43-unionkeys",
    "q47-diamond",
    "q49-featuresquare",
    "q54-having",
];

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

fn asked(
    view: &impl View,
    text: &str,
    options: &QueryOptions<'_>,
    evaluation: Evaluation,
) -> Result<Whole, String> {
    let watch = Watch::none();
    Ok(match ask(view, text, options, evaluation, &watch).map_err(|error| error.to_string())? {
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

fn check_all(shop: &Shop, name: &str, triples: &impl View, quads: &impl View) {
    let mut wrong = Vec::new();
    let paths: Vec<&str> =
        shop.archive.paths().filter(|path| path.starts_with("queries/")).collect();
    assert_eq!(paths.len(), 61);
    for path in paths {
        let query = path.trim_start_matches("queries/").trim_end_matches(".rq");
        let text = shop.archive.text(path);
        let by_rows = Evaluation::Rows(JoinOrder::ByCounts);
        let threads = QueryThreads { count: 2, rows_min: 0 };
        let limits = QueryLimits { threads, ..QueryLimits::NONE };
        for (options, evaluation) in [
            (OPTIONS, by_rows),
            (OPTIONS, Evaluation::Columns),
            (QueryOptions { limits, ..OPTIONS }, Evaluation::Columns),
        ] {
            let got = match Form::of(text) {
                Form::Triples => asked(triples, text, &options, evaluation),
                Form::Quads => asked(quads, text, &options, evaluation),
            };
            let same = got.and_then(|got| compare(text, expected(&shop.archive, query), got));
            if let Err(why) = same {
                wrong.push(format!("{query}, {evaluation:?}: {why}"));
            }
        }
    }
    assert!(wrong.is_empty(), "{name}: {} wrong:\n{}", wrong.len(), wrong.join("\n"));
}

#[test]
fn queries_of_the_plain_store_have_jenas_answers() {
    let shop = Shop::read();
    check_all(&shop, "plain", &shop.plain(Form::Triples), &shop.plain(Form::Quads));
}

#[test]
fn queries_of_the_store_have_jenas_answers() {
    let shop = Shop::read();
    let (triples, _triples_folder) = shop.store(Form::Triples);
    let (quads, _quads_folder) = shop.store(Form::Quads);
    check_all(&shop, "store", &triples.snapshot(), &quads.snapshot());
}

/// Quads that a query looks up, its joins ordered by counts and by the evaluator.
fn quads_of(view: &impl View, text: &str) -> [u64; 2] {
    [JoinOrder::ByCounts, JoinOrder::Evaluators].map(|joins| {
        let watch = Watch::none();
        let by_rows = Evaluation::Rows(joins);
        match ask(view, text, &OPTIONS, by_rows, &watch).expect("an answer") {
            Answer::Rows(mut rows) => {
                rows.by_ref().for_each(|row| drop(row.expect("a row")));
                rows.work().quads
            }
            Answer::Boolean(..) | Answer::Triples(_) => panic!("{text} gives rows"),
        }
    })
}

#[test]
fn joins_by_counts_look_up_fewer_quads() {
    let shop = Shop::read();
    let view = shop.plain(Form::Triples);
    for name in JOINED {
        let text = shop.archive.text(&format!("queries/{name}.rq"));
        let [ours, evaluators] = quads_of(&view, text);
        println!("{name}: {ours} quads by counts, {evaluators} by the evaluator");
        assert!(ours * 11 <= evaluators * 10, "{name}: {ours} by counts, {evaluators} else");
    }
}
