//! `manicule graph`: stores that are loaded, asked, changed and exported by the program, judged by
//! Jena's states of golden updates.

use std::fs;
use std::io::Write;
use std::path::Path;
use std::process::{Command, Output, Stdio};
use std::time::{Duration, Instant};

use manicule_testkit::{golden_file, golden_folder};
use sha2::{Digest, Sha256};

fn graph(words: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_manicule"));
    command.arg("graph").args(words).output().expect("manicule runs")
}

/// What a call printed that ends with 0.
#[track_caller]
fn done(words: &[&str]) -> String {
    said(words, 0, "")
}

/// What a call printed that ends with a code and says something on standard error.
#[track_caller]
fn said(words: &[&str], code: i32, want: &str) -> String {
    let output = graph(words);
    let error = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(code), "{words:?}: {error}");
    assert_eq!(error.trim_end(), want, "{words:?}");
    String::from_utf8(output.stdout).expect("UTF-8")
}

fn path(folder: &Path, name: &str) -> String {
    folder.join(name).to_str().expect("UTF-8").to_owned()
}

fn write(folder: &Path, name: &str, text: &str) -> String {
    fs::write(folder.join(name), text).expect("a file");
    path(folder, name)
}

fn hash(text: &str) -> String {
    Sha256::digest(text).iter().map(|byte| format!("{byte:02x}")).collect()
}

#[test]
fn a_limit_takes_the_first_rows_and_a_maximum_refuses_more() {
    let folder = tempfile::tempdir().expect("a folder");
    let rows: String = (0..5).map(|n| format!("<a:s{n}> <a:p> {n} .\n")).collect();
    let (store, file) = (path(folder.path(), "s"), write(folder.path(), "a.ttl", &rows));
    done(&["load", "-q", &store, &file]);
    let construct = "CONSTRUCT { ?s ?p ?o . ?s a <a:c> } WHERE { ?s ?p ?o }";
    let select = "SELECT ?o { ?s ?p ?o } ORDER BY DESC(?o)";
    let limited = format!("{select} LIMIT 1");
    for (query, limit, want) in [
        ("SELECT ?o { ?s ?p ?o }", "2", 2),
        (select, "2", 2),
        (&limited, "2", 1),
        (select, "9", 5),
        ("SELECT DISTINCT ?p { ?s ?p ?o }", "3", 1),
        ("SELECT ?s (SUM(?o) AS ?n) { ?s ?p ?o } GROUP BY ?s", "3", 3),
    ] {
        let out = done(&["query", "--limit", limit, "--format", "csv", &store, query]);
        assert_eq!(out.lines().count(), want + 1, "{query}: {out}");
    }
    let first = done(&["query", "--limit", "2", "--format", "csv", &store, select]);
    assert_eq!(first.replace('\r', ""), "o\n4\n3\n");
    let triples = done(&["query", "--limit", "3", &store, construct]);
    assert_eq!(triples.lines().count(), 3, "{triples}");
    let want = "manicule: the limit of 2 rows was passed; raise it, or ask for less";
    said(&["query", "-q", "--max-rows", "2", &store, select], 2, want);
    said(&["query", "-q", "--max-rows", "2", &store, construct], 2, want);
    said(&["query", "-q", "--max-rows", "2", "--limit", "2", &store, select], 0, "");
    done(&["query", "-q", "--max-rows", "5", &store, select]);
}

#[test]
fn endings_of_names_are_formats_too() {
    let folder = tempfile::tempdir().expect("a folder");
    let (store, file) = (path(folder.path(), "s"), write(folder.path(), "a", "<a:s> <a:p> 1 .\n"));
    done(&["load", "-q", "--format", "ttl", &store, &file]);
    for (ending, syntax) in
        [("nt", "ntriples"), ("nq", "nquads"), ("ttl", "turtle"), ("rdf", "rdfxml")]
    {
        let [by_ending, by_name] =
            [ending, syntax].map(|format| done(&["export", "--format", format, &store]));
        assert_eq!(by_ending, by_name, "{ending}");
    }
    let triples = "CONSTRUCT WHERE { ?s ?p ?o }";
    let [by_ending, by_name] =
        ["ttl", "turtle"].map(|format| done(&["query", "--format", format, &store, triples]));
    assert_eq!(by_ending, by_name);
}

