//! Tables of restic repositories beside what restic says; what their dear columns read; passwords.

use std::collections::HashSet;
use std::fs;
use std::path::Path;
use std::process::{Command, Output};

use manicule::times::milliseconds;
use manicule_testkit::golden_repository;
use serde_json::{Value as Json, json};

use super::{PASSWORD, counted, json_lines, manicule, sorted};

/// The rows of a table of the repository in a folder.
fn rows(folder: &Path, table: &str, more: &[&str]) -> Vec<Json> {
    let words = [&["table", table, "repo", "--format", "jsonl"], more].concat();
    json_lines(manicule(folder, &words))
}

fn expected(folder: &Path, name: &str) -> String {
    fs::read_to_string(folder.join("expected").join(name)).expect("restic's answer")
}

fn expected_json(folder: &Path, name: &str) -> Json {
    serde_json::from_str(&expected(folder, name)).expect("JSON")
}

/// restic's snapshots by time and id; of those of a time it has no order.
fn snapshots(folder: &Path) -> Vec<Json> {
    let mut all = items(&expected_json(folder, "snapshots.json")).to_vec();
    all.sort_by_key(|snapshot| (time(&snapshot["time"]), snapshot["id"].to_string()));
    all
}

/// Of a list, or of nothing.
fn items(json: &Json) -> &[Json] {
    json.as_array().map_or(&[], Vec::as_slice)
}

fn time(json: &Json) -> i64 {
    milliseconds(json.as_str().expect("a time")).expect("a time")
}

/// Compares values of these names; where restic leaves one out, it is `without`.
fn check_same(row: &Json, restic: &Json, names: &[&str], without: &Json) {
    for name in names {
        let want = restic.get(*name).unwrap_or(without);
        assert_eq!(&row[*name], want, "{name}: {row} {restic}");
    }
}

#[test]
fn paths_are_those_that_restic_lists() {
    for (name, count) in [("fleet", 13), ("v2", 3)] {
        let golden = golden_repository(name);
        let all = rows(golden.path(), "blobs.files", &[]);
        let mut all = all.iter().peekable();
        let snapshots = snapshots(golden.path());
        assert_eq!(snapshots.len(), count);
        for snapshot in &snapshots {
            let id = snapshot["id"].as_str().expect("an id");
            let listed = expected(golden.path(), &format!("ls-{id}.jsonl"));
            for line in listed.lines().skip(1) {
                let node: Json = serde_json::from_str(line).expect("JSON");
                let row = all.next().unwrap_or_else(|| panic!("{id}: {line} is missing"));
                assert_eq!(row["snapshot"], id, "{line}");
                check_same(row, &node, &["name", "type", "path", "mode", "permissions"], &json!(0));
                check_same(row, &node, &["uid", "gid"], &json!(0));
                check_same(row, &node, &["size", "inode"], &Json::Null);
                for name in ["mtime", "atime", "ctime"] {
                    assert_eq!(time(&row[name]), time(&node[name]), "{name}: {row} {node}");
                }
            }
        }
        assert_eq!(all.next(), None);
    }
}

#[test]
fn snapshots_are_those_that_restic_lists() {
    for name in ["fleet", "v2", "rustic"] {
        let golden = golden_repository(name);
        let all = rows(golden.path(), "blobs.snapshots", &[]);
        let want = snapshots(golden.path());
        assert_eq!(all.len(), want.len());
        for (row, want) in all.iter().zip(&want) {
            let texts = ["id", "parent", "tree", "hostname", "username", "program_version"];
            check_same(row, want, &texts, &Json::Null);
            check_same(row, want, &["tags", "excludes"], &json!([]));
            // restic orders them before it lists them.
            assert_eq!(sorted(row["paths"].as_array().expect("paths").clone()), {
                sorted(want["paths"].as_array().expect("paths").clone())
            });
            assert_eq!(time(&row["time"]), time(&want["time"]));
            let Some(summary) = want.get("summary").and_then(Json::as_object) else {
                assert_eq!(row["files_new"], Json::Null);
                continue;
            };
            for (name, want) in summary {
                match name.strip_prefix("backup_") {
                    Some(_) => assert_eq!(time(&row[name]), time(want), "{row}"),
                    None => assert_eq!(&row[name], want, "{name}: {row}"),
                }
            }
        }
    }
}

