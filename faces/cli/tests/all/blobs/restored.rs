//! Files and folders taken out of a repository: dumped, and restored.

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};
use std::path::Path;
use std::process::Command;

use manicule_testkit::golden_repository;

use super::{printed, rows, run};
use crate::blobs_peer::zip_entries;

/// Every path below a folder with its kind, mode, time and content.
fn state(folder: &Path) -> BTreeMap<String, (u32, i64, Vec<u8>)> {
    let mut all = BTreeMap::new();
    let mut waiting = vec![folder.to_owned()];
    while let Some(at) = waiting.pop() {
        for entry in fs::read_dir(&at).unwrap() {
            let path = entry.unwrap().path();
            let meta = path.symlink_metadata().unwrap();
            let content = match meta.file_type() {
                kind if kind.is_file() => fs::read(&path).unwrap(),
                kind if kind.is_symlink() => {
                    fs::read_link(&path).unwrap().into_os_string().into_encoded_bytes()
                }
                kind => {
                    waiting.extend(kind.is_dir().then(|| path.clone()));
                    Vec::new()
                }
            };
            let name = path.strip_prefix(folder).unwrap().to_string_lossy().into_owned();
            all.insert(name, (meta.mode(), meta.mtime(), content));
        }
    }
    all
}

#[test]
fn a_snapshot_is_restored_as_it_was() {
    for (name, id) in [("unused", "latest"), ("small", "latest"), ("keys", "latest")] {
        let golden = golden_repository(name);
        let folder = golden.path();
        let said = printed(folder, &["restore", id, "--target", "out"], 0);
        assert!(said.starts_with("restoring snapshot ") && said.contains("\nSummary: Restored "));
        let restored = state(&folder.join("out"));
        let nodes = rows(folder, &["ls", "--json", id], 0);
        let nodes: Vec<_> = nodes.iter().skip(1).filter(|node| node["type"] != "socket").collect();
        assert_eq!(restored.len(), nodes.len(), "{name}");
        for node in nodes {
            let path = node["path"].as_str().unwrap();
            let (mode, mtime, content) = &restored[&path[1..]];
            let time = node["mtime"].as_str().unwrap();
            let clock = |seconds: i64| {
                let text = manicule::blobs::find::Moment { seconds, nanos: 0 };
                let mut out = Vec::new();
                text.put_clock(&mut out);
                String::from_utf8(out).unwrap().replace(' ', "T")
            };
            assert!(time.starts_with(&clock(*mtime)), "{path}: {time}");
            if node["type"] == "symlink" {
                continue;
            }
            assert_eq!(u64::from(mode & 0o777), node["mode"].as_u64().unwrap() & 0o777, "{path}");
            if node["type"] == "file" {
                assert_eq!(content.len() as u64, node["size"].as_u64().unwrap(), "{path}");
                let dumped = run(folder, &["dump", id, path]);
                assert!(dumped.status.success() && dumped.stdout == *content, "{path}");
            }
        }
    }
}

#[test]
fn a_folder_is_dumped_as_an_archive() {
    let golden = golden_repository("unused");
    let folder = golden.path();
    printed(folder, &["restore", "latest", "--target", "out"], 0);
    let archive = run(folder, &["dump", "latest", "/"]).stdout;
    fs::write(folder.join("all.tar"), archive).unwrap();
    fs::create_dir(folder.join("tar")).unwrap();
    let tar = |words: &[&str]| {
        let output = Command::new("tar").args(words).current_dir(folder).output().expect("tar");
        assert!(output.status.success(), "{words:?}: {output:?}");
        String::from_utf8_lossy(&output.stdout).into_owned()
    };
    tar(&["xf", "all.tar", "-C", "tar"]);
    let contents = |folder: &Path| -> Vec<(String, Vec<u8>)> {
        state(folder).into_iter().map(|(path, (_, _, content))| (path, content)).collect()
    };
    assert_eq!(contents(&folder.join("tar")), contents(&folder.join("out")));
    printed(folder, &["dump", "latest:/srv", "/parts/d", "-t", "part.tar"], 0);
    let listed = tar(&["tf", "part.tar"]);
    assert!(listed.lines().all(|path| path.starts_with("parts/d/")), "{listed}");
}

