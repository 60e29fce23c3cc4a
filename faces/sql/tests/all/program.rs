//! The program: formats, files, statements, errors.

use std::fs;
use std::io::{Read as _, Write as _};
use std::process::{Command, Output, Stdio};

use datafusion::arrow::array::AsArray;
use datafusion::arrow::ipc::reader::FileReader;

use crate::yard::{answer, csv, error, program, yard};

const PAIRS: &str = "SELECT name, series, value LIKE '%p%' AS p FROM series_labels('data', '{job=\"api\"}') \
                     WHERE name IN ('job', '__name__') ORDER BY name, value LIMIT 2";

fn text(words: &[&str]) -> String {
    String::from_utf8(answer(words)).expect("a text")
}

#[test]
fn rows_come_as_a_table_as_csv_and_as_json() {
    let query = "SELECT id, name, name = 'Ada' AS is_ada FROM rows('ks/customers') ORDER BY id";
    assert_eq!(
        text(&[query]),
        "+----+------+--------+\n\
         | id | name | is_ada |\n\
         +----+------+--------+\n\
         | 1  | Ada  | true   |\n\
         | 2  | Bo   | false  |\n\
         +----+------+--------+\n"
    );
    assert_eq!(text(&["--format", "csv", query]), "id,name,is_ada\n1,Ada,true\n2,Bo,false\n");
    assert_eq!(
        text(&["--format", "json", query]),
        "{\"id\":1,\"name\":\"Ada\",\"is_ada\":true}\n{\"id\":2,\"name\":\"Bo\",\"is_ada\":false}\n"
    );
    // Without rows there are the names of columns.
    let none = format!("SELECT id FROM ({query}) WHERE id > 9");
    assert_eq!(text(&[&none]).lines().count(), 4);
    assert_eq!(text(&["--format", "csv", &none]), "id\n");
    assert_eq!(text(&["--format", "json", &none]), "");
}

#[test]
fn a_file_gets_rows_when_they_are_whole() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    for name in ["a.parquet", "a.arrow", "a.csv", "a.json", "a.jsonl"] {
        assert_eq!(text(&["-o", &at(name), PAIRS]), "", "{name}");
        assert!(fs::metadata(at(name)).unwrap().len() > 20, "{name}");
    }
    let file = FileReader::try_new(fs::File::open(at("a.arrow")).unwrap(), None).unwrap();
    let batches: Vec<_> = file.map(Result::unwrap).collect();
    let names: Vec<&str> = batches
        .iter()
        .flat_map(|batch| batch.column(0).as_string::<i32>().iter().flatten())
        .collect();
    assert_eq!(names.len(), 2);
    // Its own Parquet is read back, as that of others.
    let read = format!(
        "CREATE EXTERNAL TABLE a STORED AS PARQUET LOCATION '{}'; SELECT * FROM a",
        at("a.parquet")
    );
    assert_eq!(text(&["--format", "csv", &read]), text(&["--format", "csv", PAIRS]));
    // An error leaves the old file, and nothing beside it.
    let old = fs::read(at("a.csv")).unwrap();
    let late = "SELECT name, CAST(value AS BIGINT) FROM series_labels('data')";
    assert!(error(&["-o", &at("a.csv"), late]).contains("Cannot cast string"), "it is no number");
    assert_eq!(fs::read(at("a.csv")).unwrap(), old);
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 5);
    assert_eq!(
        error(&["-o", &at("a.csv"), "SELECT 1; SELECT 2"]),
        "a file takes the rows of one statement, and there are 2"
    );
    assert_eq!(
        error(&["-o", &at("a.xls"), "SELECT 1"]),
        format!("{}: its ending names no format: say one with --format", at("a.xls"))
    );
}

