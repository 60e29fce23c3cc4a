//! What restic's users ask for: snapshots, stats, cat, diff, ls, beside restic's answers.

use std::fs;

use manicule_testkit::golden_repository;
use serde_json::Value as Json;

use super::{expected, printed, rows, run};

const NAMES: [&str; 8] = ["v1", "v2", "unused", "keys", "rustic", "small", "fleet", "drafts"];

#[test]
fn snapshots_are_those_of_restic() {
    for name in NAMES {
        let golden = golden_repository(name);
        let want = fs::read_to_string(golden.path().join("expected/snapshots.json")).unwrap();
        // restic's encoder doesn't say in which order snapshots of one moment come.
        let sorted = |text: &str| {
            let mut list: Vec<Json> = serde_json::from_str(text).expect("a list");
            list.sort_by_key(|row| row["id"].to_string());
            list
        };
        let got = printed(golden.path(), &["snapshots", "--json"], 0);
        assert_eq!(sorted(&got), sorted(&want), "{name}");
        assert_eq!(got.len(), want.trim_end().len() + 1, "{name}");
    }
}

#[test]
fn snapshots_are_a_table() {
    let golden = golden_repository("v2");
    let want = "\
ID        Time                 Host        Tags              Paths                 Size
----------------------------------------------------------------------------------------------
6adf2144  2025-01-01 12:00:00  golden      first             /srv/atlas            9.352 MiB

320020c0  2025-02-01 12:00:00  golden      second,weekly     /srv/atlas            9.349 MiB

4378fd0a  2025-03-01 12:00:00  golden      third,with comma  /srv/atlas/odd/links  361.498 KiB
                                                             /srv/atlas/texts
----------------------------------------------------------------------------------------------
Timestamps shown in UTC
3 snapshots
";
    assert_eq!(printed(golden.path(), &["snapshots"], 0), want);
    let golden = golden_repository("fleet");
    let count = |words: &[&str]| {
        let listed = printed(golden.path(), &[&["snapshots", "--json"], words].concat(), 0);
        let list: Vec<Json> = serde_json::from_str(&listed).expect("a list");
        let of_group = |row: &Json| row["snapshots"].as_array().map_or(1, Vec::len);
        (list.len(), list.iter().map(of_group).sum::<usize>())
    };
    assert_eq!(count(&["--host", "birch"]), (4, 4));
    assert_eq!(count(&["--tag", "weekly,photos"]), (3, 3));
    assert_eq!(count(&["--group-by", "host"]), (3, 13));
    assert_eq!(count(&["--group-by", "host", "--latest", "1"]), (3, 3));
    assert_eq!(count(&["latest"]), (1, 1));
    let compact = printed(golden.path(), &["snapshots", "-c", "03fbb1b6"], 0);
    let rows: Vec<&str> = compact.lines().skip(2).take(2).collect();
    assert_eq!(
        rows,
        [
            "03fbb1b6  2026-01-01 03:00:00  birch  weekly  223.633 KiB",
            "                                      photos",
        ]
    );
    assert_eq!(printed(golden.path(), &["snapshots", "--json", "--host", "no"], 1), "[]\n");
    assert_eq!(printed(golden.path(), &["snapshots", "--host", "no"], 1), "");
}

#[test]
fn stats_are_those_of_restic() {
    for name in NAMES {
        let golden = golden_repository(name);
        for mode in ["restore-size", "files-by-contents", "blobs-per-file", "raw-data"] {
            let folder = golden.path();
            // 0.19.1 counts blobs that are stored twice twice.
            let right = format!("stats-{mode}-0.18.1.json");
            let has_right = folder.join("expected").join(&right).exists();
            let file = if has_right { right } else { format!("stats-{mode}.json") };
            let want = fs::read_to_string(folder.join("expected").join(&file)).unwrap();
            let got = printed(folder, &["stats", "--json", "--mode", mode], 0);
            assert_eq!(got, want, "{name} {mode}");
        }
    }
    let golden = golden_repository("v2");
    let text = printed(golden.path(), &["stats", "--mode", "raw-data"], 0);
    let want = "\
scanning...
Stats in raw-data mode:
     Snapshots processed:  3
        Total Blob Count:  137
 Total Uncompressed Size:  6.328 MiB
              Total Size:  3.746 MiB
    Compression Progress:  100.00%
       Compression Ratio:  1.69x
Compression Space Saving:  40.81%
";
    assert_eq!(text, want);
}

