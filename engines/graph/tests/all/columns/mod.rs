//! Vectorised queries against the same queries row by row: over stores with merged and unmerged
//! changes, removals and named graphs.

mod deep;
mod memory;
mod numbers;
mod stores;
mod twin;

use std::sync::atomic::AtomicUsize;
use std::sync::atomic::Ordering::Relaxed;

use manicule_core::watch::Watch;
use manicule_graph::Store;
use manicule_graph::sparql::{
    Answer, Explain, Operator, QueryLimits, QueryOptions, QueryThreads, explain, query,
};
use manicule_graphs::Evaluation;
use manicule_testkit::Rng;

use crate::common::on_disk;
use stores::{LIMITS_OF_TWO, OPTIONS, TWO_THREADS, change, check_all, rows_by, rows_of};

#[test]
fn counts_of_one_pattern() {
    let queries = [
        "SELECT (COUNT(*) AS ?n) { ?s ?p ?o }",
        "SELECT (COUNT(?s) AS ?n) { ?s :p1 ?o }",
        "SELECT (COUNT(*) AS ?n) { ?s ?p ?s }",
        "SELECT (COUNT(*) AS ?n) { GRAPH ?g { ?s ?p ?o } }",
        "SELECT (COUNT(*) AS ?n) { GRAPH :g1 { ?s :p1 ?o } }",
        "SELECT (COUNT(DISTINCT ?p) AS ?n) (COUNT(*) AS ?m) { ?s ?p ?o }",
        "SELECT (COUNT(DISTINCT ?g) AS ?n) { GRAPH ?g { ?s ?p ?o } }",
        "SELECT (COUNT(DISTINCT ?s) AS ?n) { ?s ?p ?o }",
        "SELECT ?p (COUNT(*) AS ?n) { ?s ?p ?o } GROUP BY ?p",
        "SELECT ?p (COUNT(*) AS ?n) { ?s ?p ?o } GROUP BY ?p HAVING (COUNT(?s) > 20)",
        "SELECT ?s (COUNT(?o) AS ?n) { ?s ?p ?o } GROUP BY ?s",
        "SELECT ?o (COUNT(?s) AS ?n) { ?s :p2 ?o } GROUP BY ?o ORDER BY DESC(?n) ?o LIMIT 3",
        "SELECT ?s (COUNT(?o) AS ?n) { ?s :p2 ?o } GROUP BY ?s",
        "SELECT ?g (COUNT(*) AS ?n) { GRAPH ?g { ?s ?p ?o } } GROUP BY ?g",
        "SELECT ?p (COUNT(*) AS ?n) { GRAPH ?g { ?s ?p ?o } } GROUP BY ?p",
        "SELECT ?s (COUNT(*) AS ?n) { GRAPH :g2 { ?s ?p ?o } } GROUP BY ?s",
    ];
    check_all(&queries);
}

