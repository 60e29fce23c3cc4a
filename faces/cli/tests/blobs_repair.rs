//! `manicule blobs repair-index`: what it says, killed and interrupted runs, and restic's judgement of what it leaves
//! (where `MANICULE_RESTIC` names a restic).

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};

use manicule_repositories::{
    DAMAGES, FileKind, FleetOptions, Id, Lock, PASSWORD, Patient, Restic, Time, Victims, damage,
    write_fleet,
};
use manicule_testkit::kill::wait_until;
use manicule_testkit::{Killer, Landmark, contents, golden_repository, restore, with_example};
use serde_json::Value as Json;
use tempfile::TempDir;

fn command(repo: &Path, words: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_manicule"));
    command.args(["blobs", "repair-index"]).args(words).stdin(Stdio::null());
    for name in ["REPOSITORY_FILE", "PASSWORD_FILE", "PASSWORD_COMMAND", "KEY_HINT"] {
        command.env_remove(format!("RESTIC_{name}"));
    }
    command.env("RESTIC_REPOSITORY", repo).env("RESTIC_PASSWORD", PASSWORD);
    command
}

fn run(repo: &Path, words: &[&str]) -> Output {
    command(repo, words).output().expect("it runs")
}

/// Standard output of a call that ends with this exit code.
#[track_caller]
fn printed(repo: &Path, words: &[&str], code: i32) -> String {
    let output = run(repo, words);
    let error = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(code), "{words:?}: {error}");
    String::from_utf8(output.stdout).expect("text")
}

fn damaged(names: &[&str]) -> (TempDir, PathBuf) {
    let golden = golden_repository("unused");
    let repo = golden.path().join("repo");
    names.iter().for_each(|name| damage(name, &repo, &Victims::of_unused()).expect(name));
    (golden, repo)
}

#[test]
fn a_dry_run_says_what_the_repair_then_does() {
    let (_golden, repo) = damaged(&["index-wrong-length", "pack-missing-tree", "index-flip"]);
    let before = contents(&repo);
    let would = printed(&repo, &["--dry-run"], 0);
    let planned = printed(&repo, &["-n", "--json"], 0);
    assert_eq!(contents(&repo), before);
    let done = printed(&repo, &[], 0);
    let is_new = |line: &&str| line.ends_with(" is new");
    let without_new: Vec<&str> = done.lines().filter(|line| !is_new(line)).collect();
    assert_eq!(would.replace("would be ", ""), without_new.join("\n") + "\n");
    assert_eq!(done.lines().filter(is_new).count(), 1);
    for part in [
        "in no index, 20 blobs added",
        "its header has 8 blobs, the index had 8",
        ": its file is gone, and ",
        "index file 287075c75cf969271e907374b909bd4fbec3415ccd0f8627652d854555fb131a can't be read: ",
        "4 index files and 3 pack headers read; 1 written, ",
    ] {
        assert!(done.contains(part), "{part}: {done}");
    }
    let rows: Vec<Json> =
        planned.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
    let summary = rows.last().expect("a summary");
    for (name, want) in [
        ("index_files_read", 4),
        ("index_files_written", 1),
        ("index_files_unreadable", 1),
        ("pack_headers_read", 3),
        ("packs", 6),
        ("packs_added", 2),
        ("packs_replaced", 1),
        ("packs_missing", 1),
        ("packs_unreadable", 0),
        ("packs_marked", 0),
    ] {
        assert_eq!(summary[name], want, "{name}");
    }
    assert!(summary["dry_run"] == true && summary["type"] == "summary");
    let again = printed(&repo, &["--json"], 0);
    let again: Json = serde_json::from_str(&again).expect("nothing but the summary");
    assert_eq!(again["index_files_kept"], again["index_files_read"]);
}

#[test]
fn the_guide_shows_what_is_printed() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../../docs/guide/a-repository-whose-index-is-damaged.md");
    let page = fs::read_to_string(&path).expect("the guide");
    let (_golden, repo) = damaged(&["index-wrong-length", "pack-missing-unneeded"]);
    let now = printed(&repo, &["--dry-run"], 0);
    let (updated, stood) = with_example(&page, "dry run", &now);
    if std::env::var_os("UPDATE").is_some() {
        fs::write(&path, updated).expect("the guide");
    } else {
        assert_eq!(stood, now, "no longer as the guide shows it");
    }
}

#[test]
fn a_header_that_cant_be_read_is_exit_code_1() {
    let (_golden, repo) = damaged(&["pack-cut"]);
    for _ in 0..2 {
        let said = printed(&repo, &[], 1);
        assert!(said.contains(": its header can't be read, 8 of 8 blobs kept: "), "{said}");
    }
}

/// A lock of somebody on another machine.
fn put_lock(repo: &Path, year: &str) -> Id {
    let lock = Lock {
        time: Time::parse(format!("{year}-01-01T00:00:00Z").as_bytes()).expect("a time"),
        is_exclusive: true,
        hostname: "elsewhere".to_owned(),
        username: "lee".to_owned(),
        pid: 77,
        uid: 7,
        gid: 8,
    };
    Patient::open(repo).put(FileKind::Lock, &lock.encode()).expect("a lock")
}

