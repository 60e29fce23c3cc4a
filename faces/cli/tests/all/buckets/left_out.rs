//! Blocks of a bucket that are not read: which stop a question, and which are named alone.

use std::fs;
use std::path::{Path, PathBuf};

use manicule_testkit::names;

use crate::damage::plant;

use super::bucket::{Example, Seen};

/// The blocks of a data folder, by their names.
fn blocks(data: &Path) -> Vec<PathBuf> {
    let is_block = |name: &&String| name.len() == 26;
    names(data).iter().filter(is_block).map(|name| data.join(name)).collect()
}

/// Two blocks, the first of which is changed so.
fn planted(change: fn(&Path)) -> Example {
    Example::planted(|folder| {
        plant::series(folder);
        let blocks = blocks(&folder.join("data"));
        assert_eq!(blocks.len(), 2);
        change(&blocks[0]);
    })
}

fn damaged(block: &Path) {
    fs::write(block.join("meta.json"), "{").expect("written");
}

fn without_meta(block: &Path) {
    fs::remove_file(block.join("meta.json")).expect("removed");
}

fn marked(block: &Path) {
    let ulid = block.file_name().expect("a name").to_string_lossy().into_owned();
    let mark = format!(r#"{{"id": "{ulid}", "version": 1, "deletion_time": 1700000000}}"#);
    fs::write(block.join("deletion-mark.json"), mark).expect("written");
}

/// What is said of the labels, and that they are those of the other block.
#[track_caller]
fn check(change: fn(&Path), code: i32, want: &str) {
    let example = planted(change);
    for words in ["series labels data", "series select {__name__=~\".+\"} data"] {
        let Seen { code: got, out, err } = example.remote(words);
        assert_eq!(got, Some(code), "{words}: {err}");
        assert!(!out.is_empty() && err.contains(want), "{words}: {err}");
        assert!(err.contains("the block is left out"), "{words}: {err}");
    }
}

#[test]
fn a_damaged_block_is_named_and_the_others_answer() {
    check(damaged, 2, "meta.json: no meta file of a block");
}

#[test]
fn blocks_on_their_way_and_marked_ones_are_named() {
    check(without_meta, 0, "meta.json: is missing");
    check(marked, 0, "marked for deletion");
}

#[test]
fn commands_on_blocks_one_by_one_name_marked_ones_too() {
    let example = planted(marked);
    // No index is too long.
    for (words, want) in [("series split -o parts data", 1), ("series analyze data", 0)] {
        let Seen { code, out, err } = example.remote(words);
        assert_eq!((code, out.is_empty()), (Some(want), false), "{words}: {out}{err}");
        assert!(err.contains("marked for deletion; the block is left out"), "{words}: {err}");
    }
    let marked = &blocks(&example.path("data"))[0];
    let name = marked.file_name().expect("a name").to_string_lossy();
    for words in
        [format!("series analyze data --block {name}"), format!("series analyze data/{name}")]
    {
        let Seen { code, out, err } = example.remote(&words);
        assert_eq!((code, &*err), (Some(0), ""), "{words}");
        assert!(out.contains(&*name), "{words}: {out}");
    }
}

#[test]
fn a_table_without_a_damaged_block_is_an_error_and_skipping_it_none() {
    let example = planted(damaged);
    let table = example.remote("table series.labels data");
    assert_eq!((table.code, table.out.as_str()), (Some(2), ""), "{}", table.err);
    assert!(table.err.contains("no meta file of a block"), "{}", table.err);
    let skipped = example.remote("series select --skip-damaged {__name__=~\".+\"} data");
    assert_eq!(skipped.code, Some(0), "{}", skipped.err);
    assert!(skipped.err.contains("left out as damaged: 1 block"), "{}", skipped.err);
}
