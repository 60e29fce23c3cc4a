//! A repository in memory whose operations fail one after the other: opening, listing snapshots,
//! loading the index, listing paths, restoring and checking end in an error, never in another
//! answer. And the rounds that calls take.

use std::sync::Arc;

use manicule_blobs::check::{CheckOptions, ReadPacks, Subset, check};
use manicule_blobs::diff::{Compared, diff};
use manicule_blobs::{
    ArchiveForm, Below, BlobKind, Id, Index, Indexed, KeyLimits, KeySearch, Node, PathReader,
    RepoError, Repository, RepositoryFiles, Snapshots, Step, each_path, locate, put_archive,
};
use manicule_core::watch::Watch;
use manicule_store::store::{MemoryStore, Store};
use manicule_testkit::{
    Rounds, SlowStore, fail_at_every_operation, golden_repository, in_memory, round_of_environment,
};

const PASSWORD: &[u8] = b"manicule-golden";
const LIMITS: KeyLimits = KeyLimits { memory_bytes_max: 1 << 30, work_max: 1 << 24 };

fn text(error: impl ToString) -> String {
    error.to_string()
}

fn open(store: &MemoryStore) -> Result<Repository, String> {
    open_in(Arc::new(store.clone()))
}

fn open_in(store: Arc<dyn Store>) -> Result<Repository, String> {
    let search = KeySearch { hint: None, keys_max: 20, limits: LIMITS, threads: 1 };
    let files = RepositoryFiles::new(store);
    let opened = Repository::open(Arc::new(files), PASSWORD, &search).map_err(text)?;
    if opened.broken_keys.is_empty() {
        Ok(opened.repository)
    } else {
        Err(opened.broken_keys.concat())
    }
}

/// The newest snapshot as an archive.
fn restored(store: &MemoryStore) -> Result<Vec<u8>, String> {
    let repository = open(store)?;
    let snapshots = snapshots_of(&repository)?;
    if let Some(broken) = snapshots.broken.first() {
        return Err(broken.to_string());
    }
    archived(&repository, &index_of(&repository)?, root_of(&snapshots, snapshots.kept.len() - 1))
}

fn snapshots_of(repository: &Repository) -> Result<Snapshots, String> {
    Snapshots::load(repository, 1, &Watch::none()).map_err(text)
}

fn index_of(repository: &Repository) -> Result<Index, String> {
    Index::load(repository, Indexed::All, 1, 1, &Watch::none(), &mut Err).map_err(text)
}

fn root_of(snapshots: &Snapshots, number: usize) -> Id {
    snapshots.kept[number].snapshot.tree.expect("a snapshot has a tree")
}

fn archived(repository: &Repository, index: &Index, tree: Id) -> Result<Vec<u8>, String> {
    let (mut archive, watch) = (Vec::new(), Watch::none());
    put_archive(repository, index, tree, b"/", ArchiveForm::Tar, &watch, &mut archive)
        .map_err(|error| format!("{error:?}"))?;
    Ok(archive)
}

/// The number of blobs that were read, unless something is wrong.
fn checked(store: &MemoryStore) -> Result<u64, String> {
    checked_in(&open(store)?, ReadPacks::Whole(Subset::All))
}

fn checked_in(repository: &Repository, read: ReadPacks) -> Result<u64, String> {
    let options = CheckOptions { read, paths_max: 10 };
    let checked = check(repository, &options, 1, 1, &Watch::none()).map_err(text)?;
    if checked.is_sound() { Ok(checked.counts.blobs) } else { Err(format!("{checked:?}")) }
}

/// The paths of all snapshots, from trees that are kept for the next.
fn listed(store: &MemoryStore) -> Result<Vec<Vec<u8>>, String> {
    let (repository, watch) = (open(store)?, Watch::none());
    let snapshots = Snapshots::load(&repository, 1, &watch).map_err(text)?;
    if let Some(broken) = snapshots.broken.first() {
        return Err(broken.to_string());
    }
    let index = Index::load(&repository, Indexed::Trees, 1, 1, &watch, &mut Err).map_err(text)?;
    let (mut paths, mut gaps) = (Vec::new(), Vec::new());
    let mut reader = PathReader::new(&repository, &index, 1 << 20);
    for kept in &snapshots.kept {
        let root = kept.snapshot.tree.expect("a root");
        let see = |path: &[u8], _: &Node<'_>| (path.to_vec(), Below::Enter);
        let read = reader.each_path::<_, RepoError>(root, see, |step| {
            match step {
                Step::Row(path) => paths.push(path),
                Step::Gap(why) => gaps.push(why),
                Step::Leave => {}
            }
            Ok(())
        });
        read.map_err(text)?;
    }
    if gaps.is_empty() { Ok(paths) } else { Err(gaps.concat()) }
}

#[test]
fn whatever_fails_there_is_an_error_and_no_other_answer() {
    let golden = golden_repository("small");
    let store = in_memory(&golden.path().join("repo"));
    let operations = fail_at_every_operation(&store, restored);
    assert!(operations >= 8, "{operations}");
    fail_at_every_operation(&store, checked);
    fail_at_every_operation(&store, listed);
}

#[test]
fn calls_take_these_rounds() {
    let golden = golden_repository("small");
    let memory = in_memory(&golden.path().join("repo"));
    let slow = Arc::new(SlowStore::new(Arc::new(memory), round_of_environment()));
    let mut rounds = Rounds::over(&slow);
    let repository = rounds.call("open", || open_in(slow.clone())).unwrap();
    let snapshots = rounds.call("snapshots", || snapshots_of(&repository)).unwrap();
    let index = rounds.call("index", || index_of(&repository)).unwrap();
    let (first, last) = (root_of(&snapshots, 0), root_of(&snapshots, snapshots.kept.len() - 1));
    let root = || repository.blob(&index, BlobKind::Tree, &last);
    rounds.call("a tree", root).unwrap();
    rounds.call("a path", || locate(&repository, &index, last, b"/none/such")).unwrap();
    let paths = || {
        let (mut count, take) = (0, |step| match step {
            Step::Gap(gap) => panic!("{gap}"),
            _ => Ok::<(), RepoError>(()),
        });
        each_path(&repository, &index, last, |_, _| (count += 1, Below::Enter), take)
            .map(|()| count)
    };
    assert!(rounds.call("all paths", paths).unwrap() > 1);
    let compared = || {
        let take = &mut |_: Compared<'_>| Ok::<(), RepoError>(());
        diff(&repository, &index, [first, last], false, &Watch::none(), take)
    };
    rounds.call("two snapshots compared", compared).unwrap();
    rounds.call("an archive", || archived(&repository, &index, last)).unwrap();
    rounds.call("a check", || checked_in(&repository, ReadPacks::Trees)).unwrap();
    let whole = ReadPacks::Whole(Subset::All);
    rounds.call("a check of all packs", || checked_in(&repository, whole)).unwrap();
    // A listing, and a round for all files of a kind. This repository's trees are so few that one
    // round brings them all, of each snapshot; what was brought is kept for the next call.
    rounds.check(&[
        ("open", 2),
        ("snapshots", 2),
        ("index", 2),
        ("a tree", 1),
        ("a path", 0),
        ("all paths", 0),
        ("two snapshots compared", 1),
        ("an archive", 1),
        ("a check", 4),
        ("a check of all packs", 4),
    ]);
}
