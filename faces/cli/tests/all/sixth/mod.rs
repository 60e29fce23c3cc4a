//! A sixth kind of index: what a program gets that adds the row of a system to this crate's own and
//! runs the command line. `pairs.rs` is all that it says of its kind.
//!
//! The program is this one: it is started again, with the words of the command line in a variable.

mod pairs;

use std::collections::BTreeMap;
use std::env;
use std::ffi::OsString;
use std::fs;
use std::io::Write;
use std::path::Path;
use std::process::{Command, ExitCode};

use manicule::kinds::add;
use manicule_buckets::{Server, Setup};
use serde_json::{Value as Json, json};

use crate::table::read::rows_of;

/// Variable with the words of the command line, a line each.
const WORDS: &str = "MANICULE_SIXTH_WORDS";

/// What comes before the answer on standard output: before it is what the frame of tests says.
const BEGIN: &str = "\u{1}\n";

#[test]
#[ignore = "it is the program that the tests beside it start"]
fn program() {
    let words = env::var(WORDS).expect("the words of a command line");
    add(&pairs::ROW).expect("a word that nobody has");
    let mut out = std::io::stdout();
    out.write_all(BEGIN.as_bytes()).and_then(|()| out.flush()).expect("standard output");
    let words = ["manicule"].into_iter().chain(words.split('\n')).map(OsString::from);
    let ended = manicule_cli::main(None, words.collect::<Vec<_>>().into_iter());
    let code = (0..=u8::MAX).find(|code| ExitCode::from(*code) == ended);
    std::process::exit(code.expect("an exit code").into());
}

/// Two files, of which one has a wrong sum, and a text.
fn planted() -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    let lines = "anvil\tfor the smith\nlamp\toil and a wick\noil\tfor the lamp\n";
    let put = |name: &str, text: String| fs::write(folder.path().join(name), text).expect("a file");
    put("a.pairs", format!("PAIRS 1\n{lines}sum {}", pairs::sum(lines)));
    put("bad.pairs", format!("PAIRS 1\n{lines}sum 00000000\n"));
    put("cut.pairs", format!("PAIRS 1\n{lines}"));
    put("a.txt", "a lamp\n".to_owned());
    folder
}

/// Answer on standard output, on standard error, and the exit code.
fn answer(folder: &Path, words: &[&str]) -> (String, String, Option<i32>) {
    answer_with(folder, words, BTreeMap::new())
}

/// The same with variables of the environment.
fn answer_with(
    folder: &Path,
    words: &[&str],
    variables: BTreeMap<String, String>,
) -> (String, String, Option<i32>) {
    let output = Command::new(env::current_exe().expect("this program"))
        .args(["--exact", "sixth::program", "--ignored", "--nocapture", "--test-threads", "1"])
        .env(WORDS, words.join("\n"))
        .env("MANICULE_CACHE_DIR", folder.join("cache"))
        .envs(variables)
        .current_dir(folder)
        .output()
        .expect("it runs");
    let [out, err] = [output.stdout, output.stderr].map(|bytes| String::from_utf8(bytes).unwrap());
    let (_, out) = out.split_once(BEGIN).unwrap_or_else(|| panic!("{out}{err}"));
    (out.to_owned(), err, output.status.code())
}

#[track_caller]
fn check(words: &[&str], code: i32, want: &str) {
    let (out, err, ended) = answer(planted().path(), words);
    assert_eq!((&*out, ended), (want, Some(code)), "{words:?}: {err}");
}

#[track_caller]
fn check_json(words: &[&str], code: i32, want: Json) {
    let (out, err, ended) = answer(planted().path(), words);
    let rows: Result<Vec<Json>, _> = out.lines().map(serde_json::from_str).collect();
    assert_eq!((rows.expect("JSON").into(), ended), (want, Some(code)), "{words:?}: {err}");
}

#[test]
fn a_text_is_found_in_it() {
    let hits = "a.pairs: lamp = oil and a wick\na.pairs: oil = for the lamp\n";
    check(&["find", "lamp", "a.pairs"], 0, hits);
    check(&["find", "lamp", "a.pairs", "a.txt"], 0, &format!("a.txt:a lamp\n{hits}"));
    check(&["find", "-c", "lamp", "a.pairs"], 0, "a.pairs:2\n");
    check(&["find", "-l", "smith", "a.pairs", "bad.pairs"], 0, "a.pairs\nbad.pairs\n");
    check(&["find", "-Iv", "lamp", "a.pairs"], 0, "anvil = for the smith\n");
    let colored = "lamp = oil and a \u{1b}[0m\u{1b}[1m\u{1b}[31mwick\u{1b}[0m\n";
    check(&["find", "-I", "--color=always", "wick", "a.pairs"], 0, colored);
    check(&["find", "wicks", "a.pairs"], 1, "");
    let data = json!({ "key": "lamp", "value": "oil and a wick", "path": { "text": "a.pairs" } });
    let (out, ..) = answer(planted().path(), &["find", "--json", "wick", "a.pairs"]);
    let first: Json = serde_json::from_str(out.lines().next().expect("a row")).expect("JSON");
    assert_eq!(first, json!({ "type": "pair", "data": data }));
    check(&["find", "-A1", "lamp", "a.pairs"], 2, "");
}

