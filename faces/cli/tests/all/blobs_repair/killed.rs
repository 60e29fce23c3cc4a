//! Runs killed at random moments.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;
use std::process::Stdio;

use manicule_repositories::{FileKind, FleetOptions, Patient, Restic, write_fleet};
use manicule_testkit::{Killer, Landmark, contents, restore};
use tempfile::TempDir;

use super::call::{command, printed, run};

/// A fleet with an index file for each pack: some are right, some lie, some are broken, some are
/// gone.
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
            FleetOptions { seed: 5, data_count: 3000, snapshot_count: 60, blobs_in_pack: 20 };
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