#[test]
fn costs_are_what_deleting_has_freed() {
    let golden = golden_repository("fleet");
    let want = expected_json(golden.path(), "cost.json");
    let all = rows(golden.path(), "blobs.costs", &[]);
    let mut met = 0;
    for want in items(&want["answers"]) {
        let is_it = |row: &&Json| row["grouped_by"] == want["by"] && row["value"] == want["value"];
        let Some(row) = all.iter().find(is_it) else { continue };
        met += 1;
        let of_all = ["blobs", "bytes", "shared_bytes", "freed_in_headers"];
        let exclusive = ["exclusive_blobs", "exclusive_trees", "exclusive_bytes"];
        check_same(row, want, &[&of_all[..], &exclusive].concat(), &Json::Null);
        if want["by"] == "snapshot" {
            assert_eq!(row["snapshots"], json!([want["value"]]));
        } else {
            assert_eq!(row["snapshots"], want["snapshots"]);
        }
    }
    assert_eq!(met, all.len());
}

/// Columns of versions that take no contents of files.
const OF_TREES: &str = "hostname,state,first_snapshot,last_snapshot,size,blobs,snapshots,new_bytes";

#[test]
fn versions_are_those_of_the_history() {
    let golden = golden_repository("fleet");
    let want = expected_json(golden.path(), "history.json");
    for path in items(&want["paths"]) {
        let file = path["path"].as_str().expect("a path");
        // Of the others the packs are not all there.
        let has_contents = file.ends_with(".conf");
        let (argument, condition) = (format!("file={file}"), format!("path = '{file}'"));
        let columns = ["--columns", OF_TREES];
        let columns = if has_contents { &[][..] } else { &columns };
        let ask = |how: &[&str]| rows(golden.path(), "blobs.versions", &[how, columns].concat());
        let all = ask(&["-a", &argument]);
        assert_eq!(ask(&["--where", &condition]), all, "{file}");
        assert_eq!(all.len(), items(&path["versions"]).len(), "{file}");
        for (row, want) in all.iter().zip(items(&path["versions"])) {
            let names = ["hostname", "state", "size", "blobs", "snapshots", "new_bytes"];
            check_same(row, want, &names, &Json::Null);
            if has_contents {
                check_same(row, want, &["sha256"], &Json::Null);
            }
            assert_eq!(row["first_snapshot"], want["first"], "{row}");
            assert_eq!(row["last_snapshot"], want["last"], "{row}");
        }
    }
}

#[test]
fn blobs_and_packs_are_those_that_restic_lists_and_a_prune_finds() {
    let golden = golden_repository("unused");
    let all = rows(golden.path(), "blobs.blobs", &[]);
    let text = |json: &Json| json.as_str().expect("a text").to_owned();
    let mut lines: Vec<String> =
        all.iter().map(|row| format!("{} {}", text(&row["type"]), text(&row["id"]))).collect();
    lines.sort_unstable();
    let listed = expected(golden.path(), "list-blobs.txt");
    assert_eq!(lines, listed.lines().collect::<Vec<_>>());

    let plan = expected_json(golden.path(), "prune-default.json");
    let used = all.iter().filter(|row| row["is_used"] == true).count();
    assert_eq!(plan["blobs"]["used"], used);

    let packs = rows(golden.path(), "blobs.packs", &[]);
    let ids: Vec<String> = packs.iter().map(|row| text(&row["id"])).collect();
    assert_eq!(ids, expected(golden.path(), "list-packs.txt").lines().collect::<Vec<_>>());
    let sum = |name: &str| packs.iter().map(|row| row[name].as_i64().expect("a sum")).sum::<i64>();
    assert_eq!(plan["blobs"]["used"], sum("used_blobs"));
    assert_eq!(plan["bytes"]["used"], sum("used_bytes"));
    assert_eq!(plan["blobs"]["unused"], sum("unused_blobs"));
    assert_eq!(plan["bytes"]["unused"], sum("unused_bytes"));
    for fate in ["keep", "repack", "remove"] {
        let count = packs.iter().filter(|row| row["fate"] == fate).count();
        assert_eq!(plan["packfiles"][fate], count, "{fate}");
    }
    for pack in &packs {
        let of_pack = all.iter().filter(|row| row["pack"] == pack["id"]);
        assert_eq!(pack["blobs"], of_pack.clone().count(), "{pack}");
        assert!(of_pack.clone().all(|row| row["type"] == pack["type"]), "{pack}");
    }
}