#[test]
fn single_things_are_printed_as_restic_prints_them() {
    for name in ["v1", "v2", "rustic"] {
        let golden = golden_repository(name);
        let folder = golden.path();
        for what in ["config", "masterkey"] {
            let want = fs::read_to_string(folder.join("expected").join(format!("{what}.json")));
            assert_eq!(printed(folder, &["cat", what], 0), want.unwrap(), "{name} {what}");
        }
        for file in fs::read_dir(folder.join("expected")).unwrap() {
            let file = file.unwrap().file_name().into_string().unwrap();
            let id = file.strip_prefix("snapshot-").and_then(|id| id.strip_suffix(".json"));
            let Some(id) = id else { continue };
            let got = printed(folder, &["cat", "snapshot", &id[..8]], 0);
            let got: Json = serde_json::from_str(&got).expect("JSON");
            let want = expected(folder, &file);
            // rustic writes fields that restic doesn't know, and so prints none of them.
            for (field, value) in got.as_object().expect("an object") {
                // UTC is `+00:00` to rustic, and `Z` to restic.
                let is_same =
                    ["summary", "time"].contains(&field.as_str()) || *value == want[field];
                assert!(is_same, "{name} {id} {field}: {value}");
            }
        }
        for file in fs::read_dir(folder.join("expected/index")).unwrap() {
            let file = file.unwrap().path();
            let id = file.file_stem().unwrap().to_str().unwrap();
            let want = fs::read_to_string(&file).unwrap();
            let got = printed(folder, &["cat", "index", id], 0);
            assert_eq!(got.trim_end(), want.trim_end(), "{name}");
        }
    }
    let golden = golden_repository("v2");
    let folder = golden.path();
    let mut trees = 0;
    for file in fs::read_dir(folder.join("expected/trees")).unwrap() {
        let file = file.unwrap().path();
        let id = file.file_stem().unwrap().to_str().unwrap();
        assert_eq!(run(folder, &["cat", "blob", id]).stdout, fs::read(&file).unwrap());
        trees += 1;
    }
    assert_eq!(trees, 31);
    let tree = run(folder, &["cat", "tree", "4378fd0a:/srv/atlas"]).stdout;
    let id = manicule::blobs::Id::of(&tree).to_string();
    assert!(folder.join("expected/trees").join(format!("{id}.json")).exists(), "{id}");
    for (words, says) in [
        (&["cat", "tree", "4378fd0a:/srv/none"][..], "/srv/none: not found"),
        (&["cat", "blob", &"0".repeat(64)], "there is no blob"),
        (&["cat", "pack", "00000000"], "there is no data"),
        (&["cat", "thing", "1"], "can't be printed"),
        (&["cat", "key"], "missing ID of the key"),
    ] {
        let output = run(folder, words);
        let error = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(output.status.code() == Some(2) && error.contains(says), "{words:?}: {error}");
    }
}

#[test]
fn a_listing_of_a_folder_begins_with_its_tree() {
    let golden = golden_repository("fleet");
    let tree: Json =
        serde_json::from_str(&printed(golden.path(), &["cat", "tree", "latest"], 0)).unwrap();
    let node = &tree["nodes"][0];
    let below = format!("latest:/{}", node["name"].as_str().unwrap());
    let listed = rows(golden.path(), &["ls", "--json", &below], 0);
    assert_eq!(listed[0]["tree"], node["subtree"]);
    let ncdu = printed(golden.path(), &["ls", "--ncdu", &below], 0);
    assert!(ncdu.contains(node["subtree"].as_str().unwrap()), "{ncdu}");
}

