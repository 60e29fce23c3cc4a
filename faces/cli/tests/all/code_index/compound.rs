//! Shards merged, exploded, and left behind in a compound shard.

use std::fs;
use std::process::Command;

use super::place::Place;

/// Three repositories of a file each.
fn indexed() -> Place {
    let place = Place::new();
    for name in ["one", "two", "three"] {
        place.write(&format!("{name}/{name}.txt"), format!("the lamp of {name}\n"));
    }
    place.out(&["-index=out", "one", "two", "three"]);
    place
}

/// What a command of `manicule` prints in the place, and its code.
fn said(place: &Place, words: &[&str], code: i32) -> String {
    let mut command = Command::new(env!("CARGO_BIN_EXE_manicule"));
    let output = command.args(words).current_dir(place.path(".")).output().unwrap();
    let said = [output.stdout, output.stderr].concat();
    let said = String::from_utf8(said).unwrap();
    assert_eq!(output.status.code(), Some(code), "{said}");
    said
}

const SHARDS: [&str; 3] =
    ["out/one_v16.00000.zoekt", "out/two_v16.00000.zoekt", "out/three_v16.00000.zoekt"];

#[test]
fn repositories_are_merged_found_and_exploded() {
    let place = indexed();
    let before: Vec<Vec<u8>> = SHARDS.map(|shard| fs::read(place.path(shard)).unwrap()).to_vec();
    let out = said(&place, &[&["code", "merge"], &SHARDS[..]].concat(), 0);
    let path = format!("out/{}", place.names("out")[0]);
    assert!(out.starts_with("3 shards replaced by 1 shard\n"), "{out}");
    assert!(out.ends_with(&format!("3 documents of 3 repositories  {path}\n")), "{out}");
    assert_eq!(place.names("out").len(), 1);
    let found = said(&place, &["code", "search", "-l", "lamp", "out"], 0);
    assert_eq!(found, "one/one.txt\ntwo/two.txt\nthree/three.txt\n");

    let json = said(&place, &["code", "explode", "--json", &path], 0);
    let rows: Vec<serde_json::Value> =
        json.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(rows.len(), 4);
    assert_eq!(rows[3]["replaced"], serde_json::json!([path]));
    let after = SHARDS.map(|shard| fs::read(place.path(shard)).unwrap());
    // But for time and id, which are in the metadata at the end.
    for (before, after) in before.iter().zip(&after) {
        assert_eq!(before[..200], after[..200]);
    }
}

#[test]
fn a_repository_indexed_again_gets_a_tombstone_where_that_is_asked_for() {
    let place = indexed();
    said(&place, &[&["code", "merge"], &SHARDS[..]].concat(), 0);
    let compound = format!("out/{}", place.names("out")[0]);
    place.write("two/more.txt", "another lamp\n");
    place.out(&["-index=out", "two"]);
    let found = |place: &Place| said(place, &["code", "search", "-l", "lamp", "out"], 0);
    assert_eq!(found(&place).matches("two/two.txt").count(), 2);
    let out = place.out(&["-index=out", "-shard_merging", "two"]);
    assert!(out.contains(&format!("tombstone of two in {compound}\n")), "{out}");
    assert_eq!(found(&place).matches("two/two.txt").count(), 1);
    // What has a tombstone is left out of the next compound shard.
    let merged = said(&place, &["code", "merge", &compound, SHARDS[1]], 0);
    assert!(merged.ends_with("left out, as its tombstone says: two\n"), "{merged}");
    assert_eq!(found(&place).lines().count(), 4);
    assert_eq!(place.names("out").len(), 1);
}

#[test]
fn what_is_no_shard_is_refused() {
    let place = indexed();
    for (words, want) in [
        (&["merge"][..], "missing SHARD; usage: manicule code merge SHARD..."),
        (&["merge", "out"], "out is a folder: name the shards"),
        (&["merge", "one/one.txt"], "one/one.txt: "),
        (
            &["explode", SHARDS[0]],
            "out/one_v16.00000.zoekt is a shard of one repository: there is nothing to explode",
        ),
    ] {
        let error = said(&place, &[&["code"], words].concat(), 2);
        assert!(error.starts_with(&format!("manicule: {want}")), "{error}");
    }
    assert_eq!(place.names("out").len(), 3);
}
