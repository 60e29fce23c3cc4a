//! The walks of docs/walks: the counts of their calls must be those of the page.

use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::Path;
use std::process::{Command, Output};
use std::thread::sleep;
use std::time::Duration;

use manicule_testkit::{
    Arrivals, OpenCounts, Opens, golden_folder, golden_repository, names, tree_folder,
};
use serde_json::{Value, json};

fn run(folder: &Path, words: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_manicule"))
        .args(words)
        .current_dir(folder)
        .env("MANICULE_CACHE_DIR", folder.join(".cache"))
        .output()
        .expect("the program runs")
}

/// The fields of a call's receipt, which is the last line of its JSON.
fn receipt(folder: &Path, words: &[&str]) -> Value {
    let output = run(folder, &[words, &["--json", "--receipt"]].concat());
    let text = String::from_utf8(output.stdout).expect("JSON");
    let last: Value = serde_json::from_str(text.lines().last().expect("a line")).expect("JSON");
    assert_eq!(last["type"], "receipt", "{text}");
    last["data"].clone()
}

/// 24 files in four folders of `src`, one of which matches.
fn plant(folder: &Path) {
    for name in ["a", "b", "c", "d"] {
        fs::create_dir_all(folder.join("src").join(name)).expect("a folder");
        for number in 1..=6 {
            let path = folder.join(format!("src/{name}/{number}.go"));
            fs::write(path, format!("package {name} // {number}\n")).expect("a file");
        }
    }
    fs::write(folder.join("src/c/3.go"), "func NewInformer() {}\n").expect("a file");
}

const FIND: [&str; 4] = ["find", "-n", r"func.*Informer\(", "src"];

#[test]
fn walk_a_reads_candidates_and_proves_the_rest_by_a_look() {
    let tree = tree_folder();
    plant(tree.path());
    // A file that has just been made can change unseen, and is looked at again until its time has
    // passed.
    let settled = || {
        assert!(run(tree.path(), &["cache", "build", "src"]).status.success());
        receipt(tree.path(), &FIND)["folders_changed"] == 0
    };
    assert!((0..100).any(|_| settled() || {
        sleep(Duration::from_millis(100));
        false
    }));
    let found = receipt(tree.path(), &FIND);
    // Step 3: one candidate. Step 4: five folders looked at. Step 5: the other files looked at, one
    // opened and visited.
    // Step 6: nothing walked.
    let want = json!({
        "folders_known": 5, "folders_changed": 0, "files_known": 24, "files_checked": 23,
        "files_changed": 0, "candidates": 1, "files_walked": 0, "opened": 1, "visited": 1,
    });
    for (name, want) in want.as_object().expect("an object") {
        assert_eq!(found[name], *want, "{name}: {found}");
    }

    // A folder that has changed is listed: its new file is searched, and nothing else is opened.
    fs::write(tree.path().join("src/d/new.go"), "func NewInformer() {}\n").expect("a file");
    let found = receipt(tree.path(), &FIND);
    let counts = ["folders_changed", "candidates", "visited"].map(|name| found[name].as_u64());
    assert_eq!(counts, [Some(1), Some(1), Some(2)], "{found}");
}

#[test]
fn walk_b_writes_shards_once_and_again_when_a_byte_has_changed() {
    let tree = tree_folder();
    plant(tree.path());
    let index = || {
        let output =
            run(tree.path(), &["code", "index", "-disable_ctags", "-index", ".shards", "src"]);
        let text = String::from_utf8(output.stdout).expect("text");
        text.split(':').next().expect("a word").to_owned()
    };
    // Step 4: every document is compared with the shards.
    assert_eq!([index(), index()], ["indexed src", "unchanged"]);
    fs::write(tree.path().join("src/d/6.go"), "package e // 6\n").expect("a file");
    assert_eq!([index(), index()], ["indexed src", "unchanged"]);
    let found = receipt(tree.path(), &["find", "-n", r"func.*Informer\(", ".shards"]);
    let counts = ["shards", "documents", "document_candidates", "documents_visited"];
    assert_eq!(counts.map(|name| found[name].as_u64()), [1, 24, 1, 1].map(Some), "{found}");
}

