//! What the index lists after a repair of each damage, beside the headers of the packs and beside
//! restic's own repair.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use manicule_blobs::repair::{PackChange, ReadPacks, RepairReport};
use manicule_format_restic::{FileKind, Id};
use manicule_repositories::{DAMAGES, Patient, Victims, damage, lines};
use manicule_store::Disk;
use manicule_testkit::{contents, golden_repository};
use tempfile::TempDir;

use super::world::{plan, repair, repair_through};

/// Places of a damaged repository that its packs' headers don't show, and why.
fn expected(name: &str, read: ReadPacks, before: &Patient, damaged: &Patient) -> BTreeSet<String> {
    let pack = Victims::of_unused().data;
    let blobs = before.header(&pack).expect("a header");
    match (name, read) {
        // Sizes agree, so that nobody looks.
        ("index-gap" | "index-swapped-ids", ReadPacks::Doubtful) => damaged.places(),
        // The pack can't be reached; its header can't be read, and its blobs can.
        ("files-pack-in-other-folder", _) => before.places(),
        ("pack-cut" | "pack-longer" | "pack-header-length-zero", _) => before.places(),
        // The second blob lacks a byte, the others lie after it.
        ("pack-cut-in-a-blob", _) => {
            let lost: BTreeSet<String> = lines(&pack, &blobs[1..]).into_iter().collect();
            before.places().difference(&lost).cloned().collect()
        }
        _ => damaged.headers(),
    }
}

fn damaged(name: &str) -> (TempDir, PathBuf) {
    let golden = golden_repository("unused");
    let repo = golden.path().join("repo");
    damage(name, &repo, &Victims::of_unused()).unwrap_or_else(|error| panic!("{name}: {error}"));
    (golden, repo)
}

/// Names in a repository that are none of its files.
fn litter(repo: &Path) -> Vec<String> {
    let is_file = |name: &String| {
        let last = name.rsplit('/').next().unwrap_or_default();
        name == "config" || Id::parse(last.as_bytes()).is_some()
    };
    let locks = fs::read_dir(repo.join("locks")).map_or(0, Iterator::count);
    assert_eq!(locks, 0, "locks");
    contents(repo).into_keys().filter(|name| !is_file(name)).collect()
}

#[test]
fn after_a_repair_the_index_lists_what_can_be_read_and_the_next_one_has_nothing_to_do() {
    let sound = golden_repository("unused");
    let before = Patient::open(&sound.path().join("repo"));
    assert_eq!(before.places(), before.headers());
    for (name, _) in DAMAGES {
        for read in [ReadPacks::Doubtful, ReadPacks::All] {
            let (_golden, repo) = damaged(name);
            let patient = Patient::open(&repo);
            let want = expected(name, read, &before, &patient);
            let files = contents(&repo);
            let planned = plan(&repo, read);
            assert_eq!(contents(&repo), files, "{name}: a dry run writes nothing");
            let report = repair(&repo, read);
            assert_eq!(RepairReport { written: Vec::new(), ..report.clone() }, planned, "{name}");
            assert_eq!(report.written.len() as u64, report.index_written, "{name}");
            assert_eq!(patient.places(), want, "{name} {read:?}");
            let indexes = patient.ids(FileKind::Index);
            let all: Vec<_> = indexes.iter().map(|id| patient.index(id).expect("sound")).collect();
            let packs: Vec<Id> = all.concat().into_iter().map(|(pack, _)| pack).collect();
            let once: BTreeSet<&Id> = packs.iter().collect();
            assert_eq!(once.len(), packs.len(), "{name}: each pack is listed once");
            assert_eq!(indexes.len() as u64, report.index_kept + report.index_written, "{name}");
            let again = repair(&repo, read);
            assert!(!again.changes_anything(), "{name}: {again:?}");
            assert_eq!(again.index_kept as usize, indexes.len(), "{name}");
            assert_eq!(litter(&repo), [""; 0], "{name}");
        }
    }
}

