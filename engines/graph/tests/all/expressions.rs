//! Vectorised functions against the same functions row by row, of terms of all kinds: from the
//! dictionary, inlined, in memory and computed.
//!
//! `STORES=20 SEED=100` checks other random stores, and more.

use manicule_core::watch::Watch;
use manicule_graph::sparql::{Answer, DefaultGraphChoice, QueryLimits, QueryOptions};
use manicule_graph::term::TermRef;
use manicule_graph::{Id, Quad, Snapshot, Store};
use manicule_graphs::{Evaluation, JoinOrder, ask};
use manicule_testkit::{Rng, number};

use crate::common::on_disk;

const XSD: &str = "http://www.w3.org/2001/XMLSchema#";

/// Literals as they are written, with their datatypes.
const TYPED: [(&str, &str); 50] = [
    ("0", "integer"),
    ("5", "integer"),
    ("-7", "integer"),
    ("007", "integer"),
    ("+5", "integer"),
    ("x", "integer"),
    ("36028797018963968", "integer"),
    ("9223372036854775807", "integer"),
    ("99999999999999999999", "integer"),
    ("5", "byte"),
    ("300", "byte"),
    ("5", "nonNegativeInteger"),
    ("1.5", "decimal"),
    ("1.50", "decimal"),
    ("5", "decimal"),
    ("0.0", "decimal"),
    ("-0.5", "decimal"),
    ("1.123456789", "decimal"),
    ("1.5E0", "double"),
    ("NaN", "double"),
    ("0.0E0", "double"),
    ("1e3", "double"),
    ("INF", "double"),
    ("1.5E0", "float"),
    ("true", "boolean"),
    ("false", "boolean"),
    ("1", "boolean"),
    ("maybe", "boolean"),
    ("2010-02-28", "date"),
    ("2010-12-31Z", "date"),
    ("2010-01-01+14:00", "date"),
    ("2010-02-31", "date"),
    ("-0044-03-15", "date"),
    ("12010-03-15", "date"),
    ("2010-02-28T23:59:58", "dateTime"),
    ("2010-02-28T23:59:58Z", "dateTime"),
    ("2010-12-31T23:00:00-05:30", "dateTime"),
    ("2010-01-01T00:30:00+14:00", "dateTime"),
    ("2010-02-28T23:59:58.125Z", "dateTime"),
    ("2010-02-28T23:59:58.12345Z", "dateTime"),
    ("2010-02-28T24:00:00", "dateTime"),
    ("0001-01-01T00:00:00", "dateTime"),
    ("12:30:00", "time"),
    ("2010", "gYear"),
    ("2010-05", "gYearMonth"),
    ("--05", "gMonth"),
    ("P1Y", "yearMonthDuration"),
    ("PT1H", "dayTimeDuration"),
    ("x", "anyURI"),
    ("abc", "token"),
];

const TEXTS: [&str; 13] =
    ["", "a", "ab", "bab", "Bab", "b.b", "a b", "äß€𝄞", "12", "true", "2010-02-28", "en", "\n"];
const TAGS: [&str; 4] = ["en", "en-us", "de", "fr"];

