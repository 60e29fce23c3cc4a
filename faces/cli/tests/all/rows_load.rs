//! `manicule rows write`, as it is called: what `rows export` has written is read back in each of
//! its formats, and what is wrong is named with its place. The guide's examples are the current
//! output. `UPDATE=1 cargo test` rewrites them.

use std::fs;
use std::path::Path;
use std::process::{Command, Output};

use manicule_testkit::slices::GoldenTables;
use manicule_testkit::{Examples, names};

fn manicule(folder: &Path, words: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_manicule"));
    command.current_dir(folder).args(words).output().expect("manicule runs")
}

fn text(folder: &Path, words: &[&str]) -> String {
    let output = manicule(folder, words);
    let error = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{words:?}: {error}");
    String::from_utf8(output.stdout).expect("UTF-8")
}

/// The code and the first line of standard error.
fn refusal(folder: &Path, words: &[&str]) -> (Option<i32>, String) {
    let output = manicule(folder, words);
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    (output.status.code(), said.lines().next().unwrap_or_default().to_owned())
}

/// A file of the scratch folder.
fn write(folder: &Path, name: &str, text: &str) {
    fs::write(folder.join(name), text).expect("a file");
}

/// The present of all golden tables.
const NOW: [&str; 2] = ["--now", "1700000000"];

#[test]
fn what_export_writes_is_read_back() {
    let (golden, scratch) = (GoldenTables::new(), tempfile::tempdir().expect("a folder"));
    let folder = scratch.path();
    let (mut count, mut refused) = (0, 0);
    for (number, table) in golden.folders().iter().enumerate() {
        let Ok(schema) = fs::read_to_string(table.join("schema.cql")) else { continue };
        // Vectors and dictionaries are of versions that aren't written; each table once in each
        // format is enough.
        let is_writable =
            ![" counter", "vector<", "Dictionary"].iter().any(|word| schema.contains(word));
        write(folder, "t.cql", &schema);
        let table = table.to_string_lossy().into_owned();
        let export = |path: &str, format: &str, file: &str| {
            let words =
                ["rows", "export", path, "--schema", "t.cql", "--format", format, "-o", file];
            text(folder, &[&words[..], &NOW].concat());
        };
        for format in ["csv", "jsonl", "parquet"] {
            let (input, back) = (format!("in.{format}"), format!("back.{format}"));
            let out = format!("{number}-{format}");
            export(&table, format, &input);
            let words =
                ["rows", "write", "--schema", "t.cql", &input, "-o", &out, "--timestamp", "1"];
            let words = [&words[..], &NOW].concat();
            if !is_writable {
                assert_eq!(refusal(folder, &words).0, Some(2), "{table}");
                refused += 1;
                continue;
            }
            text(folder, &words);
            text(folder, &["rows", "verify", &out]);
            export(&out, format, &back);
            let [wrote, read] =
                [&input, &back].map(|name| fs::read(folder.join(name)).expect("it"));
            assert!(wrote == read, "{table} {format}");
            fs::remove_dir_all(folder.join(&out)).expect("ours");
            count += 1;
        }
    }
    assert!(count >= 30 && refused >= 3, "{count} {refused}");
}

/// The lines of a raw export without the SSTables that say them.
fn facts(path: &Path) -> Vec<String> {
    let text = fs::read_to_string(path).expect("facts");
    let line = |line: &str| line.split_once(", ").map(|(_, said)| said.to_owned());
    text.lines().filter_map(line).collect()
}