#[test]
fn walk_c_asks_values_and_reads_lists_of_the_blocks_of_the_time() {
    let golden = golden_folder("series", "golden");
    let data = golden.path().join("blocks");
    let selector = r#"up{job=~"a.*"}"#;
    let found = receipt(&data, &["series", "select", selector, "api"]);
    // Two blocks of 28 pairs. `a.*` is a prefix, so no value is tried; each has six series of `up`,
    // all of job `api`.
    let want = json!({
        "blocks": 2, "label_pairs": 56, "label_names_tried": 0, "label_values_tried": 0,
        "posting_lists": 4, "posting_lists_len": 432, "series_matched": 12, "series_decoded": 12,
    });
    assert_eq!(found, want);

    // Step 2: the first block ends before. Nothing of it is opened but its meta file.
    let first = data.join("api/01M7YV9DA539J3RD3VS93JZGWY/index");
    fs::write(first, "no index").expect("a file");
    let late = ["series", "select", "--start", "1700006420", selector, "api"];
    let found = receipt(&data, &late);
    assert_eq!((&found["blocks"], &found["series_decoded"]), (&json!(1), &json!(6)), "{found}");

    // Step 5: label values come from lists, and no series is decoded.
    let labels = ["series", "labels", "instance", "--match", selector, "--start", "1700006420"];
    let found = receipt(&data, &[&labels[..], &["api"]].concat());
    assert_eq!((&found["blocks"], &found["series_decoded"]), (&json!(1), &json!(0)), "{found}");
}

#[test]
fn walk_e_reads_each_index_snapshot_and_distinct_tree_once_and_no_contents() {
    let golden = golden_repository("fleet");
    let repository = golden.path().join("repo");
    let names = |folder: &Path| -> Vec<_> {
        fs::read_dir(folder)
            .expect("a folder")
            .map(|entry| entry.expect("an entry").path())
            .collect()
    };
    let once = ["index", "snapshots"].map(|kind| repository.join(kind));
    let packs = names(&repository.join("data"));
    let watched = |folder: &Path| (folder.to_owned(), Opens::of(folder).expect("a watch"));
    let opens: Vec<_> = once.iter().chain(&packs).map(|folder| watched(folder)).collect();
    let output = Command::new(env!("CARGO_BIN_EXE_manicule"))
        .args(["blobs", "cost", "--json", "--repo"])
        .arg(&repository)
        .env("RESTIC_PASSWORD", "manicule-golden")
        .output()
        .expect("the program runs");
    assert!(output.status.success(), "{output:?}");
    let mut pack_opens = Vec::new();
    for (folder, opens) in opens {
        let counts = opens.counts().expect("counts");
        if once.contains(&folder) {
            // Steps 2 and 3: listed once, and each file opened once.
            assert_eq!(
                (counts.folder, counts.entries.len()),
                (1, names(&folder).len()),
                "{counts:?}"
            );
            assert!(counts.entries.values().all(|&count| count == 1), "{counts:?}");
        }
        if packs.contains(&folder) {
            pack_opens.extend(counts.entries.into_values());
        }
    }
    // Step 4: of 27 packs the 13 of trees, once for each wave that has a tree in them. Paths have
    // five components.
    assert_eq!((pack_opens.len(), pack_opens.iter().max()), (13, Some(&5)), "{pack_opens:?}");
}

#[test]
fn walk_f_opens_what_filters_admit_and_reads_what_the_rows_need() {
    let golden = golden_folder("rows", "me");
    let me = golden.path().join("me");
    let slice = |words: &[&str]| receipt(&me, &[&["rows", "slice"], words].concat());
    let counts = |found: &Value, names: [&str; 4]| names.map(|name| found[name].as_u64());
    let sstables = ["sstables", "sstables_opened", "sstables_holding", "rows"];

    // Step 2: no filter admits the key, so that one header and the filters are all that is opened.
    let multi = me.join("multi");
    let opens = Opens::of(&multi).expect("a watch");
    let found = slice(&["multi", "77"]);
    assert_eq!(counts(&found, sstables), [3, 0, 0, 0].map(Some), "{found}");
    let opened = opens.counts().expect("counts").entries;
    let of =
        |name: &str| opened.keys().filter(|path| path.to_string_lossy().ends_with(name)).count();
    let names = ["Filter.db", "Statistics.db", "Index.db", "Data.db"];
    assert_eq!(names.map(of), [3, 1, 0, 0], "{opened:?}");
    let found = slice(&["multi", "1", "--limit", "2"]);
    assert_eq!(counts(&found, sstables), [3, 2, 2, 2].map(Some), "{found}");

    // Steps 3 to 5: four blocks of fifteen are compared; without the index everything before the
    // row is read.
    let row = ["wide", "2", "--from", "'key00600'", "--limit", "1"];
    let cost = ["blocks", "reads", "read_bytes", "rounds"];
    let found = slice(&row);
    assert_eq!(counts(&found, cost), [4, 11, 14_656, 11].map(Some), "{found}");
    let found = slice(&[&row[..], &["--no-search"]].concat());
    assert_eq!(counts(&found, cost), [0, 19, 20_841, 19].map(Some), "{found}");
}