#[test]
fn counts_of_joins_without_their_rows() {
    let queries = [
        "SELECT (COUNT(*) AS ?n) { ?s :p1 ?x . ?s :p2 ?y }",
        "SELECT (COUNT(*) AS ?n) { ?s :p1 ?x . ?x :p2 ?y . ?y :p3 ?z }",
        "SELECT (COUNT(*) AS ?n) (COUNT(?s) AS ?m) { ?s :p1 ?x ; :p2 ?y ; :p3 ?z . ?z :p1 ?w }",
        "SELECT ?s (COUNT(*) AS ?n) { ?s :p1 ?x ; :p2 ?y ; :p3 ?z } GROUP BY ?s",
        "SELECT ?z (COUNT(?y) AS ?n) { ?s :p1 ?x . ?x :p2 ?y . ?y :p3 ?z } GROUP BY ?z",
        "SELECT (COUNT(*) AS ?n) { ?s :p1 ?x . ?t :p2 ?y . ?t :p3 ?z }",
        "SELECT (COUNT(*) AS ?n) { ?s :p1 ?x OPTIONAL { ?s :p2 ?y } }",
        "SELECT (COUNT(?y) AS ?n) { ?s :p1 ?x OPTIONAL { ?s :p2 ?y } }",
        "SELECT ?x (COUNT(*) AS ?n) { ?s :p1 ?x OPTIONAL { ?s :p2 ?y } } GROUP BY ?x",
        "SELECT ?y (COUNT(*) AS ?n) { ?s :p1 ?x OPTIONAL { ?s :p2 ?y } } GROUP BY ?y",
        "SELECT (COUNT(*) AS ?n) { ?s :p1 ?x OPTIONAL { ?s :p2 ?y FILTER(?y > 3) } }",
        "SELECT (COUNT(*) AS ?n) { ?s :p1 ?x OPTIONAL { ?s :p2 ?y FILTER(?y = ?x) } }",
        "SELECT (COUNT(*) AS ?n) { ?s :p1 ?x OPTIONAL { ?s :p2 ?y } OPTIONAL { ?s :p3 ?z } OPTIONAL { ?y :p3 ?w } }",
        "SELECT (COUNT(*) AS ?n) { ?s :p1 ?x . ?x :p2 ?y OPTIONAL { ?y :p3 ?z OPTIONAL { ?z :p1 ?w } } }",
        "SELECT (COUNT(*) AS ?n) { ?s :p1 ?x OPTIONAL { ?t :p2 ?y } }",
        "SELECT (COUNT(*) AS ?n) { ?s :p1 ?x OPTIONAL { ?t :nowhere ?y } }",
        "SELECT (COUNT(*) AS ?n) { ?s :p1 ?x OPTIONAL { ?s :p2 ?x } }",
        "SELECT (COUNT(*) AS ?n) { ?s :p1 ?x OPTIONAL { ?s :p2 ?y } ?t :p3 ?y }",
        "SELECT (COUNT(*) AS ?n) { ?s :p1 ?x MINUS { ?s :p2 ?y } }",
        "SELECT (COUNT(*) AS ?n) { ?s :p1 ?x MINUS { ?t :p2 ?y } }",
        "SELECT (COUNT(*) AS ?n) { ?s :p1 ?x OPTIONAL { ?s :p2 ?y } MINUS { ?y :p3 ?z } }",
        "SELECT (COUNT(*) AS ?n) { ?s :p1 ?x . ?x :p2 ?y MINUS { ?x :p3 ?z . ?z :p1 ?w } }",
        "SELECT ?x (COUNT(*) AS ?n) { ?s :p1 ?x MINUS { ?s :p2 ?y } } GROUP BY ?x",
        "SELECT (COUNT(*) AS ?n) { { ?s :p1 ?x } UNION { ?s :p2 ?x } }",
        "SELECT (COUNT(*) AS ?n) { { ?s :p1 ?x } UNION { ?t :p2 ?x } ?x :p3 ?y }",
        "SELECT (COUNT(*) AS ?n) { { ?s :p1 ?x } UNION { ?t :p2 ?x } ?s :p3 ?y }",
        "SELECT (COUNT(?s) AS ?n) { { ?s :p1 ?x } UNION { ?t :p2 ?x } }",
        "SELECT ?x (COUNT(*) AS ?n) { { ?s :p1 ?x OPTIONAL { ?x :p3 ?z } } UNION { ?x :p2 ?s } } GROUP BY ?x",
        "SELECT (COUNT(*) AS ?n) { { ?s :p1 ?x } UNION { ?s :p2 ?x } FILTER(?s = ?x) }",
        "SELECT (COUNT(*) AS ?n) { { ?s :p1 ?x } UNION { ?s :p2 ?x } FILTER(?x > 4 || ?s != ?x) ?s :p3 ?z FILTER(?z >= 2.5) }",
        "SELECT (COUNT(*) AS ?n) { ?s :p1 ?x FILTER(?x >= 4) }",
        "SELECT ?x (COUNT(?s) AS ?n) { ?s :p1 ?x FILTER(?x >= 4 && ?x != 7) } GROUP BY ?x",
        "SELECT (COUNT(*) AS ?n) { ?s :p1 ?x FILTER(!(?x >= 4) && isNumeric(?x)) }",
        "SELECT (COUNT(*) AS ?n) { ?s ?p ?s OPTIONAL { ?s :p2 ?y } }",
        "SELECT ?p (COUNT(*) AS ?n) { ?s ?p ?x OPTIONAL { ?s :p2 ?y } } GROUP BY ?p",
        "SELECT (COUNT(*) AS ?n) { ?s :p1 ?x . ?t :p2 ?x OPTIONAL { ?t :p3 ?y } }",
        "SELECT (COUNT(*) AS ?n) { ?s :p1 ?x FILTER EXISTS { ?s :p2 ?y } FILTER NOT EXISTS { ?x :p3 ?z } }",
        "SELECT (COUNT(*) AS ?n) { ?s :p1 ?x FILTER NOT EXISTS { ?s :p2 ?y FILTER(?y > 3) } }",
        "SELECT (COUNT(*) AS ?n) { ?s :p1 ?x FILTER NOT EXISTS { ?s :p2 ?y FILTER(?y > ?x) } }",
        "SELECT (COUNT(*) AS ?n) { ?s :p1 ?x { ?t :p2 ?y FILTER EXISTS { ?y :p3 ?s } } }",
        "SELECT ?x (COUNT(*) AS ?n) { ?s :p1 ?x FILTER EXISTS { ?s :p2 ?y . ?y :p3 ?z } } GROUP BY ?x",
        "SELECT (COUNT(*) AS ?n) { GRAPH :g1 { ?s :p1 ?x } OPTIONAL { ?s :p2 ?y } }",
        "SELECT (COUNT(*) AS ?n) { GRAPH :g1 { ?s :p1 ?x OPTIONAL { ?s :p2 ?y } } OPTIONAL { GRAPH :g2 { ?s :p3 ?z } } }",
        "SELECT (COUNT(*) AS ?n) { GRAPH ?g { ?s :p1 ?x OPTIONAL { ?s :p2 ?y } } }",
        "SELECT (COUNT(*) AS ?n) { ?s :nowhere ?x OPTIONAL { ?s :p2 ?y } }",
        "SELECT ?x (COUNT(*) AS ?n) { ?s :p1 ?x OPTIONAL { ?s :p2 ?y } } GROUP BY ?x HAVING (COUNT(*) > 2)",
        "SELECT (COUNT(*) AS ?n) { ?s :p1 ?x . ?x :p2 ?y . ?y :p3 ?s }",
        "SELECT (COUNT(*) AS ?n) { ?s :p1 ?x . ?t :p2 ?x . ?t :p3 ?y . ?s :p2 ?y }",
        "SELECT (COUNT(*) AS ?n) { { ?s :p1 ?x MINUS { ?s :p3 ?w } } UNION { ?s :p2 ?x OPTIONAL { ?s :p3 ?w } } ?s :p1 ?z OPTIONAL { ?z :p2 ?u } }",
    ];
    check_all(&queries);
}

