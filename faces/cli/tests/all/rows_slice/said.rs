//! What `rows slice` says: errors, exit codes, names, times, costs.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use manicule_testkit::golden_folder;
use serde_json::{Value, json};
use tempfile::TempDir;

use super::{slice, text};

struct Tables(TempDir);

impl Tables {
    fn new() -> Tables {
        Tables(golden_folder("rows", "me"))
    }

    fn path(&self, table: &str) -> PathBuf {
        self.0.path().join("me").join(table)
    }

    /// Exit code, lines of standard output, standard error.
    fn said(&self, table: &str, words: &[&str]) -> (Option<i32>, Vec<String>, String) {
        said(&self.path(table), words)
    }
}

fn said(path: &Path, words: &[&str]) -> (Option<i32>, Vec<String>, String) {
    let said = slice(path, words);
    let lines = text(&said.stdout).lines().map(str::to_owned).collect();
    (said.status.code(), lines, text(&said.stderr))
}

fn rows(path: &Path, words: &[&str]) -> Vec<Value> {
    let (code, lines, why) = said(path, words);
    assert_eq!(code, Some(0), "{words:?}: {why}");
    lines.iter().map(|line| serde_json::from_str(line).expect("JSON")).collect()
}

#[test]
fn a_partition_that_is_not_there_ends_with_one() {
    let tables = Tables::new();
    for words in [&["77"][..], &["77", "--json"], &["77", "--raw"]] {
        let (code, lines, why) = tables.said("multi", words);
        assert_eq!((code, lines.len()), (Some(1), 0), "{words:?}");
        assert!(why.contains("no SSTable has the partition 77"), "{why}");
    }
    // Partition and rows are there, and deleted.
    let (code, lines, why) = tables.said("mixed", &["77"]);
    assert!(code == Some(1) && why.contains("no live row of the partition 77"), "{why}");
    assert!(lines[0].contains("the partition was deleted [up to 2020-"), "{lines:?}");
}

#[test]
fn what_is_wrong_with_a_call_is_named() {
    let tables = Tables::new();
    let check = |table: &str, words: &[&str], want: &str| {
        let (code, lines, why) = tables.said(table, words);
        assert_eq!((code, lines.len()), (Some(2), 0), "{words:?}: {why}");
        assert!(why.contains(want), "{words:?}: {why}");
    };
    check("multi", &["'x'"], "key \"'x'\" of (int): value at byte 0: wanted int, got \"'x'\"");
    check("comp", &["(2, x2)"], "of (int, text): value at byte 4: wanted a text in single quotes");
    let want =
        "value at byte 0: wanted 2 values of a partition key, written as (1, 'x'), got \"2\"";
    check("comp", &["2"], want);
    check("multi", &["0xff"], "value at byte 0: wanted int of 4 bytes, got \"0xff\"");
    let two = ["0", "--from", "(1, 2)"];
    check("multi", &two, "start \"(1, 2)\" of (int): value at byte 3: wanted at most 1 value");
    check(
        "wide",
        &["0", "--before", "('k', 'x')"],
        "end \"('k', 'x')\" of (text, int): value at byte 6",
    );
    check(
        "wide",
        &["0", "--from", "key00600"],
        "start \"key00600\" of (text, int): write \"'key00600'\": value at byte 0",
    );
    check("multi", &["0", "--from", "5", "--to", "4"], "the slice is empty: its start is not");
    check("multi", &["0", "--from", "5", "--after", "5"], "--after excludes --from");
    check("multi", &["2", "'x2'"], "one word too many: 'x2'; quote a KEY that has blanks");
    check("multi", &[], "missing KEY; usage: manicule rows slice TABLE KEY");
    check("gone", &["0"], "gone");
    check("multi", &["0", "--schema", "gone.cql"], "gone.cql");
    let comp = tables.path("comp/schema.cql");
    let comp = comp.to_str().expect("UTF-8");
    check("multi", &["0", "--schema", comp], "wanted 1 columns in the partition key, got 2");
}

#[test]
fn keys_are_written_as_cql_writes_them() {
    let tables = Tables::new();
    let comp = tables.path("comp");
    for key in ["(2, 'x2')", "2, 'x2'", " ( 2,'x2' )"] {
        let rows = rows(&comp, &["--json", key]);
        assert_eq!(rows, [json!({ "a": 2, "b": "x2", "v": "val" })], "{key}");
    }
    let file = comp.join("me-1-big-Data.db");
    assert_eq!(rows(&file, &["--json", "2, 'x2'"]).len(), 1);
}

