//! `manicule blobs find` over restic's repositories, beside restic's answers.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use manicule_testkit::golden_repository;
use serde_json::Value as Json;

const NAMES: [&str; 8] = ["v1", "v2", "unused", "keys", "rustic", "fleet", "drafts", "small"];

fn run(repo: &Path, words: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_manicule"));
    command.args(["blobs", "find"]).args(words).stdin(Stdio::null());
    for name in ["HOST", "REPOSITORY_FILE", "PASSWORD_FILE", "PASSWORD_COMMAND"] {
        command.env_remove(format!("RESTIC_{name}"));
    }
    command.env("RESTIC_PASSWORD", "manicule-golden").env("RESTIC_REPOSITORY", repo);
    command.output().expect("the program runs")
}

#[track_caller]
fn printed(repo: &Path, words: &[&str], code: i32) -> String {
    let output = run(repo, words);
    let error = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(code), "{words:?}: {error}");
    String::from_utf8(output.stdout).expect("text")
}

/// restic 0.19.1's answers in some folders, by the words of the question: a later folder's replace
/// an earlier one's.
fn answers(folders: &[PathBuf]) -> BTreeMap<Vec<String>, String> {
    let mut answers = BTreeMap::new();
    for file in folders.iter().flat_map(fs::read_dir).flatten() {
        let file = file.expect("a file").path();
        let name = file.file_name().and_then(|name| name.to_str()).expect("a name");
        let Some(name) = name.strip_prefix("find--") else { continue };
        let (what, id) = name.split_once('-').expect("a kind and an id");
        let (id, form) = id.split_once('.').expect("an id and a form");
        let form = if form == "json" { "--json" } else { "--show-pack-id" };
        let words = vec![format!("--{what}"), id.to_owned(), form.to_owned()];
        answers.insert(words, fs::read_to_string(&file).expect("an answer"));
    }
    answers
}

#[track_caller]
fn check_answers(repo: &Path, folders: &[PathBuf]) -> usize {
    let answers = answers(folders);
    for (words, want) in &answers {
        let words: Vec<&str> = words.iter().map(String::as_str).collect();
        let is_any = !matches!(want.as_str(), "[]\n" | "");
        let got = printed(repo, &words, i32::from(!is_any));
        // Of a blob's places restic names one, by chance; here come all.
        let parts = |text: &str| {
            let at = text.find("Object belongs").unwrap_or(text.len());
            (text[..at].to_owned(), text[at..].to_owned())
        };
        let ((got, places), (want, place)) = (parts(&got), parts(want));
        assert_eq!(got, want, "{} {words:?}", repo.display());
        assert!(places.contains(&place), "{} {words:?}: {places}", repo.display());
    }
    answers.len()
}

#[test]
fn blobs_trees_and_packs_are_found_as_restic_finds_them() {
    for name in NAMES {
        let golden = golden_repository(name);
        let folders = ["expected", "expected-0.19.1"].map(|folder| golden.path().join(folder));
        let count = check_answers(&golden.path().join("repo"), &folders);
        assert!(count >= 5, "{name}: {count}");
    }
    let Some(root) =
        std::env::var_os("MANICULE_GOLDEN").map(|root| PathBuf::from(root).join("blobs"))
    else {
        return println!("left out, as MANICULE_GOLDEN is not set: all golden repositories");
    };
    for repo in fs::read_dir(root.join("repos")).expect("repositories") {
        let repo = repo.expect("a repository").path();
        let name = repo.file_name().expect("a name");
        check_answers(
            &repo,
            &[root.join("expected").join(name), root.join("expected-0.19.1").join(name)],
        );
    }
}