#[test]
fn counts_of_a_merged_store_read_no_quad() {
    let folder = tempfile::tempdir().expect("a folder");
    let store = Store::create(folder.path(), &on_disk()).expect("a store");
    let mut rng = Rng::new(1);
    change(&mut rng, &store, 500);
    store.merge().expect("a merge");
    change(&mut rng, &store, 50);
    for text in [
        "SELECT (COUNT(*) AS ?n) { ?s ?p ?o }",
        "SELECT ?p (COUNT(*) AS ?n) { ?s ?p ?o } GROUP BY ?p",
        "SELECT ?g (COUNT(*) AS ?n) { GRAPH ?g { ?s ?p ?o } } GROUP BY ?g",
    ] {
        let (rows, work) = rows_of(&store.snapshot(), text, Evaluation::Columns);
        assert!(!rows.is_empty(), "{text}: {work:?}");
        assert_eq!(work.quads, 0, "{text}: {work:?}");
    }
}

#[test]
fn aggregates_of_joins() {
    let queries = [
        "SELECT ?c (COUNT(*) AS ?n) (SUM(?x) AS ?a) { ?s :p1 ?c ; :p2 ?x FILTER(isNumeric(?x)) } GROUP BY ?c",
        "SELECT ?c (COUNT(*) AS ?n) { ?s :p1 ?c . ?c :p2 ?x } GROUP BY ?c",
        "SELECT ?c (COUNT(?x) AS ?n) (MIN(?x) AS ?lo) (MAX(?x) AS ?hi) { ?s :p1 ?c ; :p2 ?x } GROUP BY ?c",
        "SELECT (COUNT(*) AS ?n) { ?s :p1 ?c . ?c ?p ?x . ?x ?q ?y }",
        "SELECT (COUNT(*) AS ?n) { ?s :p1 ?x . ?t :p2 ?y }",
        "SELECT ?s ?c (COUNT(DISTINCT ?x) AS ?n) { ?s :p1 ?c ; ?p ?x } GROUP BY ?s ?c",
        "SELECT ?p ?q (COUNT(*) AS ?n) { ?s ?p ?x ; ?q ?x } GROUP BY ?p ?q",
        "SELECT (SUM(?n) AS ?m) (AVG(?n) AS ?a) { { SELECT ?s (COUNT(*) AS ?n) { ?s ?p ?o } GROUP BY ?s } ?s :p1 ?x }",
        "SELECT ?g (COUNT(DISTINCT ?s) AS ?n) { GRAPH ?g { ?s ?p ?o . ?o ?q ?x } } GROUP BY ?g",
        "SELECT ?g (COUNT(*) AS ?n) { GRAPH ?g { ?s :p1 ?o } ?s :p2 ?x } GROUP BY ?g",
        "SELECT ?x (COUNT(*) AS ?n) { ?s ?p ?s ; ?q ?x } GROUP BY ?x",
        "SELECT ?c (SUM(?x + 1) AS ?n) { ?s :p1 ?c ; :p2 ?x FILTER(isNumeric(?x)) } GROUP BY ?c",
        "SELECT ?c (COUNT(*) AS ?n) { ?s :p1 ?c ; :p2 ?x FILTER(?x > 4) } GROUP BY ?c",
        "SELECT ?c (COUNT(*) AS ?n) { ?s :p1 ?c ; :p2 ?x FILTER EXISTS { ?x :p3 ?y } } GROUP BY ?c",
        "SELECT ?c (COUNT(?y) AS ?n) { ?s :p1 ?c OPTIONAL { ?s :p2 ?y } } GROUP BY ?c",
        "SELECT ?a ?b ?c { ?a :p1 ?b . ?b ?p ?c . ?c ?q ?a }",
        "SELECT * { ?a ?p ?b . ?b :p1 ?c FILTER(?a != ?c) }",
        "SELECT * { ?a :p1 ?b . ?b :p2 ?c . ?c ?p ?d BIND(CONCAT(STR(?a), STR(?b), STR(?c), STR(?d)) AS ?t) }",
        "SELECT * { ?a :p1 ?b . ?b :p2 ?c BIND(EXISTS { ?c :p3 ?d } AS ?e) } ORDER BY ?e (EXISTS { ?a :p3 ?c })",
    ];
    check_all(&queries);
}

