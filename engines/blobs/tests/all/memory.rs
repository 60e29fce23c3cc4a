//! A repository in memory whose operations fail one after the other: opening, listing snapshots,
//! loading the index, listing paths, restoring and checking end in an error, never in another
//! answer.

use std::sync::Arc;

use manicule_blobs::check::{CheckOptions, ReadPacks, Subset, check};
use manicule_blobs::{
    ArchiveForm, Below, Index, Indexed, KeyLimits, KeySearch, Node, PathReader, RepoError,
    Repository, RepositoryFiles, Snapshots, Step, put_archive,
};
use manicule_core::watch::Watch;
use manicule_store::store::MemoryStore;
use manicule_testkit::{fail_at_every_operation, golden_repository, in_memory};

const PASSWORD: &[u8] = b"manicule-golden";
const LIMITS: KeyLimits = KeyLimits { memory_bytes_max: 1 << 30, work_max: 1 << 24 };

fn text(error: impl ToString) -> String {
    error.to_string()
}

fn open(store: &MemoryStore) -> Result<Repository, String> {
    let search = KeySearch { hint: None, keys_max: 20, limits: LIMITS, threads: 1 };
    let files = RepositoryFiles::new(Arc::new(store.clone()));
    let opened = Repository::open(Arc::new(files), PASSWORD, &search).map_err(text)?;
    if opened.broken_keys.is_empty() {
        Ok(opened.repository)
    } else {
        Err(opened.broken_keys.concat())
    }
}

/// The newest snapshot as an archive.
fn restored(store: &MemoryStore) -> Result<Vec<u8>, String> {
    let (repository, watch) = (open(store)?, Watch::none());
    let snapshots = Snapshots::load(&repository, 1, &watch).map_err(text)?;
    if let Some(broken) = snapshots.broken.first() {
        return Err(broken.to_string());
    }
    let index = Index::load(&repository, Indexed::All, 1, 1, &watch, &mut Err).map_err(text)?;
    let tree = snapshots.kept.last().and_then(|kept| kept.snapshot.tree).expect("a snapshot");
    let mut archive = Vec::new();
    put_archive(&repository, &index, tree, b"/", ArchiveForm::Tar, &watch, &mut archive)
        .map_err(|error| format!("{error:?}"))?;
    Ok(archive)
}

/// The number of blobs that were read, unless something is wrong.
fn checked(store: &MemoryStore) -> Result<u64, String> {
    let options = CheckOptions { read: ReadPacks::Whole(Subset::All), paths_max: 10 };
    let repository = open(store)?;
    let checked = check(&repository, &options, 1, 1, &Watch::none()).map_err(text)?;
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
    assert!(operations > 10, "{operations}");
    fail_at_every_operation(&store, checked);
    fail_at_every_operation(&store, listed);
}
