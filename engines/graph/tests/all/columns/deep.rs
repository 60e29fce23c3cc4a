//! Queries of thousands of levels: brackets inside each other, and chains of operators. They are
//! answered, or refused with a number, on threads whose stack would hold few of them.

use manicule_core::watch::Watch;
use manicule_graph::Store;
use manicule_graph::sparql::{Answer, Explain, SparqlError, check_query, check_update, explain};
use manicule_graph::term::TermRef;
use manicule_graph::{Id, Quad, Snapshot};
use manicule_graphs::{Evaluation, JoinOrder, ask};
use manicule_testkit::Rng;

use crate::columns::stores::OPTIONS;
use crate::common::on_disk;

/// A part a number of times, with something between.
fn joined(part: &str, between: &str, count: usize) -> String {
    vec![part; count].join(between)
}

/// Something in brackets in brackets.
fn nested(open: &str, inner: &str, close: &str, count: usize) -> String {
    format!("{}{inner}{}", open.repeat(count), close.repeat(count))
}

/// Parts that are numbered.
fn numbered(part: impl Fn(usize) -> String, count: usize) -> String {
    (0..count).map(part).collect()
}

fn filtered(expression: &str) -> String {
    format!("SELECT * {{ ?s <x:p> ?o FILTER({expression}) }}")
}

/// A query with a number of something.
type Of = fn(usize) -> String;

/// What a query can have thousands of, and the query with a number of them.
const KINDS: [(&str, Of); 33] = [
    ("unions", |n| format!("SELECT * {{ {} }}", joined("{ ?s <x:p> ?o }", "UNION", n))),
    ("optionals", |n| {
        format!("SELECT * {{ ?s <x:p> ?o {} }}", joined("OPTIONAL { ?s <x:p> ?o }", " ", n))
    }),
    ("minuses", |n| {
        format!("SELECT * {{ ?s <x:p> ?o {} }}", joined("MINUS { ?s <x:q> ?o }", " ", n))
    }),
    ("joins", |n| format!("SELECT * {{ {} }}", joined("{ ?s <x:p> ?o }", " ", n))),
    ("alternatives", |n| format!("SELECT * {{ ?s {} ?o }}", joined("<x:p>", "|", n))),
    ("steps", |n| format!("SELECT * {{ ?s {} ?o }}", joined("<x:r>", "/", n))),
    ("backward steps", |n| format!("SELECT * {{ ?s {} ?o }}", nested("^(", "<x:p>", ")", n))),
    ("repeated steps", |n| format!("SELECT * {{ ?s {} ?o }}", nested("(", "<x:p>", ")*", n))),
    ("excluded steps", |n| format!("SELECT * {{ ?s !({}) ?o }}", joined("<x:q>", "|", n))),
    ("ors", |n| filtered(&joined("?o = 7", "||", n))),
    ("ands", |n| filtered(&joined("?o != 7", "&&", n))),
    ("sums", |n| filtered(&format!("{} > 5", joined("?o", "+", n)))),
    ("differences", |n| filtered(&format!("{} < 5", joined("1", "-", n)))),
    ("products", |n| filtered(&format!("{} = 1", joined("1", "*", n)))),
    ("quotients", |n| filtered(&format!("{} = 1", joined("1", "/", n)))),
    ("nots", |n| filtered(&nested("!(", "?o", ")", n))),
    ("signs", |n| filtered(&nested("-(", "?o", ")", n))),
    ("brackets", |n| filtered(&nested("(", "?o", ")", n))),
    ("calls", |n| filtered(&nested("STRLEN(STR(", "?o", "))", n / 2))),
    ("choices", |n| filtered(&nested("IF(?o > 1, 1, ", "1", ")", n))),
    ("alternatives of values", |n| filtered(&nested("COALESCE(?x, ", "?o", ")", n))),
    ("lists", |n| filtered(&nested("1 IN (?o, ", "1", ")", n))),
    ("binds", |n| {
        format!("SELECT * {{ ?s <x:p> ?o {} }}", numbered(|at| format!("BIND(1 AS ?v{at})"), n))
    }),
    ("filters", |n| format!("SELECT * {{ ?s <x:p> ?o {} }}", joined("FILTER(?o != 7)", " ", n))),
    ("braces", |n| format!("SELECT * {}", nested("{", "?s <x:p> ?o", "}", n))),
    ("subqueries", |n| {
        format!("SELECT * {{ {} }}", nested("{ SELECT ?s ?o {", "?s <x:p> ?o", "}}", n / 2))
    }),
    ("conditions of patterns", |n| {
        let inner = nested("FILTER EXISTS { ?s <x:p> ?o ", "", "}", n);
        format!("SELECT * {{ ?s <x:p> ?o {inner} }}")
    }),
    ("nodes", |n| format!("SELECT * {{ ?s <x:r> {} }}", nested("[ <x:r> ", "?o", "]", n))),
    ("collections", |n| format!("SELECT * {{ ?s <x:r> {} }}", nested("(", "?o", ")", n))),
    ("results", |n| {
        format!("SELECT {} {{ ?s <x:p> ?o }}", numbered(|at| format!("(?o AS ?v{at})"), n))
    }),
    ("conditions of groups", |n| {
        format!("SELECT ?s {{ ?s <x:p> ?o }} GROUP BY ?s HAVING {}", "(?s != 7)".repeat(n))
    }),
    ("graphs", |n| {
        format!(
            "SELECT * {{ ?s <x:p> ?o {} }}",
            nested("OPTIONAL { GRAPH ?g {", "?s ?q ?o", "}}", n / 2)
        )
    }),
    ("sides", |n| {
        let side = "FILTER(?o > 1 || !(?o < 5))";
        format!("SELECT * {{ ?s <x:p> ?o {} }}", nested("OPTIONAL {", side, "}", n))
    }),
];

