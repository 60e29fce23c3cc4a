//! `manicule graph query --format arrow|parquet`: what the libraries read back is the answer that
//! JSON has.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::{self, File};
use std::io::Cursor;
use std::path::Path;
use std::process::{Command, Output, Stdio};
use std::thread;
use std::time::Duration;

use arrow_array::cast::AsArray;
use arrow_array::types::{
    Date32Type, Decimal128Type, Float32Type, Float64Type, Int64Type, TimestampMicrosecondType,
};
use arrow_array::{Array, RecordBatch};
use arrow_ipc::reader::{FileReader, StreamReader};
use arrow_schema::{DataType, TimeUnit};
use manicule_testkit::{golden_file, golden_folder};
use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;
use serde_json::Value as Json;

const XSD_STRING: &str = "http://www.w3.org/2001/XMLSchema#string";

const DATA: &str = r#"
@prefix : <http://a/> . @prefix xsd: <http://www.w3.org/2001/XMLSchema#> .
:one :integer 1, "07"^^xsd:integer, -3 ; :decimal 1.5, 20.25 ; :double 1e3, "INF"^^xsd:double ; :float "0.1"^^xsd:float ;
  :boolean true, "0"^^xsd:boolean ; :date "2024-02-29"^^xsd:date ; :local "2024-02-29T12:00:00.25"^^xsd:dateTime ;
  :time "2024-02-29T12:00:00+02:00"^^xsd:dateTime, "1970-01-01T00:00:00Z"^^xsd:dateTime ;
  :text "a", "tab\tand line\n", "" ; :tagged "a"@en, "b"@en ; :languages "a"@en, "b"@de ; :wrong 1, "one"^^xsd:integer ;
  :large 1, 9223372036854775808 ; :mixed 1, 1.5, "1", "1"@en, :one, [] ; :node [] ; :other "x"^^:datatype .
"#;

fn run(folder: &Path, words: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_manicule"));
    let output = command.arg("graph").args(words).current_dir(folder).output().expect("it runs");
    let error = String::from_utf8_lossy(&output.stderr);
    assert!(
        output.status.code().is_some_and(|code| code < 2) && error.is_empty(),
        "{words:?}: {error}"
    );
    output
}

/// A table of one format, read by its library.
fn table(folder: &Path, format: &str, words: &[&str]) -> Vec<RecordBatch> {
    if format == "stream" {
        let output = run(folder, &[&["query", "--format", "arrow"], words].concat());
        let stream = StreamReader::try_new(Cursor::new(output.stdout), None).expect("a stream");
        return stream.map(|batch| batch.expect("a batch")).collect();
    }
    run(folder, &[&["query", "--format", format, "-o", "table"], words].concat());
    let file = File::open(folder.join("table")).expect("a table");
    match format {
        "arrow" => {
            let reader = FileReader::try_new(file, None).expect("a file of Arrow");
            reader.map(|batch| batch.expect("a batch")).collect()
        }
        _ => {
            let reader =
                ParquetRecordBatchReaderBuilder::try_new(file).and_then(|made| made.build());
            reader.expect("a file of Parquet").map(|batch| batch.expect("a batch")).collect()
        }
    }
}

const FORMATS: [&str; 3] = ["stream", "arrow", "parquet"];

/// Bindings of a row: variable, kind of term, text.
type Row = BTreeMap<String, (String, String)>;

/// Rows of a table whose columns are text.
fn rows_of(batches: &[RecordBatch], names: &[String]) -> Vec<Row> {
    let mut rows = Vec::new();
    for batch in batches {
        let schema = batch.schema();
        for at in 0..batch.num_rows() {
            let bindings = names.iter().filter_map(|name| {
                let texts = batch.column_by_name(name).expect(name).as_string::<i32>();
                let field = schema.field_with_name(name).expect(name);
                if texts.is_null(at) {
                    return None;
                }
                let kind = match field.metadata().get("type") {
                    Some(kind) => kind.clone(),
                    None => {
                        let beside = &field.metadata()["type_column"];
                        let types = batch.column_by_name(beside).expect("a column of types");
                        types.as_string::<i32>().value(at).to_owned()
                    }
                };
                Some((name.clone(), (kind, texts.value(at).to_owned())))
            });
            rows.push(bindings.collect());
        }
    }
    rows
}

/// Names and rows of an answer in JSON.
fn rows_of_json(json: &Json) -> (Vec<String>, Vec<Row>) {
    let text = |value: &Json| value.as_str().expect("text").to_owned();
    let names = json["head"]["vars"].as_array().expect("names").iter().map(text).collect();
    let rows = json["results"]["bindings"].as_array().expect("rows").iter().map(|row| {
        let bindings = row.as_object().expect("a row").iter().map(|(name, term)| {
            let value = text(&term["value"]);
            let term = match (term["type"].as_str(), term["xml:lang"].as_str()) {
                (Some("uri"), _) => ("iri".to_owned(), value),
                (Some("bnode"), _) => ("blank".to_owned(), format!("_:{value}")),
                (_, Some(tag)) => (format!("@{tag}"), value),
                _ => (term["datatype"].as_str().unwrap_or(XSD_STRING).to_owned(), value),
            };
            (name.clone(), term)
        });
        bindings.collect()
    });
    (names, rows.collect())
}