#[test]
fn static_columns_are_in_each_row_and_alone_where_there_is_none() {
    let tables = Tables::new();
    let mixed = tables.path("mixed");
    let now = ["--json", "--now", "1700000300"];
    let all = rows(&mixed, &[&now[..], &["0"]].concat());
    assert_eq!(all.len(), 13);
    assert!(all.iter().all(|row| row["s1"] == "static0" && row["s2"] == json!({"x": 0, "y": 2})));
    let alone = rows(&mixed, &[&now[..], &["88"]].concat());
    assert_eq!(alone.len(), 1);
    assert!(alone[0]["a"].is_null() && alone[0]["pk"] == 88, "{alone:?}");
    // Of a part of the partition it is no row.
    let (code, lines, _) = said(&mixed, &[&now[..], &["88", "--from", "1"]].concat());
    assert_eq!((code, lines.len()), (Some(1), 0));
}

#[test]
fn names_of_the_key_are_those_of_a_schema() {
    let tables = Tables::new();
    let multi = tables.path("multi");
    let words = ["--json", "0", "--limit", "1"];
    assert_eq!(rows(&multi, &words), [json!({ "pk": 0, "ck": 1, "v": "v1_1" })]);
    let schema = tables.0.path().join("other.cql");
    let cql = "CREATE TABLE other (x int PRIMARY KEY);
               CREATE TABLE t (\"Key\" int, n int, s text static, v text, m map<text, text>, PRIMARY KEY (\"Key\", n));";
    fs::write(&schema, cql).expect("a file");
    let named = [&words[..], &["--schema", schema.to_str().expect("UTF-8")]].concat();
    assert_eq!(rows(&multi, &named), [json!({ "Key": 0, "n": 1, "v": "v1_1" })]);
    fs::write(multi.join("schema.cql"), "CREATE TABLE t (x int PRIMARY KEY)").expect("a file");
    let (code, lines, why) = said(&multi, &words);
    assert_eq!((code, &lines[0][..]), (Some(0), "{\"key\": 0, \"column1\": 1, \"v\": \"v1_1\"}"));
    assert!(why.contains("placeholders") && why.contains("wanted 1 columns"), "{why}");
    fs::remove_file(multi.join("schema.cql")).expect("it goes");
    let (_, _, why) = said(&multi, &words);
    assert_eq!(why, "");
}

#[test]
fn no_name_or_value_talks_to_a_terminal() {
    let tables = Tables::new();
    let multi = tables.path("multi");
    let cql = "CREATE TABLE t (\"\u{1b}[31m\" int, ck int, PRIMARY KEY (\"\u{1b}[31m\", ck))";
    fs::write(multi.join("schema.cql"), cql).expect("a file");
    let (code, lines, _) = said(&multi, &["0", "--limit", "1"]);
    assert_eq!((code, lines.len()), (Some(0), 2));
    assert!(lines[0].starts_with(r#"-- me.t where "\u{1b}[31m" = 0, rows by (ck)"#), "{lines:?}");
}

#[test]
fn times_and_sources_are_said_on_demand() {
    let tables = Tables::new();
    let words = ["--json", "--now", "1700000300", "0", "--limit", "1", "--times", "--sources"];
    let want = json!({
        "pk": 0, "ck": 1, "v": "v1_1",
        "writetime(v)": 1_600_000_000_001_048_u64, "source(v)": "me-1-big-Data.db",
    });
    let got = rows(&tables.path("multi"), &words);
    assert!(got[0]["source(v)"].as_str().is_some_and(|name| name.ends_with("-big-Data.db")));
    let mut expected = want;
    expected["source(v)"] = got[0]["source(v)"].clone();
    assert_eq!(got, [expected]);
    // Each element has its own; what expires has seconds that are left.
    let mixed = tables.path("mixed");
    let got = rows(&mixed, &["--json", "--now", "1700000300", "0", "--times"]);
    let elements = |row: &Value, name: &str| row[name].as_array().map_or(0, Vec::len);
    assert!(got.iter().any(|row| elements(row, "writetime(m)") == elements(row, "m").max(1)));
    assert!(got.iter().any(|row| row["ttl(v1)"] == 300 || row["ttl(v2)"] == 300), "{got:?}");
}

#[test]
fn each_sstable_has_its_own_rows_and_tombstones() {
    let tables = Tables::new();
    let got = rows(&tables.path("multi"), &["--json", "--raw", "0"]);
    let of = |kind: &str| got.iter().filter(|item| item["type"] == kind).count();
    assert!(of("partition") > 1 && of("row") > 175 && of("marker") > 0, "{got:?}");
    let deleted = |item: &Value| item["deletion"]["timestamp"] == 1_600_000_000_001_040_u64;
    assert!(got.iter().any(|item| item["type"] == "partition" && deleted(item)));
    let (code, lines, _) = tables.said("mixed", &["--raw", "0"]);
    let text = lines.join("\n");
    assert_eq!(code, Some(0));
    for part in [
        "-- me-1-big-Data.db: ks.mixed where pk = 0, rows by (a, b)",
        "\nstatic: s1 = 'static0' [2020-09-13T12:26:40Z]",
        "before (): a range deletion begins [up to ",
        "a range deletion ends [",
        ", another begins [",
        " deleted [",
        "written [",
        "TTL ",
    ] {
        assert!(text.contains(part), "{part}:\n{text}");
    }
}

#[test]
fn damage_is_named_with_its_place() {
    let tables = Tables::new();
    let data = tables.path("types/me-1-big-Data.db");
    let bytes = fs::read(&data).expect("its data");
    fs::write(&data, &bytes[..bytes.len() / 2]).expect("it is cut");
    let (code, lines, why) = tables.said("types", &["'k0'", "--json"]);
    assert_eq!((code, lines.len()), (Some(2), 0), "{why}");
    assert!(why.contains("me-1-big-Data.db") && why.contains("offset"), "{why}");
    // A chunk of the middle: rows before it are sound.
    let data = tables.path("wide/me-1-big-Data.db");
    let mut bytes = fs::read(&data).expect("its data");
    let middle = bytes.len() / 2;
    bytes[middle] ^= 1;
    fs::write(&data, bytes).expect("it is broken");
    let (code, _, why) = tables.said("wide", &["2"]);
    assert!(code == Some(2) && why.contains("chunk of the data at offset"), "{why}");
    fs::remove_file(tables.path("multi/me-2-big-Data.db")).expect("it goes");
    let (code, _, why) = tables.said("multi", &["0"]);
    assert_eq!(code, Some(0));
    assert!(why.contains("left out") && why.contains("not whole: Data.db is not there"), "{why}");
}

#[test]
fn a_receipt_counts_what_was_read() {
    let tables = Tables::new();
    let narrow = |words: &[&str]| {
        let wide = rows(&tables.path("wide"), &[words, &["--json", "--receipt"]].concat());
        let (receipt, rows) = wide.split_last().expect("a receipt");
        assert_eq!(receipt["type"], "receipt");
        (receipt["data"].clone(), rows.len() as u64)
    };
    let middle = ["2", "--from", "'key00600'", "--limit", "3"];
    let (found, count) = narrow(&middle);
    assert_eq!((count, found["rows"].as_u64()), (3, Some(3)));
    let counts = ["sstables", "sstables_opened", "sstables_holding"];
    assert_eq!(counts.map(|name| found[name].as_u64()), [Some(1); 3]);
    let (scanned, _) = narrow(&[&middle[..], &["--no-search"]].concat());
    let number = |counts: &Value, name: &str| counts[name].as_u64().expect("a count");
    assert!(number(&found, "blocks") > 0 && number(&scanned, "blocks") == 0, "{found} {scanned}");
    assert!(number(&found, "read_bytes") < number(&scanned, "read_bytes"), "{found} {scanned}");
    assert!(number(&found, "memory_peak_bytes") < 1 << 20, "{found}");
}

#[test]
fn of_long_components_a_slice_reads_the_pages_that_it_wants() {
    const COUNT: usize = 30_000;
    let scratch = tempfile::tempdir().expect("a folder");
    let folder = scratch.path();
    let schema = "CREATE TABLE ks.t (p int PRIMARY KEY, v text) WITH min_index_interval = 1 \
                  AND bloom_filter_fp_chance = 0.0001 \
                  AND compression = {'class': 'LZ4Compressor', 'chunk_length_in_kb': 1}";
    fs::write(folder.join("t.cql"), schema).expect("a file");
    let value = "v".repeat(450);
    let rows: String = (0..COUNT).map(|number| format!("{number},{number}{value}\n")).collect();
    fs::write(folder.join("r.csv"), format!("p,v\n{rows}")).expect("a file");
    let mut command = Command::new(env!("CARGO_BIN_EXE_manicule"));
    let command = command.current_dir(folder).args(["rows", "write", "--schema", "t.cql"]);
    assert!(command.args(["r.csv", "-o", "t"]).output().expect("manicule runs").status.success());
    let mut long = 0;
    for component in ["Filter", "Summary", "CompressionInfo"] {
        let file = folder.join(format!("t/me-1-big-{component}.db"));
        let len = fs::metadata(&file).expect("a component").len();
        assert!(len > 64 << 10, "{component}: {len}");
        long += len;
    }
    for number in [0, 1, COUNT / 2, COUNT - 1] {
        let said = self::rows(&folder.join("t"), &[&number.to_string(), "--json", "--receipt"]);
        assert_eq!(said[0], json!({"p": number, "v": format!("{number}{value}")}));
        let work = &said[1]["data"];
        let [reads, bytes] = ["reads", "read_bytes"].map(|name| work[name].as_u64().unwrap());
        // One read for each page: some ten of the filter, twice the halvings of the summary, those
        // of index and data.
        assert!(reads < 120 && bytes * 2 < long, "{reads} {bytes} {long}");
    }
    let absent = [&COUNT.to_string(), "--json", "--receipt"];
    let (code, lines, _) = said(&folder.join("t"), &absent);
    let work: Value = serde_json::from_str(&lines[0]).expect("a receipt");
    assert_eq!((code, work["data"]["sstables_opened"].as_u64()), (Some(1), Some(0)), "{work}");
    assert!(work["data"]["read_bytes"].as_u64() < Some(64 << 10), "{work}");
}
