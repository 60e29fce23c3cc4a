//! Commands that list print the rows of a table with `--format`: those that `manicule table`
//! prints.

use std::path::Path;
use std::process::Command;

use manicule_testkit::golden_folder;

use super::cases::cases;
use super::manicule;

/// A command, and the same rows asked of its table.
type Pair = (&'static [&'static str], &'static [&'static str]);

const SERIES: &[Pair] = &[
    (&["series", "labels", "./"], &["series.labels", "./"]),
    (
        &["series", "labels", "job", "--match", "up", "--limit", "2", "./"],
        &["series.labels", "--where", "name = 'job'", "-a", "selector=up", "--limit", "2", "./"],
    ),
    (&["series", "labels", "-r"], &["series.labels", "."]),
    (
        &["series", "select", "up", "--start", "1700000000.5", "."],
        &["series.series", "-a", "selector=up", "-a", "start=1700000000.5", "."],
    ),
    (
        &["series", "select", "up", "--samples", "--limit", "3"],
        &["series.samples", "-a", "selector=up", "--limit", "3", "."],
    ),
];
const ROWS: &[Pair] = &[(
    &["rows", "list", "--now", "1900000000", "--gc-grace", "60", "multi"],
    &["rows.sstables", "-a", "now=1900000000", "-a", "gc_grace=60", "multi"],
)];
const CODE: &[Pair] =
    &[(&["code", "list", "ctags", "delta"], &["code.repositories", "ctags", "delta"])];
const BLOBS: &[Pair] = &[
    (&["blobs", "snapshots", "-r", "repo"], &["blobs.snapshots", "repo"]),
    (
        &["blobs", "snapshots", "-r", "repo", "--host", "lamp"],
        &["blobs.snapshots", "--where", "hostname = 'lamp'", "repo"],
    ),
    (
        &["blobs", "cost", "-r", "repo", "--by", "host", "latest"],
        &["blobs.costs", "-a", "by=host", "-a", "snapshots=latest", "repo"],
    ),
    (&["blobs", "list", "blobs", "repo"], &["blobs.blobs", "repo"]),
    (&["blobs", "list", "snapshots", "repo"], &["blobs.snapshots", "repo"]),
];
/// Whose packs are all there.
const PACKS: &[Pair] = &[(&["blobs", "list", "packs", "repo"], &["blobs.packs", "repo"])];

#[track_caller]
fn check(folder: &Path, pairs: &[Pair]) {
    for (listed, asked) in pairs {
        let format = ["--format", "csv"];
        let got = manicule(folder, &[listed, &format[..]].concat()).stdout;
        let want = manicule(folder, &[&["table"], *asked, &format[..]].concat()).stdout;
        let [got, want] = [got, want].map(|text| String::from_utf8(text).expect("UTF-8"));
        assert_eq!(got, want, "{listed:?}");
        let is_chosen = listed.contains(&"--host");
        assert!(want.lines().count() > 1 || is_chosen, "{asked:?}: no rows");
        // A file, of the format that its name says.
        manicule(folder, &[listed, &["-o", "rows.csv"][..]].concat());
        let written = std::fs::read_to_string(folder.join("rows.csv")).unwrap_or_default();
        assert_eq!(written, want, "{listed:?} -o");
    }
}

#[test]
fn commands_that_list_print_their_tables() {
    let series = golden_folder("series", "golden");
    check(&series.path().join("blocks/api"), SERIES);
    check(&golden_folder("rows", "me").path().join("me"), ROWS);
    check(&golden_folder("code", "shards").path().join("shards"), CODE);
    for (table, pairs) in [("blobs.snapshots", BLOBS), ("blobs.packs", PACKS)] {
        let case = cases().into_iter().find(|case| case.table == table).expect("a case");
        check(case.folder().path(), pairs);
    }
}

#[test]
fn flags_that_a_table_has_nothing_for_are_refused() {
    let (series, rows) = (golden_folder("series", "golden"), golden_folder("rows", "me"));
    for (words, flag, table) in [
        (&["series", "labels", "--counts", "."][..], "--counts", "series.labels"),
        (&["series", "select", "up", "--json", "."], "--json", "series.series"),
        (&["series", "select", "up", "--samples", "--count", "."], "--count", "series.samples"),
        (&["rows", "list", "-r", "."], "--recursive", "rows.sstables"),
        (&["code", "list", "lamp", "."], "QUERY", "code.repositories"),
        (&["blobs", "snapshots", "-r", ".", "--latest", "1"], "--latest", "blobs.snapshots"),
        (&["blobs", "cost", "-r", ".", "--tag", "a"], "--tag", "blobs.costs"),
    ] {
        let mut command = Command::new(env!("CARGO_BIN_EXE_manicule"));
        let words = [words, &["--format", "csv"]].concat();
        let folder = match words[0] {
            "rows" => rows.path().join("me/multi"),
            _ => series.path().join("blocks/api"),
        };
        let output = command.current_dir(folder).args(&words).output().expect("manicule runs");
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(2), "{words:?}: {said}");
        let want = format!(
            "with --format or --output the table {table} is printed, which has nothing for {flag}"
        );
        assert!(said.contains(&want), "{words:?}: {said}");
    }
}