#[test]
fn a_folder_without_a_time_is_of_1970_in_an_archive() {
    let golden = golden_repository("rustic");
    let archive = run(golden.path(), &["dump", "1e782a3f", "/srv"]).stdout;
    assert!(archive.starts_with(b"srv/parts/\0") && archive[136..148] == *b"00000000000\0");
}

#[test]
fn a_folder_is_dumped_as_a_zip_archive() {
    let golden = golden_repository("unused");
    let folder = golden.path();
    printed(folder, &["restore", "latest", "--target", "out"], 0);
    printed(folder, &["dump", "latest", "/", "--archive", "zip", "-t", "all.zip"], 0);
    let mut want: Vec<(String, Vec<u8>)> = state(&folder.join("out"))
        .into_iter()
        .map(|(path, (mode, _, content))| {
            (if mode & 0o170_000 == 0o040_000 { path + "/" } else { path }, content)
        })
        .collect();
    want.sort();
    let entries = zip_entries(&fs::read(folder.join("all.zip")).unwrap());
    let mut got: Vec<(String, Vec<u8>)> = entries
        .into_iter()
        .map(|(_, name, _, content)| (String::from_utf8(name).unwrap(), content))
        .collect();
    got.sort();
    assert_eq!(got, want);
}

/// The target beside a snapshot: things that it hasn't, one of them a link that leads away.
fn planted(folder: &Path) {
    printed(folder, &["restore", "latest", "-t", "out"], 0);
    let out = folder.join("out");
    fs::create_dir_all(out.join("srv/more/deep")).unwrap();
    fs::write(out.join("srv/more/deep/file"), "mine").unwrap();
    fs::write(out.join("srv/parts/d/mine.txt"), "mine").unwrap();
    fs::create_dir_all(folder.join("away")).unwrap();
    fs::write(folder.join("away/kept"), "kept").unwrap();
    symlink(folder.join("away"), out.join("way")).unwrap();
}

#[test]
fn what_a_snapshot_has_not_is_removed_where_that_is_asked() {
    let golden = golden_repository("unused");
    let folder = golden.path();
    printed(folder, &["restore", "latest", "-t", "whole"], 0);
    planted(folder);
    let before = state(&folder.join("out"));
    let dry = printed(folder, &["restore", "latest", "-t", "out", "--delete", "--dry-run"], 0);
    let listed: Vec<&str> =
        dry.lines().filter_map(|line| line.strip_prefix("deleted   out")).collect();
    let want =
        ["/srv/more/deep/file", "/srv/more/deep", "/srv/more", "/srv/parts/d/mine.txt", "/way"];
    assert_eq!(sorted(&listed), sorted(&want));
    assert!(dry.ends_with(", deleted 5 files/dirs\n"), "{dry}");
    assert_eq!(state(&folder.join("out")), before);
    let some = ["restore", "latest", "-t", "out", "--delete", "--exclude", "*.txt", "--json"];
    assert!(printed(folder, &some, 0).contains("\"files_deleted\":4"));
    assert!(folder.join("out/srv/parts/d/mine.txt").exists());
    printed(folder, &["restore", "latest", "-t", "out", "--delete"], 0);
    assert_eq!(state(&folder.join("out")), state(&folder.join("whole")));
    assert!(folder.join("away/kept").exists());
    let wrong = run(folder, &["restore", "latest", "-t", "/", "--delete"]);
    assert_eq!(wrong.status.code(), Some(2));
    let file = "latest:/srv/parts/d/texts/00/0007.txt";
    assert_eq!(run(folder, &["restore", file, "-t", "out", "--delete"]).status.code(), Some(2));
    assert_eq!(state(&folder.join("out")), state(&folder.join("whole")));
}

fn sorted<'p>(paths: &[&'p str]) -> Vec<&'p str> {
    let mut paths = paths.to_vec();
    paths.sort_unstable();
    paths
}