/// Compares the tables of an answer, as text, with its JSON.
#[track_caller]
fn check(folder: &Path, formats: &[&str], words: &[&str]) {
    let json = run(folder, &[&["query", "--json"], words].concat()).stdout;
    let json: Json = serde_json::from_slice(&json).expect("JSON");
    let (names, want) = rows_of_json(&json);
    for format in formats {
        let got = table(folder, format, &[&["--untyped"], words].concat());
        assert_eq!(rows_of(&got, &names), want, "{words:?} as {format}");
    }
}

fn store() -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    fs::write(folder.path().join("a.ttl"), DATA).expect("a file");
    run(folder.path(), &["load", "-q", "s", "a.ttl"]);
    folder
}

#[test]
fn tables_as_text_are_the_answer_that_json_has() {
    let folder = store();
    for query in [
        "SELECT * { ?s ?p ?o }",
        "SELECT * { ?s ?p ?o OPTIONAL { ?o ?q ?r } }",
        "SELECT ?o ?o_type { ?s ?p ?o }",
        "SELECT ?none { ?s ?p ?o }",
        "SELECT * { ?s <http://a/none> ?o }",
    ] {
        check(folder.path(), &FORMATS, &["s", query]);
    }
}

#[test]
fn golden_answers_are_the_same_in_tables() {
    let folder = tempfile::tempdir().expect("a folder");
    fs::write(folder.path().join("a.nq"), golden_file("graph", "shop200.nq")).expect("a file");
    run(folder.path(), &["load", "-q", "s", "a.nq"]);
    let golden = golden_folder("graph", "answers");
    let mut count = 0;
    for entry in fs::read_dir(golden.path().join("queries")).expect("queries") {
        let path = entry.expect("an entry").path();
        let text = fs::read_to_string(&path).expect("a query");
        let form = text
            .split_whitespace()
            .find(|word| ["SELECT", "ASK", "CONSTRUCT", "DESCRIBE"].contains(word));
        if form == Some("SELECT") {
            let words = ["--union", "s", "-f", path.to_str().expect("UTF-8")];
            check(folder.path(), &[FORMATS[count % 3]], &words);
            count += 1;
        }
    }
    assert!(count > 50, "{count}");
}

#[test]
fn columns_have_the_types_of_their_values() {
    let folder = store();
    let zone = Some("UTC".into());
    for (name, want) in [
        ("integer", DataType::Int64),
        ("decimal", DataType::Decimal128(38, 2)),
        ("double", DataType::Float64),
        ("float", DataType::Float32),
        ("boolean", DataType::Boolean),
        ("date", DataType::Date32),
        ("local", DataType::Timestamp(TimeUnit::Microsecond, None)),
        ("time", DataType::Timestamp(TimeUnit::Microsecond, zone)),
        ("text", DataType::Utf8),
        ("tagged", DataType::Utf8),
        ("languages", DataType::Utf8),
        ("wrong", DataType::Utf8),
        ("large", DataType::Utf8),
        ("mixed", DataType::Utf8),
        ("other", DataType::Utf8),
    ] {
        let query = format!("SELECT ?{name} {{ ?s <http://a/{name}> ?{name} }} ORDER BY ?{name}");
        for format in FORMATS {
            let batches = table(folder.path(), format, &["s", &query]);
            let schema = batches[0].schema();
            assert_eq!(schema.field(0).data_type(), &want, "{name} as {format}");
            let is_mixed = ["mixed", "languages"].contains(&name);
            assert_eq!(schema.fields().len(), 1 + usize::from(is_mixed), "{name} as {format}");
            check_values(name, &batches[0]);
        }
    }
}

/// The values of typed columns, in order.
fn check_values(name: &str, batch: &RecordBatch) {
    let column = batch.column(0);
    match name {
        "integer" => assert_eq!(column.as_primitive::<Int64Type>().values(), &[-3, 1, 7]),
        "decimal" => assert_eq!(column.as_primitive::<Decimal128Type>().values(), &[150, 2025]),
        "double" => {
            assert_eq!(column.as_primitive::<Float64Type>().values(), &[1000.0, f64::INFINITY]);
        }
        "float" => assert_eq!(column.as_primitive::<Float32Type>().values(), &[0.1]),
        "boolean" => {
            let values: Vec<Option<bool>> = column.as_boolean().iter().collect();
            assert_eq!(values, [Some(false), Some(true)]);
        }
        "date" => assert_eq!(column.as_primitive::<Date32Type>().values(), &[19_782]),
        "local" => {
            let values = column.as_primitive::<TimestampMicrosecondType>().values();
            assert_eq!(values, &[1_709_208_000_250_000]);
        }
        "time" => {
            let values = column.as_primitive::<TimestampMicrosecondType>().values();
            assert_eq!(values, &[0, 1_709_200_800_000_000]);
        }
        _ => {}
    }
}