#[test]
fn paths_are_ordered_and_laid_out_as_asked() {
    let golden = golden_repository("drafts");
    let folder = golden.path();
    let list = |words: &[&str]| printed(folder, &[&["ls", "-q", "547cb575"], words].concat(), 0);
    let all = list(&[]);
    let lines = |text: &str| text.lines().map(str::to_owned).collect::<Vec<_>>();
    let mut reversed = lines(&list(&["--reverse"]));
    reversed.reverse();
    assert_eq!(reversed, lines(&all));
    let sizes: Vec<u64> = lines(&list(&["-l", "--sort", "size"]))
        .iter()
        .map(|line| line.split_whitespace().nth(3).unwrap().parse().unwrap())
        .collect();
    assert!(sizes.len() == all.lines().count() && sizes.is_sorted(), "{sizes:?}");
    let below = printed(folder, &["ls", "-q", "547cb575:/srv/drafts/sub"], 0);
    assert!(below.contains("/deep/er/leaf.txt\n") && !below.contains("/srv"), "{below}");
    let first = printed(folder, &["ls", "547cb575", "/srv/drafts/twin-a"], 0);
    let start = "snapshot 547cb575 of [/srv/drafts] at 20";
    let has_filter = first.contains(" filtered by [/srv/drafts/twin-a]:\n/srv/drafts/twin-a\n");
    assert!(first.starts_with(start) && has_filter, "{first}");
    let text = printed(folder, &["ls", "--ncdu", "547cb575"], 0);
    let ncdu: Json = serde_json::from_str(&text).expect("a list");
    fn count(folder: &Json) -> usize {
        let of = |node: &Json| if node.is_array() { count(node) } else { 1 };
        folder.as_array().expect("a list").iter().map(of).sum()
    }
    // The root has a node of its own there.
    assert_eq!(count(&ncdu[3]), all.lines().count() + 1);
    assert_eq!(run(folder, &["ls", "--ncdu", "--json", "latest"]).status.code(), Some(2));
}

#[test]
fn a_difference_has_what_came_and_went() {
    let golden = golden_repository("drafts");
    let folder = golden.path();
    let snapshots: Vec<Json> =
        serde_json::from_str(&printed(folder, &["snapshots", "--json"], 0)).unwrap();
    let ids: Vec<&str> = snapshots.iter().map(|row| row["id"].as_str().unwrap()).collect();
    let mut changes = 0;
    for pair in ids.windows(2) {
        let found = rows(folder, &["diff", "--json", pair[0], pair[1]], 0);
        let (sums, found) = found.split_last().unwrap();
        let paths = |id: &str| -> std::collections::BTreeSet<String> {
            let listed = rows(folder, &["ls", "--json", id], 0);
            let nodes = listed.iter().skip(1).map(|row| {
                let slash = if row["type"] == "dir" { "/" } else { "" };
                format!("{}{slash}", row["path"].as_str().unwrap())
            });
            nodes.collect()
        };
        let (before, after) = (paths(pair[0]), paths(pair[1]));
        let with = |letter: &str| -> std::collections::BTreeSet<String> {
            let rows = found.iter().filter(|row| row["modifier"] == letter);
            rows.map(|row| row["path"].as_str().unwrap().to_owned()).collect()
        };
        // A path whose kind changed is on both sides, under two spellings.
        let bare = |path: &String| path.trim_end_matches('/').to_owned();
        let is_in = |all: &std::collections::BTreeSet<String>, path: &String| {
            all.iter().any(|other| bare(other) == bare(path))
        };
        // What was in a folder that is one no more is not named, as in restic.
        let kinds: Vec<String> = with("T").iter().map(bare).collect();
        let is_named =
            |path: &&String| !kinds.iter().any(|kind| path.starts_with(&format!("{kind}/")));
        let gone = before.iter().filter(|path| !is_in(&after, path)).filter(is_named);
        let gone: Vec<&String> = gone.collect();
        let new = after.iter().filter(|path| !is_in(&before, path)).filter(is_named);
        let new: Vec<&String> = new.collect();
        assert_eq!(with("-").iter().collect::<Vec<_>>(), gone, "{pair:?}");
        assert_eq!(with("+").iter().collect::<Vec<_>>(), new, "{pair:?}");
        let changed = found.iter().filter(|row| row["modifier"].as_str().unwrap().contains('M'));
        assert_eq!(sums["changed_files"], changed.count(), "{pair:?}");
        changes += found.len();
    }
    assert!(changes > 20, "{changes}");
    let same = rows(folder, &["diff", "--json", ids[0], ids[0]], 0);
    assert!(same.len() == 1 && same[0]["added"]["bytes"] == 0, "{same:?}");
    assert_eq!(run(folder, &["diff", ids[0]]).status.code(), Some(2));
}