#[test]
fn bytes_of_copies_are_those_that_a_prune_finds() {
    let golden = golden_repository("fleet");
    let folder = golden.path();
    // A plan needs the lengths of packs: those that are not there get some.
    for pack in rows(folder, "blobs.packs", &["--where", "size IS NULL", "--columns", "id"]) {
        let id = pack["id"].as_str().expect("an id");
        let blobs = rows(folder, "blobs.blobs", &["--where", &format!("pack = '{id}'")]);
        let entry = |row: &Json| if row["uncompressed_length"].is_null() { 37 } else { 41 };
        let len = |row: &Json| row["length"].as_u64().expect("a length") + entry(row);
        let place = folder.join("repo/data").join(&id[..2]);
        fs::create_dir_all(&place).unwrap();
        let file = fs::File::create(place.join(id)).unwrap();
        // The header's envelope, and its length.
        file.set_len(blobs.iter().map(len).sum::<u64>() + 36).unwrap();
    }
    let packs = rows(folder, "blobs.packs", &[]);
    let sum = |name: &str| packs.iter().map(|row| row[name].as_i64().expect("a sum")).sum::<i64>();
    let shown = |sum: i64| format!("{:.3} KiB", sum as f64 / 1024.0);
    let copies = shown(sum("duplicate_bytes"));
    let unused = shown(sum("unused_bytes") - sum("duplicate_bytes"));
    let plan = expected(folder, "prune-default.txt");
    assert!(plan.contains(&format!("duplicates:            4 blobs / {copies}")), "{copies}");
    assert!(plan.contains(&format!("unused:               13 blobs / {unused}")), "{unused}");
}

#[test]
fn a_tree_that_snapshots_share_is_read_once_and_paths_ask_for_few() {
    let golden = golden_repository("fleet");
    let folder = golden.path();
    let trees = rows(folder, "blobs.blobs", &["--where", "type = 'tree' AND is_used = true"]);
    let trees: HashSet<&str> = trees.iter().filter_map(|row| row["id"].as_str()).collect();
    let read = |condition: &str| {
        let words = ["table", "blobs.files", "repo", "--where", condition];
        counted(folder, &words, "trees_read")
    };
    assert_eq!(read(""), trees.len() as u64);
    let of_host = read("hostname = 'cedar'");
    let of_folder = read("hostname = 'cedar' AND path LIKE '/srv/fleet/cedar/etc/%'");
    let of_path = read("snapshot LIKE '5c53%' AND path = '/srv/fleet/cedar/etc/1.conf'");
    // The root, /srv, /srv/fleet, /srv/fleet/cedar, and its etc.
    assert_eq!(of_path, 5);
    assert!(of_path < of_folder && of_folder < of_host, "{of_path} {of_folder} {of_host}");
    assert!(of_host < trees.len() as u64, "{of_host}");
}

/// A call that may fail.
fn tried(folder: &Path, words: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_manicule"));
    command.current_dir(folder).arg("table").args(words).env("RESTIC_PASSWORD", PASSWORD);
    command.output().expect("manicule runs")
}