#[test]
fn patterns_that_close_cycles() {
    let queries = [
        "SELECT ?a ?b ?c { ?a :p1 ?b . ?b :p2 ?c . ?c :p3 ?a }",
        "SELECT * { ?a ?p ?b . ?c ?p ?b . ?a ?q ?c FILTER(STR(?p) < STR(?q)) }",
        "SELECT DISTINCT ?a ?b { ?a :p1 ?f ; :p2 ?m . ?b :p1 ?f ; :p2 ?m FILTER(STR(?a) < STR(?b)) }",
        "SELECT ?a ?b (COUNT(*) AS ?n) { ?a :p1 ?f , ?k . ?b :p1 ?f , ?k FILTER(STR(?a) < STR(?b)) } GROUP BY ?a ?b",
        "SELECT * { ?a :p1 ?f ; :p2 ?m . ?b :p1 ?f ; :p2 ?m . GRAPH :g1 { ?a ?p ?b } }",
        "SELECT (COUNT(*) AS ?n) { ?a ?p ?f ; ?q ?m . ?b ?p ?f ; ?q ?m }",
        "SELECT ?g (COUNT(*) AS ?n) { GRAPH ?g { ?a ?p ?f ; ?q ?m . ?b ?p ?f ; ?q ?m } } GROUP BY ?g",
        "SELECT ?a ?b { ?a :p1 ?f . ?b :p1 ?f . ?a :p2 5 . ?b ?p ?a . ?f ?q ?b }",
        "SELECT * { ?a :p1 ?f . ?b :p1 ?f ; :p2 ?m OPTIONAL { ?m :p3 ?x } ?a :p2 ?m . ?b :p3 ?x }",
        "SELECT * { ?a ?p ?b . ?b ?q ?c . ?a ?q ?c FILTER(?a != ?b && ?p != ?q) }",
    ];
    check_all(&queries);
}

#[test]
fn aggregates_of_any_values() {
    let queries = [
        "SELECT ?c (SUM(?x) AS ?a) (AVG(?x) AS ?b) { ?s :p1 ?c ; :p2 ?x FILTER(isNumeric(?x)) } GROUP BY ?c",
        "SELECT (SUM(?x) AS ?a) (AVG(?x) AS ?b) { ?s :p2 ?x FILTER(isNumeric(?x)) }",
        "SELECT ?s (SUM(?x) AS ?a) (AVG(?x) AS ?b) { ?s :p1 ?x } GROUP BY ?s",
        "SELECT ?s (SUM(?x) AS ?a) { ?s :p1 ?c OPTIONAL { ?s :p2 ?x FILTER(isNumeric(?x)) } } GROUP BY ?s",
        "SELECT ?c (AVG(<http://www.w3.org/2001/XMLSchema#double>(STR(?x))) AS ?a) { ?s :p1 ?c ; :p2 ?x } GROUP BY ?c",
        "SELECT ?s (MIN(?x) AS ?lo) (MAX(?x) AS ?hi) { ?s :p1 ?c OPTIONAL { ?s :p2 ?x } } GROUP BY ?s",
        "SELECT ?s (MIN(STRLEN(STR(?x))) AS ?lo) (MAX(UCASE(STR(?x))) AS ?hi) { ?s :p1 ?x } GROUP BY ?s",
        "SELECT ?s (STRLEN(GROUP_CONCAT(?x; SEPARATOR=', ')) AS ?n) { ?s :p1 ?x } GROUP BY ?s",
        "SELECT ?s (STRLEN(GROUP_CONCAT(DISTINCT ?y)) AS ?n) { ?s :p1 ?x . ?x ?p ?y } GROUP BY ?s",
        "SELECT ?s (GROUP_CONCAT(DISTINCT ?s) AS ?n) (SAMPLE(?s) AS ?m) { ?s :p1 ?x } GROUP BY ?s",
        "SELECT ?t ?n { { SELECT (GROUP_CONCAT(DISTINCT ?s) AS ?n) { ?s :p1 ?x } GROUP BY ?s } ?t ?p ?n }",
        "SELECT ?t ?n { { SELECT ?s (GROUP_CONCAT(DISTINCT ?s) AS ?n) { ?s :p1 ?x } GROUP BY ?s } ?t ?p ?y FILTER(?n = ?y) }",
        "SELECT (STRLEN(GROUP_CONCAT(?x)) AS ?n) { :nowhere :p1 ?x }",
        "SELECT ?s (STRLEN(GROUP_CONCAT(?x)) AS ?n) { ?s :p1 ?c OPTIONAL { ?s :p2 ?x } } GROUP BY ?s",
        "SELECT ?s (COUNT(DISTINCT *) AS ?n) { ?s ?p ?x } GROUP BY ?s",
        "SELECT (COUNT(DISTINCT *) AS ?n) { ?s :p1 ?x OPTIONAL { ?x :p2 ?y } }",
        "SELECT ?x (COUNT(DISTINCT *) AS ?n) { { ?s :p1 ?x } UNION { ?t :p2 ?x } UNION { ?t :p2 ?x } } GROUP BY ?x",
        "SELECT ?s (SAMPLE(?y) AS ?n) { ?s :p1 ?x OPTIONAL { ?s :nowhere ?y } } GROUP BY ?s",
    ];
    check_all(&queries);
}

