//! Blocks that come, and blocks that are damaged.

use std::fs;
use std::path::Path;
use std::time::{Duration, Instant};

use serde_json::Value;

use super::{Golden, text};
use crate::support::{Server, serve};

fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        let target = to.join(entry.file_name());
        if entry.file_type().unwrap().is_dir() {
            copy(&entry.path(), &target);
        } else {
            fs::copy(entry.path(), target).unwrap();
        }
    }
}

fn json(server: &Server, target: &str) -> Value {
    serde_json::from_slice(&server.get(target).body).unwrap()
}

#[test]
fn a_block_that_comes_is_seen() {
    let golden = Golden::unpack();
    let folder = tempfile::tempdir().unwrap();
    let blocks = golden.blocks.path().join("blocks/gaps");
    let mut names: Vec<_> =
        fs::read_dir(&blocks).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    names.sort();
    copy(&blocks.join(&names[0]), &folder.path().join(&names[0]));
    let server = serve(&[("data", folder.path())]);
    let metrics = "/api/v1/label/__name__/values";
    assert_eq!(json(&server, metrics)["data"].to_string(), r#"["g","irregular"]"#);
    copy(&blocks.join(&names[1]), &folder.path().join("coming.tmp"));
    fs::rename(folder.path().join("coming.tmp"), folder.path().join(&names[1])).unwrap();
    let begun = Instant::now();
    while json(&server, metrics)["data"] != serde_json::json!(["g", "irregular", "once"]) {
        assert!(begun.elapsed() < Duration::from_secs(10), "it is not seen");
        std::thread::sleep(Duration::from_millis(20));
    }
}

#[test]
fn a_block_that_cannot_be_opened_is_a_warning_and_a_damaged_chunk_an_error() {
    let golden = Golden::unpack();
    let folder = tempfile::tempdir().unwrap();
    let blocks = golden.blocks.path().join("blocks/gaps");
    copy(&blocks, folder.path());
    let mut names: Vec<_> =
        fs::read_dir(folder.path()).unwrap().map(|entry| entry.unwrap().path()).collect();
    names.sort();
    let index = names[1].join("index");
    let mut bytes = fs::read(&index).unwrap();
    bytes[0] ^= 1;
    fs::write(&index, bytes).unwrap();
    let chunks = names[0].join("chunks/000001");
    let mut bytes = fs::read(&chunks).unwrap();
    let end = bytes.len() - 20;
    bytes[end] ^= 1;
    fs::write(&chunks, bytes).unwrap();
    let server = serve(&[("data", folder.path())]);
    let listed = json(&server, "/api/v1/label/__name__/values");
    assert_eq!(listed["data"].to_string(), r#"["g","irregular"]"#);
    let warning = listed["warnings"][0].as_str().unwrap();
    assert!(warning.starts_with("a block is left out: ") && warning.contains("index"), "{warning}");
    let answer = server.get("/api/v1/query?query=irregular%5B2h%5D&time=1700006400");
    let error: Value = serde_json::from_slice(&answer.body).unwrap();
    assert_eq!((answer.status, text(&error, "errorType")), (500, "internal"), "{error}");
}
