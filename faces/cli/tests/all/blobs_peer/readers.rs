//! What is printed: snapshots, stats, differences, single things, listings.

use super::beside::{Beside, Named, bytes, judged, lines, list, text};

#[test]
fn snapshots_and_stats_are_restics() {
    let mut all = Beside::all("snapshots and stats, beside restic's");
    for one in &mut all {
        let ids = one.snapshots();
        let (first, words) = (&ids[0][..8], |more: &[&'static str]| more.to_vec());
        for more in [
            words(&[]),
            words(&["--compact"]),
            words(&["--latest", "1"]),
            words(&["--group-by", "host"]),
            words(&["--group-by", "paths,tags"]),
            words(&["--group-by", "host,paths,tags"]),
            vec![first],
            words(&["latest"]),
        ] {
            // Of snapshots of one moment restic takes one by chance.
            let is_chance = one.name == "fleet" && more.contains(&"--latest");
            if is_chance || one.name == "fleet" && more == ["latest"] {
                continue;
            }
            one.compare(&[&["snapshots"], &more[..]].concat(), None, lines);
            one.compare(&[&["snapshots", "--json"], &more[..]].concat(), None, list);
        }
        let nobody = ["--host", "nobody's"];
        let named = Some(Named::NothingFound);
        one.compare(&[&["snapshots"], &nobody[..]].concat(), named, text);
        one.compare(&[&["snapshots", "--json"], &nobody[..]].concat(), named, text);
        for mode in ["restore-size", "files-by-contents", "blobs-per-file", "raw-data"] {
            for more in [&[][..], &[first]] {
                let named = match mode {
                    "raw-data" if has_copies(one) => Some(Named::CountedTwice),
                    "blobs-per-file" if more.is_empty() => Some(Named::OrderOfSnapshots),
                    _ => None,
                };
                one.compare(&[&["stats", "--mode", mode], more].concat(), named, text);
                one.compare(&[&["stats", "--json", "--mode", mode], more].concat(), named, text);
            }
        }
    }
    judged(all, "snapshots and stats", &[Named::NothingFound, Named::CountedTwice]);
}

/// Whether used blobs lie in two packs.
fn has_copies(one: &Beside) -> bool {
    one.name == "fleet" || one.name == "made by restic"
}

#[test]
fn differences_and_single_things_are_restics() {
    let mut all = Beside::all("differences and single things, beside restic's");
    for one in &mut all {
        let ids = one.snapshots();
        let mut pairs: Vec<[&str; 2]> =
            ids.windows(2).take(3).map(|two| [&*two[0], &*two[1]]).collect();
        pairs.push([&ids[ids.len() - 1], &ids[0]]);
        for [before, after] in pairs {
            for more in [&[][..], &["--metadata"]] {
                let named = has_copies(one).then_some(Named::CountedTwice);
                one.compare(&[&["diff"], more, &[before, after]].concat(), named, text);
                one.compare(&[&["diff", "--json"], more, &[before, after]].concat(), named, text);
            }
        }
        one.compare(&["diff", "latest", "latest"], Some(Named::Latest), text);
        one.compare(&["cat", "tree", "latest"], Some(Named::Latest), bytes);
        one.compare(&["cat", "config"], None, bytes);
        one.compare(&["cat", "masterkey"], None, bytes);
        for (list, word) in
            [("index", "index"), ("snapshots", "snapshot"), ("packs", "pack"), ("keys", "key")]
        {
            for id in one.list(list).iter().take(3) {
                one.compare(&["cat", word, id], None, bytes);
            }
        }
        for id in one.list("blobs").iter().step_by(9).take(8) {
            one.compare(&["cat", "blob", id], None, bytes);
        }
        for id in ids.iter().take(2) {
            one.compare(&["cat", "tree", id], None, bytes);
        }
        for folder in one.paths(&ids[0], "dir").iter().take(2) {
            one.compare(&["cat", "tree", &format!("{}:{folder}", ids[0])], None, bytes);
        }
        one.compare(&["cat", "blob", &"0".repeat(64)], None, bytes);
    }
    judged(all, "diff and cat", &[Named::Latest, Named::CountedTwice]);
}

#[test]
fn listings_are_restics() {
    let mut all = Beside::all("listings, beside restic's");
    for one in &mut all {
        let ids = one.snapshots();
        let last = &*ids[ids.len() - 1];
        for more in [
            &[][..],
            &["-l"],
            &["-l", "--human-readable"],
            &["--json"],
            &["--ncdu"],
            &["--sort", "size"],
            &["--sort", "time", "--json"],
            &["--sort", "atime"],
            &["--sort", "ctime"],
            &["--sort", "extension"],
            &["--reverse"],
            &["--sort", "mtime", "--reverse", "-l"],
        ] {
            one.compare(&[&["ls"], more, &[last]].concat(), None, text);
        }
        let folders = one.paths(last, "dir");
        for folder in [&folders[0], &folders[folders.len() - 1]] {
            for more in [&[][..], &["--json"], &["--recursive"], &["--ncdu"], &["-l"]] {
                one.compare(&[&["ls"], more, &[last, folder]].concat(), None, text);
            }
            let below = &*format!("{last}:{folder}");
            for more in [&[][..], &["--json"], &["--ncdu"]] {
                one.compare(&[&["ls"], more, &[below]].concat(), None, text);
            }
        }
    }
    judged(all, "ls", &[]);
}