#[test]
fn walk_g_logs_a_commit_reads_it_with_the_leaves_and_merges_what_it_touches() {
    let folder = tempfile::tempdir().expect("a folder");
    let folder = folder.path();
    let data = "@prefix : <http://a/> . :s1 :p 1 ; :q \"x\" . :s2 :p 2 . :g { :s3 :p 1 . }";
    fs::write(folder.join("a.trig"), data).expect("a file");
    assert!(run(folder, &["graph", "load", "-q", "s", "a.trig"]).status.success());
    assert!(run(folder, &["graph", "compact", "-q", "s"]).status.success());
    let names = |part: &str| -> BTreeSet<_> {
        let entries = fs::read_dir(folder.join("s").join(part)).expect("a folder");
        entries.map(|entry| entry.expect("an entry").file_name()).collect()
    };
    let [leaves, segments] = ["leaf", "dict"].map(names);
    assert_eq!(leaves.len(), 7);

    // Steps 1 to 3: one operation; the quad and its new term are in the log, and no file is made.
    let change = "INSERT DATA { <http://a/s4> <http://a/p> 1 }";
    let found = receipt(folder, &["graph", "update", "s", change]);
    assert_eq!(found, json!({ "operations": 1, "inserted": 1, "removed": 0 }));
    assert_eq!([names("leaf"), names("dict")], [leaves.clone(), segments.clone()]);
    let inspected = run(folder, &["inspect", "--json", "s"]);
    let inspected: Value = serde_json::from_slice(&inspected.stdout).expect("JSON");
    let overlay = ["commits", "layers", "added", "removed", "terms"];
    let overlay = overlay.map(|name| inspected["overlay"][name].as_u64());
    assert_eq!(overlay, [1, 1, 1, 0, 1].map(Some), "{inspected}");

    // Steps 4 and 6: one range of an order, in the leaves and in the layer; terms are read for the
    // rows alone.
    let ask = || {
        let output =
            run(folder, &["graph", "query", "--receipt", "s", "SELECT ?s { ?s <http://a/p> 1 }"]);
        let text = String::from_utf8(output.stderr).expect("text");
        ["scans", "quads", "terms_read", "rows"].map(|name| {
            let of = |line: &str| {
                line.strip_prefix(&format!("manicule: receipt: {name} "))?.parse().ok()
            };
            text.lines().find_map(of)
        })
    };
    let counts: [Option<u64>; 4] = ask();
    assert_eq!(counts, [1, 2, 2, 2].map(Some));

    // Step 5: the leaves of the default graph are made again, those of named graphs and the old
    // terms stay.
    assert!(run(folder, &["graph", "compact", "-q", "--merge", "s"]).status.success());
    assert_eq!(names("leaf").intersection(&leaves).count(), 4);
    assert_eq!(names("leaf").len(), 7);
    let opens = Opens::of(&folder.join("s/leaf")).expect("a watch");
    assert_eq!(ask(), counts);
    let opens = opens.counts().expect("counts").entries;
    assert!(opens.len() == 7 && opens.values().all(|count| *count == 1), "{opens:?}");
}

/// Name, way, rows and bytes of an operator.
type Row<'f> = (&'f str, Option<&'f str>, Option<u64>, Option<u64>);

/// An operator and those inside, from the top.
fn operators<'f>(found: &'f Value, all: &mut Vec<Row<'f>>) {
    let number = |name: &str| found[name].as_u64();
    let name = found["name"].as_str().expect("a name");
    all.push((name, found["way"].as_str(), number("rows"), number("bytes")));
    found["inside"].as_array().into_iter().flatten().for_each(|inside| operators(inside, all));
}