#[test]
fn statements_are_asked_one_after_the_other() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("a.sql");
    let statements = "-- Two of them.\nCREATE VIEW c AS SELECT * FROM rows('ks/customers');\n\
                      SELECT count(*) AS n FROM c;\nSELECT name FROM c WHERE id = 2;\n";
    fs::write(&file, statements).unwrap();
    let want = "n\n2\nname\nBo\n";
    assert_eq!(text(&["--format", "csv", "-f", file.to_str().unwrap()]), want);
    let mut child = program(yard())
        .args(["--format", "csv"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    child.stdin.take().unwrap().write_all(statements.as_bytes()).unwrap();
    let Output { status, stdout, .. } = child.wait_with_output().unwrap();
    assert!(status.success());
    assert_eq!(String::from_utf8(stdout).unwrap(), want);
}

#[test]
fn what_can_not_be_answered_is_one_sentence() {
    for (query, want) in [
        ("SELECT * FROM rows('ks/gone')", "ks/gone: "),
        ("SELECT * FROM series_label('data')", "table function 'series_label' not found"),
        (
            "SELECT * FROM series_labels('data', selectr => 'up')",
            "series.labels has no argument selectr: there are selector, start, end, ",
        ),
        ("SELECT * FROM series_labels()", "series.labels needs a path"),
        ("SELECT * FROM series_labels('data', '{')", "selector {: "),
        ("SELECT * FROM code_lines('shards')", "code.lines"),
        ("SELECT nam FROM series_labels('data')", "Schema error: No field named nam."),
        ("SELEC 1", "Expected: an SQL statement, found: SELEC at Line: 1"),
        ("", "there is no statement"),
        ("SELECT * FROM blobs_files('repo', password_file => 'none')", "password file none: "),
    ] {
        let said = error(&[query]);
        assert!(said.starts_with(want), "{query}: {said}");
    }
    for (words, want) in [
        (
            &["--fromat", "csv", "SELECT 1"][..],
            "there is no option --fromat; `manicule sql --help` lists them",
        ),
        (
            &["--format", "xml", "SELECT 1"],
            "there is no format xml: there are table, csv, json, parquet or arrow",
        ),
        (&["SELECT", "1"], "1 comes after the query: a query with blanks is one word, in quotes"),
        (
            &["--memory", "much", "SELECT 1"],
            "\"much\" is no size such as 512MiB, 1.5G or 2TB: a number, with a unit if need be",
        ),
        (&["-f", "none.sql"], "none.sql: No such file or directory (os error 2)"),
        (
            &["-f", "a.sql", "SELECT 1"],
            "a query and a file of statements are asked one at a time: leave out one",
        ),
        (
            &["--catalog", "none.toml", "SELECT 1"],
            "none.toml: No such file or directory (os error 2)",
        ),
    ] {
        assert_eq!(error(words), want, "{words:?}");
    }
}

#[test]
fn memory_and_time_are_limited() {
    let large = "SELECT a.subject FROM graph_quads('store') a JOIN graph_quads('store') b \
                 ON a.object <> b.object ORDER BY 1";
    let late = error(&["--timeout", "0.5", large]);
    assert_eq!(late, "the query has taken longer than 0.5 s");
    let said = error(&[
        "--memory",
        "64K",
        "SELECT array_agg(object) FROM graph_quads('store') GROUP BY subject",
    ]);
    assert!(said.starts_with("the query needs more memory than --memory gives it: "), "{said}");
}

#[test]
fn a_reader_that_has_enough_is_no_error() {
    for format in ["csv", "json", "arrow"] {
        let mut child = program(yard())
            .args(["--format", format, "SELECT * FROM graph_quads('store')"])
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        child.stdout.take().unwrap().read_exact(&mut [0; 64]).unwrap();
        let Output { status, stderr, .. } = child.wait_with_output().unwrap();
        assert_eq!((status.code(), String::from_utf8(stderr).unwrap()), (Some(0), String::new()));
    }
}

#[test]
fn ctrl_c_ends_a_query() {
    let mut child = program(yard())
        .args([
            "--format",
            "csv",
            "SELECT a.subject FROM graph_quads('store') a, graph_quads('store') b",
        ])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    // Rows come: from now on the signal is the program's.
    let mut line = [0; 64];
    child.stdout.as_mut().unwrap().read_exact(&mut line).unwrap();
    Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap();
    let Output { status, stderr, .. } = child.wait_with_output().unwrap();
    assert_eq!(String::from_utf8(stderr).unwrap(), "manicule sql: interrupted\n");
    assert_eq!(status.code(), Some(130));
}

#[test]
fn whatever_a_query_nests_it_is_answered_or_refused() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("deep.sql");
    let many = |part: &str, with: &str| vec![part; 1000].join(with);
    for (query, want) in [
        (format!("SELECT {}1{}", "(".repeat(1000), ")".repeat(1000)), None),
        (format!("SELECT {} AS n", many("1", " + ")), Some("n\n1000\n")),
        (
            format!(
                "SELECT count(*) AS n FROM rows('ks/customers') WHERE {}",
                many("id = 1", " OR ")
            ),
            Some("n\n1\n"),
        ),
        (
            format!(
                "SELECT count(*) AS n FROM rows('ks/customers') WHERE {}",
                many("id + 1 < 3", " AND ")
            ),
            Some("n\n1\n"),
        ),
    ] {
        fs::write(&file, &query).unwrap();
        let words = ["--format", "csv", "-f", file.to_str().unwrap()];
        match want {
            Some(want) => assert_eq!(text(&words), want, "{}", &query[..60]),
            None => assert_eq!(error(&words), "recursion limit exceeded", "{}", &query[..60]),
        }
    }
}

#[test]
fn files_of_others_are_tables() {
    let read = "CREATE EXTERNAL TABLE c STORED AS CSV LOCATION 'customers.csv' OPTIONS ('format.has_header' 'true'); \
                SELECT c.name, count(o.id) AS orders FROM c LEFT JOIN rows('ks/orders') o ON o.customer = c.id GROUP BY 1 ORDER BY 1";
    assert_eq!(text(&["--format", "csv", read]), "name,orders\nAda,1\nBo,1\n");
}

#[test]
fn csv_of_nested_columns_is_json() {
    let rows = csv("SELECT matches, labels FROM (SELECT matches FROM find('an', 'tree')), \
                    (SELECT labels FROM series('data') LIMIT 1)");
    assert!(
        rows[0].starts_with("\"[{\"\"start\"\":0,\"\"length\"\":2}]\",\"{\"\"__name__\"\":"),
        "{rows:?}"
    );
}

#[test]
fn help_and_version_are_printed() {
    assert!(text(&["--help"]).starts_with("Ask all kinds of indexes in SQL.\n"));
    assert!(text(&["-V"]).starts_with("manicule-sql "));
}