#[test]
fn it_is_inspected() {
    check(&["inspect", "a.pairs"], 0, "a.pairs: 3 pairs\n");
    let report = json!({ "type": "pairs-file", "path": "a.pairs", "pairs": 3 });
    check_json(&["inspect", "--json", "a.pairs"], 0, json!([report]));
    let head = "00000000  50 41 49 52 53 20 31 0a                           |PAIRS 1.|\n";
    check(&["inspect", "--hex", "magic", "a.pairs"], 0, head);
    let (out, err, code) = answer(planted().path(), &["inspect", "cut.pairs"]);
    let want = "manicule: cut.pairs: there is no magic or no sum\n";
    assert_eq!((&*out, &*err, code), ("", want, Some(1)));
}

#[test]
fn it_is_verified() {
    check(&["verify", "a.pairs"], 0, "ok: 3 pairs\n");
    let [finding, counts] =
        ["bad.pairs: sum: wanted 78c57e70, got 00000000\n", "1 finding: 3 pairs\n"];
    check(&["verify", "bad.pairs"], 1, &(finding.to_owned() + counts));
    let verified =
        json!({ "type": "verified", "path": "a.pairs", "ok": true, "findings": 0, "pairs": 3 });
    check_json(&["verify", "--json", "a.pairs"], 0, json!([verified]));
    check(&["verify", "cut.pairs"], 1, "");
}

#[test]
fn at_an_address_it_is_found_inspected_and_verified() {
    let (planted, server) = (planted(), Server::start(Setup::Signed));
    server.bring(planted.path(), "");
    let address = "s3://bucket/a.pairs";
    for (words, want) in [
        (&["find", "-I", "wick", address][..], "lamp = oil and a wick\n"),
        (&["inspect", address], "s3://bucket/a.pairs: 3 pairs\n"),
        (&["verify", address], "ok: 3 pairs\n"),
    ] {
        let (out, err, code) = answer_with(planted.path(), words, server.variables());
        assert_eq!((&*out, code), (want, Some(0)), "{words:?}: {err}");
    }
}

#[test]
fn what_it_lists_is_a_table_in_every_format() {
    let planted = planted();
    let table = |words: &[&str]| {
        let (out, err, code) = answer(planted.path(), &[&["table", "pairs.pairs"], words].concat());
        assert_eq!(code, Some(0), "{words:?}: {err}");
        out
    };
    let rows = json!([
        { "key": "anvil", "value": "for the smith" },
        { "key": "lamp", "value": "oil and a wick" },
        { "key": "oil", "value": "for the lamp" },
    ]);
    let lines = table(&["a.pairs", "--format", "jsonl"]);
    let lines = lines.lines().map(|line| serde_json::from_str(line).expect("JSON"));
    assert_eq!(Json::Array(lines.collect()), rows);
    let csv = "key,value\nlamp,oil and a wick\n";
    assert_eq!(table(&["a.pairs", "--where", "key LIKE 'l%'", "--format", "csv"]), csv);
    for format in ["parquet", "arrow"] {
        let path = format!("a.{format}");
        table(&["a.pairs", "-o", &path]);
        assert_eq!(Json::Array(rows_of(format, &planted.path().join(path))), rows, "{format}");
    }
    let part = table(&["a.pairs", "--partitions", "2"]);
    let (of_part, ..) = answer(planted.path(), &["table", "--partition", part.trim_end()]);
    assert_eq!(of_part, table(&["a.pairs"]));
    assert!(table(&[]).starts_with("# pairs.pairs\n\nA pair of a file of pairs.\n"));
    let (listed, ..) = answer(planted.path(), &["table"]);
    assert!(listed.contains("\npairs.pairs        A pair of a file of pairs.\n"), "{listed}");
}

#[test]
fn its_hits_are_rows_of_the_table_of_hits() {
    let rows = json!([{ "kind": "pairs", "item": "pair", "place": "lamp", "path": "a.pairs" }]);
    let words =
        "table find a.pairs a.txt -a text=wick --columns kind,item,place,path --format jsonl";
    check_json(&words.split(' ').collect::<Vec<_>>(), 0, rows);
}