#[test]
fn facts_that_export_writes_are_those_that_are_written_again() {
    let (golden, scratch) = (GoldenTables::new(), tempfile::tempdir().expect("a folder"));
    let folder = scratch.path();
    let (mut count, mut same, mut refused) = (0, 0, Vec::new());
    for table in golden.folders() {
        let Ok(schema) = fs::read_to_string(table.join("schema.cql")) else { continue };
        write(folder, "t.cql", &schema);
        let all = names(&table).into_iter().filter(|name| name.ends_with("-Data.db"));
        for (number, name) in all.enumerate() {
            let path = table.join(&name).to_string_lossy().into_owned();
            let export = |path: &str, format: &str, file: &str| {
                let words = ["rows", "export", "--raw", path, "--schema", "t.cql"];
                text(folder, &[&words[..], &["--format", format, "-o", file]].concat());
            };
            export(&path, "jsonl", "facts.jsonl");
            let version = name.split('-').next().expect("a version");
            let is_written = ["mc", "md", "me", "nb"].contains(&version);
            let version = if is_written { version } else { "nb" };
            // One format is enough for all but the first SSTable of a table.
            for format in &["csv", "jsonl", "parquet"][..if number == 0 { 3 } else { 1 }] {
                let input = format!("in.{format}");
                export(&path, format, &input);
                let words = ["rows", "write", "--raw", "--schema", "t.cql", &input, "-o", "out"];
                let more = ["--as", version, "--compress", "none"];
                let output = manicule(folder, &[&words[..], &more].concat());
                if !output.status.success() {
                    refused.push(String::from_utf8_lossy(&output.stderr).into_owned());
                    continue;
                }
                text(folder, &["rows", "verify", "out"]);
                export("out", "jsonl", "back.jsonl");
                let [said, back] = ["facts.jsonl", "back.jsonl"].map(|it| facts(&folder.join(it)));
                assert!(said == back, "{path} {format}");
                let data = fs::read(folder.join(format!("out/{version}-1-big-Data.db")));
                let is_same = data.expect("data") == fs::read(&path).expect("data");
                same += usize::from(is_same && is_written);
                count += 1;
                fs::remove_dir_all(folder.join("out")).expect("ours");
            }
        }
    }
    // Vectors, and times after 2038, for which these versions have no bytes.
    let is_known =
        |why: &&String| why.contains("vectors") || why.contains("the last of the version");
    assert!(refused.iter().all(|why| is_known(&why)), "{refused:#?}");
    println!("{count} written again, {same} with the same data, {} refused", refused.len());
    assert!(count >= 40 && same >= 20, "{count} {same}");
}

#[test]
fn the_same_rows_give_the_same_bytes() {
    let scratch = tempfile::tempdir().expect("a folder");
    let folder = scratch.path();
    write(folder, "t.cql", "CREATE TABLE ks.t (p int, c int, v text, PRIMARY KEY (p, c))");
    let row = |row: usize| format!("{},{},value {row}\n", row % 7, row * 7919 % 1000);
    let rows = |order: &mut dyn Iterator<Item = usize>| order.map(row).collect::<String>();
    write(folder, "a.csv", &format!("p,c,v\n{}", rows(&mut (0..1000))));
    write(folder, "b.csv", &format!("p,c,v\n{}", rows(&mut (0..1000).rev())));
    for (input, out, memory) in
        [("a.csv", "a", "1GiB"), ("b.csv", "b", "1GiB"), ("b.csv", "runs", "10KiB")]
    {
        let words = ["rows", "write", "--schema", "t.cql", input, "-o", out, "--memory", memory];
        let said = text(folder, &[&words[..], &["--timestamp", "5", "--now", "5"]].concat());
        assert_eq!(said.contains("sorted run"), out == "runs", "{said}");
    }
    // In the order of the table, as export has it.
    let sorted = text(folder, &["rows", "export", "a", "--schema", "t.cql", "--format", "csv"]);
    write(folder, "sorted.csv", &sorted);
    let words = ["rows", "write", "--schema", "t.cql", "--sorted", "sorted.csv", "-o", "sorted"];
    text(folder, &[&words[..], &["--timestamp", "5", "--now", "5"]].concat());
    for name in names(&folder.join("a")) {
        let of = |out: &str| fs::read(folder.join(out).join(&name)).expect("a file");
        assert!(of("a") == of("b") && of("a") == of("runs") && of("a") == of("sorted"), "{name}");
    }
}