/// Paths by the snapshots that have them, as `ls --json` lists all of them: restic's answers of
/// another command.
fn listed(golden: &Path) -> Vec<(String, Vec<Json>)> {
    let mut snapshots = Vec::new();
    for file in fs::read_dir(golden.join("expected")).expect("answers") {
        let file = file.expect("a file").path();
        if !file.to_string_lossy().contains("/ls-") {
            continue;
        }
        let text = fs::read_to_string(file).expect("text");
        let mut rows = text.lines().map(|line| serde_json::from_str::<Json>(line).expect("JSON"));
        let snapshot = rows.next().expect("the snapshot");
        snapshots.push((snapshot["time"].to_string(), snapshot["id"].to_string(), rows.collect()));
    }
    snapshots.sort_by(|(time, id, _): &(String, String, Vec<Json>), other| {
        (&other.0, &other.1).cmp(&(time, id))
    });
    snapshots.into_iter().map(|(_, id, rows)| (id, rows)).collect()
}

#[test]
fn paths_are_found_with_all_that_restic_lists_of_them() {
    for name in ["v1", "v2", "unused", "rustic"] {
        let golden = golden_repository(name);
        let text = printed(&golden.path().join("repo"), &["--json", "/**/*.txt"], 0);
        let got: Json = serde_json::from_str(&text).expect("JSON");
        let mut groups = got.as_array().expect("a list").iter();
        let mut count = 0;
        for (id, rows) in listed(golden.path()) {
            let wanted =
                |row: &&Json| row["name"].as_str().is_some_and(|name| name.ends_with(".txt"));
            let rows: Vec<&Json> = rows.iter().filter(wanted).collect();
            if rows.is_empty() {
                continue;
            }
            let group = groups.next().expect("a group");
            assert_eq!(
                (group["snapshot"].to_string(), group["hits"].as_u64()),
                (id, Some(rows.len() as u64))
            );
            let matches = group["matches"].as_array().expect("a list");
            for (row, found) in rows.iter().zip(matches) {
                for field in [
                    "path",
                    "permissions",
                    "type",
                    "mode",
                    "mtime",
                    "atime",
                    "ctime",
                    "uid",
                    "gid",
                    "inode",
                ] {
                    assert_eq!(found[field], row[field], "{name} {row} {field}");
                }
                assert_eq!(found["size"].as_u64().unwrap_or(0), row["size"].as_u64().unwrap_or(0));
                count += 1;
            }
        }
        assert!(count > 3 && groups.next().is_none(), "{name}: {count}");
    }
}

#[test]
fn options_are_those_of_restic() {
    let golden = golden_repository("fleet");
    let repo = golden.path().join("repo");
    let blocks =
        |words: &[&str], code: i32| printed(&repo, words, code).matches("Found matching").count();
    assert_eq!(blocks(&["1.conf"], 0), 9);
    assert_eq!(blocks(&["1.CONF"], 1), 0);
    assert_eq!(blocks(&["-i", "1.CONF"], 0), 9);
    assert_eq!(blocks(&["-s", "latest", "*"], 0), 1);
    assert_eq!(blocks(&["-s", "de696bad", "-s", "da5ef380", "-s", "de69", "1.conf"], 0), 2);
    assert_eq!(
        blocks(&["-H", "birch", "*"], 0) + blocks(&["-H", "anvil", "-H", "cedar", "*"], 0),
        13
    );
    assert_eq!(blocks(&["--path", "/nowhere", "*"], 1), 0);
    assert_eq!(blocks(&["-N", "1999-01-01", "*"], 1), 0);
    let (first, last) = ("in snapshot 90b1ecba", "in snapshot de696bad");
    let text = printed(&repo, &["1.conf"], 0);
    let reversed = printed(&repo, &["-R", "1.conf"], 0);
    assert!(text.find(last) < text.find(first) && reversed.find(first) < reversed.find(last));
    let long = printed(&repo, &["-l", "-s", "de696bad", "1.conf"], 0);
    let human = printed(&repo, &["-l", "--human-readable", "-s", "de696bad", "1.conf"], 0);
    assert!(long.contains("    790 ") && human.contains(" 790 B "), "{long}{human}");
}