#[test]
fn booleans_and_triples_are_tables_too() {
    let folder = store();
    for format in FORMATS {
        let batches = table(folder.path(), format, &["s", "ASK { ?s ?p 8 }"]);
        assert_eq!(batches[0].column(0).as_boolean().iter().collect::<Vec<_>>(), [Some(false)]);
        let triples = "CONSTRUCT WHERE { ?s <http://a/date> ?o }";
        let batches = table(folder.path(), format, &["s", triples]);
        let names: Vec<String> =
            batches[0].schema().fields().iter().map(|field| field.name().clone()).collect();
        assert_eq!(
            (names.join(" ").as_str(), batches[0].num_rows()),
            ("subject predicate object", 1)
        );
    }
}

#[test]
fn rows_that_do_not_fit_into_memory_wait_in_a_file() {
    let folder = tempfile::tempdir().expect("a folder");
    // Each batch ends at 4 MiB of text, of which eight are held: 1,000 values of 40 KB are 40 MB.
    let long = "x".repeat(40_000);
    let lines = (0..1000).map(|at| format!("<http://a/{at}> <http://a/p> \"{long}{at}\" .\n"));
    fs::write(folder.path().join("a.nt"), lines.collect::<String>()).expect("a file");
    run(folder.path(), &["load", "-q", "s", "a.nt"]);
    let query = "SELECT ?s ?o { ?s ?p ?o }";
    for format in FORMATS {
        let batches = table(folder.path(), format, &["s", query]);
        // The reader of Parquet makes batches of its own.
        assert!(batches.len() > 8 || format == "parquet", "{format}: {}", batches.len());
        let mut count = 0;
        for batch in &batches {
            let columns = [0, 1].map(|at| batch.column(at).as_string::<i32>());
            for (subject, object) in columns[0].iter().zip(columns[1]) {
                let number = subject.and_then(|iri| iri.strip_prefix("http://a/")).expect("an IRI");
                assert_eq!(object.and_then(|text| text.strip_prefix(&long)), Some(number));
                count += 1;
            }
        }
        assert_eq!(count, 1000, "{format}");
    }
    let names: Vec<_> = fs::read_dir(folder.path())
        .expect("a folder")
        .map(|entry| entry.expect("an entry").file_name())
        .collect();
    assert_eq!(names.len(), 3, "{names:?}");
}

#[test]
fn a_table_that_is_not_ended_leaves_nothing() {
    let folder = store();
    let names = || {
        let entries = fs::read_dir(folder.path()).expect("a folder");
        let names = entries.map(|entry| entry.expect("an entry").file_name().into_string());
        names.collect::<Result<BTreeSet<_>, _>>().expect("UTF-8")
    };
    let before = names();
    let table = |more: &[&str], query: &str| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_manicule"));
        command.args(["graph", "query", "s", query, "-o", "out", "--memory", "1MiB"]).args(more);
        command.current_dir(folder.path()).stderr(Stdio::piped()).spawn().expect("it runs")
    };
    // 38 triples, five times beside themselves: nobody waits for the end.
    let long = "SELECT * { ?a ?b ?c . ?d ?e ?f . ?g ?h ?i . ?j ?k ?l . ?m ?n ?o }";
    for format in ["arrow", "parquet"] {
        let out = table(&["--format", format, "--max-rows", "2000"], long);
        let out = out.wait_with_output().expect("it ends");
        assert_eq!(out.status.code(), Some(2), "{out:?}");
        assert_eq!(names(), before, "{format}");

        let mut child = table(&["--format", format], long);
        // The table is begun before the query, under a name of its own.
        while names() == before {
            assert!(child.try_wait().expect("a state").is_none(), "it runs");
            thread::sleep(Duration::from_millis(1));
        }
        let id = child.id().to_string();
        // Not SIGINT, which a shell's `&` turns off in what it starts.
        assert!(Command::new("kill").args(["-TERM", &id]).status().expect("kill").success());
        let out = child.wait_with_output().expect("it ends");
        assert_ne!(out.status.code(), Some(0), "{out:?}");
        assert_eq!(names(), before, "{format}");
    }
}

#[test]
fn an_answer_without_columns_has_its_rows() {
    let folder = store();
    for (query, count) in [("SELECT * {}", 1), ("SELECT * { <http://a/one> <http://a/p> 1 }", 0)] {
        for format in FORMATS {
            if (format, count) == ("parquet", 1) {
                continue;
            }
            let batches = table(folder.path(), format, &["s", query]);
            let rows: usize = batches.iter().map(RecordBatch::num_rows).sum();
            assert_eq!(rows, count, "{query} as {format}");
        }
    }
    let mut command = Command::new(env!("CARGO_BIN_EXE_manicule"));
    command.args(["graph", "query", "--format", "parquet", "s", "SELECT * {}"]);
    let output = command.current_dir(folder.path()).output().expect("it runs");
    let error = String::from_utf8_lossy(&output.stderr);
    assert!(error.contains("Parquet has no rows without columns"), "{error}");
}
