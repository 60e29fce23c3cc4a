//! `manicule rows`, as it is called.

use std::fs;
use std::io::Read;
use std::path::Path;
use std::process::{Command, Output};

use flate2::read::GzDecoder;
use manicule_testkit::golden_folder;

fn rows(words: &[&str], path: &Path) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_manicule"));
    command.arg("rows").args(words).arg(path).output().expect("manicule runs")
}

/// What sstabledump printed of the SSTable in a folder.
fn dumped(folder: &Path) -> Vec<u8> {
    if let Ok(text) = fs::read(folder.join("dump.json")) {
        return text;
    }
    let packed = fs::File::open(folder.join("dump.json.gz")).expect("a dump");
    let mut text = Vec::new();
    GzDecoder::new(packed).read_to_end(&mut text).expect("gzip");
    text
}

#[test]
fn a_dump_is_that_of_sstabledump() {
    let golden = golden_folder("rows", "me");
    for table in ["mixed", "types", "udt", "comp"] {
        let folder = golden.path().join("me").join(table);
        for path in [folder.clone(), folder.join("me-1-big-Data.db")] {
            let said = rows(&["dump"], &path);
            assert!(said.status.success(), "{}", String::from_utf8_lossy(&said.stderr));
            assert!(said.stdout == dumped(&folder), "{table} differs from its dump");
        }
    }
}

#[test]
fn json_is_json_lines() {
    let golden = golden_folder("rows", "me");
    let table = golden.path().join("me/comp");
    let [json, lines] =
        ["json", "jsonl"].map(|format| rows(&["export", "--format", format], &table));
    assert!(json.status.success() && !json.stdout.is_empty(), "{json:?}");
    assert_eq!(json.stdout, lines.stdout);
}

#[test]
fn raw_times_are_the_numbers_that_are_stored() {
    let golden = golden_folder("rows", "me");
    let said = rows(&["dump", "-t"], &golden.path().join("me/comp"));
    let text = String::from_utf8(said.stdout).expect("UTF-8");
    assert!(text.contains(r#""liveness_info" : { "tstamp" : "1600000000000004" }"#), "{text}");
}

#[test]
fn what_is_no_table_is_refused_by_its_name() {
    let golden = golden_folder("rows", "me");
    let multi = golden.path().join("me/multi");
    let said = rows(&["dump"], &multi);
    assert_eq!(said.status.code(), Some(2));
    let why = String::from_utf8_lossy(&said.stderr).into_owned();
    assert!(why.contains("has 3 SSTables: name the data of one"), "{why}");
    let said = rows(&["dump"], &golden.path().join("me/comp/schema.cql"));
    assert_eq!(said.status.code(), Some(2));
    // Cut in the middle of its only page.
    let data = golden.path().join("me/comp/me-1-big-Data.db");
    let bytes = fs::read(&data).expect("its data");
    fs::write(&data, &bytes[..bytes.len() / 2]).expect("it is cut");
    let said = rows(&["dump"], &data);
    assert_eq!(said.status.code(), Some(2));
    let why = String::from_utf8_lossy(&said.stderr).into_owned();
    assert!(why.contains("me-1-big-Data.db") && why.contains("offset"), "{why}");
}

#[test]
fn keys_lines_and_chosen_partitions_are_those_of_sstabledump() {
    let (golden, forms) = (golden_folder("rows", "me"), golden_folder("rows", "forms"));
    let (me, forms) = (golden.path().join("me"), forms.path().join("forms/me"));
    let check = |words: &[&str], table: &str, want: &str| {
        let said = rows(words, &me.join(table));
        assert!(said.status.success(), "{}", String::from_utf8_lossy(&said.stderr));
        let want = fs::read(forms.join(want)).expect("what sstabledump printed");
        assert!(said.stdout == want, "{words:?} of {table} differs from {want:?}");
    };
    check(&["dump", "-e"], "mixed", "mixed.keys.txt");
    check(&["dump", "-e"], "comp", "comp.keys.txt");
    check(&["dump", "-d"], "mixed", "mixed.lines.txt");
    check(&["dump", "-k", "5", "-k3"], "mixed", "mixed.only-5-3.json");
    // Keys as sstabledump takes them, and as CQL writes them.
    let lines = |words: &[&str]| {
        let said = rows(&[&["dump", "-d"], words].concat(), &me.join("comp"));
        String::from_utf8(said.stdout).expect("UTF-8")
    };
    assert_eq!(lines(&["-k", "4:x4"]), lines(&["--key", "(4, 'x4')"]));
    assert!(lines(&["-k", "4:x4"]).starts_with("[4:x4]@0 Row"));
    assert_eq!(lines(&["-x", "4:x4"]).lines().count(), 4);
    assert_eq!(lines(&["-k", "4:x4", "-x", "4:x4"]), "");
    for words in [&["dump", "-k", "five"][..], &["dump", "-e", "-d"], &["dump", "-e", "-k", "5"]] {
        let said = rows(words, &me.join("mixed"));
        assert_eq!(said.status.code(), Some(2), "{words:?}");
        assert!(!said.stderr.is_empty() && said.stdout.is_empty(), "{words:?}");
    }
}

#[test]
fn a_salvage_prints_what_is_left_and_names_what_is_lost() {
    let golden = golden_folder("rows", "me");
    let folder = golden.path().join("me/mixed");
    let said = rows(&["dump", "--salvage"], &folder);
    assert!(said.status.success() && said.stderr.is_empty());
    assert!(said.stdout == dumped(&folder));
    // A row's flags in the second partition, an index of nothing, no TOC.txt.
    let data = folder.join("me-1-big-Data.db");
    let mut bytes = fs::read(&data).expect("its data");
    bytes[2098 + 2 + 4 + 12] ^= 0x03;
    fs::write(&data, bytes).expect("it is damaged");
    let said = rows(&["dump", "--salvage"], &folder);
    assert_eq!(said.status.code(), Some(1));
    let why = String::from_utf8_lossy(&said.stderr).into_owned();
    assert!(why.contains("partition 99, ") && why.contains("lost in 1 place"), "{why}");
    let left: Vec<serde_json::Value> = serde_json::from_slice(&said.stdout).expect("JSON");
    assert_eq!(left.len(), 9);
    fs::write(folder.join("me-1-big-Index.db"), "").expect("no index");
    fs::remove_file(folder.join("me-1-big-TOC.txt")).expect("no TOC.txt");
    let said = rows(&["dump", "--salvage"], &data);
    assert_eq!(said.status.code(), Some(1));
    assert!(serde_json::from_slice::<Vec<serde_json::Value>>(&said.stdout).is_ok());
    fs::remove_file(folder.join("me-1-big-Statistics.db")).expect("no statistics");
    assert_eq!(rows(&["dump", "--salvage"], &data).status.code(), Some(2));
}
