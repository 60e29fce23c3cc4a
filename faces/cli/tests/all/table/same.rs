//! Tables have what the commands of their kinds print.

use std::path::Path;

use manicule_testkit::{golden_file, golden_folder};
use serde_json::{Map, Value as Json};

use super::read::rows_of;
use super::{json_lines, manicule};

/// Rows of a command that writes Parquet.
fn written(folder: &Path, words: &[&str]) -> Vec<Json> {
    manicule(folder, &[words, &["-o", "rows.parquet"]].concat());
    rows_of("parquet", &folder.join("rows.parquet"))
}

const TABLES: [(&str, &str, &str); 9] = [
    ("me", "me", "types"),
    ("me", "me", "udt"),
    ("me", "me", "mixed"),
    ("me", "me", "multi"),
    ("me", "me", "edge"),
    ("me", "me", "counters"),
    ("me", "me", "compact"),
    ("tries", "ea", "types"),
    ("tries", "ea", "vec"),
];

#[test]
fn rows_are_those_of_an_export() {
    let (mut count, now) = (0, "1700000100");
    for (archive, below, table) in TABLES {
        let golden = golden_folder("rows", archive);
        let folder = golden.path().join(below);
        let want = written(&folder, &["rows", "export", table, "--now", now]);
        let got = written(&folder, &["table", "rows.rows", table, "-a", "now=1700000100"]);
        assert_eq!(got, want, "{archive} {table}");
        count += got.len();
    }
    assert!(count > 900, "{count}");
}

#[test]
fn cells_are_those_of_a_raw_export() {
    let mut count = 0;
    for (archive, below, table) in TABLES {
        let golden = golden_folder("rows", archive);
        let folder = golden.path().join(below);
        let without = |mut row: Json, name: &str| {
            row.as_object_mut().expect("an object").remove(name).expect(name);
            row
        };
        let want = written(&folder, &["rows", "export", table, "--raw"]).into_iter();
        let want: Vec<Json> = want
            .map(|mut row| {
                let name = row["_sstable"].as_str().and_then(|it| it.strip_suffix("-Data.db"));
                row["_sstable"] = name.expect("a name").into();
                row
            })
            .collect();
        let got = written(&folder, &["table", "rows.cells", table]).into_iter();
        let got: Vec<Json> = got.map(|row| without(row, "_is_tombstone")).collect();
        assert_eq!(got, want, "{archive} {table}");
        count += got.len();
    }
    assert!(count > 3000, "{count}");
}

/// A partition of some rows is found by its key, its rows by their clustering: no others are read.
#[test]
fn conditions_on_keys_read_the_rows_that_fulfil_them() {
    let golden = golden_folder("rows", "me");
    let folder = golden.path().join("me");
    for (condition, want) in [
        ("pk = 1 AND ck > 30 AND ck <= 60", None),
        ("pk IN (1, 3) AND ck = 30", None),
        ("pk = 999", Some(0)),
        ("pk = 1 AND ck > 60 AND ck < 30", Some(0)),
    ] {
        let words = ["table", "rows.rows", "multi", "--where", condition, "-a", "now=1700000100"];
        let output = manicule(&folder, &[&words[..], &["--receipt", "--format", "jsonl"]].concat());
        let said = String::from_utf8(output.stderr.clone()).expect("UTF-8");
        let read = said.lines().find_map(|line| line.strip_prefix("manicule: receipt: rows "));
        let read: usize = read.unwrap_or_else(|| panic!("{said}")).parse().expect("a number");
        let got = json_lines(output).len();
        assert!(want.is_none_or(|want| want == got), "{condition}: {got}");
        assert_eq!(read, got, "{condition}");
    }
}