#[test]
fn exists_with_filters_that_see_the_row() {
    let queries = [
        "SELECT * { ?s :p1 ?x FILTER EXISTS { ?s :p2 ?y FILTER(?y != ?x) } }",
        "SELECT * { GRAPH ?g { ?s :p1 ?x FILTER EXISTS { ?s :p2 ?y . ?t :p3 ?y } } }",
        "SELECT * { GRAPH ?g { ?s :p1 ?x FILTER NOT EXISTS { ?s :p2 ?y } } }",
        "SELECT * { ?s :p1 ?x FILTER NOT EXISTS { ?s :p2 ?y FILTER(?y < ?x) } }",
        "SELECT * { ?s :p1 ?x FILTER EXISTS { ?t :p2 ?y . ?y :p1 ?z FILTER(?z = ?x && ?t != ?s) } }",
        "SELECT * { ?s :p1 ?x OPTIONAL { ?x :p2 ?w } FILTER EXISTS { ?s :p2 ?y FILTER(!BOUND(?w) || ?y != ?w) } }",
        "SELECT * { ?s :p1 ?x FILTER NOT EXISTS { ?s :p2 ?y FILTER NOT EXISTS { ?y :p3 ?z } } }",
        "SELECT * { ?s :p1 ?x FILTER NOT EXISTS { ?s :p2 ?y FILTER NOT EXISTS { ?y :p3 ?x } } }",
        "SELECT * { ?s :p1 ?x FILTER EXISTS { ?s :p2 ?y FILTER(EXISTS { ?y :p3 ?z FILTER(?z != ?x) } || ?y = ?x) } }",
        "SELECT ?x (COUNT(*) AS ?n) { ?s :p1 ?x FILTER EXISTS { { ?s :p2 ?y } UNION { ?s :p3 ?y } FILTER(?y != ?x) } } GROUP BY ?x",
    ];
    check_all(&queries);
}

#[test]
fn comparisons_of_two_variables() {
    let queries = [
        "SELECT * { ?s :p1 ?x . ?t :p1 ?x FILTER(STR(?s) < STR(?t)) }",
        "SELECT * { ?s :p1 ?x . ?s :p2 ?y FILTER(STR(?x) >= ?y) }",
        "SELECT * { ?s :p1 ?x . ?s :p2 ?y FILTER(?x < ?y) }",
        "SELECT * { ?s :p1 ?x . ?s :p2 ?y FILTER(STRLEN(STR(?x)) <= STRLEN(STR(?y))) }",
        "SELECT * { ?s :p1 ?x . ?t :p2 ?x FILTER(UCASE(STR(?s)) = UCASE(STR(?t))) }",
        "SELECT * { ?s :p1 ?x . ?s :p2 ?y FILTER(?x + 1 > ?y * 2) }",
        "SELECT * { ?s :p1 ?x . ?s :p2 ?y FILTER(!(?x + 1 = ?y)) }",
        "SELECT * { ?s :p1 ?x OPTIONAL { ?s :p2 ?y } FILTER(STR(?x) > STR(?y) || !BOUND(?y)) }",
        "SELECT * { ?s :p1 ?x . ?s :p2 ?y FILTER(sameTerm(STR(?x), STR(?y))) }",
    ];
    check_all(&queries);
}