#[test]
fn walk_h_holds_the_rows_of_one_join_and_the_groups_and_reads_terms_of_the_answer() {
    let folder = tempfile::tempdir().expect("a folder");
    let folder = folder.path();
    let orders = (0..6000).map(|n| format!(":o{n} :customer :c{} ; :total {} .\n", n % 200, n % 7));
    let countries =
        (0..200).map(|n| format!(":c{n} :country \"{}\" .\n", ["NL", "IS"][n % 50 / 49]));
    let data: String = orders.chain(countries).collect();
    fs::write(folder.join("a.ttl"), format!("@prefix : <http://a/> .\n{data}")).expect("a file");
    assert!(run(folder, &["graph", "load", "-q", "s", "a.ttl"]).status.success());
    let query = "PREFIX : <http://a/> SELECT ?country (SUM(?total) AS ?sum) {
        ?order :customer ?customer ; :total ?total . ?customer :country ?country } GROUP BY ?country";
    let work = |found: &Value| {
        let names = ["scans", "quads", "terms_read", "rows"];
        names.map(|name| found["work"][name].as_u64().expect(name))
    };
    let check = |orders: u64| {
        let output = run(folder, &["graph", "query", "--analyze", "--json", "s", query]);
        let found: Value = serde_json::from_slice(&output.stdout).expect("JSON");
        let mut all = Vec::new();
        operators(&found["plan"], &mut all);
        // Steps 3 to 5: the last scan goes past the rows so far into the groups. Two columns of
        // 8 bytes are held, and two groups.
        let want = [
            ("answer", None, Some(2), None),
            ("project", None, Some(2), Some(32)),
            ("extend", None, Some(2), Some(48)),
            ("group", None, Some(2), Some(32)),
            ("join", None, Some(orders), Some(112)),
            ("pattern", Some("1. scan"), Some(200), Some(200 * 16)),
            ("pattern", Some("2. hash join"), Some(orders), Some(16 * orders)),
            ("pattern", Some("3. hash join"), Some(orders), Some(112)),
        ];
        assert_eq!(all, want, "{found}");
        // Each pattern is scanned once; its quads count, and the rows of each join. Step 6: two
        // terms for each of two rows.
        assert_eq!(work(&found), [3, 200 + 4 * orders, 4, 2], "{found}");
    };
    check(6000);
    let change = "PREFIX : <http://a/> INSERT DATA { :o6000 :customer :c0 ; :total 1 }";
    assert!(run(folder, &["graph", "update", "-q", "s", change]).status.success());
    check(6001);

    // Step 2: with less than the rows of the first scan take, it is pulled.
    let answer = |options: &[&str]| {
        let format = ["graph", "query", "--format", "tsv"];
        let output = run(folder, &[&format, options, &["s", query]].concat());
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        let text = String::from_utf8(output.stdout).expect("UTF-8");
        let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
        lines.sort_unstable();
        lines
    };
    assert_eq!(answer(&["--memory", "1000"]), answer(&[]));
}

/// 2,000 rows of 400 bytes in four partitions, uncompressed, with their schema; their order in the
/// data is 1, 0, 2, 3.
fn put_rows(folder: &Path) {
    let schema = "CREATE TABLE ks.t (p int, c int, v text, PRIMARY KEY (p, c)) WITH compression = {'enabled': false}";
    fs::write(folder.join("t.cql"), schema).expect("a file");
    let row = |n: usize| format!("{},{},{n:0400}\n", n % 4, n / 4);
    let rows: String = (0..2000).map(row).collect();
    fs::write(folder.join("rows.csv"), format!("p,c,v\n{rows}")).expect("a file");
}

