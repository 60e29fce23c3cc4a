//! Numbers that 64 bits and 18 digits after the point don't hold: what Jena 5.5.0 answers, by
//! columns and row by row.

use manicule_core::watch::Watch;
use manicule_graph::sparql::Answer;
use manicule_graph::term::TermRef;
use manicule_graph::{Id, Quad, Snapshot, Store};
use manicule_graphs::{Evaluation, JoinOrder, ask};
use oxrdf::Term;

use crate::columns::stores::OPTIONS;
use crate::common::on_disk;

const XSD: &str = "http://www.w3.org/2001/XMLSchema#";

/// The numbers of a store, with their datatypes.
const NUMBERS: [(&str, &str); 6] = [
    ("1162.50232689679035213546", "decimal"),
    ("12345678901234567890123", "integer"),
    ("9223372036854775808", "integer"),
    ("1.00000000000000000000000000", "decimal"),
    ("123456789012345678901234.5", "decimal"),
    ("18446744073709551615", "unsignedLong"),
];

fn store(folder: &std::path::Path) -> Store {
    let store = Store::create(folder, &on_disk()).expect("a store");
    let mut transaction = store.begin().expect("a transaction");
    let mut intern = |term: TermRef<'_>| transaction.intern(term).expect("an id");
    let predicate = intern(TermRef::Iri("x:v"));
    let quads: Vec<Quad> = NUMBERS
        .iter()
        .enumerate()
        .map(|(at, (text, local))| {
            let subject = intern(TermRef::Iri(&format!("x:{at}")));
            let object = intern(TermRef::Typed(text, &format!("{XSD}{local}")));
            Quad { subject, predicate, object, graph: Id::DEFAULT_GRAPH }
        })
        .collect();
    quads.into_iter().for_each(|quad| transaction.insert(quad));
    transaction.commit().expect("a commit");
    store
}

/// The texts of the first column, `-` where it is unbound.
fn column(view: &Snapshot, text: &str, evaluation: Evaluation) -> Vec<String> {
    let watch = Watch::none();
    let Ok(Answer::Rows(rows)) = ask(view, text, &OPTIONS, evaluation, &watch) else {
        panic!("{text}")
    };
    let text = |term: &Term| match term {
        Term::Literal(literal) => literal.value().to_owned(),
        other => other.to_string(),
    };
    rows.map(|row| row.expect("a row").get(0).map_or("-".to_owned(), text)).collect()
}

#[track_caller]
fn check(view: &Snapshot, text: &str, want: &[&str]) {
    for evaluation in [Evaluation::Columns, Evaluation::Rows(JoinOrder::ByCounts)] {
        assert_eq!(column(view, text, evaluation), want, "{evaluation:?}: {text}");
    }
}

#[test]
fn each_is_computed_and_compared() {
    let folder = tempfile::tempdir().expect("a folder");
    let view = store(folder.path()).snapshot();
    let of = |expression: &str, want: [&str; 6]| {
        let text = format!("SELECT ({expression} AS ?x) {{ ?s <x:v> ?v }} ORDER BY ?s");
        check(&view, &text, &want);
    };
    of(
        "?v + 1",
        [
            "1163.50232689679035213546",
            "12345678901234567890124",
            "9223372036854775809",
            "2",
            "123456789012345678901235.5",
            "18446744073709551616",
        ],
    );
    of(
        "(?v - 1) * 3",
        [
            "3484.50698069037105640638",
            "37037036703703703670366",
            "27670116110564327421",
            "0",
            "370370367037037036703700.5",
            "55340232221128654842",
        ],
    );
    of("?v > 9223372036854775807", ["false", "true", "true", "false", "true", "true"]);
    of("?v = 1", ["false", "false", "false", "true", "false", "false"]);
    of("?v < 1e20", ["true", "false", "true", "true", "false", "true"]);
    of("?v IN (7, 1, 9223372036854775808.0)", ["false", "false", "true", "true", "false", "false"]);
    of("IF(?v, 1, 2)", ["1"; 6]);
    of("isNumeric(?v) && !(!?v)", ["true"; 6]);
    of(
        "COALESCE(?v / 0, CEIL(?v))",
        [
            "1163",
            "12345678901234567890123",
            "9223372036854775808",
            "1",
            "123456789012345678901235",
            "18446744073709551615",
        ],
    );
}