#[test]
fn what_is_wrong_is_named_with_its_place_and_nothing_is_written() {
    let scratch = tempfile::tempdir().expect("a folder");
    let folder = scratch.path();
    let schema = "CREATE TYPE ks.u (a int);
        CREATE TABLE ks.t (p int, c text, v list<int>, u u, s text static, PRIMARY KEY (p, c));
        CREATE TABLE ks.other (k int PRIMARY KEY)";
    write(folder, "t.cql", schema);
    let check = |name: &str, text: &str, more: &[&str], want: &str| {
        write(folder, name, text);
        let words = ["rows", "write", "--schema", "t.cql", "--table", "t", name, "-o", "out"];
        let (code, said) = refusal(folder, &[&words[..], more].concat());
        assert_eq!((code, said.as_str()), (Some(2), want), "{text}");
        assert!(!folder.join("out").exists() || names(&folder.join("out")).is_empty());
    };
    let none: &[&str] = &[];
    check("a.csv", "p,c,x\n1,a,5\n", none, "manicule: a.csv: line 1: the table has no column x");
    let twice = "manicule: a.csv: line 1: column v is there twice";
    check("a.csv", "p,c,v,v\n1,a,[1],[2]\n", none, twice);
    let twice = "manicule: a.csv: line 1: column \"v\" is there twice";
    check("a.csv", "p,c,v,\"\"\"v\"\"\"\n1,a,[1],[2]\n", none, twice);
    let twice = "manicule: a.csv: names: column c is there twice";
    check("a.csv", "1,a,b\n", &["--fields", "p,c,c"], twice);
    let twice = "manicule: a.jsonl: line 1: column c is there twice";
    check("a.jsonl", "{\"p\": 1, \"c\": \"\", \"c\": \"x\"}", none, twice);
    check(
        "a.csv",
        "p,c,v\n1,a,[1]\n1,b,[x]\n",
        none,
        "manicule: a.csv: line 3: column v: value at byte 1: wanted int, got \"x]\"",
    );
    check(
        "a.csv",
        "p,c\n1,\"a\nb\"\nx,c\n",
        none,
        "manicule: a.csv: line 4: column p: value at byte 0: wanted int, got \"x\"",
    );
    check(
        "a.csv",
        "p,c\n1\n",
        none,
        "manicule: a.csv: line 2: it has 1 fields, and there are 2 names",
    );
    check("a.csv", "p,c\n1,\"a\n", none, "manicule: a.csv: line 2: a quote is never closed");
    check(
        "a.csv",
        "p,c\n1,\n",
        none,
        "manicule: a.csv: line 2: column c: the primary key wants a value",
    );
    check(
        "a.csv",
        "c\nx\n",
        none,
        "manicule: a.csv: line 2: column p: the partition key wants a value",
    );
    check(
        "a.jsonl",
        "{\"p\": 1, \"c\": \"\"}\n{\"p\": 1",
        none,
        "manicule: a.jsonl: line 2: no object of JSON: EOF while parsing an object at line 1 column 7",
    );
    check(
        "a.jsonl",
        "{\"p\": 1, \"c\": 2}",
        none,
        "manicule: a.jsonl: line 1: column c: wanted a text, got 2",
    );
    check(
        "a.jsonl",
        "{\"p\": 1, \"c\": \"\", \"u\": {\"b\": 1}}",
        none,
        "manicule: a.jsonl: line 1: column u: u has no field b",
    );
    check("a.txt", "", none, "manicule: a.txt: its name doesn't say which format it has");
    check(
        "a.csv",
        "p,c\n2,a\n1,a\n",
        &["--sorted"],
        "manicule: a.csv: line 3: rows are not sorted: one of the partition 1 comes after one that it belongs before",
    );
    check(
        "a.csv",
        "p,c,t\n1,a,700000000\n",
        &["--ttl-field", "t"],
        "manicule: a.csv: line 2: seconds to live are 0 to 630720000, which is 20 years",
    );
    check(
        "a.parquet",
        "no Parquet",
        none,
        "manicule: a.parquet: Parquet error: Invalid Parquet file. Corrupt footer",
    );
    let words = ["rows", "write", "--schema", "t.cql", "a.csv", "-o", "out"];
    let want = "manicule: t.cql: it has ks.t and ks.other: which one is meant?";
    assert_eq!(refusal(folder, &words), (Some(2), want.to_owned()));
    // No row at all is said, and is not an SSTable.
    write(folder, "none.csv", "p,c\n");
    let words = ["rows", "write", "--schema", "t.cql", "--table", "ks.t", "none.csv", "-o", "out"];
    let output = manicule(folder, &words);
    assert_eq!(output.status.code(), Some(1));
    assert!(String::from_utf8_lossy(&output.stdout).starts_with("there was no row: nothing was"));
}

#[test]
fn times_nulls_and_updates_are_what_options_say() {
    let scratch = tempfile::tempdir().expect("a folder");
    let folder = scratch.path();
    write(folder, "t.cql", "CREATE TABLE ks.t (p int PRIMARY KEY, v text, w int)");
    write(folder, "r.csv", "1;a;;10;0\n2;;5;20;60\n");
    let words = [
        "rows",
        "write",
        "--schema",
        "t.cql",
        "r.csv",
        "-o",
        "out",
        "--fields",
        "p,v,w,t,l",
        "--delimiter",
        ";",
        "--timestamp-field",
        "t",
        "--ttl-field",
        "l",
        "--now",
        "100",
        "--update",
        "--delete-nulls",
        "--as",
        "nb",
        "--host-id",
        "123e4567-e89b-12d3-a456-426614174000",
    ];
    text(folder, &words);
    let raw =
        text(folder, &["rows", "export", "--raw", "--format", "csv", "--schema", "t.cql", "out"]);
    let want = "\
_sstable,p,_fact,_static,_column,_path,_value,_inclusive,_written,_ttl,_expires,_deleted
nb-1-big-Data.db,1,cell,false,v,,a,,10,,,
nb-1-big-Data.db,1,cell deletion,false,w,,,,10,,,1970-01-01 00:01:40.000Z
nb-1-big-Data.db,2,cell deletion,false,v,,,,20,,,1970-01-01 00:01:40.000Z
nb-1-big-Data.db,2,cell,false,w,,5,,20,60,1970-01-01 00:02:40.000Z,
";
    assert_eq!(raw, want);
    let stats = text(folder, &["rows", "stats", "out"]);
    assert!(stats.contains("123e4567-e89b-12d3-a456-426614174000"), "{stats}");
}