fn said(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

#[test]
fn dear_columns_alone_read_trees_and_contents() {
    let golden = golden_repository("unused");
    let folder = golden.path();
    let data = rows(folder, "blobs.packs", &["--where", "type = 'data'", "--columns", "id"]);
    let file = rows(folder, "blobs.files", &["--where", "size > 0", "--limit", "1"]);
    let file = format!("file={}", file[0]["path"].as_str().expect("a path"));
    let works = |words: &[&str], is_read: bool| {
        let output = tried(folder, words);
        let code = if is_read { 0 } else { 2 };
        assert_eq!(output.status.code(), Some(code), "{words:?}: {}", said(&output));
    };
    for row in &data {
        let id = row["id"].as_str().expect("an id");
        fs::remove_file(folder.join(format!("repo/data/{}/{id}", &id[..2]))).unwrap();
    }
    let versions = ["blobs.versions", "repo", "-a", &file, "--columns"];
    works(&[&versions[..], &["path,size,new_bytes"]].concat(), true);
    works(&[&versions[..], &["sha256"]].concat(), false);
    works(&["blobs.files", "repo"], true);

    fs::remove_dir_all(folder.join("repo/data")).unwrap();
    fs::create_dir(folder.join("repo/data")).unwrap();
    works(&["blobs.files", "repo"], false);
    works(&["blobs.blobs", "repo", "--columns", "id,type,pack,length,index"], true);
    works(&["blobs.blobs", "repo", "--columns", "is_used"], false);
    works(&["blobs.packs", "repo", "--columns", "id,type,size,blobs"], true);
    works(&["blobs.packs", "repo", "--columns", "fate"], false);
    works(&["blobs.snapshots", "repo"], true);
}

#[test]
fn a_snapshot_that_cannot_be_read_is_an_error_where_it_may_be_meant() {
    let golden = golden_repository("fleet");
    let folder = golden.path();
    let all = rows(folder, "blobs.files", &[]);
    let broken = "c7380f4f8e82d562718a3310d7cbc2167bee3349e328867fd3c726a7798c0fa0";
    let place = folder.join("repo/snapshots").join(broken);
    let mut bytes = fs::read(&place).unwrap();
    bytes.truncate(100);
    fs::write(&place, bytes).unwrap();
    let others = all.iter().filter(|row| row["snapshot"] != broken).count();
    let output = tried(folder, &["blobs.files", "repo", "--format", "jsonl"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(said(&output).contains(broken), "{}", said(&output));
    assert_eq!(json_lines(output).len(), others, "the paths of all others come before");
    for table in ["blobs.files", "blobs.snapshots"] {
        let first = tried(folder, &[table, "repo", "--limit", "1"]);
        assert_eq!(first.status.code(), Some(2), "{table}: it may be the first");
    }
    let other = ["blobs.files", "repo", "--where", "snapshot LIKE '03fb%'"];
    assert_eq!(tried(folder, &other).status.code(), Some(0));
    let newest = tried(folder, &["blobs.files", "repo", "-a", "snapshots=latest"]);
    assert_eq!(newest.status.code(), Some(2), "it may be the newest");
    assert_eq!(tried(folder, &["blobs.snapshots", "repo"]).status.code(), Some(2));
    assert_eq!(tried(folder, &["blobs.costs", "repo"]).status.code(), Some(2));
}

#[test]
fn passwords_come_from_where_commands_take_them_and_are_in_no_partition() {
    let golden = golden_repository("small");
    let folder = golden.path();
    fs::write(folder.join("right"), format!("{PASSWORD}\n")).unwrap();
    fs::write(folder.join("wrong"), "another").unwrap();
    let table = |words: &[&str], variables: &[(&str, &str)]| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_manicule"));
        command.current_dir(folder).args(["table", "blobs.snapshots"]).args(words);
        for name in ["", "_FILE", "_COMMAND"] {
            command.env_remove(format!("RESTIC_PASSWORD{name}"));
        }
        command.envs(variables.iter().copied()).output().expect("manicule runs")
    };
    let check = |words: &[&str], variables: &[(&str, &str)], want: Option<&str>| {
        let output = table(words, variables);
        let code = if want.is_none() { 0 } else { 2 };
        assert_eq!(output.status.code(), Some(code), "{words:?}: {}", said(&output));
        assert!(said(&output).contains(want.unwrap_or_default()), "{words:?}: {}", said(&output));
    };
    check(&["repo", "-a", "password_file=right"], &[], None);
    check(&["repo", "-a", "password_command=cat right"], &[], None);
    check(&["repo", "-a", "password_file=right"], &[("RESTIC_PASSWORD_FILE", "wrong")], None);
    check(&["repo"], &[("RESTIC_PASSWORD_FILE", "right")], None);
    check(&["repo"], &[("RESTIC_PASSWORD_COMMAND", "cat right")], None);
    check(&["repo", "-a", "password_file=wrong"], &[], Some("wrong password"));
    check(&["repo", "-a", "password_file=none"], &[], Some("password file none: "));
    check(&["repo", "-a", "password_command=cat 'x"], &[], Some("quotes don't match"));
    check(&["repo", "-a", "password_command=false"], &[], Some("password command false"));
    check(&["repo"], &[], Some("no password: give password_file or password_command"));
    check(&["repo", "-a", "password_file=/dev/null"], &[], Some("an empty password is refused"));
    check(&["nowhere"], &[], Some("no restic repository"));
    let right = ("RESTIC_PASSWORD", PASSWORD);
    check(&["repo", "-a", "key_hint=fce468"], &[right], None);
    check(&["repo", "-a", "key_hint=x"], &[right], Some("argument key_hint: x is no id"));
    check(&["repo", "repo"], &[right], Some("one restic repository, not of 2"));

    let part = table(&["repo", "--partitions", "2"], &[right]);
    let part = String::from_utf8(part.stdout).expect("UTF-8");
    assert!(part.contains("blobs.snapshots") && !part.contains(PASSWORD), "{part}");
}

#[test]
fn an_index_that_is_kept_gives_the_same_rows() {
    let golden = golden_repository("unused");
    let folder = golden.path();
    let kept = ["-a", "index_cache_dir=kept"];
    for table in ["blobs.blobs", "blobs.costs", "blobs.files", "blobs.packs", "blobs.snapshots"] {
        let want = rows(folder, table, &[]);
        for turn in ["made", "used"] {
            assert_eq!(rows(folder, table, &kept), want, "{table}, {turn}");
        }
    }
    assert!(fs::read_dir(folder.join("kept")).unwrap().next().is_some(), "the index is kept");
}