#[test]
fn orders_of_terms() {
    let queries = [
        "SELECT ?o { SELECT DISTINCT ?o { ?s ?p ?o } ORDER BY ?o LIMIT 7 }",
        "SELECT ?o { SELECT DISTINCT ?o { ?s ?p ?o } ORDER BY DESC(?o) OFFSET 2 LIMIT 9 }",
        "SELECT ?o { SELECT DISTINCT ?o { ?s ?p ?o FILTER(isIRI(?o)) } ORDER BY ?o LIMIT 5 }",
        "SELECT ?o { SELECT DISTINCT ?o { ?s ?p ?o FILTER(DATATYPE(?o) = <http://www.w3.org/2001/XMLSchema#string>) } ORDER BY DESC(?o) LIMIT 3 }",
        "SELECT ?s ?o { ?s :p1 ?o } ORDER BY ?o DESC(?s) LIMIT 12",
        "SELECT (MIN(?o) AS ?a) (MAX(?o) AS ?b) { ?s ?p ?o }",
        "SELECT ?s (MIN(?o) AS ?a) (MAX(?o) AS ?b) { ?s ?p ?o FILTER(isIRI(?o)) } GROUP BY ?s",
        "SELECT (MIN(?s) AS ?a) (MAX(?s) AS ?b) (MIN(?p) AS ?c) (MAX(?p) AS ?d) { ?s ?p ?o }",
        "SELECT ?a ?b { ?s :p1 ?a . ?s :p2 ?b FILTER(?a < ?b) }",
        "SELECT ?a ?b { ?s :p1 ?a . ?t :p2 ?b FILTER(?a >= ?b && ?s = ?t) }",
    ];
    check_all(&queries);
}

#[test]
fn kinds_of_terms() {
    let queries = [
        "SELECT * { ?s ?p ?x FILTER(isLiteral(?x)) }",
        "SELECT * { ?s :p1 ?x . ?x :p2 ?y FILTER(isIRI(?x) && !isBlank(?y)) }",
        "SELECT * { ?s :p1 ?x BIND(IRI(CONCAT(STR(?s), 'a')) AS ?y) FILTER(isIRI(?y)) }",
        "SELECT * { ?s :p1 ?x BIND(IF(?x > 3, ?s, STR(?x)) AS ?y) FILTER(isLiteral(?y) || isBlank(?y)) }",
        "SELECT * { ?s :p1 ?x OPTIONAL { ?s :p2 ?y } FILTER(!isIRI(?y)) }",
        "SELECT * { ?s :p1 ?x FILTER(!isIRI(?nothing) || isLiteral(?x)) }",
    ];
    check_all(&queries);
}

#[test]
fn triples_of_templates() {
    let queries = [
        "CONSTRUCT { ?y :of ?s } { ?s :p1 ?x . ?x :p2 ?y }",
        "CONSTRUCT { ?s :is ?y . ?y :was ?s . :one :has 'this'@en } { ?s :p1 ?y }",
        "CONSTRUCT { ?s ?y ?x } { ?s :p1 ?x OPTIONAL { ?x :p2 ?y } }",
        "CONSTRUCT { [] :from ?s ; :to _:x . _:x :is ?y } { ?s :p1 ?x . ?x :p2 ?y }",
        "CONSTRUCT { ?s :longer ?z ; :nothing ?nothing } { ?s :p1 ?x BIND(STRLEN(STR(?x)) + 1 AS ?z) }",
        "CONSTRUCT WHERE { ?s :p1 ?x . ?x :p2 ?y }",
        "CONSTRUCT { ?s :sum ?n } { SELECT ?s (SUM(?x) AS ?n) { ?s :p1 ?x FILTER(isNumeric(?x)) } GROUP BY ?s }",
        "CONSTRUCT { } { ?s :p1 ?x }",
        "CONSTRUCT { ?x :p1 ?s } { ?s :p1 ?x } ORDER BY ?x ?s LIMIT 7",
    ];
    check_all(&queries);
}

#[test]
fn graphs_that_a_query_names() {
    let queries = [
        "SELECT * FROM :g1 { ?s :p1 ?x . ?x :p2 ?y }",
        "SELECT * FROM :g1 FROM :g2 { ?s :p1 ?x OPTIONAL { ?x :p2 ?y } }",
        "SELECT ?p (COUNT(*) AS ?n) FROM :g1 FROM :g2 FROM :g3 { ?s ?p ?x } GROUP BY ?p",
        "SELECT ?g (COUNT(*) AS ?n) FROM NAMED :g1 FROM NAMED :g2 { GRAPH ?g { ?s ?p ?x } } GROUP BY ?g",
        "SELECT (COUNT(*) AS ?n) FROM :g1 FROM :g2 { ?s :p1 ?x . ?x :p2 ?y }",
        "SELECT (COUNT(*) AS ?n) FROM :g1 FROM :g2 { ?s :p1 ?x OPTIONAL { ?s :p2 ?y } }",
        "SELECT ?x (COUNT(*) AS ?n) FROM :g1 FROM :g2 { { ?s :p1 ?x } UNION { ?s :p2 ?x } } GROUP BY ?x",
        "SELECT * FROM :g1 FROM NAMED :g2 { ?s :p1 ?x GRAPH ?g { ?x ?p ?y } }",
        "SELECT (COUNT(*) AS ?n) FROM NAMED :g1 { GRAPH :g2 { ?s ?p ?x } }",
        "SELECT ?g ?x FROM NAMED :g1 FROM NAMED :g2 { GRAPH ?g { :s1 :p1* ?x } }",
        "SELECT * { GRAPH ?g { ?x :p1+ ?y } }",
        "SELECT * { GRAPH ?g { { SELECT ?x (COUNT(*) AS ?n) { ?x :p1 ?y } GROUP BY ?x } } }",
        "SELECT * { GRAPH ?g { ?x :p1 ?y MINUS { ?y :p2 ?z } } }",
        "SELECT * { :s1 :p1 ?x GRAPH ?g { { SELECT (MAX(?y) AS ?m) { ?s :p2 ?y } } } }",
        "SELECT * { GRAPH ?g { OPTIONAL { ?x :p1 ?g } } }",
        "DESCRIBE ?x { :s1 :p1 ?x }",
        "DESCRIBE ?s ?x FROM :g1 FROM :g2 { ?s :p1 ?x . ?x :p2 ?y }",
        "DESCRIBE :s1 :s2 :nowhere",
        "ASK { SELECT (COUNT(*) AS ?n) { ?s :p1 ?x } HAVING (COUNT(*) > 20) }",
    ];
    check_all(&queries);
}