/// Every command that writes SSTables says with `--dry-run` what it would write, and writes
/// nothing.
#[test]
fn a_dry_run_writes_nothing() {
    let scratch = tempfile::tempdir().expect("a folder");
    let folder = scratch.path();
    write(folder, "t.cql", "CREATE TABLE ks.t (p int PRIMARY KEY, v text)");
    let rows: String = (0..500).map(|row| format!("{row},value {row}\n")).collect();
    write(folder, "r.csv", &format!("p,v\n{rows}"));
    let load = ["write", "--schema", "t.cql", "r.csv", "--timestamp", "1"];
    text(folder, &[&["rows"], &load[..], &["-o", "t"]].concat());
    let verbs: [&[&str]; 5] = [
        &load,
        &["rebuild", "t"],
        &["salvage", "t"],
        &["extract", "t", "-k", "7", "--others"],
        &["merge", "t"],
    ];
    for words in verbs {
        let dry = text(folder, &[&["rows"], words, &["-o", "out", "--dry-run"]].concat());
        assert!(!folder.join("out").exists(), "{words:?}");
        let wet = text(folder, &[&["rows"], words, &["-o", "out"]].concat());
        assert_eq!(dry, wet.replacen("Data.db", "Data.db would be written", 1), "{words:?}");
        fs::remove_dir_all(folder.join("out")).expect("ours");
    }
    // Of several runs only their merge would count the rows.
    let runs = [&["rows"], &load[..], &["-o", "out", "--dry-run", "--memory", "1KiB"]].concat();
    let said = text(folder, &runs);
    assert!(
        said.starts_with("an SSTable would be written\nof 500 rows that were read, by "),
        "{said}"
    );
    assert!(!folder.join("out").exists());
}

/// The files of the guide.
const SCHEMA: &str = "\
CREATE TABLE ks.users (
    id int,
    day date,
    name text STATIC,
    visits int,
    tags set<text>,
    PRIMARY KEY (id, day)
) WITH CLUSTERING ORDER BY (day DESC)
    AND compression = {'class': 'LZ4Compressor', 'chunk_length_in_kb': 16};
";
const ROWS: &str = "\
id,day,name,visits,tags
1,2026-11-01,Ada,4,\"{'paid', 'early'}\"
2,2026-11-01,\"Lovelace, B.\",,
1,2026-11-02,Ada,7,
";
const MORE_ROWS: &str = "\
{\"id\": 2, \"day\": \"2026-11-03\", \"visits\": 1, \"tags\": [\"new\"]}
";
const WRONG_ROWS: &str = "\
id,day,visits
3,2026-11-01,many
";

const DELETION: &str = "\
id,_fact,_written,_deleted
2,partition deletion,1700000000000001,2023-11-14 22:13:21.000Z
";

#[test]
fn the_guide_shows_what_is_printed() {
    let scratch = tempfile::tempdir().expect("a folder");
    let folder = scratch.path();
    let mut page = Examples::of("docs/guide/load-a-table.md");
    for (example, name, text) in [
        ("schema", "users.cql", SCHEMA),
        ("csv", "users.csv", ROWS),
        ("json", "more.jsonl", MORE_ROWS),
        ("wrong", "wrong.csv", WRONG_ROWS),
        ("gone", "gone.csv", DELETION),
    ] {
        page.hold(example, text);
        write(folder, name, text);
    }
    let times = ["--timestamp", "1700000000000000", "--now", "1700000000"];
    let written =
        ["rows", "write", "--schema", "users.cql", "users.csv", "more.jsonl", "-o", "ks/users"];
    page.hold("written", &text(folder, &[&written[..], &times].concat()));
    page.hold("verified", &text(folder, &["rows", "verify", "ks/users"]));
    let export = ["rows", "export", "ks/users", "--schema", "users.cql"];
    page.hold("back", &text(folder, &[&export[..], &NOW].concat()));
    let wrong = ["rows", "write", "--schema", "users.cql", "wrong.csv", "-o", "ks/users"];
    page.hold("refused", &format!("{}\n", refusal(folder, &wrong).1));
    let raw = ["rows", "export", "--raw", "-k", "2", "ks/users", "--schema", "users.cql"];
    page.hold("raw", &text(folder, &raw));
    let deleted = ["rows", "write", "--raw", "--schema", "users.cql", "gone.csv", "-o", "ks/users"];
    page.hold("deleted", &text(folder, &deleted));
    page.hold("left", &text(folder, &[&export[..], &NOW].concat()));
}
