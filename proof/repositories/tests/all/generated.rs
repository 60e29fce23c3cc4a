//! What the generators write: the golden generator's blobs, the same bytes each time, and whole
//! repositories by restic's own judgement, where MANICULE_RESTIC names a restic.

use std::fs;
use std::path::Path;

use manicule_format_restic::Id;
use manicule_repositories::{
    FleetOptions, IndexOnlyOptions, MadeOptions, Restic, Written, make_with_restic, write_fleet,
    write_index_only,
};
use manicule_testkit::contents;

const SMALL: FleetOptions =
    FleetOptions { seed: 1, data_count: 3000, snapshot_count: 60, blobs_in_pack: 100 };

fn fleet(options: &FleetOptions) -> (tempfile::TempDir, Written) {
    let folder = tempfile::tempdir().expect("a folder");
    let written = write_fleet(folder.path(), options).expect("written");
    (folder, written)
}

/// Restic's list of blobs, sorted and hashed.
fn listed_by(restic: &Restic, folder: &Path) -> String {
    let list = restic.answer(folder, ["list", "--no-lock", "--quiet", "blobs"]).expect("a list");
    let mut lines: Vec<&str> = list.lines().collect();
    lines.sort_unstable();
    Id::of((lines.join("\n") + "\n").as_bytes()).to_string()
}

/// Restic's verdict of everything in a repository.
#[track_caller]
fn assert_sound(restic: &Restic, folder: &Path) {
    let said = restic.call(folder, ["check", "--read-data"]).expect("restic starts");
    assert!(said.exit == 0, "{}{}", said.out, said.errors);
    let errors = said.errors.to_lowercase();
    assert!(!errors.contains("error") && !errors.contains("warning"), "{errors}");
}

#[test]
fn entries_of_an_index_are_those_of_the_golden_generator() {
    let folder = tempfile::tempdir().unwrap();
    let options = IndexOnlyOptions { seed: 1, data_count: 9500, tree_count: 500 };
    let written = write_index_only(folder.path(), &options).unwrap();
    assert_eq!((written.entry_count, written.pack_count, written.index_count), (10_000, 240, 1));
    let list = "c908939a8078a9aa5c07b54e6aecf0fd16805e6408558abe30b460bbbd73313b";
    assert_eq!(written.list_sha256, list);
    if let Some(restic) = Restic::for_test("restic's list of a generated index") {
        assert_eq!(listed_by(&restic, folder.path()), list);
    }
}

/// 5,000,000 entries; a minute without optimisation.
#[test]
#[ignore = "a minute without optimisation"]
fn five_million_entries_are_those_of_the_golden_generator() {
    let folder = tempfile::tempdir().unwrap();
    let written = write_index_only(folder.path(), &IndexOnlyOptions::five_million()).unwrap();
    assert_eq!(
        (written.entry_count, written.pack_count, written.index_count, written.index_json_bytes),
        (5_000_000, 119_375, 100, 748_338_722)
    );
    let list = "f578a5cb9b34394b0c728c175000acf052476809a3a2e819e7c7002a6392762c";
    assert_eq!(written.list_sha256, list);
}

#[test]
fn a_fleet_is_the_same_each_time_and_another_by_another_seed() {
    let (first, written) = fleet(&SMALL);
    let (again, _) = fleet(&SMALL);
    assert!(contents(first.path()) == contents(again.path()));
    let (_, other) = fleet(&FleetOptions { seed: 2, ..SMALL });
    assert_ne!(written.list_sha256, other.list_sha256);
    assert_eq!(written.snapshot_count, 60);
    let data_count = SMALL.data_count as usize;
    assert!(written.entry_count > data_count + data_count / 100, "{written}");
}

#[test]
fn restic_finds_no_fault_in_a_fleet() {
    let Some(restic) = Restic::for_test("restic's check of a fleet") else { return };
    for seed in 1..4 {
        let (folder, written) = fleet(&FleetOptions { seed, ..SMALL });
        assert_sound(&restic, folder.path());
        assert_eq!(listed_by(&restic, folder.path()), written.list_sha256);
        assert_eq!(listed(&restic, folder.path(), "snapshots"), written.snapshot_count);
        assert_eq!(listed(&restic, folder.path(), "packs"), written.pack_count);
        assert!(unused(&restic, folder.path()) > 100, "forgotten states leave blobs");
    }
}

fn listed(restic: &Restic, folder: &Path, what: &str) -> usize {
    restic.answer(folder, ["list", "--no-lock", "--quiet", what]).expect("a list").lines().count()
}

/// Number of blobs that a prune would remove.
fn unused(restic: &Restic, folder: &Path) -> usize {
    let words = ["prune", "--dry-run", "--no-lock", "-v", "--max-unused", "0"];
    let said = restic.answer(folder, words).expect("a plan");
    let line = said.lines().find(|line| line.starts_with("unused:")).expect("a line of them");
    let count = line.split_whitespace().nth(1).expect("a number after it");
    count.parse().expect("a number")
}

#[test]
fn restic_restores_snapshots_of_a_fleet() {
    let Some(restic) = Restic::for_test("restic's restore from a fleet") else { return };
    let (folder, _) = fleet(&SMALL);
    for host in ["web1", "web2", "desk", "store"] {
        let target = tempfile::tempdir().unwrap();
        let into = target.path().to_str().unwrap();
        let words = ["restore", "latest", "--host", host, "--verify", "--target", into];
        let said = restic.answer(folder.path(), words).unwrap();
        assert!(said.contains("finished verifying"), "{said}");
    }
}

#[test]
fn restic_makes_repositories_of_generated_files() {
    let Some(restic) = Restic::for_test("repositories made by restic") else { return };
    for seed in 1..3 {
        let folders = tempfile::tempdir().unwrap();
        let (folder, source) = (folders.path().join("repository"), folders.path().join("source"));
        let options = MadeOptions { seed, file_count: 60, snapshot_count: 9, change_count: 24 };
        make_with_restic(&restic, &folder, &source, &options).unwrap();
        assert_sound(&restic, &folder);
        let count = listed(&restic, &folder, "snapshots");
        assert!((5..=18).contains(&count), "{count} snapshots");
        assert!(fs::read_dir(source).unwrap().count() == 3, "no copy is left");
    }
}