#[test]
fn property_paths() {
    let queries = [
        "SELECT * { :s1 :p1+ ?x }",
        "SELECT * { :s1 :p1* ?x }",
        "SELECT * { ?x :p1+ :s3 }",
        "SELECT * { ?x :p1* :s3 }",
        "SELECT * { ?x (:p1|:p2)+ ?y }",
        "SELECT (COUNT(*) AS ?n) { ?x :p1* ?y }",
        "SELECT * { ?x :p1? ?y }",
        "SELECT * { :s2 :p1? ?y }",
        "SELECT * { :nowhere :p1* ?y }",
        "SELECT * { ?x :p1+ ?x }",
        "SELECT * { ?x (:p1/:p2)* ?x }",
        "SELECT * { :s1 (:p1/^:p2)+ ?x }",
        "SELECT * { ?x ^(:p1+) :s4 }",
        "SELECT * { ?x (:p1/:p2?)+ ?y . ?y :p3 ?z }",
        "SELECT * { ?x !(:p1|:p2) ?y }",
        "SELECT * { :s1 !(:p1|^:p2) ?y }",
        "SELECT * { :s1 (!:p1)+ ?y }",
        "SELECT * { :s1 (^!:p1)* ?y }",
        "SELECT * { ?x :p1 ?y . ?y :p2* ?z }",
        "SELECT * { ?x :p1 ?y . ?z :p2* ?y }",
        "SELECT * { ?x :p1 ?y . ?x :p2+ ?y }",
        "SELECT * { VALUES ?x { :s1 :nowhere 3 } ?x :p1* ?y }",
        "SELECT * { GRAPH :g1 { ?x :p1* ?y } }",
        "SELECT * { GRAPH :g1 { :s1 (:p1|:p2)+ ?y } }",
        "SELECT ?y (COUNT(*) AS ?n) { ?x (:p1|:p3)* ?y } GROUP BY ?y",
        "SELECT * { ?x :p1 ?y OPTIONAL { ?y :p2+ ?z } }",
        "SELECT * { :s1 :p1* ?x . ?y :p2 ?x . ?y :p3?/:p1 ?z }",
        "SELECT * { :s1 :p1+ ?x . ?x :p2+ ?y . ?y :p3 ?z FILTER(?z != ?x) }",
        "SELECT * { ?x :p1 ?y MINUS { ?y (:p2|:p3)+ ?x } }",
        "SELECT * { :s1 :p1* :s2 . ?x :p2 ?y }",
        "SELECT * { { :s1 (:p1|:p2)* ?x } UNION { ?x (:p3)+ :s2 } }",
        "SELECT DISTINCT ?x { ?x (:p1|(:p2/:p3))+ ?y }",
    ];
    check_all(&queries);
}

#[test]
fn joins_on_what_some_rows_leave_unbound() {
    let queries = [
        "SELECT * { ?s :p1 ?x OPTIONAL { ?s :p2 ?y } ?t :p3 ?y }",
        "SELECT * { ?s :p1 ?x OPTIONAL { ?s :p2 ?y } OPTIONAL { ?x :p3 ?y } }",
        "SELECT * { ?s :p1 ?x OPTIONAL { ?s :p2 ?y } MINUS { ?t :p3 ?y ; :p1 ?x } }",
        "SELECT * { ?s :p1 ?x MINUS { ?s :p2 ?y OPTIONAL { ?y :p3 ?x } } }",
        "SELECT * { { ?s :p1 ?x } UNION { ?s :p2 ?y } { ?t :p3 ?x } UNION { ?t :p2 ?y } }",
        "SELECT * { VALUES (?s ?x) { (:s1 UNDEF) (UNDEF :s2) (:s3 4) } ?s ?p ?x }",
        "SELECT * { VALUES (?s ?x) { (:s1 UNDEF) (UNDEF :s2) } VALUES (?s ?x) { (UNDEF :s2) (:s1 :s2) } }",
        "SELECT * { ?s :p1 ?x OPTIONAL { ?s :p2 ?y } FILTER EXISTS { ?y :p1 ?z } }",
        "SELECT ?y (COUNT(*) AS ?n) { ?s :p1 ?x OPTIONAL { ?s :p2 ?y } ?t ?p ?y } GROUP BY ?y",
        "SELECT * { ?s :p1 ?x OPTIONAL { ?s :p2 ?y FILTER(?y != ?x) } { SELECT ?y { ?y :p3 ?z } } }",
    ];
    check_all(&queries);
}

