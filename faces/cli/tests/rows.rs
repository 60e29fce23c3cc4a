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