#[test]
fn golden_updates_leave_the_states_that_jena_has() {
    let folder = tempfile::tempdir().expect("a folder");
    let quads = path(folder.path(), "shop200.nq");
    fs::write(&quads, golden_file("graph", "shop200.nq")).expect("a file");
    let all = path(folder.path(), "all");
    assert!(done(&["load", &all, &quads]).starts_with("loaded 31,058 statements, 31,058 new, "));
    let triples =
        done(&["query", "--union", &all, "CONSTRUCT WHERE { ?s ?p ?o }", "--format", "ntriples"]);
    write(folder.path(), "shop200.nt", &triples);
    let golden = golden_folder("graph", "answers");
    let states = fs::read_to_string(golden.path().join("expected/updates.tsv")).expect("a table");
    for row in states.lines().skip(1) {
        let [update, data, before, after, added, removed, state] =
            row.split('\t').collect::<Vec<_>>().try_into().expect("seven columns");
        let store = path(folder.path(), update);
        assert!(
            done(&["load", "--json", &store, &path(folder.path(), data)]).contains(before),
            "{update}"
        );
        let request = path(golden.path(), &format!("updates/{update}.ru"));
        let report = done(&["update", &store, "-f", &request]);
        let counted =
            |count: &str| if count == "1" { "1 quad".to_owned() } else { format!("{count} quads") };
        assert_eq!(
            report,
            format!("added {}, removed {}\n", counted(added), counted(removed)),
            "{update}"
        );
        let export = done(&["export", &store, "--sorted"]);
        assert_eq!(export.lines().count().to_string(), after, "{update}");
        assert_eq!(hash(&export), state, "{update}");
    }
}

#[test]
fn a_store_is_the_same_after_its_commits_are_merged() {
    let folder = tempfile::tempdir().expect("a folder");
    let quads = path(folder.path(), "shop200.nq");
    fs::write(&quads, golden_file("graph", "shop200.nq")).expect("a file");
    let store = path(folder.path(), "store");
    done(&["load", "-q", &store, &quads]);
    done(&[
        "update",
        "-q",
        &store,
        "DELETE { ?s ?p ?o } INSERT { ?s ?p 7 } WHERE { ?s ?p ?o FILTER(?o = 5) }",
    ]);
    let before = done(&["export", &store, "--sorted"]);
    done(&["compact", &store]);
    assert_eq!(done(&["compact", &store]), "there was nothing to compact\n");
    assert_eq!(hash(&done(&["export", &store, "--sorted"])), hash(&before));
    let plan = done(&["query", "--explain", &store, "SELECT * { ?s ?p 7 }"]);
    assert!(plan.contains("pattern ?s ?p 7"), "{plan}");
}

#[test]
fn every_syntax_goes_in_and_comes_out() {
    let folder = tempfile::tempdir().expect("a folder");
    let text = "<http://a/s> <http://a/p> \"01\"^^<http://www.w3.org/2001/XMLSchema#integer> .\n\
        <http://a/s> <http://a/p> <http://a/o> .\n";
    let first = write(folder.path(), "a.nt", text);
    let mut document = first;
    for ending in ["ttl", "rdf", "jsonld", "trig", "nq", "nt"] {
        let store = path(folder.path(), &format!("store-{ending}"));
        done(&["load", "-q", &store, &document]);
        document = path(folder.path(), &format!("b.{ending}"));
        assert_eq!(done(&["export", &store, "-o", &document]), "");
    }
    let mut lines: Vec<String> = fs::read_to_string(&document)
        .expect("a file")
        .lines()
        .map(|line| format!("{line}\n"))
        .collect();
    lines.sort();
    assert_eq!(lines.concat(), text);
}

