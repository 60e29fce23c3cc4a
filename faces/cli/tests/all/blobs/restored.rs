//! Files and folders taken out of a repository: dumped, and restored.

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};
use std::path::Path;
use std::process::Command;

use manicule_testkit::golden_repository;

use super::{printed, rows, run};

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