#[test]
fn nothing_is_written_where_nothing_is_wrong() {
    for name in ["unused", "small", "keys"] {
        let golden = golden_repository(name);
        let repo = golden.path().join("repo");
        for read in [ReadPacks::Doubtful, ReadPacks::All] {
            let files = contents(&repo.join("index"));
            let report = repair(&repo, read);
            assert!(!report.changes_anything() && report.is_whole(), "{name}: {report:?}");
            let headers = if read == ReadPacks::All { report.packs } else { 0 };
            assert_eq!(report.headers_read, headers, "{name}");
            assert_eq!(contents(&repo.join("index")), files, "{name}");
        }
    }
}

#[test]
fn files_that_list_nothing_else_stay_as_they_are() {
    let check = |name: &str, kept: u64, written: u64, removed: usize, change: &str| {
        let (_golden, repo) = damaged(name);
        let report = repair(&repo, ReadPacks::Doubtful);
        let got = (report.index_kept, report.index_written, report.index_removed.len());
        assert_eq!(got, (kept, written, removed), "{name}");
        let changes: Vec<String> = report.changed.iter().map(|pack| word(&pack.change)).collect();
        assert_eq!(changes.join(", "), change, "{name}");
    };
    check("index-none", 0, 1, 0, "added, added, added, added, added, added, added");
    check("index-flip", 3, 1, 1, "added, added");
    check("index-not-json", 4, 0, 1, "");
    check("index-listed-again", 4, 0, 1, "");
    check("index-pack-listed-twice", 3, 1, 1, "");
    check("index-split-pack", 3, 1, 2, "replaced 8 of 5");
    check("index-wrong-length", 3, 1, 1, "replaced 8 of 8");
    check("pack-missing", 3, 1, 1, "missing 8");
    let why = "pack header length within the pack at offset 20584: wanted 20584, got 1192186023";
    check("pack-cut", 4, 0, 0, &format!("kept 8 of 8: {why}"));
    check("pack-empty", 3, 1, 1, "kept 0 of 8: pack at offset 0: 73 bytes needed, 0 there");
}

#[test]
fn an_index_is_not_emptied_where_no_pack_is_there() {
    let (_golden, repo) = damaged("index-flip");
    fs::remove_dir_all(repo.join("data")).unwrap();
    let before = contents(&repo);
    let error = repair_through(&Disk::shared(), &repo, ReadPacks::All).expect_err("no packs");
    let words = "the index lists packs, 5, and data has none of them nor any other";
    assert!(error.to_string().contains(words), "{error}");
    assert_eq!(contents(&repo), before);
}

fn word(change: &PackChange) -> String {
    match change {
        PackChange::Added { .. } => "added".to_owned(),
        PackChange::Replaced { blobs, blobs_before } => {
            format!("replaced {blobs} of {blobs_before}")
        }
        PackChange::Missing { blobs_before } => format!("missing {blobs_before}"),
        PackChange::Unreadable { blobs, blobs_before, error } => {
            format!("kept {blobs} of {blobs_before}: {error}")
        }
    }
}

/// Cases in which restic forgets a pack whose blobs can be read.
const BETTER_THAN_RESTIC: [&str; 2] = ["pack-cut", "pack-longer"];

#[test]
fn restic_finds_the_same_places() {
    let Some(golden) = std::env::var_os("MANICULE_GOLDEN") else {
        eprintln!("left out: places after restic's repairs: MANICULE_GOLDEN names no folder");
        return;
    };
    let mut compared = 0;
    for (name, _) in DAMAGES {
        let answer = |expected: &str| {
            fs::read_to_string(Path::new(&golden).join(expected).join(format!("repair/{name}.txt")))
        };
        let Ok(answer) = answer("expected-0.19.1").or_else(|_| answer("expected")) else {
            continue;
        };
        let (_golden, repo) = damaged(name);
        repair(&repo, ReadPacks::Doubtful);
        let got = Patient::open(&repo).places();
        let (_, places) = answer.split_once("places:\n").expect("places");
        let want: BTreeSet<String> = places.lines().map(str::to_owned).collect();
        if BETTER_THAN_RESTIC.contains(name) {
            assert!(want.is_subset(&got) && want.len() + 8 == got.len(), "{name}")
        } else {
            assert_eq!(got, want, "{name}")
        }
        compared += 1;
    }
    assert_eq!(compared, 19, "all cases of restic's");
}