#[test]
fn blank_nodes_of_two_documents_are_two() {
    let folder = tempfile::tempdir().expect("a folder");
    let document = write(folder.path(), "a.ttl", "_:a <http://a/p> _:a . <rel> <http://a/p> 1 .");
    let store = path(folder.path(), "store");
    assert!(done(&["load", &store, &document, &document]).contains("4 statements, 3 new"));
    let count = "SELECT (COUNT(*) AS ?c) WHERE { ?s <http://a/p> ?s }";
    assert_eq!(done(&["query", &store, count, "--format", "csv"]), "c\r\n2\r\n");
    let subjects = done(&["query", &store, "SELECT ?s { ?s ?p 1 }", "--format", "tsv"]);
    assert!(subjects.contains("<file:///") && subjects.contains("/rel>"), "{subjects}");
}

#[test]
fn a_bad_statement_ends_the_load_or_is_left_out() {
    let folder = tempfile::tempdir().expect("a folder");
    let good = write(folder.path(), "good.nt", "<http://a/s> <http://a/p> <http://a/o> .\n");
    let bad = write(
        folder.path(),
        "bad.nt",
        "<http://a/s> <http://a/p> \"kept\" .\n<http://a/s> <http://a/p> .\n",
    );
    let store = path(folder.path(), "store");
    let what = "The object of a triple must be an IRI, a blank node or a literal";
    said(&["load", &store, &good, &bad], 2, &format!("manicule: {bad}:2:27: {what}"));
    assert!(!std::path::Path::new(&store).exists(), "nothing was loaded");
    let report = said(
        &["load", "--lenient", "--json", &store, &good, &bad],
        1,
        &format!("manicule: left out {bad}:2:27: {what}"),
    );
    assert!(report.contains("\"line\":2") && report.contains("\"added\":2"), "{report}");
    let document = write(folder.path(), "a.txt", "");
    let unknown = "its name doesn't say its syntax; say --format ntriples, nquads, turtle, trig, rdfxml or jsonld";
    said(&["load", &store, &document], 2, &format!("manicule: {document}: {unknown}"));
    let none = path(folder.path(), "none");
    said(
        &["query", &none, "ASK {}"],
        2,
        &format!(
            "manicule: {none}: no such folder; `manicule graph load {none} FILE...` makes a store"
        ),
    );
}

#[test]
fn a_load_that_can_not_begin_leaves_no_store() {
    let folder = tempfile::tempdir().expect("a folder");
    let good = write(folder.path(), "good.nt", "<http://a/s> <http://a/p> <http://a/o> .\n");
    let (store, none) = (path(folder.path(), "store"), path(folder.path(), "none.nt"));
    let missing = format!("manicule: {none}: No such file or directory (os error 2)");
    said(&["load", &store, &good, &none], 2, &missing);
    assert!(!folder.path().join("store").exists());
    let other = path(folder.path(), "");
    let why = "the folder holds other files, and no graph store; name a new or empty one";
    said(&["load", &other, &good], 2, &format!("manicule: {other}: {why}"));
    let why =
        format!("is an RDF file, not a graph store: `manicule graph load STORE {good}` makes one");
    said(&["load", &good, &good], 2, &format!("manicule: {good} {why}"));
    assert_eq!(fs::read_dir(folder.path()).expect("a folder").count(), 1);
}

#[test]
fn the_place_of_an_error_is_shown() {
    let folder = tempfile::tempdir().expect("a folder");
    let document = write(folder.path(), "a.ttl", "<http://a/s> <http://a/p> 1, 2 .");
    let store = path(folder.path(), "store");
    done(&["load", "-q", &store, &document]);
    let query = "SELECT ?s\n{ ?s ?p ?o FILTER(?o > > 1) }";
    let error = "manicule: not SPARQL 1.2: line 2, column 24: \">\" isn't expected here\n  \
        { ?s ?p ?o FILTER(?o > > 1) }\n                         ^";
    said(&["query", &store, query], 2, error);
    let file = path(folder.path(), "none/a.csv");
    let words = ["query", &store, "ASK {}", "-o", &file];
    said(&words, 2, &format!("manicule: {file}: No such file or directory (os error 2)"));
    let update = "INSERT DATA { <http://a/s> a:p 1 }";
    let error = "manicule: not SPARQL 1.2: line 1, column 28: the prefix a: isn't declared\n  \
        INSERT DATA { <http://a/s> a:p 1 }\n                             ^";
    said(&["update", &store, update], 2, error);
}