#[test]
fn they_are_filtered_aggregated_and_put_in_order() {
    let folder = tempfile::tempdir().expect("a folder");
    let view = store(folder.path()).snapshot();
    let long = NUMBERS.map(|(text, _)| text);
    let text = "SELECT ?v { ?s <x:v> ?v FILTER(?v > 1000 && ?v < 100000) }";
    check(&view, text, &[long[0]]);
    let in_order = [3, 0, 2, 5, 1, 4].map(|at| long[at]);
    check(&view, "SELECT ?v { ?s <x:v> ?v } ORDER BY ?v", &in_order);
    let of = |aggregate: &str, want: &str| {
        check(&view, &format!("SELECT ({aggregate} AS ?x) {{ ?s <x:v> ?v }}"), &[want]);
    };
    of("SUM(?v)", "135830138029690811119944.00232689679035213546");
    of("MIN(?v)", long[3]);
    of("MAX(?v)", long[4]);
    of("MAX(-?v)", "-1");
    of("SUM(?v * 0)", "0");
    of("COUNT(DISTINCT ?v)", "6");
}

#[test]
fn what_overflows_goes_on() {
    let folder = tempfile::tempdir().expect("a folder");
    let view = store(folder.path()).snapshot();
    for (expression, want) in [
        ("9223372036854775807 + 1", "9223372036854775808"),
        ("9223372036854775807 * 9223372036854775807", "85070591730234615847396907784232501249"),
        ("-(-9223372036854775807 - 1)", "9223372036854775808"),
        ("<http://www.w3.org/2001/XMLSchema#integer>(\"12345678901234567890123\")", NUMBERS[1].0),
        ("<http://www.w3.org/2001/XMLSchema#integer>(1e30)", "1000000000000000000000000000000"),
        ("12345678901234567890123 / 7", "1763668414462081127160.428571428571428571428571"),
        ("123456789012345678901234.5 / 1e0", "1.2345678901234569E23"),
        (
            "12345678901234567890123.000000000000000000000000001 / 2",
            "6172839450617283945061.5000000000000000000000000005",
        ),
        ("\"1\" + 12345678901234567890123", "-"),
        // Doubles as they are cast to strings.
        ("STR(1e300 * 1)", "1.0E300"),
        ("<http://www.w3.org/2001/XMLSchema#string>(1e-7 * 1)", "1.0E-7"),
        ("1e300 * 10", "1.0E301"),
        ("REPLACE(\"abc\", \"x*\", \"-\")", "-"),
        ("REPLACE(\"abc\", \"b\", \"-\")", "a-c"),
        ("REPLACE(\"abc\", CONCAT(\"x\", \"*\"), \"-\")", "-"),
    ] {
        check(&view, &format!("SELECT ({expression} AS ?x) {{}}"), &[want]);
    }
}

#[test]
fn casts_of_doubles_lose_no_digits() {
    let folder = tempfile::tempdir().expect("a folder");
    let store = Store::create(folder.path(), &on_disk()).expect("a store");
    let doubles = [
        ("1e20", "double", "100000000000000000000", "100000000000000000000"),
        ("1E30", "double", "1000000000000000000000000000000", "1000000000000000000000000000000"),
        ("443374291400670784e0", "double", "443374291400670784", "443374291400670800"),
        ("-9223372036854775808e0", "double", "-9223372036854775808", "-9223372036854776000"),
        ("123456.789E0", "double", "123456", "123456.789"),
        ("-0.1E0", "double", "0", "-0.1"),
        ("1e-30", "double", "0", "0.000000000000000000000000000001"),
        // A float is cast by the double that it is.
        ("0.1", "float", "0", "0.10000000149011612"),
        ("16777217", "float", "16777216", "16777216"),
        ("NaN", "double", "-", "-"),
        ("-INF", "float", "-", "-"),
    ];
    let mut transaction = store.begin().expect("a transaction");
    let predicate = transaction.intern(TermRef::Iri("x:v")).expect("an id");
    for (at, (text, local, ..)) in doubles.iter().enumerate() {
        let subject = transaction.intern(TermRef::Iri(&format!("x:{at:02}"))).expect("an id");
        let datatype = format!("{XSD}{local}");
        let object = transaction.intern(TermRef::Typed(text, &datatype)).expect("an id");
        transaction.insert(Quad { subject, predicate, object, graph: Id::DEFAULT_GRAPH });
    }
    transaction.commit().expect("a commit");
    let view = store.snapshot();
    for of in ["?v", "?v + 0", "-(-?v)", "COALESCE(?v)"] {
        let check_all = |local: &str, want: Vec<&str>| {
            let text = format!("SELECT (<{XSD}{local}>({of}) AS ?x) {{ ?s <x:v> ?v }} ORDER BY ?s");
            check(&view, &text, &want);
        };
        check_all("integer", doubles.iter().map(|row| row.2).collect());
        check_all("decimal", doubles.iter().map(|row| row.3).collect());
    }
    check(
        &view,
        &format!("SELECT (<{XSD}decimal>(1e20) - 1 AS ?x) {{}}"),
        &["99999999999999999999"],
    );
}
