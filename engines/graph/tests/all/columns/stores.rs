//! Random stores, with merged and unmerged changes, removals and named graphs, and queries over
//! them, vectorised and row by row.

use std::cell::Cell;
use std::collections::HashMap;

use manicule_core::watch::Watch;
use manicule_graph::bulk::{BulkOptions, compact};
use manicule_graph::sparql::{
    Answer, DefaultGraphChoice, QueryLimits, QueryOptions, QueryThreads, QueryWork,
};
use manicule_graph::term::TermRef;
use manicule_graph::{Id, Quad, Snapshot, Store};
use manicule_graphs::{Evaluation, JoinOrder, ask};
use manicule_testkit::Rng;
use oxrdf::Triple;
use spareval::QuerySolution;

use crate::common::on_disk;

const INTEGER: &str = "http://www.w3.org/2001/XMLSchema#integer";
const DECIMAL: &str = "http://www.w3.org/2001/XMLSchema#decimal";
const DOUBLE: &str = "http://www.w3.org/2001/XMLSchema#double";
const FLOAT: &str = "http://www.w3.org/2001/XMLSchema#float";

/// Names of subjects, predicates, objects and graphs are IRIs of one letter and a number.
fn iri(letter: &str, number: usize) -> String {
    format!("x:{letter}{number}")
}

/// A commit of random quads and removals.
pub(crate) fn change(rng: &mut Rng, store: &Store, quad_count: usize) {
    let mut transaction = store.begin().expect("a transaction");
    for _ in 0..quad_count {
        let (subject, predicate) = (iri("s", rng.below(30)), iri("p", rng.below(4)));
        let graph = iri("g", rng.below(3));
        let number = rng.below(12);
        let (object, decimal) = (iri("s", number), format!("{number}.5"));
        let integer = number.to_string();
        let zeros = format!("00{number}");
        let object = match rng.below(20) {
            0..8 => TermRef::Iri(&object),
            8..11 => TermRef::Typed(&decimal, DECIMAL),
            11..14 => TermRef::Simple(&object),
            14 => TermRef::Typed(&decimal, DOUBLE),
            15 => TermRef::Typed(&decimal, FLOAT),
            16 => TermRef::Typed(&zeros, INTEGER),
            _ => TermRef::Typed(&integer, INTEGER),
        };
        let [subject, predicate, graph] = [&subject, &predicate, &graph]
            .map(|text| transaction.intern(TermRef::Iri(text)).expect("an id"));
        let object = transaction.intern(object).expect("an id");
        let graph = if rng.one_in(3) { graph } else { Id::DEFAULT_GRAPH };
        let quad = Quad { subject, predicate, object, graph };
        match rng.below(4) {
            0 => transaction.remove(quad),
            _ => transaction.insert(quad),
        }
    }
    transaction.commit().expect("a commit");
}

const SPACE: BulkOptions = BulkOptions { memory: 1 << 20, threads: 1 };

/// A vectorised query.
pub(crate) const OPTIONS: QueryOptions<'static> = QueryOptions {
    base: None,
    default_graph: DefaultGraphChoice::Own,
    dataset: None,
    limits: QueryLimits::NONE,
};

/// As [`OPTIONS`], with two threads however few rows there are.
pub(crate) const TWO_THREADS: QueryOptions<'static> =
    QueryOptions { limits: LIMITS_OF_TWO, ..OPTIONS };

pub(crate) const LIMITS_OF_TWO: QueryLimits =
    QueryLimits { threads: QueryThreads { count: 2, rows_min: 0 }, ..QueryLimits::NONE };

/// The rows or triples of an answer, sorted, and what they cost.
pub(crate) fn rows_of(
    view: &Snapshot,
    text: &str,
    evaluation: Evaluation,
) -> (Vec<String>, QueryWork) {
    let (mut lines, work) = answer_of(view, text, &OPTIONS, evaluation);
    lines.sort_unstable();
    (lines, work)
}

/// The rows or triples of an answer as they come, and what they cost.
pub(crate) fn rows_by(
    view: &Snapshot,
    text: &str,
    options: &QueryOptions<'_>,
) -> (Vec<String>, QueryWork) {
    answer_of(view, text, options, Evaluation::Columns)
}

fn answer_of(
    view: &Snapshot,
    text: &str,
    options: &QueryOptions<'_>,
    evaluation: Evaluation,
) -> (Vec<String>, QueryWork) {
    let text = format!("PREFIX : <x:> {text}");
    let watch = Watch::none();
    match ask(view, &text, options, evaluation, &watch) {
        Ok(Answer::Rows(mut rows)) => {
            let row = |row: Result<QuerySolution, _>| format!("{:?}", row.expect("a row").values());
            (rows.by_ref().map(row).collect(), rows.work())
        }
        Ok(Answer::Triples(mut triples)) => {
            let mut nodes = HashMap::new();
            let mut name = |term: String| {
                if term.starts_with("_:") {
                    // What it is called differs, how often it is there doesn't.
                    *nodes.entry(term).or_insert(0) += 1;
                    "_:".to_owned()
                } else {
                    term
                }
            };
            let mut line = |triple: Triple| {
                let predicate = triple.predicate;
                let [subject, object] = [triple.subject.to_string(), triple.object.to_string()];
                format!("{} {predicate} {}", name(subject), name(object))
            };
            let mut lines: Vec<String> =
                triples.by_ref().map(|triple| line(triple.expect("a triple"))).collect();
            lines.extend(nodes.into_values().map(|count: usize| format!("a node {count} times")));
            (lines, triples.work())
        }
        Ok(Answer::Boolean(is_so, work)) => (vec![is_so.to_string()], work),
        Err(error) => panic!("{error}: {text}"),
    }
}

/// Stores through commits, each with its number.
fn stores(quad_count: usize, check: &mut dyn FnMut(&Snapshot, &str)) {
    for seed in 0..8 {
        let mut rng = Rng::new(seed);
        let folder = tempfile::tempdir().expect("a folder");
        let store = Store::create(folder.path(), &on_disk()).expect("a store");
        for round in 0..4 {
            let count = 1 + rng.below(quad_count);
            change(&mut rng, &store, count);
            if rng.one_in(2) {
                store.merge().expect("a merge");
            }
            if round < 3 && rng.one_in(3) {
                // Terms of before are in order by their ids then, those of what comes after aren't.
                compact(&store, SPACE, &Watch::none()).expect("a compaction");
            }
            check(&store.snapshot(), &format!("seed {seed}, round {round}"));
        }
    }
}

/// Queries over all stores, vectorised beside row by row.
#[track_caller]
pub(crate) fn check_all(queries: &[&str]) {
    let with_rows = Cell::new(0);
    stores(300, &mut |view, place| {
        for text in queries {
            let (want, _) = rows_of(view, text, Evaluation::Rows(JoinOrder::ByCounts));
            let (got, _) = rows_of(view, text, Evaluation::Columns);
            assert_eq!(got, want, "{place}: {text}");
            let (mut got, _) = rows_by(view, text, &TWO_THREADS);
            got.sort_unstable();
            assert_eq!(got, want, "{place}, two threads: {text}");
            with_rows.set(with_rows.get() + usize::from(!want.is_empty()));
        }
    });
    let all = 32 * queries.len();
    assert!(with_rows.get() * 2 > all, "most have rows");
}