/// Expressions of ?o.
const EXPRESSIONS: [&str; 92] = [
    "isIRI(?o)",
    "isBlank(?o)",
    "isLiteral(?o)",
    "isNumeric(?o)",
    "STR(?o)",
    "LANG(?o)",
    "LANG(?o) = \"en\"",
    "LANG(?o) IN (\"en\", \"de\")",
    "LANGMATCHES(LANG(?o), \"en\")",
    "LANGMATCHES(LANG(?o), \"EN-US\")",
    "LANGMATCHES(LANG(?o), \"*\")",
    "LANGMATCHES(?o, \"en\")",
    "DATATYPE(?o)",
    "DATATYPE(STRLEN(?o))",
    "DATATYPE(COALESCE(?o, 1))",
    "STR(COALESCE(?o, 1))",
    "STR(STRLEN(?o))",
    "STR(isIRI(?o))",
    "STRLEN(?o)",
    "STRLEN(STR(?o))",
    "CONTAINS(?o, \"b\")",
    "CONTAINS(?o, \"b\"@en)",
    "CONTAINS(?o, \"\")",
    "CONTAINS(STR(?o), \"1\")",
    "CONTAINS(\"bab\", ?o)",
    "STRSTARTS(?o, \"b\")",
    "STRSTARTS(STR(?o), \"x:\")",
    "STRENDS(?o, \"b\")",
    "STRENDS(STR(?o), \"0\")",
    "STRBEFORE(?o, \"a\")",
    "STRBEFORE(?o, \"a\"@en)",
    "STRBEFORE(?o, \"\")",
    "STRAFTER(?o, \"a\")",
    "STRAFTER(LCASE(?o), \"b\")",
    "STRAFTER(?o, \"\"@en)",
    "SUBSTR(?o, 2)",
    "SUBSTR(?o, 0, 3)",
    "SUBSTR(?o, 2, 1)",
    "SUBSTR(?o, -1, 2)",
    "SUBSTR(?o, 3, -1)",
    "SUBSTR(?o, 1.5)",
    "SUBSTR(\"abcdef\", ?o)",
    "SUBSTR(\"abcdef\", 1, ?o)",
    "UCASE(?o)",
    "LCASE(?o)",
    "CONCAT(?o, \"x\")",
    "CONCAT(?o, ?o)",
    "CONCAT(STR(?o), \"x\")",
    "CONCAT(?o, \"x\"@en)",
    "CONCAT()",
    "REGEX(?o, \"b.b\")",
    "REGEX(?o, \"^B\", \"i\")",
    "REGEX(?o, \"b.b\", \"q\")",
    "REGEX(?o, \"(\")",
    "REGEX(?o, \"b\", \"w\")",
    "REGEX(?o, \"a b\", \"x\")",
    "REGEX(STR(?o), \"^[0-9]+$\")",
    "REGEX(?o, ?o)",
    "REPLACE(?o, \"b\", \"c\")",
    "REPLACE(?o, \"(b)(a)?\", \"$2$1\")",
    "REPLACE(STR(?o), \"[0-9]\", \"\", \"i\")",
    "YEAR(?o)",
    "MONTH(?o)",
    "DAY(?o)",
    "HOURS(?o)",
    "MINUTES(?o)",
    "SECONDS(?o)",
    "YEAR(<http://www.w3.org/2001/XMLSchema#dateTime>(?o))",
    "HOURS(<http://www.w3.org/2001/XMLSchema#dateTime>(?o))",
    "YEAR(?o) * 100 + MONTH(?o)",
    "STRLEN(?o) - 1",
    "STRLEN(?o) > 1",
    "<http://www.w3.org/2001/XMLSchema#integer>(?o)",
    "<http://www.w3.org/2001/XMLSchema#integer>(STR(?o)) + 1",
    "<http://www.w3.org/2001/XMLSchema#integer>(STRSTARTS(?o, \"a\"))",
    "<http://www.w3.org/2001/XMLSchema#string>(?o)",
    "STR(?o) = \"5\"",
    "STR(?o) < \"b\"",
    "LCASE(?o) = \"bab\"@en",
    "COALESCE(STRLEN(?o), ?o)",
    "COALESCE(YEAR(?o), STR(?o), \"none\")",
    "COALESCE(?nothing, ?o, 1)",
    "IF(isIRI(?o), \"iri\", ?o)",
    "IF(isLiteral(?o), STRLEN(?o), \"5\"^^<http://www.w3.org/2001/XMLSchema#byte>)",
    "IF(?o, 1, 2)",
    "IF(STRLEN(?o) > 1 || ?o = 5, 1, 2)",
    "IF(BOUND(?o) && !CONTAINS(?o, \"a\"), ?o, 2)",
    "IF(?o > 1, \"more\", \"less\")",
    "IF(?o = \"a\", 1, IF(?o IN (5, \"ab\", <x:i1>), 2, 3))",
    "(STRLEN(?o) > 1) = isLiteral(?o)",
    "!CONTAINS(?o, \"b\")",
    "IF(BOUND(?nothing), 1, STRLEN(?o))",
];