#[test]
fn what_a_table_of_rows_can_not_have_is_said() {
    let golden = golden_folder("rows", "me");
    let folder = golden.path().join("me");
    for (words, want) in [
        (&["rows.rows", "types", "-a", "decimals=c15=1"][..], "has no place in decimal(38, 1)"),
        (&["rows.rows", "types", "-a", "decimals=c1=1"], "it is int, neither decimal nor varint"),
        (&["rows.rows", "types", "-a", "as_text=c99"], "the table has no column c99: there are pk"),
        (&["rows.rows", "types", "-a", "extra=_tokens"], "there is no _tokens: there are _token"),
        (&["rows.rows", "types", "-a", "tokens=7"], "tokens: 7 is no range"),
        (&["rows.rows", "types", "multi"], "one path is read"),
        (&["rows.cells", "types", "--where", "_ttl = 'a'"], "int32, which 'a' can't be compared"),
    ] {
        let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_manicule"));
        let output = command.current_dir(&folder).arg("table").args(words).output().expect("runs");
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(2), "{words:?}: {said}");
        assert!(said.contains(want), "{words:?}: {said}");
    }
}

/// A term of SPARQL's JSON as two texts.
fn texts(term: &Json) -> [Json; 2] {
    let value = term["value"].as_str().expect("a value");
    let datatype = || term["datatype"].as_str().unwrap_or(XSD_STRING);
    match (term["type"].as_str().expect("a type"), term["xml:lang"].as_str()) {
        ("uri", _) => [value.into(), "iri".into()],
        ("bnode", _) => [format!("_:{value}").into(), "blank".into()],
        (_, Some(language)) => [value.into(), format!("@{language}").into()],
        (_, None) => [value.into(), datatype().into()],
    }
}

const XSD_STRING: &str = "http://www.w3.org/2001/XMLSchema#string";

#[test]
fn solutions_are_those_of_a_query() {
    let whole = tempfile::tempdir().expect("a folder");
    let folder = whole.path();
    let document = golden_file("graph", "shop200.nq");
    std::fs::write(folder.join("shop200.nq"), document).expect("a file");
    manicule(folder, &["graph", "load", "-q", "store", "shop200.nq"]);
    let mut count = 0;
    for query in [
        "SELECT * { ?s ?p ?o } ORDER BY ?s ?p ?o LIMIT 500",
        "SELECT ?g (COUNT(*) AS ?n) { GRAPH ?g { ?s ?p ?o } } GROUP BY ?g ORDER BY ?g",
        "SELECT ?s ?x { ?s a ?t OPTIONAL { ?s <x:absent> ?x } } ORDER BY ?s LIMIT 9",
    ] {
        let said = manicule(folder, &["graph", "query", "store", query, "--format", "json"]);
        let said: Json = serde_json::from_slice(&said.stdout).expect("JSON");
        let names = said["head"]["vars"].as_array().expect("names").iter();
        let names: Vec<&str> = names.map(|name| name.as_str().expect("a name")).collect();
        let row = |binding: &Json| {
            let mut row = Map::new();
            for name in &names {
                let term = &binding[name];
                let [text, kind] =
                    if term.is_null() { [const { Json::Null }; 2] } else { texts(term) };
                row.insert((*name).to_owned(), text);
                row.insert(format!("{name}_type"), kind);
            }
            Json::Object(row)
        };
        let all = said["results"]["bindings"].as_array().expect("rows").iter();
        let want: Vec<Json> = all.map(row).collect();
        let argument = format!("query={query}");
        let words = ["table", "graph.solutions", "store", "-a", &argument, "--format", "jsonl"];
        assert_eq!(json_lines(manicule(folder, &words)), want, "{query}");
        count += want.len();
    }
    assert!(count > 500, "{count}");
    // In the types of the values a query writes the same by itself.
    for query in [
        "SELECT ?p (COUNT(*) AS ?n) (AVG(?o) AS ?mean) { ?s ?p ?o } GROUP BY ?p ORDER BY ?p",
        "SELECT * { ?s ?p ?o } ORDER BY ?s ?p ?o LIMIT 500",
    ] {
        let argument = format!("query={query}");
        let words = ["table", "graph.solutions", "store", "-a", &argument, "-a", "types=of_values"];
        let want = written(folder, &["graph", "query", "store", query]);
        assert!(want.len() > 5, "{query}: {} rows", want.len());
        assert_eq!(written(folder, &words), want, "{query}");
    }
    let ask = ["table", "graph.solutions", "store", "-a", "query=ASK { ?s ?p ?o }"];
    let said = manicule(folder, &[&ask[..], &["--format", "csv"]].concat()).stdout;
    assert_eq!(String::from_utf8(said).expect("UTF-8"), "answer\ntrue\n");
}