/// What a command for SSTables prints, which has to end well.
fn said(folder: &Path, words: &[&str]) -> String {
    let output = run(folder, &[&["rows"], words].concat());
    assert!(output.status.success(), "{words:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).expect("text")
}

/// Numbers of partitions, rows and cells that a command prints of the SSTable that it wrote.
fn counts(said: &str) -> [u64; 3] {
    let line = said.lines().nth(1).expect("a second line");
    let numbers =
        line.split(", ").map(|part| part.split(' ').next().and_then(|it| it.parse().ok()));
    let numbers: Vec<u64> = numbers.map_while(|number| number).collect();
    numbers[..3].try_into().expect("three numbers")
}

/// The names of an SSTable that is written, in the order in which they appear.
const NAMES: [&str; 12] = [
    "me-1-big.lock",
    "me-1-big.new",
    "me-1-big-Index.db",
    "me-1-big-Statistics.db",
    "me-1-big-CRC.db",
    "me-1-big-Digest.crc32",
    "me-1-big-Filter.db",
    "me-1-big-Summary.db",
    "me-1-big-Data.db",
    "me-1-big-TOC.txt",
    "schema.cql.tmp",
    "schema.cql",
];

/// What a command prints that writes into a folder, which is made before, and the names that appear
/// there.
fn written(folder: &Path, words: &[&str], into: &str) -> (String, Vec<String>) {
    let target = folder.join(into);
    fs::create_dir(&target).expect("a folder");
    let arrivals = Arrivals::of(&target).expect("a watch");
    let said = said(folder, &[words, &["-o", into]].concat());
    let arrived = arrivals.names().expect("names");
    let arrived: Vec<_> = arrived.into_iter().filter_map(|name| name.into_string().ok()).collect();
    // The lock, the folder aside and the file aside are gone.
    let mut left = NAMES[2..].to_vec();
    left.retain(|name| !name.ends_with(".tmp"));
    left.sort_unstable();
    assert_eq!(names(&target), left, "{words:?}");
    (said, arrived)
}

#[test]
fn walk_i_reads_what_is_taken_once_and_names_the_table_of_contents_last() {
    let folder = tempfile::tempdir().expect("a folder");
    let folder = folder.path();
    put_rows(folder);
    let times = ["--timestamp", "1", "--now", "1"];
    said(folder, &[&["write", "--schema", "t.cql", "rows.csv", "-o", "t"], &times[..]].concat());

    // Steps 1 and 5: a lock, a folder aside, then the components by name. Steps 2 to 4: all
    // partitions but one.
    let others = ["extract", "t", "-k", "2", "--others"];
    let (printed, arrived) = written(folder, &others, "rest");
    assert_eq!((counts(&printed), &arrived[..]), ([3, 1500, 1500], &NAMES.map(str::to_owned)[..]));
    let (printed, _) = written(folder, &["extract", "t", "-k", "2"], "one");
    assert_eq!(counts(&printed), [1, 500, 500]);

    // A merge opens each data and index once, and walks over partitions of one and of both.
    let opens = ["rest", "one"].map(|part| Opens::of(&folder.join(part)).expect("a watch"));
    let (printed, arrived) = written(folder, &["merge", "rest", "one", "--now", "1"], "merged");
    assert_eq!((counts(&printed), &arrived[..]), ([4, 2000, 2000], &NAMES.map(str::to_owned)[..]));
    assert!(printed.contains("merged of 2 SSTables, 828.1 KB uncompressed"), "{printed}");
    for opens in opens {
        let opens = opens.counts().expect("counts").entries;
        let of = |name: &str| opens.get(format!("me-1-big-{name}").as_ref() as &OsStr).copied();
        assert_eq!(["Data.db", "Index.db"].map(of), [Some(1); 2], "{opens:?}");
    }
    let data = |of: &str| folder.join(of).join("me-1-big-Data.db");
    assert!(fs::read(data("merged")).expect("data") == fs::read(data("t")).expect("data"));
    let (printed, _) = written(folder, &["merge", "t", "merged", "--now", "1"], "same");
    assert_eq!(counts(&printed), [4, 2000, 2000]);

    // A rebuilt one has the data under a second name.
    let (printed, arrived) = written(folder, &["rebuild", "t"], "rebuilt");
    assert_eq!((counts(&printed), &arrived[..]), ([4, 2000, 2000], &NAMES.map(str::to_owned)[..]));
    let [old, new] = ["t", "rebuilt"].map(|of| fs::metadata(data(of)).expect("data").ino());
    assert_eq!(old, new);

    // Step 2: damage in the partition that is left out isn't read. Nothing is left of a run that
    // meets it.
    let mut bytes = fs::read(data("merged")).expect("data");
    let middle = bytes.len() * 5 / 8;
    bytes[middle..middle + 1000].fill(0xff);
    fs::write(data("merged"), bytes).expect("it is damaged");
    let others = ["extract", "merged", "-k", "2", "--others"];
    let (printed, _) = written(folder, &others, "sound");
    assert_eq!(counts(&printed), [3, 1500, 1500]);
    assert!(fs::read(data("sound")).expect("data") == fs::read(data("rest")).expect("data"));
    let output = run(folder, &["rows", "extract", "merged", "-k", "2", "-o", "nothing"]);
    assert_eq!((output.status.code(), names(&folder.join("nothing"))), (Some(2), Vec::new()));

    // What a salvage loses of it are the rows up to the next partition.
    let output = run(folder, &["rows", "salvage", "merged", "-o", "left"]);
    let printed = String::from_utf8(output.stdout).expect("text");
    assert_eq!((output.status.code(), counts(&printed)), (Some(1), [4, 1932, 1932]));
}

#[test]
fn walk_j_writes_one_sstable_by_as_many_sorted_runs_as_the_memory_wants() {
    let folder = tempfile::tempdir().expect("a folder");
    let folder = folder.path();
    put_rows(folder);
    let words = ["write", "--schema", "t.cql", "--timestamp", "1", "--now", "1"];
    let load = |more: &[&str], into: &str| written(folder, &[&words[..], more].concat(), into);
    let is_of_runs = |name: &&String| name.starts_with("rows-");

    // Steps 1 and 2: schema and rows are opened once. Step 3: all rows fit, and no run is written.
    let opens = Opens::of(folder).expect("a watch");
    let (printed, arrived) = load(&["rows.csv"], "whole");
    let opens = opens.counts().expect("counts").entries;
    let of = |name: &str| opens.get(name.as_ref() as &OsStr).copied();
    assert_eq!(["t.cql", "rows.csv"].map(of), [Some(1); 2], "{opens:?}");
    assert_eq!((counts(&printed), &arrived[..]), ([4, 2000, 2000], &NAMES.map(str::to_owned)[..]));
    assert!(printed.ends_with("of 2000 rows that were read\n"), "{printed}");

    // Nine times 100 KiB, and 87 times 10 KiB, of which 64 become one before the end: runs lie in
    // one folder, which goes.
    for (memory, runs) in [("100KiB", 9), ("10KiB", 87)] {
        let (printed, arrived) = load(&["--memory", memory, "rows.csv"], memory);
        let of_runs: Vec<_> = arrived.iter().filter(is_of_runs).collect();
        let endings: Vec<_> = of_runs.iter().filter_map(|name| name.split_once('.')).collect();
        assert_eq!(endings.iter().map(|it| it.1).collect::<Vec<_>>(), ["runs-lock", "runs"]);
        assert_eq!(arrived[2..], NAMES, "{arrived:?}");
        assert!(printed.ends_with(&format!("read, by {runs} sorted runs\n")), "{printed}");
    }

    // Sorted rows are written as they come, however little memory there is.
    let sorted = said(folder, &["export", "whole", "--schema", "t.cql", "--format", "csv"]);
    fs::write(folder.join("sorted.csv"), sorted).expect("a file");
    let (printed, arrived) = load(&["--memory", "10KiB", "--sorted", "sorted.csv"], "sorted");
    assert!(printed.ends_with("of 2000 rows that were read\n"), "{printed}");
    assert_eq!(arrived, NAMES);

    // Step 4: rows of one key become one, in memory and of several runs.
    for (memory, runs) in [("4MiB", ""), ("100KiB", ", by 18 sorted runs")] {
        let (printed, _) =
            load(&["--memory", memory, "rows.csv", "rows.csv"], &format!("2-{memory}"));
        assert_eq!(counts(&printed), [4, 2000, 2000]);
        assert!(printed.ends_with(&format!("of 4000 rows that were read{runs}\n")), "{printed}");
    }
    let data = |of: &str| fs::read(folder.join(of).join("me-1-big-Data.db")).expect("data");
    let whole = data("whole");
    assert!(["100KiB", "10KiB", "sorted", "2-100KiB"].iter().all(|of| data(of) == whole));
}

/// Number of opens of a folder and of its entries during a find there, which must find something.
fn opens_of_find(folder: &Path, text: &str) -> OpenCounts {
    let opens = Opens::of(folder).expect("a watch");
    let output = run(folder.parent().expect("a parent"), &["find", text, folder.to_str().unwrap()]);
    assert!(output.status.success(), "{output:?}");
    opens.counts().expect("counts")
}

#[test]
fn a_path_is_recognised_once() {
    let tree = tree_folder();
    plant(tree.path());
    for name in ["a", "b", "c"] {
        let source = format!("src/{name}");
        assert!(
            run(tree.path(), &["code", "index", "-disable_ctags", "-index", "shards", &source])
                .status
                .success()
        );
    }
    // Listed to be recognised, and again when all shards are mapped: so that an index that was
    // published meanwhile is noticed.
    let opens = opens_of_find(&tree.path().join("shards"), "Informer");
    assert_eq!((opens.folder, opens.entries.values().sum()), (2, 3), "{opens:?}");

    let golden = golden_folder("series", "golden");
    let opens = opens_of_find(&golden.path().join("blocks/api"), "http");
    assert_eq!((opens.folder, opens.entries.len()), (1, 0), "{opens:?}");
}
