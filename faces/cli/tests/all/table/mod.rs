//! `manicule table`: each table of the catalogue over golden data. Partitions together are the
//! whole, pushed conditions leave what conditions row by row leave, each format has the same rows.

mod cases;
mod context;
mod listed;
mod memory;
pub(super) mod read;
mod repositories;
mod restic;
mod same;

use std::path::Path;
use std::process::{Command, Output};

use manicule::catalog::{page, tables};
use serde_json::Value as Json;

use cases::{Case, Condition, cases};
use read::rows_of;

/// Of the golden repositories.
const PASSWORD: &str = "manicule-golden";

fn manicule(folder: &Path, words: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_manicule"));
    command.current_dir(folder).args(words).env("RESTIC_PASSWORD", PASSWORD);
    let output = command.output().expect("manicule runs");
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.code().is_some_and(|code| code < 2), "{words:?}: {said}");
    output
}

/// The words of a call of a table.
fn call<'w>(case: &'w Case, more: &[&'w str]) -> Vec<&'w str> {
    let mut words = vec!["table", case.table];
    words.extend(case.arguments.iter().flat_map(|argument| ["-a", argument]));
    words.extend_from_slice(more);
    words.extend_from_slice(case.paths);
    words
}

fn json_lines(output: Output) -> Vec<Json> {
    let text = String::from_utf8(output.stdout).expect("UTF-8");
    text.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect()
}

fn rows(case: &Case, folder: &Path, more: &[&str]) -> Vec<Json> {
    json_lines(manicule(folder, &call(case, &[&["--format", "jsonl"], more].concat())))
}

/// Rows in an order of their own, as a bag.
fn sorted(rows: Vec<Json>) -> Vec<String> {
    let mut texts: Vec<String> = rows.iter().map(Json::to_string).collect();
    texts.sort_unstable();
    texts
}

#[test]
fn every_table_has_a_case() {
    let tested: Vec<&str> = cases().iter().map(|case| case.table).collect();
    for table in tables() {
        assert!(tested.contains(&table.name), "{} is not tested", table.name);
    }
}

#[test]
fn partitions_together_are_the_whole() {
    for case in cases() {
        let golden = case.folder();
        let whole = rows(&case, golden.path(), &[]);
        assert!(!whole.is_empty(), "{} has no rows", case.table);
        for count in ["1", "3"] {
            let listed = manicule(golden.path(), &call(&case, &["--partitions", count]));
            let listed = String::from_utf8(listed.stdout).expect("UTF-8");
            let mut together = Vec::new();
            for part in listed.lines() {
                assert!(part.len() < 1000, "{}: {part}", case.table);
                let words = ["table", "--partition", part, "--format", "jsonl"];
                together.extend(json_lines(manicule(golden.path(), &words)));
            }
            assert_eq!(sorted(together), sorted(whole.clone()), "{} in {count}", case.table);
        }
    }
}

#[test]
fn conditions_leave_the_rows_that_fulfil_them() {
    for case in cases() {
        let golden = case.folder();
        let whole = rows(&case, golden.path(), &[]);
        for Condition { text, holds } in &case.conditions {
            let want: Vec<Json> = whole.iter().filter(|row| holds(row)).cloned().collect();
            assert!(
                !want.is_empty() && want.len() < whole.len(),
                "{} {text}: tests nothing",
                case.table
            );
            let got = rows(&case, golden.path(), &["--where", text]);
            assert_eq!(sorted(got), sorted(want), "{} {text}", case.table);
        }
    }
}

#[test]
fn a_limit_and_columns_are_of_the_whole() {
    for case in cases() {
        let golden = case.folder();
        let whole = rows(&case, golden.path(), &[]);
        let first = rows(&case, golden.path(), &["--limit", "2"]);
        assert_eq!(first, whole[..whole.len().min(2)], "{}", case.table);
        let row = whole[0].as_object().expect("an object");
        // Names in a list are between commas.
        for column in row.keys().filter(|name| !name.contains(',')) {
            let got = rows(&case, golden.path(), &["--columns", column]);
            let want: Vec<Json> = whole.iter().map(|row| row[column].clone()).collect();
            let got: Vec<Json> = got.iter().map(|row| row[column].clone()).collect();
            assert_eq!(got, want, "{} {column}", case.table);
        }
    }
}

/// A count of the receipt of a call.
fn counted(folder: &Path, words: &[&str], name: &str) -> u64 {
    let words = [words, &["--receipt", "--format", "csv"]].concat();
    let said = String::from_utf8(manicule(folder, &words).stderr).expect("UTF-8");
    let prefix = format!("manicule: receipt: {name} ");
    let count = said.lines().find_map(|line| line.strip_prefix(&*prefix));
    let count = count.unwrap_or_else(|| panic!("{words:?}: {said}"));
    count.parse().expect("a number")
}

#[test]
fn a_limit_ends_the_reading() {
    for case in cases() {
        let Some(name) = case.counted else { continue };
        let golden = case.folder();
        let read = |more: &[&str]| counted(golden.path(), &call(&case, more), name);
        let (all, some) = (read(&[]), read(&["--limit", "1"]));
        assert!(some < all, "{}: {name} {some} of {all}", case.table);
    }
}

#[test]
fn every_format_has_the_same_rows() {
    for case in cases() {
        let golden = case.folder();
        let whole = rows(&case, golden.path(), &[]);
        let csv = manicule(golden.path(), &call(&case, &["--format", "csv"]));
        assert_eq!(read::csv_rows(&csv.stdout, &whole), whole, "{}: CSV", case.table);
        for (format, name) in [("arrow", "rows.arrow"), ("parquet", "rows.parquet")] {
            manicule(golden.path(), &call(&case, &["-o", name]));
            let got = rows_of(format, &golden.path().join(name));
            assert_eq!(got, whole, "{}: {format}", case.table);
        }
        let stream = manicule(golden.path(), &call(&case, &["--format", "arrow"]));
        assert_eq!(read::stream_rows(stream.stdout), whole, "{}: a stream", case.table);
    }
}

#[test]
fn the_pages_are_those_of_the_catalogue() {
    let pages = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/tables");
    for table in tables() {
        let (file, want) = (pages.join(format!("{}.md", table.name)), page(table).unwrap());
        if std::env::var_os("UPDATE").is_some() {
            std::fs::write(&file, &want).unwrap();
        }
        let own = std::fs::read_to_string(&file).unwrap_or_default();
        assert_eq!(own, want, "{}: UPDATE=1 cargo test rewrites it", file.display());
    }
}

#[test]
fn a_partition_of_files_that_have_changed_is_refused() {
    let golden = manicule_testkit::golden_folder("series", "golden");
    let data = golden.path().join("blocks/api");
    let listed = manicule(&data, &["table", "series.blocks", ".", "--partitions", "1"]);
    let part = String::from_utf8(listed.stdout).expect("UTF-8");
    std::fs::write(data.join("note"), "new").unwrap();
    let mut command = Command::new(env!("CARGO_BIN_EXE_manicule"));
    let words = ["table", "--partition", part.trim_end()];
    let output = command.current_dir(&data).args(words).output().expect("manicule runs");
    assert_eq!(output.status.code(), Some(2));
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(said.contains("files have changed since"), "{said}");
}

/// A backup that begins, and who else reads, locks the repository and changes nothing in it.
#[test]
fn a_partition_of_a_repository_that_is_locked_is_read() {
    let golden = manicule_testkit::golden_repository("small");
    let listed =
        manicule(golden.path(), &["table", "blobs.snapshots", "repo", "--partitions", "1"]);
    let part = String::from_utf8(listed.stdout).expect("UTF-8");
    let rows = || manicule(golden.path(), &["table", "--partition", part.trim_end()]).stdout;
    let before = rows();
    let locks = golden.path().join("repo/locks");
    std::fs::create_dir_all(&locks).unwrap();
    std::fs::write(locks.join("0a".repeat(32)), "a lock").unwrap();
    assert_eq!(rows(), before);
}

/// What says the columns is what the rows are read from.
#[test]
fn sstables_are_opened_once() {
    let golden = manicule_testkit::golden_folder("rows", "me");
    let folder = golden.path().join("me");
    for table in ["rows.rows", "rows.cells"] {
        let opens = manicule_testkit::Opens::of(&folder.join("multi")).expect("a watch");
        manicule(&folder, &["table", table, "multi"]);
        let counts = opens.counts().expect("counts").entries;
        let is_data = |name: &&std::ffi::OsString| name.to_string_lossy().ends_with("-Data.db");
        let data: Vec<_> = counts.keys().filter(is_data).collect();
        assert!(data.len() > 1 && data.iter().all(|name| counts[*name] == 1), "{table} {counts:?}");
    }
}

#[test]
fn what_is_wrong_is_named_with_what_there_is() {
    let golden = manicule_testkit::golden_folder("series", "golden");
    let data = golden.path().join("blocks/api");
    for (words, want) in [
        (
            &["series.lables", "."][..],
            "there is no table series.lables: did you mean series.labels?",
        ),
        (
            &["series.labels", "--columns", "nam", "."],
            "there is no column nam: there are name, value, value_bytes, series",
        ),
        (
            &["series.labels", "-a", "selectors=up", "."],
            "series.labels has no argument selectors: there are selector, start, end, per_block",
        ),
        (&["series.labels", "-a", "selector", "."], "-a selector: NAME=VALUE is expected"),
        (
            &["series.labels", "-a", "selector=up{", "."],
            "selector up{: 1:4: parse error: unexpected end of input inside braces",
        ),
        (
            &["series.labels", "--where", "series = 'a'", "."],
            "column series is int64, which 'a' can't be compared with",
        ),
        (&["series.labels", "nowhere"], "nowhere"),
        (
            &["graph.solutions", "-a", "query=ASK {}", "-a", "types=values", "."],
            "argument types: there is no values: there are text, of_values",
        ),
        (&["blobs.files", "-a", "below=etc", "."], "argument below: etc doesn't begin with /"),
        (&["series.labels", "--limit", "1"], "series.labels needs a path"),
        (
            &["series.labels", "--partitions", "2", "--format", "csv", "."],
            "--partitions prints JSON lines",
        ),
        (&["--where", "a = 1"], "missing TABLE; `manicule table` lists them"),
        (&["--partition", "{}"], "this is no partition: its version is null, expected 1"),
    ] {
        let mut command = Command::new(env!("CARGO_BIN_EXE_manicule"));
        let output = command.current_dir(&data).arg("table").args(words).output().expect("it runs");
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(2), "{words:?}: {said}");
        assert!(said.contains(want), "{words:?}: {said}");
    }
}