#[test]
fn a_locked_repository_is_left_alone_and_a_stale_lock_is_removed() {
    let (_golden, repo) = damaged(&["index-flip"]);
    let before = contents(&repo);
    // A lock from the future is not stale.
    let lock = put_lock(&repo, "2999");
    for words in [&[][..], &["--retry-lock", "1s"]] {
        let output = run(&repo, words);
        let said = String::from_utf8_lossy(&output.stderr);
        let who = "already locked exclusively by process 77 on elsewhere, user lee (7, group 8)";
        assert!(output.status.code() == Some(2) && said.contains(who), "{said}");
    }
    printed(&repo, &["--dry-run"], 0);
    fs::remove_file(repo.join(FileKind::Lock.path(&lock))).expect("a lock");
    assert_eq!(contents(&repo), before);
    let stale = put_lock(&repo, "2001");
    let output = run(&repo, &[]);
    let said = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(0), "{said}");
    assert!(said.contains(&format!("lock {} was stale, and was removed", stale.short())), "{said}");
    assert_eq!(Patient::open(&repo).ids(FileKind::Lock), []);
}

/// A run that has taken its lock, and waits before it looks for those of others.
fn started(repo: &Path) -> Child {
    let patient = Patient::open(repo);
    let mut child = command(repo, &[]).stdout(Stdio::null()).spawn().expect("it starts");
    assert!(wait_until(&mut child, || !patient.ids(FileKind::Lock).is_empty()), "it has ended");
    child
}

#[test]
fn an_interrupted_run_removes_its_lock() {
    let (_golden, repo) = damaged(&["index-flip"]);
    let before = contents(&repo);
    let mut child = started(&repo);
    let pid = child.id().to_string();
    let killed = Command::new("kill").args(["-INT", &pid]).status().expect("kill");
    assert!(killed.success());
    let status = child.wait().expect("it ends");
    assert!(!status.success(), "{status}");
    assert_eq!(contents(&repo), before);
}

/// A fleet with an index file for each pack: some are right, some lie, some are broken, some are gone.
struct Shattered {
    folder: TempDir,
    /// Files of the index.
    index: BTreeMap<String, Vec<u8>>,
    /// Places that are listed and right.
    right: BTreeSet<String>,
    wanted: BTreeSet<String>,
}

impl Shattered {
    fn new() -> Shattered {
        let folder = tempfile::tempdir().expect("a folder");
        let options =
            FleetOptions { seed: 5, data_count: 3000, snapshot_count: 60, blobs_in_pack: 100 };
        write_fleet(folder.path(), &options).expect("written");
        let patient = Patient::open(folder.path());
        for id in patient.ids(FileKind::Index) {
            fs::remove_file(patient.path(FileKind::Index, &id)).expect("an index file");
        }
        for (number, pack) in patient.ids(FileKind::Pack).into_iter().enumerate() {
            let mut blobs = patient.header(&pack).expect("a header");
            blobs[0].place.len += u32::from(number % 4 == 1);
            let id = patient.put_index(&[(pack, blobs)]).expect("written");
            let path = patient.path(FileKind::Index, &id);
            match number % 4 {
                2 => fs::write(path, "broken").expect("written"),
                3 => fs::remove_file(path).expect("it is there"),
                _ => {}
            }
        }
        let wanted = patient.headers();
        let right = patient.places().intersection(&wanted).cloned().collect();
        let index = contents(&folder.path().join("index"));
        Shattered { folder, index, right, wanted }
    }

    fn repo(&self) -> &Path {
        self.folder.path()
    }

    fn reset(&self) {
        restore(&self.repo().join("index"), &self.index);
    }

    /// Names in the index's folder that the damaged one doesn't have.
    fn new_names(&self) -> usize {
        let index = fs::read_dir(self.repo().join("index")).expect("a folder");
        let is_new = |name: &str| !self.index.contains_key(name);
        index
            .filter(|entry| {
                entry.as_ref().is_ok_and(|entry| entry.file_name().to_str().is_some_and(is_new))
            })
            .count()
    }

    fn moment(&self) -> &'static str {
        let patient = Patient::open(self.repo());
        let index_count = contents(&self.repo().join("index")).len();
        match (self.new_names(), patient.ids(FileKind::Lock).len()) {
            (0, 0) => "before the lock",
            (0, _) => "after the lock",
            (_, _) if index_count > self.index.len() => "before the first removal",
            (_, 1) => "among the removals",
            _ => "at the end",
        }
    }
}

/// Kills in a plain `cargo test`, and beside restic.
const KILLS: u64 = 20;
const KILLS_JUDGED: u64 = 200;

