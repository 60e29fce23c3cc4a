//! Commands that list print the rows of a table with `--format`: those that `manicule table`
//! prints.

use std::path::Path;
use std::process::Command;

use manicule::answer::Field;
use manicule::catalog::{Arguments, table};
use manicule_testkit::{golden_folder, golden_repository};
use serde_json::Value as Json;

use super::cases::cases;
use super::{json_lines, manicule};

/// A command; the same rows asked of its table; the columns of it that the command has though they
/// are dear.
type Row = (&'static [&'static str], &'static [&'static str], Dear);

#[derive(Clone, Copy)]
enum Dear {
    These(&'static [&'static str]),
    All,
}

const NONE: Dear = Dear::These(&[]);

const SERIES: &[Row] = &[
    (&["series", "labels", "./"], &["series.labels", "./"], NONE),
    (
        &["series", "labels", "job", "--match", "up", "--limit", "2", "./"],
        &["series.labels", "--where", "name = 'job'", "-a", "selector=up", "--limit", "2", "./"],
        NONE,
    ),
    (&["series", "labels", "-r"], &["series.labels", "."], NONE),
    (
        &["series", "select", "up", "--start", "1700000000.5", "."],
        &["series.series", "-a", "selector=up", "-a", "start=1700000000.5", "."],
        NONE,
    ),
    (
        &["series", "select", "up", "--samples", "--limit", "3"],
        &["series.samples", "-a", "selector=up", "--limit", "3", "."],
        Dear::These(&["labels"]),
    ),
];
const ROWS: &[Row] = &[
    (
        &["rows", "list", "--now", "1900000000", "--gc-grace", "60", "multi"],
        &["rows.sstables", "-a", "now=1900000000", "-a", "gc_grace=60", "multi"],
        NONE,
    ),
    (&["rows", "partitions", "multi"], &["rows.partitions", "multi"], NONE),
    (
        &["rows", "partitions", "--rows", "--now", "1900000000", "--min", "7500", "multi"],
        &["rows.partitions", "-a", "now=1900000000", "--where", "_bytes >= 7500", "multi"],
        Dear::All,
    ),
    (
        &["rows", "tombstones", "--now", "1900000000", "--gc-grace", "60", "mixed"],
        &[
            "rows.partitions",
            "-a",
            "now=1900000000",
            "-a",
            "gc_grace=60",
            "--where",
            "_tombstones >= 1",
            "mixed",
        ],
        Dear::All,
    ),
];
const CODE: &[Row] = &[
    (&["code", "list", "ctags", "delta"], &["code.repositories", "ctags", "delta"], NONE),
    (
        &["code", "search", "la", "ctags", "tomb"],
        &["code.lines", "-a", "query=la", "ctags", "tomb"],
        NONE,
    ),
    (
        &["code", "search", "-l", "la", "--limit", "3", "ctags"],
        &["code.documents", "-a", "query=la", "--limit", "3", "ctags"],
        NONE,
    ),
];
const GRAPH: &[Row] = &[
    (&["graph", "stats", "store"], &["graph.predicates", "store"], NONE),
    (
        &["graph", "stats", "store", "--limit", "3", "--at", "kept"],
        &["graph.predicates", "--limit", "3", "-a", "at=kept", "store"],
        NONE,
    ),
];
const BLOBS: &[Row] = &[
    (&["blobs", "snapshots", "-r", "repo"], &["blobs.snapshots", "repo"], NONE),
    (
        &["blobs", "snapshots", "-r", "repo", "--host", "lamp"],
        &["blobs.snapshots", "--where", "hostname = 'lamp'", "repo"],
        NONE,
    ),
    (
        &["blobs", "cost", "-r", "repo", "--by", "host", "latest"],
        &["blobs.costs", "-a", "by=host", "-a", "snapshots=latest", "repo"],
        NONE,
    ),
    (&["blobs", "list", "blobs", "repo"], &["blobs.blobs", "repo"], NONE),
    (&["blobs", "list", "snapshots", "repo"], &["blobs.snapshots", "repo"], NONE),
    (
        &["blobs", "ls", "-r", "repo", "latest"],
        &["blobs.files", "-a", "snapshots=latest", "repo"],
        NONE,
    ),
    (
        &["blobs", "ls", "-r", "repo", "-R", "03fbb1", "/srv/fleet/birch/home/"],
        &["blobs.files", "-a", "snapshots=03fbb1", "-a", "below=/srv/fleet/birch/home", "repo"],
        NONE,
    ),
];
/// Whose packs are all there.
const PACKS: &[Row] = &[
    (&["blobs", "list", "packs", "repo"], &["blobs.packs", "repo"], NONE),
    (&["blobs", "usage", "-r", "repo"], &["blobs.packs", "repo"], Dear::All),
    (
        &["blobs", "usage", "-r", "repo", "--packs", "--max-unused", "0.5%"],
        &["blobs.packs", "--where", "fate <> 'keep'", "-a", "max_unused=0.5%", "repo"],
        Dear::All,
    ),
];
const VERSIONS: &[Row] = &[
    (
        &["blobs", "history", "-r", "repo", "/srv/tiny"],
        &["blobs.versions", "-a", "file=/srv/tiny", "repo"],
        NONE,
    ),
    (
        &["blobs", "history", "-r", "repo", "--sha256", "--new", "/srv/tiny/07"],
        &["blobs.versions", "-a", "file=/srv/tiny/07", "repo"],
        Dear::All,
    ),
];

