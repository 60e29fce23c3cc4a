//! `manicule find` in SSTables: keys, clusterings and values, as CQL writes them.

use std::fs;
use std::path::Path;
use std::process::{Command, Output, Stdio};

use manicule_testkit::golden_folder;
use serde_json::Value as Json;

fn find(folder: &Path, words: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_manicule"));
    command.arg("find").args(words).current_dir(folder).stdin(Stdio::null());
    command.output().expect("the program runs")
}

/// Standard output and standard error of a call that ends with this exit code.
#[track_caller]
fn check(folder: &Path, words: &[&str], code: i32) -> (String, String) {
    let output = find(folder, words);
    let [text, error] =
        [output.stdout, output.stderr].map(|bytes| String::from_utf8_lossy(&bytes).into_owned());
    assert_eq!(output.status.code(), Some(code), "{words:?}: {text}{error}");
    (text, error)
}

const DATA: &str = "mixed/me-1-big-Data.db";

#[test]
fn each_match_is_a_line_as_cql_writes_it() {
    let golden = golden_folder("rows", "me");
    let folder = golden.path().join("me");
    let printed = |words: &[&str], code: i32| check(&folder, words, code).0;
    assert_eq!(printed(&["static5", DATA], 0), format!("{DATA}: 5 static s1 = 'static5'\n"));
    // Keys of collections, elements, clusterings, keys.
    let keyed = printed(&["^x$", DATA], 0);
    assert!(keyed.starts_with(&format!("{DATA}: 5 static s2['x'] = 5\n")), "{keyed}");
    let seven = printed(&["seven", DATA], 0);
    assert!(seven.contains(&format!("{DATA}: 5 (0, 'b1') m[7] = 'seven'\n")), "{seven}");
    let one = printed(&["^p$", DATA], 0);
    assert!(one.contains(&format!("{DATA}: 5 (0, 'b0') st = 'p'\n")), "{one}");
    let clustering = printed(&["^b1$", DATA], 0);
    assert!(clustering.contains(&format!("{DATA}: 5 (0, 'b1')\n")), "{clustering}");
    assert!(printed(&["^5$", DATA], 0).starts_with(&format!("{DATA}: 5\n")));
    // Other values as CQL writes them, without quotes.
    let time = printed(&["2017-07-14", DATA], 0);
    assert!(time.contains("(0, 'b0') du = '2017-07-14 02:40:00"), "{time}");
    assert!(printed(&["123456789012", DATA], 0).contains(" bi = 123456789012\n"));
    assert_eq!(printed(&["nowhere", DATA], 1), "");
    let comp = "comp/me-1-big-Data.db";
    assert_eq!(printed(&["^x4$", comp], 0), format!("{comp}: (4, 'x4')\n"));
}

#[test]
fn options_mean_what_they_mean_for_lines() {
    let golden = golden_folder("rows", "me");
    let folder = golden.path().join("me");
    let printed = |words: &[&str], code: i32| check(&folder, words, code).0;
    let all = printed(&["seven", DATA], 0).lines().count();
    assert!(all > 2);
    assert_eq!(printed(&["-c", "seven", DATA], 0), format!("{DATA}:{all}\n"));
    assert_eq!(printed(&["-i", "SEVEN", DATA], 0).lines().count(), all);
    assert_eq!(printed(&["-m2", "seven", DATA], 0).lines().count(), 2);
    assert_eq!(printed(&["-w", "seve", DATA], 1), "");
    assert_eq!(printed(&["-F", "sev.n", DATA], 1), "");
    assert_eq!(printed(&["-e", "sev.n", DATA], 0).lines().count(), all);
    assert_eq!(printed(&["-l", "seven", DATA], 0), format!("{DATA}\n"));
    assert_eq!(printed(&["-q", "seven", DATA], 0), "");
    assert_eq!(printed(&["--files-without-match", "nowhere", DATA], 0), format!("{DATA}\n"));
    assert_eq!(printed(&["--files", DATA], 0), format!("{DATA}\n"));
    let everything = printed(&["-c", "", DATA], 0);
    let others = printed(&["-v", "-c", "seven", DATA], 0);
    let count = |text: &str| -> usize {
        let count = text.trim_end().rsplit(':').next().and_then(|count| count.parse().ok());
        count.expect("a count")
    };
    assert_eq!(count(&everything), count(&others) + all);
    let first = printed(&["--json", "static5", DATA], 0);
    let json: Json = serde_json::from_str(first.lines().next().unwrap()).unwrap();
    let data = &json["data"];
    assert_eq!((&json["type"], &data["key"]), (&"cell".into(), &"5".into()));
    assert_eq!((&data["column"], &data["value"]), (&"s1".into(), &"'static5'".into()));
    assert_eq!((&data["static"], &data["row"]), (&true.into(), &Json::Null));
    let (_, receipt) = check(&folder, &["--receipt", "static5", DATA], 0);
    assert!(receipt.contains("partitions") && receipt.contains("values_compared"), "{receipt}");
    let colored = printed(&["--color=ansi", "atic5", DATA], 0);
    assert!(colored.contains("'st\x1b[0m\x1b[1m\x1b[31matic5\x1b[0m'"), "{colored:?}");
    let (_, error) = check(&folder, &["-C1", "seven", DATA], 2);
    assert!(error.contains("no lines"), "{error}");
    // Beside others it is left out.
    let schema = "mixed/schema.cql";
    let (text, error) = check(&folder, &["-o", "seven|CREATE", DATA, schema], 2);
    assert!(
        text == format!("{schema}:CREATE\n") && error.contains("-o: an SSTable"),
        "{text}{error}"
    );
}

#[test]
fn a_folder_is_searched_in_all_its_sstables_and_the_rest_as_text() {
    let golden = golden_folder("rows", "me");
    let folder = golden.path().join("me");
    let (text, error) = check(&folder, &["-c", "", "multi"], 0);
    for generation in 1..=3 {
        assert!(text.contains(&format!("multi/me-{generation}-big-Data.db:")), "{text}{error}");
    }
    assert!(text.contains("multi/schema.cql:") && !text.contains("Index.db"), "{text}");
    let (text, _) = check(&folder, &["CREATE", "mixed"], 0);
    assert!(text.starts_with("mixed/schema.cql:"), "{text}");
    // Further up it is a tree of files, and the tables that it passes are named.
    let (_, error) = check(&folder, &["static5", "."], 1);
    assert!(error.contains(" SSTable files further down"), "{error}");
}

#[test]
fn what_cannot_be_read_is_named_and_the_rest_is_searched() {
    let golden = golden_folder("rows", "me");
    let folder = golden.path().join("me");
    let data = folder.join(DATA);
    let bytes = fs::read(&data).unwrap();
    fs::write(&data, &bytes[..bytes.len() / 2]).unwrap();
    let (text, error) = check(&folder, &["static5|^x4$", DATA, "comp"], 2);
    assert!(text.contains("(4, 'x4')"), "{text}");
    assert!(error.contains("me-1-big-Data.db") && error.contains("offset"), "{error}");
    // A version that isn't read is named.
    let old = golden.path().join("old");
    fs::create_dir(&old).unwrap();
    for (name, text) in
        [("Data.db", ""), ("Statistics.db", ""), ("TOC.txt", "Data.db\nStatistics.db\n")]
    {
        fs::write(old.join(format!("ks-t-ka-1-{name}")), text).unwrap();
    }
    let (_, error) = check(golden.path(), &["x", "old"], 2);
    assert!(error.contains("version ka, of Cassandra 2.1"), "{error}");
}