/// Number of kinds, of the first ones, that are also evaluated here; the others are parsed or
/// refused.
const EVALUATED: usize = 15;

/// Kinds whose parts follow each other.
const CHAINS: [&str; 6] = ["unions", "optionals", "alternatives", "ors", "sums", "filters"];

fn store(folder: &std::path::Path) -> Store {
    let store = Store::create(folder, &on_disk()).expect("a store");
    let mut transaction = store.begin().expect("a transaction");
    let integer = "http://www.w3.org/2001/XMLSchema#integer";
    for (subject, predicate, object) in [
        ("x:a", "x:p", TermRef::Typed("1", integer)),
        ("x:b", "x:p", TermRef::Typed("2", integer)),
        ("x:a", "x:r", TermRef::Iri("x:b")),
        ("x:b", "x:r", TermRef::Iri("x:a")),
    ] {
        let [subject, predicate, object] = [TermRef::Iri(subject), TermRef::Iri(predicate), object]
            .map(|term| transaction.intern(term).expect("an id"));
        transaction.insert(Quad { subject, predicate, object, graph: Id::DEFAULT_GRAPH });
    }
    transaction.commit().expect("a commit");
    store
}

/// Number of rows by one way.
fn count(view: &Snapshot, text: &str, evaluation: Evaluation) -> Result<usize, SparqlError> {
    let watch = Watch::none();
    let Answer::Rows(rows) = ask(view, text, &OPTIONS, evaluation, &watch)? else {
        panic!("a SELECT")
    };
    rows.map(|row| row.map(drop)).try_fold(0, |count, row| row.map(|()| count + 1))
}

#[test]
fn hundreds_of_levels_are_answered_by_both_ways() {
    let folder = tempfile::tempdir().expect("a folder");
    let view = store(folder.path()).snapshot();
    for (kind, of) in KINDS.into_iter().take(EVALUATED) {
        let text = of(200);
        let by_columns = count(&view, &text, Evaluation::Columns);
        let by_rows = count(&view, &text, Evaluation::Rows(JoinOrder::ByCounts));
        assert_eq!(by_rows.expect(kind), by_columns.expect(kind), "{kind}");
    }
}

/// Number of rows of some thousand levels.
fn check(kind: &str, levels: usize, want: usize) {
    let folder = tempfile::tempdir().expect("a folder");
    let view = store(folder.path()).snapshot();
    let (_, of) = KINDS.into_iter().find(|(name, _)| *name == kind).expect(kind);
    assert_eq!(count(&view, &of(levels), Evaluation::Columns).expect(kind), want, "{kind}");
}

#[test]
fn thousands_of_patterns_are_answered() {
    check("unions", 5_000, 10_000);
    check("optionals", 5_000, 2);
    check("minuses", 5_000, 2);
    check("alternatives", 5_000, 10_000);
}

#[test]
fn ten_thousand_operators_are_answered() {
    check("ors", 10_000, 0);
    check("ands", 10_000, 2);
    check("sums", 10_000, 2);
    check("binds", 10_000, 2);
    check("braces", 10_000, 2);
}

#[test]
fn however_many_there_are_the_answer_is_rows_or_a_number() {
    let mut rng = Rng::new(6);
    let refused =
        |error: &SparqlError| matches!(error, SparqlError::Deep { got, .. } if *got > 20_000);
    for (kind, of) in KINDS {
        let many = [30_000 + rng.below(10_000), 100_000 + rng.below(100_000)];
        for text in many.map(of) {
            let error = check_query(&text, None).expect_err(kind);
            assert!(refused(&error), "{kind}: {error}");
            let update = text.replacen("SELECT *", "DELETE { ?s ?s ?s } WHERE", 1);
            let error = check_update(&update, None).expect_err(kind);
            assert!(refused(&error), "{kind}: {error}");
        }
    }
    // What is not closed is refused by the parser, which is as deep then. It tries each bracket
    // that isn't closed in several ways, so that brackets inside each other are left out here.
    for (kind, of) in KINDS.into_iter().filter(|(kind, _)| CHAINS.contains(kind)) {
        let text = of(2_000);
        let half = &text[..text.len() / 2];
        assert!(matches!(check_query(half, None), Err(SparqlError::Syntax(_))), "{kind}");
    }
}

#[test]
fn plans_are_shown_or_refused_with_a_number() {
    let folder = tempfile::tempdir().expect("a folder");
    let view = store(folder.path()).snapshot();
    let watch = Watch::none();
    for (kind, of) in KINDS.into_iter().take(EVALUATED) {
        for how in [Explain::Plan, Explain::Analyze] {
            let explained = explain(&view, &of(150), &OPTIONS, how, &watch, || 0);
            if let Err(error) = explained {
                assert!(matches!(error, SparqlError::Deep { .. }), "{kind}: {error}");
            }
        }
    }
}
