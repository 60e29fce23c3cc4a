//! Every command that takes a path answers at an address as it does in a folder.

use std::fs;
use std::path::Path;

use manicule_testkit::{copy_folder, names};

use crate::damage::examples::EXAMPLES;
use crate::damage::plant;
use crate::damage::table::{Does, Row};

use super::bucket::Example;

/// Beginnings of commands that take local paths alone, and of one that prints other ids each time.
const LOCAL: &[&str] =
    &["code index", "graph update", "graph compact", "graph backup", "blobs repair-index"];

/// Compares the commands of the damage tests' example of a name; at least this number is asked.
fn check(name: &str, least: usize) {
    let example = EXAMPLES.iter().find(|example| example.name == name).expect("an example");
    let rows: Vec<&Row> = example.commands().filter(|row| takes_addresses(row)).collect();
    assert!(rows.len() >= least, "{}", rows.len());
    check_rows(example.plant, &rows);
}

fn takes_addresses(row: &Row) -> bool {
    !LOCAL.iter().any(|begin| row.words.starts_with(begin))
}

fn check_rows(plant: fn(&Path), rows: &[&Row]) {
    let example = Example::planted(plant);
    for row in rows {
        let [here, there] = ["here", "there"].map(|out| row.words.replace("OUT", out));
        let local = example.local(&here);
        // A name that both would write to.
        drop(fs::remove_dir_all(example.path("new")));
        let remote = example.remote(&there);
        assert!(remote.code.is_some(), "{}: {}", row.words, remote.err);
        match row.does {
            Does::Makes(then) | Does::Restores(then) => {
                assert_eq!(remote.code, local.code, "{}: {}", row.words, remote.err);
                let made = ["here", "there"].map(|out| {
                    let seen = example.local(&then.replace("OUT", out));
                    (seen.code, seen.out.replace("there", "here"))
                });
                assert_eq!(made[1], made[0], "{}", row.words);
            }
            _ => {
                let what = (row.words, &remote.err);
                assert_eq!((remote.code, &remote.out), (local.code, &local.out), "{what:?}");
            }
        }
    }
}

#[test]
fn rows_are_the_same() {
    check("rows, compressed", 15);
}

#[test]
fn rows_of_tries_are_the_same() {
    check("rows, tries", 13);
}

#[test]
fn series_are_the_same() {
    check("series", 9);
}

#[test]
fn code_is_the_same() {
    check("code", 2);
}

#[test]
fn graphs_are_the_same() {
    check("graph", 7);
}

#[test]
fn blobs_are_the_same() {
    check("blobs", 21);
}

/// Tables that no command prints are in no row of the damage tests.
#[test]
fn tables_are_the_same() {
    for (plant, words) in [
        (plant::series as fn(&Path), "table series.blocks data --format jsonl"),
        (plant::series, "table series.samples data --format jsonl"),
        (plant::rows_packed, "table rows.sstables t --format jsonl"),
        (plant::shards, "table code.documents shards --format jsonl"),
        (plant::graph, "table graph.predicates store --format jsonl"),
        (plant::blobs, "table blobs.files repo --format jsonl"),
    ] {
        let example = Example::planted(plant);
        let (local, remote) = (example.local(words), example.remote(words));
        assert_eq!((local.code, remote.code), (Some(0), Some(0)), "{words}: {}", remote.err);
        assert_eq!(remote.out, local.out, "{words}");
    }
}

/// Blocks at an address hold two files open each: more than a process may at first.
#[test]
fn more_blocks_than_handles_are_asked() {
    let example = Example::planted(|folder| {
        plant::series(folder);
        let data = folder.join("data");
        let block = names(&data).into_iter().find(|name| name.len() == 26).expect("a block");
        for number in 0..150 {
            let copy = format!("01M7YV9D4RCH84S6NS9PC6{number:04}");
            copy_folder(&data.join(&block), &data.join(copy));
        }
    });
    let words = "series labels job data";
    let (local, remote) = (example.local(words), example.remote_within(256, words));
    assert_eq!((remote.code, remote.out), (local.code, local.out), "{}", remote.err);
}