#[test]
fn a_word_decides_what_it_is() {
    let golden = golden_repository("fleet");
    let repo = golden.path().join("repo");
    let blob = "f9cc1ce62db26ce118f444bc7172d6dca49c1ac021d731541aedb2549bdd44bf";
    let (pack, place) = (
        "262f93ab1edc317027b785d20e85c692538b3926ad94f07ddd40ab93a733b05a",
        "offset 1168, length 468",
    );
    let text = printed(&repo, &[blob], 0);
    assert!(text.starts_with(&format!("data {blob} in pack {pack}, {place}\n")), "{text}");
    assert_eq!(text.matches(" ... in file /srv/fleet/anvil/etc/1.conf\n").count(), 5);
    assert_eq!(printed(&repo, &[&blob[..8]], 0), text);
    let by_option = printed(&repo, &["--blob", &blob[..9]], 0);
    assert!(text.ends_with(&by_option));
    let of_pack: Json = serde_json::from_str(&printed(&repo, &["--json", &pack[..10]], 0)).unwrap();
    let objects = of_pack.as_array().unwrap();
    let of = |what: &str| objects.iter().filter(|object| object["object_type"] == what).count();
    assert!(objects.iter().any(|object| object["object_type"] == "place" && object["id"] == blob));
    assert!(of("place") > 5 && of("blob") > of("place") && of("tree") == 0);
    // No id of the index, so a name.
    assert_eq!(printed(&repo, &["deadbeef"], 1), "");
    let with_packs = printed(&repo, &["--show-pack-id", "-s", "de696bad", "1.conf"], 0);
    assert!(
        with_packs.contains(&format!(" ... blob {blob}\n     (pack {pack}, {place})\n")),
        "{with_packs}"
    );
    let json = printed(&repo, &["--json", "--show-pack-id", "-s", "de696bad", "1.conf"], 0);
    let json: Json = serde_json::from_str(&json).unwrap();
    assert_eq!(json[0]["matches"][0]["blobs"][0]["pack"], pack);
    for (words, says) in [
        (&[blob, "1.conf"][..], "two calls"),
        (&["--blob", "1.conf"], "is no id"),
        (&["--pack", "00000000"], "no pack is called 00000000"),
        (&["--blob", "--tree", blob], "exclude each other"),
        (&["[a-"], "bracket"),
        (&["-O", "2026-01-02", "-N", "2026-01-01", "*"], "--oldest is after --newest"),
        (&["-O", "soon", "*"], "is no time"),
        (&["-s", "00000000", "*"], "no snapshot is called"),
        (&[], "missing ID, PATH or GLOB; usage: manicule blobs find ID|PATH|GLOB..."),
    ] {
        let output = run(&repo, words);
        let error = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(output.status.code() == Some(2) && error.contains(says), "{words:?}: {error}");
    }
}

#[test]
fn what_cannot_be_searched_is_named_and_the_rest_is_found() {
    let golden = golden_repository("unused");
    let repo = golden.path().join("repo");
    let whole = printed(&repo, &["*"], 0);
    // The pack of the newest snapshot's trees.
    let root = fs::read_to_string(golden.path().join("expected/snapshots.json")).unwrap();
    let root: Json = serde_json::from_str(&root).unwrap();
    let tree = root.as_array().unwrap().last().unwrap()["tree"].as_str().unwrap().to_owned();
    let place = printed(&repo, &[&tree], 0);
    let pack = place.split(' ').nth(4).unwrap().trim_end_matches(',').to_owned();
    fs::remove_file(repo.join("data").join(&pack[..2]).join(&pack)).unwrap();
    let output = run(&repo, &["*"]);
    let (text, error) =
        (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert!(output.status.code() == Some(2) && error.contains(&tree), "{error}");
    assert!(!text.is_empty() && text.len() < whole.len(), "{text}");
    // Its blobs are known to the index.
    let output = run(&repo, &["--pack", &pack]);
    let error = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.code() == Some(2) && error.contains("come from the index"), "{error}");
}