/// The columns of a table that a command has.
fn columns(name: &str, dear: Dear) -> String {
    let table = table(name).expect("a table");
    let fields = table.fields(&Arguments { paths: vec![".".into()], named: Vec::new() });
    let is_shown = |field: &Field| match dear {
        Dear::All => true,
        Dear::These(names) => !field.is_dear || names.contains(&&*field.name),
    };
    let shown = fields.expect("columns").into_iter().filter(is_shown);
    shown.map(|field| field.name.into_owned()).collect::<Vec<_>>().join(",")
}

#[track_caller]
fn check(folder: &Path, rows: &[Row]) {
    for (listed, asked, dear) in rows {
        let format = ["--format", "csv"];
        let got = manicule(folder, &[listed, &format[..]].concat()).stdout;
        let columns = columns(asked[0], *dear);
        let words = [&["table"], *asked, &format[..], &["--columns", &columns]].concat();
        let want = manicule(folder, &words).stdout;
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
    for (table, rows) in [
        ("graph.predicates", GRAPH),
        ("blobs.snapshots", BLOBS),
        ("blobs.packs", PACKS),
        ("blobs.versions", VERSIONS),
    ] {
        let case = cases().into_iter().find(|case| case.table == table).expect("a case");
        let golden = case.folder();
        if table.starts_with("graph") {
            manicule(golden.path(), &["graph", "snapshot", "store", "kept"]);
        }
        check(golden.path(), rows);
    }
}

/// What commands say in their own words, and how many rows or which paths their tables have.
#[test]
fn tables_have_what_commands_say_themselves() {
    let golden = golden_folder("rows", "me");
    let folder = golden.path().join("me");
    let words = ["rows", "tombstones", "mixed", "--now", "1900000000"];
    let said = json_lines(manicule(&folder, &[&words[..], &["--json"]].concat()));
    let affected = said.last().expect("the totals")["partitions_with_tombstones"].as_u64();
    let rows = json_lines(manicule(&folder, &[&words[..], &["--format", "jsonl"]].concat()));
    assert_eq!(affected, Some(rows.len() as u64));

    let golden = golden_repository("fleet");
    let words = ["blobs", "ls", "-q", "-r", "repo", "-R", "03fbb1", "/srv/fleet/birch/home"];
    let said = manicule(golden.path(), &words).stdout;
    let said = String::from_utf8(said).expect("UTF-8");
    let rows = manicule(golden.path(), &[&words[..], &["--format", "jsonl"]].concat());
    let paths: Vec<Json> = json_lines(rows).into_iter().map(|row| row["path"].clone()).collect();
    assert_eq!(paths, said.lines().map(Json::from).collect::<Vec<_>>());
    assert!(paths.len() > 2, "{paths:?}");

    let golden = golden_repository("unused");
    let words = ["blobs", "usage", "-r", "repo", "--max-unused", "0"];
    let said =
        json_lines(manicule(golden.path(), &[&words[..], &["--all-packs", "--json"]].concat()));
    let mut said: Vec<_> = said.iter().filter(|one| one["type"] == "pack").collect();
    said.sort_by_key(|pack| pack["id"].to_string());
    let rows = json_lines(manicule(golden.path(), &[&words[..], &["--format", "jsonl"]].concat()));
    assert!(rows.iter().any(|row| row["fate"] == "repack"), "something is repacked");
    assert_eq!(rows.len(), said.len());
    for (row, pack) in rows.iter().zip(said) {
        for name in ["id", "fate", "unused_bytes"] {
            assert_eq!(row[name], pack[name], "{row} {pack}");
        }
    }
}

#[test]
fn flags_that_a_table_has_nothing_for_are_refused() {
    let (series, rows) = (golden_folder("series", "golden"), golden_folder("rows", "me"));
    let graph = cases().into_iter().find(|case| case.table == "graph.predicates").expect("a case");
    let graph = graph.folder();
    for (words, flag, table) in [
        (&["series", "labels", "--counts", "."][..], "--counts", "series.labels"),
        (&["series", "select", "up", "--json", "."], "--json", "series.series"),
        (&["series", "select", "up", "--samples", "--count", "."], "--count", "series.samples"),
        (&["rows", "list", "-r", "."], "--recursive", "rows.sstables"),
        (&["rows", "partitions", "-n", "3", "."], "--top", "rows.partitions"),
        (&["rows", "partitions", "--by", "rows", "."], "--by", "rows.partitions"),
        (&["rows", "tombstones", "-r", "."], "--recursive", "rows.partitions"),
        (&["code", "search", "la", "-c", "."], "--count", "code.lines"),
        (&["code", "search", "la", "-l", "--bm25", "."], "--bm25", "code.documents"),
        (&["code", "search", "la", "-C2", "."], "--after-context", "code.lines"),
        (&["graph", "stats", "--json", "store"], "--json", "graph.predicates"),
        (&["blobs", "ls", "-r", ".", "latest:/a"], "FOLDER", "blobs.files"),
        (&["blobs", "ls", "-r", ".", "latest", "/a"], "PATH without --recursive", "blobs.files"),
        (&["blobs", "ls", "-r", ".", "latest", "--tag", "a"], "--tag", "blobs.files"),
        (&["blobs", "ls", "-r", ".", "0a", "--sort", "size"], "--sort", "blobs.files"),
        (&["blobs", "history", "-r", ".", "/a", "--write", "1"], "--write", "blobs.versions"),
        (&["blobs", "usage", "-r", ".", "--json"], "--json", "blobs.packs"),
        (&["code", "list", "lamp", "."], "QUERY", "code.repositories"),
        (&["blobs", "snapshots", "-r", ".", "--latest", "1"], "--latest", "blobs.snapshots"),
        (&["blobs", "cost", "-r", ".", "--tag", "a"], "--tag", "blobs.costs"),
    ] {
        let mut command = Command::new(env!("CARGO_BIN_EXE_manicule"));
        let words = [words, &["--format", "csv"]].concat();
        let folder = match words[0] {
            "graph" => graph.path().to_owned(),
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

/// `-o` of ripgrep and of sstablepartitions takes no file: no word after it becomes one.
#[test]
fn an_output_whose_name_says_no_format_is_refused() {
    let golden = golden_folder("rows", "me");
    let mut command = Command::new(env!("CARGO_BIN_EXE_manicule"));
    command.current_dir(golden.path().join("me"));
    let output = command.args(["rows", "partitions", "-o", "100", "multi"]).output().expect("runs");
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(2), "{said}");
    assert!(said.contains("100: its name says no format; give --format csv"), "{said}");
    assert!(!golden.path().join("me/100").exists());
}

/// `--output` is for a version and for a table: which of them, something has to say.
#[test]
fn an_output_of_versions_says_what_it_is() {
    let golden = golden_repository("small");
    let call = |more: &[&str]| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_manicule"));
        command.current_dir(golden.path()).env("RESTIC_PASSWORD", super::PASSWORD);
        command.args(["blobs", "history", "-r", "repo", "/srv/tiny/07", "-o", "out"]);
        command.args(more).output().expect("manicule runs")
    };
    let output = call(&[]);
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(2), "{said}");
    assert!(
        said.contains("--output is for a version, --write says which; or for a table"),
        "{said}"
    );
    let written = || std::fs::read_to_string(golden.path().join("out")).unwrap_or_default();
    assert!(call(&["--format", "csv"]).status.success());
    assert!(written().starts_with("path,path_bytes,hostname,version,"), "{}", written());
    assert!(call(&["--write", "2"]).status.success());
    let dumped = ["blobs", "dump", "-r", "repo", "latest", "/srv/tiny/07"];
    assert_eq!(written().into_bytes(), manicule(golden.path(), &dumped).stdout);
}
