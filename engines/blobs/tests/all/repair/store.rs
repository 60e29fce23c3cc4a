//! A repair in a store that is no folder, killed at each of its operations, and with each failing.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use manicule_blobs::repair::{ReadPacks, RepairReport};
use manicule_format_restic::FileKind;
use manicule_repositories::{Patient, Victims, damage};
use manicule_store::store::{Answer, Ask, Failing, MemoryStore, Name, Replace, Store, WriteStore};
use manicule_testkit::{contents, golden_repository, restore};
use tempfile::TempDir;

use super::world::{repair, repair_in};

/// A damaged repository, and what its index lists before and after a repair.
struct Damaged {
    _golden: TempDir,
    repo: PathBuf,
    files: BTreeMap<String, Vec<u8>>,
    /// Places that the damaged index lists and the packs' headers show.
    right: BTreeSet<String>,
    wanted: BTreeSet<String>,
}

impl Damaged {
    fn new(damages: &[&str]) -> Self {
        let golden = golden_repository("unused");
        let repo = golden.path().join("repo");
        damages.iter().for_each(|name| damage(name, &repo, &Victims::of_unused()).expect(name));
        let (patient, files) = (Patient::open(&repo), contents(&repo));
        let wanted = patient.headers();
        let right = patient.places().intersection(&wanted).cloned().collect();
        Damaged { _golden: golden, repo, files, right, wanted }
    }

    fn in_memory(&self) -> MemoryStore {
        let store = MemoryStore::new(1);
        for (name, bytes) in &self.files {
            store.put(&Name::new(name).expect("a name"), bytes, Replace::Any).expect("memory");
        }
        store.fail(None);
        store
    }

    /// The folder gets what a store has.
    fn write_out(&self, store: &MemoryStore) -> Patient {
        let below = store.ask_all(&[Ask::Below(Name::root())]).pop();
        let Some(Ok(Answer::Below { files, is_whole: true })) = below else { panic!("{below:?}") };
        let read = |file: manicule_store::store::Listed| {
            let mut bytes = Vec::new();
            let name = Name::new(&file.name).expect("a name");
            store.read(&name, u64::MAX, &mut bytes).expect("it is there");
            (file.name, bytes)
        };
        restore(&self.repo, &files.into_iter().map(read).collect());
        Patient::open(&self.repo)
    }

    /// Nothing that was right is lost, and the next repair makes everything right.
    fn check(&self, store: &MemoryStore, what: &str) {
        store.fail(None);
        let places = self.write_out(store).places();
        assert_eq!(self.right.difference(&places).next(), None, "{what}: lost");
        repair_in(store, ReadPacks::Doubtful).unwrap_or_else(|error| panic!("{what}: {error}"));
        let patient = self.write_out(store);
        assert_eq!(patient.places(), self.wanted, "{what}");
        assert_eq!(patient.ids(FileKind::Lock), [], "{what}");
    }
}

/// The index files of a repository: what they list, file by file.
fn listed(repo: &Path) -> BTreeSet<String> {
    let patient = Patient::open(repo);
    let ids = patient.ids(FileKind::Index);
    ids.iter().map(|id| format!("{:?}", patient.index(id).expect("an index file"))).collect()
}

const CASES: [&[&str]; 3] = [
    &["index-none"],
    &["index-wrong-length", "pack-missing-tree", "index-flip"],
    &["index-split-pack", "index-listed-again"],
];

#[test]
fn a_store_gets_the_index_files_that_a_folder_gets() {
    for damages in CASES {
        let damaged = Damaged::new(damages);
        let store = damaged.in_memory();
        let got = repair_in(&store, ReadPacks::Doubtful).expect("a repair");
        let want = repair(&damaged.repo, ReadPacks::Doubtful);
        let removed = |report: &RepairReport| {
            report.index_removed.iter().map(|removed| removed.id).collect::<Vec<_>>()
        };
        assert_eq!((&got.changed, removed(&got)), (&want.changed, removed(&want)));
        let of_folder = listed(&damaged.repo);
        damaged.write_out(&store);
        assert_eq!(listed(&damaged.repo), of_folder, "{damages:?}");
    }
}

#[test]
fn no_blob_is_lost_whichever_operation_fails() {
    for damages in CASES {
        let damaged = Damaged::new(damages);
        let store = damaged.in_memory();
        repair_in(&store, ReadPacks::Doubtful).expect("a repair");
        let operations = store.counts().rounds;
        assert!(operations > 10, "{operations}");
        for n in 0..operations {
            let store = damaged.in_memory();
            store.fail(Some(Failing::From(n)));
            let killed = repair_in(&store, ReadPacks::Doubtful);
            assert!(killed.is_err(), "{damages:?}: {n} and all after it fail");
            damaged.check(&store, &format!("{damages:?}: from {n} of {operations} on"));
            let store = damaged.in_memory();
            store.fail(Some(Failing::Once(n)));
            // A repair that meets an error once may end well.
            let _ = repair_in(&store, ReadPacks::Doubtful);
            damaged.check(&store, &format!("{damages:?}: {n} of {operations}"));
        }
    }
}