fn change(rng: &mut Rng, store: &Store) {
    let mut transaction = store.begin().expect("a transaction");
    for _ in 0..40 {
        let iri = format!("x:i{}", rng.below(9));
        let (text, tag) = (rng.pick(&TEXTS), rng.pick(&TAGS));
        let (lexical, local) = rng.pick(&TYPED);
        let datatype = format!("{XSD}{local}");
        let object = match rng.below(8) {
            0 => TermRef::Iri(&iri),
            1 => TermRef::Simple(text),
            2 => TermRef::Tagged(text, tag),
            3 => TermRef::Typed(text, "x:datatype"),
            _ => TermRef::Typed(lexical, &datatype),
        };
        let subject = transaction.intern(TermRef::Iri(&format!("x:s{}", rng.below(50))));
        let subject = subject.expect("an id");
        let predicate = transaction.intern(TermRef::Iri("x:p")).expect("an id");
        let object = if rng.one_in(20) {
            transaction.new_blank()
        } else {
            transaction.intern(object).expect("an id")
        };
        transaction.insert(Quad { subject, predicate, object, graph: Id::DEFAULT_GRAPH });
    }
    transaction.commit().expect("a commit");
}

fn rows_of(view: &Snapshot, text: &str, evaluation: Evaluation) -> Vec<String> {
    let options = QueryOptions {
        base: None,
        default_graph: DefaultGraphChoice::Own,
        dataset: None,
        limits: QueryLimits::NONE,
    };
    match ask(view, text, &options, evaluation, &Watch::none()) {
        Ok(Answer::Rows(rows)) => {
            let all = rows.map(|row| format!("{:?}", row.expect("a row").values()));
            let mut lines: Vec<String> = all.collect();
            lines.sort_unstable();
            lines
        }
        _ => panic!("no rows: {text}"),
    }
}

fn check(shape: &dyn Fn(&str) -> String) {
    let first = number("SEED").unwrap_or(0);
    let (mut with_rows, mut all) = (0, 0);
    for seed in first..first + number("STORES").unwrap_or(1) {
        let mut rng = Rng::new(seed);
        let folder = tempfile::tempdir().expect("a folder");
        let store = Store::create(folder.path(), &on_disk()).expect("a store");
        // First all is on disk, then changes are in memory too.
        for round in 0..2 {
            change(&mut rng, &store);
            if round == 0 {
                store.merge().expect("a merge");
            }
            let view = store.snapshot();
            for expression in EXPRESSIONS {
                let text = shape(expression);
                let want = rows_of(&view, &text, Evaluation::Rows(JoinOrder::ByCounts));
                let got = rows_of(&view, &text, Evaluation::Columns);
                assert_eq!(got, want, "seed {seed}, round {round}: {text}");
                with_rows += u64::from(!want.is_empty());
                all += 1;
            }
        }
    }
    assert!(with_rows * 2 > all, "most have rows");
}

#[test]
fn a_computed_column_is_what_the_evaluator_computes() {
    check(&|of| format!("SELECT ?o ({of} AS ?x) {{ ?s <x:p> ?o . ?s <x:p> ?other }}"));
}

#[test]
fn a_filter_lets_the_same_rows_pass() {
    check(&|of| format!("SELECT ?o {{ ?s <x:p> ?o . ?s <x:p> ?other FILTER({of}) }}"));
}

#[test]
fn groups_have_the_same_keys() {
    check(&|of| {
        let by = format!("GROUP BY ({of} AS ?x)");
        format!("SELECT ?x (COUNT(*) AS ?n) {{ ?s <x:p> ?o . ?s <x:p> ?other }} {by}")
    });
}

#[test]
fn computed_terms_are_arguments_too() {
    check(&|of| {
        let made = "BIND(COALESCE(SUBSTR(?m, 2), STRLEN(STR(?m)), ?m) AS ?o)";
        format!("SELECT ?o ({of} AS ?x) {{ ?s <x:p> ?m . ?s <x:p> ?other {made} }}")
    });
}