#[test]
fn no_blob_is_lost_by_a_kill_at_any_moment_and_the_next_run_mends_the_rest() {
    let shattered = Shattered::new();
    let (repo, patient) = (shattered.repo(), Patient::open(shattered.repo()));
    let restic = Restic::for_test("restic's judgement of killed repairs");
    let mut killer = Killer::new(if restic.is_some() { KILLS_JUDGED } else { KILLS });
    killer.time(|| printed(repo, &[], 0));
    assert_eq!(patient.places(), shattered.wanted);
    for round in killer.rounds() {
        shattered.reset();
        let is_begun = || shattered.new_names() > 0;
        let landmark = Landmark { is_passed: &is_begun, wait_max: killer.run() / 8 };
        let child = command(repo, &[]).stdout(Stdio::null()).spawn().expect("it starts");
        let killed = killer.kill(child, Some(landmark));
        let what = format!("{}, {killed:?}", killer.what(round));
        let places = patient.places();
        assert_eq!(shattered.right.difference(&places).next(), None, "{what}: lost");
        killer.count(shattered.moment());
        if let Some(restic) = &restic {
            // Broken index files are no hindrance to lists.
            for list in ["index", "packs", "snapshots"] {
                restic.answer(repo, ["list", "--no-lock", list]).expect(&what);
            }
        }
        let again = run(repo, &[]);
        assert!(again.status.success(), "{what}: {}", String::from_utf8_lossy(&again.stderr));
        assert_eq!(patient.places(), shattered.wanted, "{what}");
        let is_litter = |name: &String| name.contains("-tmp-") || name.starts_with("locks/");
        assert_eq!(contents(repo).into_keys().find(is_litter), None, "{what}");
        if let Some(restic) = &restic {
            let said = restic.call(repo, ["check"]).expect("restic starts");
            assert!(said.exit == 0, "{what}: {}{}", said.out, said.errors);
        }
    }
    killer.print();
    if let Some(restic) = &restic {
        restic.answer(repo, ["check", "--read-data"]).expect("whole");
    }
}

/// What restic finds after the repair of a damage.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Left {
    /// No error, and every file.
    Nothing,
    /// The pack that is not as its index says, and every file.
    Pack,
    /// Files are lost with the pack.
    Files,
}

fn left(name: &str) -> Left {
    match name {
        "pack-cut" | "pack-longer" | "pack-header-length-zero" => Left::Pack,
        "pack-missing" | "pack-missing-tree" | "pack-empty" | "pack-cut-in-a-blob" => Left::Files,
        // restic lists a pack in any folder, and opens it in its own only.
        "files-pack-in-other-folder" => Left::Files,
        _ => Left::Nothing,
    }
}

/// All snapshots, restored; `None` if a file could not be.
fn restored(restic: &Restic, repo: &Path) -> Option<Vec<BTreeMap<String, Vec<u8>>>> {
    let mut trees = Vec::new();
    for id in Patient::open(repo).ids(FileKind::Snapshot) {
        let target = tempfile::tempdir().expect("a folder");
        let (id, into) = (id.to_string(), target.path().to_str().expect("UTF-8"));
        let words = ["restore", "--no-lock", &id, "--target", into];
        let said = restic.call(repo, words).expect("restic starts");
        trees.push(contents(target.path()));
        if said.exit != 0 {
            return None;
        }
    }
    Some(trees)
}

#[test]
fn restic_accepts_the_index_after_each_damage_and_restores_every_file_that_is_there() {
    let Some(restic) = Restic::for_test("restic's judgement of repaired indexes") else { return };
    let (_golden, sound) = damaged(&[]);
    let trees = restored(&restic, &sound).expect("a sound repository");
    assert!(trees.len() == 2 && trees.iter().all(|tree| tree.len() > 7));
    for (name, _) in DAMAGES {
        let (_golden, repo) = damaged(&[name]);
        let left = left(name);
        let is_unreadable = !matches!(left, Left::Nothing) && !name.starts_with("pack-missing");
        printed(&repo, &["--read-all-packs"], i32::from(is_unreadable));
        let check = |words: &[&str]| restic.call(&repo, words).expect("restic starts");
        let (said, read) = (check(&["check"]), check(&["check", "--read-data"]));
        let exits = (said.exit, read.exit);
        let trees_now = restored(&restic, &repo);
        let what = format!("{name}: {exits:?}, {}{}", read.out, read.errors);
        match left {
            Left::Nothing => assert_eq!(exits, (0, 0), "{what}"),
            Left::Pack => assert_eq!(read.exit, 1, "{what}"),
            Left::Files => assert!(read.exit == 1 && trees_now.is_none(), "{what}"),
        }
        if left != Left::Files {
            assert!(trees_now.as_ref() == Some(&trees), "{what}: other files");
        }
    }
}

#[test]
fn restic_keeps_away_while_our_lock_is_there_and_can_remove_it() {
    let Some(restic) = Restic::for_test("restic beside our lock") else { return };
    let (_golden, repo) = damaged(&[]);
    let mut child = started(&repo);
    child.kill().expect("it is ours");
    child.wait().expect("it ends");
    let said = restic.call(&repo, ["check"]).expect("restic starts");
    let words = said.out + &said.errors;
    assert!(said.exit == 11 && words.contains("locked exclusively by PID"), "{words}");
    restic.answer(&repo, ["unlock"]).expect("our process is gone");
    restic.answer(&repo, ["check"]).expect("it is unlocked");
}
