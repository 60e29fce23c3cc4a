//! `--skip-damaged` as a user meets it.

use std::fs;

use manicule_testkit::{golden_folder, names};

use crate::series_rewrite::run;

const ALL: &str = "{__name__=~\".+\"}";

/// A block of one chunk a series, the first of which is damaged; another block of the same folder
/// has no index any more.
fn damaged() -> (tempfile::TempDir, String, usize) {
    let golden = golden_folder("series", "golden");
    let folder = golden.path();
    let lines = run(folder, &format!("select --samples {ALL} blocks/tiny")).1.lines().count();
    let name = names(&folder.join("blocks/tiny")).remove(0);
    let segment = folder.join("blocks/tiny").join(&name).join("chunks/000001");
    let mut bytes = fs::read(&segment).unwrap();
    bytes[20] ^= 1;
    fs::write(segment, bytes).unwrap();
    (golden, name, lines)
}

#[test]
fn what_is_damaged_is_left_out_and_named() {
    let (golden, name, lines) = damaged();
    let folder = golden.path();
    let asked = [
        format!("select --samples {ALL} blocks/tiny"),
        "dump blocks/tiny".to_owned(),
        "merge -o merged blocks/tiny".to_owned(),
        format!("rewrite -o rewritten blocks/tiny/{name}"),
    ];
    for line in &asked {
        let (code, _, error) = run(folder, line);
        assert_eq!(code, Some(2), "{line}");
        let want = "; --skip-damaged leaves such parts out, and lists them\n";
        assert!(
            error.contains("checksum of a chunk at offset ") && error.ends_with(want),
            "{error}"
        );
    }
    for line in &asked {
        let (command, rest) = line.split_once(' ').unwrap();
        let (code, out, error) = run(folder, &format!("{command} --skip-damaged {rest}"));
        assert_eq!(code, Some(0), "{line}: {error}");
        let said: Vec<&str> = error.lines().collect();
        assert_eq!(said.len(), 2, "{line}: {error}");
        let first = format!("manicule: blocks/tiny/{name}: left out a chunk of ");
        assert!(said[0].starts_with(&first), "{error}");
        assert!(said[0].contains(", chunks/000001 at offset 8, times 17"), "{error}");
        assert!(said[0].contains(": checksum of a chunk at offset "), "{error}");
        assert_eq!(said[1], "manicule: left out as damaged: 0 blocks, 0 series, 1 chunk");
        if command == "select" {
            assert!(!out.is_empty() && out.lines().count() < lines, "{out}");
        }
    }
    let want = run(folder, &format!("select --samples --skip-damaged {ALL} blocks/tiny")).1;
    for made in ["merged", "rewritten"] {
        let (code, out, error) = run(folder, &format!("select --samples {ALL} {made}"));
        assert_eq!((code, out, &error[..]), (Some(0), want.clone(), ""), "{made}");
    }
}

#[test]
fn json_lists_what_was_left_out_blocks_too() {
    let (golden, name, _) = damaged();
    let folder = golden.path();
    let other = names(&folder.join("blocks/mixed")).remove(0);
    let gone = folder.join("blocks/tiny").join(&other);
    fs::rename(folder.join("blocks/mixed").join(&other), &gone).unwrap();
    fs::write(gone.join("index"), "no index").unwrap();
    let skipped = |line: &str| {
        let (code, out, error) = run(folder, line);
        assert_eq!(code, Some(0), "{line}: {error}");
        let row: serde_json::Value = serde_json::from_str(out.lines().last().unwrap()).unwrap();
        row["skipped"].clone()
    };
    let lines = [
        format!("select --skip-damaged --json --samples {ALL} blocks/tiny"),
        "merge --skip-damaged --json -o merged blocks/tiny".to_owned(),
        "merge --skip-damaged --json --dry-run -o never blocks/tiny".to_owned(),
    ];
    for line in lines {
        let skipped = skipped(&line);
        let counts = ["blocks", "series", "chunks"].map(|name| skipped[name].as_u64().unwrap());
        assert_eq!(counts, [1, 0, 1], "{line}");
        let list = skipped["list"].as_array().unwrap();
        assert_eq!((&list[0]["what"], &list[1]["what"]), (&"block".into(), &"chunk".into()));
        assert_eq!(list[0]["block"], format!("blocks/tiny/{other}"), "{line}");
        assert_eq!(list[1]["block"], format!("blocks/tiny/{name}"), "{line}");
        assert_eq!((&list[1]["segment"], &list[1]["offset"]), (&"000001".into(), &8.into()));
    }
    let line = format!("rewrite --skip-damaged --json -o new blocks/tiny/{name}");
    assert_eq!(skipped(&line)["chunks"], 1);
    assert!(!folder.join("never").exists());
    let line = format!("rewrite --skip-damaged -o new blocks/tiny/{other}");
    let (code, _, error) = run(folder, &line);
    assert_eq!(code, Some(2), "there is nothing else to rewrite");
    assert!(!error.contains("--skip-damaged leaves"), "{error}");
}