#[test]
fn standard_input_is_a_document_a_query_and_an_update() {
    let folder = tempfile::tempdir().expect("a folder");
    let store = path(folder.path(), "store");
    let piped = |words: &[&str], text: &str| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_manicule"));
        command.arg("graph").args(words).stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut child = command.spawn().expect("manicule runs");
        child.stdin.take().expect("a pipe").write_all(text.as_bytes()).expect("it reads");
        let output = child.wait_with_output().expect("it ends");
        assert!(output.status.success(), "{words:?}");
        String::from_utf8(output.stdout).expect("UTF-8")
    };
    piped(&["load", &store, "-", "--format", "turtle", "--base", "http://a/"], "<s> <p> 1 .");
    piped(
        &["update", &store, "-f", "-"],
        "INSERT { ?s <http://a/q> 2 } WHERE { ?s <http://a/p> 1 }",
    );
    let rows = piped(
        &["query", &store, "-f", "-", "--format", "csv"],
        "SELECT ?o { ?s ?p ?o } ORDER BY ?o",
    );
    assert_eq!(rows, "o\r\n1\r\n2\r\n");
}

#[test]
fn an_update_is_all_or_nothing_and_load_reads_files() {
    let folder = tempfile::tempdir().expect("a folder");
    let document = write(folder.path(), "a.ttl", "<http://a/s> <http://a/p> 1, 2 .");
    let store = path(folder.path(), "store");
    done(&["load", "-q", "-g", "http://a/g", &store, &document]);
    let request = "INSERT DATA { <http://a/x> <http://a/x> 1 } ; CREATE GRAPH <http://a/g>";
    assert_eq!(graph(&["update", &store, request]).status.code(), Some(2));
    assert_eq!(said(&["query", &store, "ASK { ?s ?p ?o }"], 1, ""), "false\n");
    let load = format!("LOAD <file://{document}> INTO GRAPH <http://a/h>");
    assert_eq!(done(&["update", &store, &load]), "added 2 quads, removed 0 quads\n");
    assert_eq!(done(&["export", &store, "-g", "http://a/h"]).lines().count(), 2);
    let missing = "manicule: there is no graph <http://a/i> in the store";
    said(&["export", &store, "-g", "http://a/i"], 2, missing);
}

#[test]
fn a_query_that_does_not_look_at_the_clock_ends_soon_after_its_time() {
    let folder = tempfile::tempdir().expect("a folder");
    let triples = write(folder.path(), "one.nt", "<http://a> <http://b> \"x\" .\n");
    let store = path(folder.path(), "store");
    done(&["load", &store, &triples]);
    // A text of 16 MiB, of which one expression takes ten seconds.
    let doubled = (1..=24).map(|n| format!("BIND(CONCAT(?t{}, ?t{}) AS ?t{n})", n - 1, n - 1));
    let hashes = (0..200).map(|n| format!("SHA512(CONCAT('{n}', ?t24))"));
    let (doubled, hashes) =
        (doubled.collect::<Vec<_>>().join(" "), hashes.collect::<Vec<_>>().join(", "));
    let query = format!("SELECT (CONCAT({hashes}) AS ?all) {{ ?s ?p ?t0 {doubled} }}");
    let started = Instant::now();
    let late = "manicule: not done within 800 ms; give --timeout more, or ask for less";
    assert_eq!(said(&["query", "--timeout", "800ms", &store, &query], 2, late), "");
    assert!(started.elapsed() < Duration::from_secs(4), "{:?}", started.elapsed());
    // A file that was begun is gone.
    let output = path(folder.path(), "rows.csv");
    let short = format!("SELECT (STRLEN(?t24) AS ?len) {{ ?s ?p ?t0 {doubled} ?x ?y ?z }}");
    said(
        &["query", "--timeout", "0s", "-o", &output, &store, &short],
        2,
        &late.replace("800", "0"),
    );
    let names = fs::read_dir(folder.path()).expect("a folder").count();
    assert_eq!(names, 2, "a document and a store");
}