#[test]
fn nothing_is_removed_from_a_folder_whose_tree_can_not_be_read() {
    let golden = golden_repository("unused");
    let folder = golden.path();
    planted(folder);
    for pack in fs::read_dir(folder.join("repo/data/12")).unwrap() {
        fs::write(pack.unwrap().path(), "").unwrap();
    }
    let before = state(&folder.join("out"));
    let output = run(folder, &["restore", "latest", "-t", "out", "--delete"]);
    assert_eq!(output.status.code(), Some(2));
    let after = state(&folder.join("out"));
    let gone: Vec<_> = before.keys().filter(|path| !after.contains_key(*path)).collect();
    assert!(gone.iter().all(|path| path.contains("more") || path.contains("way")), "{gone:?}");
    assert!(after.contains_key("srv/parts/d/texts/00/0007.txt"));
}

#[test]
fn a_file_that_has_its_content_is_not_written_again() {
    let golden = golden_repository("unused");
    let folder = golden.path();
    let file = folder.join("out/srv/parts/d/texts/00/0007.txt");
    let call = ["restore", "latest", "-t", "out", "--verify"];
    let said = printed(folder, &call, 0);
    let count = state(&folder.join("out")).values().filter(|row| row.0 >> 12 == 0o10).count();
    assert!(said.ends_with(&format!("finished verifying {count} files in out\n")), "{said}");
    let whole = state(&folder.join("out"));
    let inode = fs::metadata(&file).unwrap().ino();
    // Its time and mode are given to it again.
    fs::set_permissions(&file, fs::Permissions::from_mode(0o600)).unwrap();
    fs::File::open(&file).unwrap().set_modified(std::time::SystemTime::now()).unwrap();
    let said = printed(folder, &call, 0);
    assert!(said.contains(&format!(", skipped {count} files/dirs ")), "{said}");
    assert!(said.ends_with("finished verifying 0 files in out\n"), "{said}");
    assert_eq!(state(&folder.join("out")), whole);
    assert_eq!(fs::metadata(&file).unwrap().ino(), inode);
    let mut other = fs::read(&file).unwrap();
    other[7] ^= 1;
    fs::write(&file, other).unwrap();
    assert!(printed(folder, &call, 0).ends_with("finished verifying 1 files in out\n"));
    assert_eq!(state(&folder.join("out")), whole);
    let wrong = run(folder, &["restore", "latest", "-t", "out", "--verify", "--dry-run"]);
    assert_eq!(wrong.status.code(), Some(2));
}

#[test]
fn a_part_of_a_snapshot_is_restored() {
    let golden = golden_repository("unused");
    let folder = golden.path();
    let names = |words: &[&str]| -> Vec<String> {
        let _ = fs::remove_dir_all(folder.join("out"));
        printed(folder, &[&["restore", "-t", "out"], words].concat(), 0);
        state(&folder.join("out")).into_keys().collect()
    };
    let within = names(&["latest:/srv/parts/d/texts/00"]);
    assert_eq!(within, ["0000.txt", "0007.txt"]);
    assert_eq!(names(&["latest:/srv/parts/d/texts/00/0007.txt"]), ["0007.txt"]);
    let way = ["srv", "srv/parts", "srv/parts/d", "srv/parts/d/texts", "srv/parts/d/texts/00"];
    let way = [&way[..], &["srv/parts/d/texts/00/0007.txt"]].concat();
    assert_eq!(names(&["latest", "--include", "0007.txt"]), way);
    let without = names(&["latest", "--exclude", "texts/00"]);
    assert!(
        without.len() > 5 && without.iter().all(|name| !name.contains("texts/00")),
        "{without:?}"
    );
    let nothing = run(folder, &["restore", "latest", "-t", "none", "--include", "nothing"]);
    assert_eq!(nothing.status.code(), Some(1));
    let dry = printed(folder, &["restore", "latest", "-t", "dry", "--dry-run", "--json"], 0);
    assert!(dry.contains("\"total_files\":") && !folder.join("dry").exists(), "{dry}");
    let missing = run(folder, &["restore", "latest:/srv/none", "-t", "x"]);
    assert_eq!(missing.status.code(), Some(2));
}