#[test]
fn a_query_that_is_stopped_anywhere_gives_an_error_and_no_answer() {
    let folder = tempfile::tempdir().expect("a folder");
    let store = Store::create(folder.path(), &on_disk()).expect("a store");
    change(&mut Rng::new(3), &store, 3000);
    let view = store.snapshot();
    for (text, options) in [
        ("SELECT * { ?s ?p ?x . ?x ?q ?y } ORDER BY ?y ?s DESC(?x)", OPTIONS),
        ("SELECT ?s (COUNT(*) AS ?n) { ?s (<x:p1>|<x:p2>)+ ?x } GROUP BY ?s", OPTIONS),
        (PAST, TWO_THREADS),
        (CLOSED, TWO_THREADS),
    ] {
        let mut stopped = 0;
        for looks in 0..100 {
            let asked = AtomicUsize::new(0);
            let stop = || asked.fetch_add(1, Relaxed) >= looks;
            let watch = Watch::new(&|_| (), &stop);
            match query(&view, text, &options, &watch) {
                Err(error) => {
                    assert_eq!(error.to_string(), "stopped before its end", "{text}");
                    stopped += 1;
                }
                Ok(Answer::Rows(_)) => {}
                Ok(_) => panic!("no rows: {text}"),
            }
        }
        println!("{stopped} looks: {text}");
        assert!((5..100).contains(&stopped), "{stopped} looks: {text}");
    }
}

/// A join of more rows than its last pattern has quads.
const PAST: &str =
    "SELECT ?s ?x ?y { ?s <x:p1> ?x . ?z <x:p2> ?x . ?z <x:p3> ?y } GROUP BY ?s ?x ?y";
/// The same, where another pattern closes a cycle.
const CLOSED: &str = "SELECT ?s ?x ?y { ?s <x:p1> ?x . ?z <x:p2> ?x . ?z <x:p3> ?y . ?s <x:p0> ?y } GROUP BY ?s ?x ?y";

/// The most threads that an operator had.
fn threads_of(operator: &Operator) -> usize {
    let own = operator.done.map_or(0, |done| done.threads);
    operator.inside.iter().map(threads_of).fold(own, usize::max)
}

#[test]
fn rows_of_several_threads_come_in_the_order_of_one() {
    let folder = tempfile::tempdir().expect("a folder");
    let store = Store::create(folder.path(), &on_disk()).expect("a store");
    change(&mut Rng::new(5), &store, 1500);
    let view = store.snapshot();
    for text in [PAST, CLOSED] {
        let (want, one) = rows_by(&view, text, &OPTIONS);
        assert!(want.len() > 100, "{} rows: {text}", want.len());
        for count in 2..5 {
            let threads = QueryThreads { count, rows_min: 0 };
            let limits = QueryLimits { threads, ..QueryLimits::NONE };
            let options = QueryOptions { limits, ..OPTIONS };
            let (got, several) = rows_by(&view, text, &options);
            assert!(got == want, "{count} threads: {text}");
            assert_eq!(several, one, "{count} threads cost the same: {text}");
            let watch = Watch::none();
            let explained = explain(&view, text, &options, Explain::Analyze, &watch, || 0);
            assert_eq!(threads_of(&explained.expect("a plan").plan), count, "{text}");
            // No room for what threads have ready: one thread does it.
            let limits = QueryLimits { memory_max: 1 << 20, ..limits };
            let options = QueryOptions { limits, ..OPTIONS };
            let explained = explain(&view, text, &options, Explain::Analyze, &watch, || 0);
            assert_eq!(threads_of(&explained.expect("a plan").plan), 1, "{text}");
        }
    }
}

#[test]
fn threads_keep_to_the_limit_of_quads() {
    let folder = tempfile::tempdir().expect("a folder");
    let store = Store::create(folder.path(), &on_disk()).expect("a store");
    change(&mut Rng::new(5), &store, 1500);
    let view = store.snapshot();
    for text in [PAST, CLOSED] {
        let quads = rows_by(&view, text, &OPTIONS).1.quads;
        for (quads_max, is_whole) in [(quads, true), (quads - 1, false)] {
            let options =
                QueryOptions { limits: QueryLimits { quads_max, ..LIMITS_OF_TWO }, ..OPTIONS };
            let watch = Watch::none();
            assert_eq!(query(&view, text, &options, &watch).is_ok(), is_whole, "{text}");
        }
    }
}