#[test]
fn files_that_are_there_are_replaced_as_asked() {
    let golden = golden_repository("unused");
    let folder = golden.path();
    let file = folder.join("out/0007.txt");
    let restore = |words: &[&str]| {
        let words = [&["restore", "latest:/srv/parts/d/texts/00/0007.txt", "-t", "out"], words];
        printed(folder, &words.concat(), 0);
        fs::read(&file).unwrap()
    };
    let whole = restore(&[]);
    for (words, stays) in [
        (&["--overwrite", "never"][..], true),
        (&["--overwrite", "if-newer"], true),
        (&["--overwrite", "if-changed"], false),
        (&[], false),
    ] {
        fs::remove_file(&file).unwrap();
        fs::write(&file, "mine").unwrap();
        assert_eq!(restore(words) == b"mine", stays, "{words:?}");
    }
    assert_eq!(fs::read(&file).unwrap(), whole);
    // A link in the place of a file or a folder is replaced, and what it leads to is not touched.
    fs::write(folder.join("other"), "other").unwrap();
    fs::remove_file(&file).unwrap();
    symlink(folder.join("other"), &file).unwrap();
    assert_eq!(restore(&[]), whole);
    assert_eq!(fs::read(folder.join("other")).unwrap(), b"other");
    fs::create_dir(folder.join("away")).unwrap();
    fs::create_dir(folder.join("in")).unwrap();
    symlink(folder.join("away"), folder.join("in/srv")).unwrap();
    printed(folder, &["restore", "latest", "-t", "in"], 0);
    assert_eq!(fs::read_dir(folder.join("away")).unwrap().count(), 0);
    assert!(folder.join("in/srv").symlink_metadata().unwrap().is_dir());
}

#[test]
fn links_and_further_names_stay_as_asked() {
    let golden = golden_repository("v2");
    let folder = golden.path();
    let links = folder.join("out");
    let restore = |overwrite: &str| {
        let words = ["restore", "latest:/srv/atlas/odd/links", "-t", "out", "--overwrite"];
        run(folder, &[&words[..], &[overwrite]].concat())
    };
    // Two names of one file in the snapshot, and a link.
    let names = ["one", "two"].map(|name| links.join(name));
    let link = links.join("dangling");
    fs::create_dir(&links).unwrap();
    names.iter().for_each(|name| fs::write(name, "mine").unwrap());
    symlink("mine", &link).unwrap();
    for overwrite in ["never", "if-newer"] {
        restore(overwrite);
        let inodes = names.each_ref().map(|name| fs::metadata(name).unwrap().ino());
        assert_ne!(inodes[0], inodes[1], "{overwrite}");
        assert_eq!(fs::read_link(&link).unwrap(), Path::new("mine"), "{overwrite}");
    }
    restore("always");
    assert_eq!(fs::read_link(&link).unwrap(), Path::new("/nowhere/at/all"));
}

#[test]
fn a_file_that_lacks_a_blob_is_named_and_not_put() {
    let golden = golden_repository("unused");
    let folder = golden.path();
    let id = "5f14454766fa5679b84e2951ffbee7cd57982d5bb83be7ac9b6e9e652233511f";
    let pack = folder.join("repo/data/5f").join(id);
    let mut bytes = fs::read(&pack).unwrap();
    bytes[40] ^= 1;
    let _ = fs::set_permissions(&pack, fs::Permissions::from_mode(0o600));
    fs::write(&pack, bytes).unwrap();
    let checked = rows(folder, &["check", "--read-data", "--json"], 1);
    let broken = checked.iter().find(|row| row["message_type"] == "broken_pack").unwrap();
    let damaged = &broken["damaged"][0];
    let (snapshot, path) = (&damaged["snapshot"], damaged["path"].as_str().unwrap());
    let snapshot = snapshot.as_str().unwrap();
    let output = run(folder, &["restore", snapshot, "-t", "out", "--json"]);
    let error = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.code() == Some(2) && error.contains(path), "{error}");
    let put = state(&folder.join("out"));
    assert!(!put.contains_key(&path[1..]) && put.len() > 10, "{}", put.len());
    assert!(put.keys().all(|name| !name.contains("manicule")), "{put:?}");
    let output = run(folder, &["dump", snapshot, path, "-t", "file"]);
    assert!(output.status.code() == Some(2) && !folder.join("file").exists());
    let output = run(folder, &["dump", snapshot, "/", "-t", "all.tar"]);
    assert!(output.status.code() == Some(2) && !folder.join("all.tar").exists());
}
