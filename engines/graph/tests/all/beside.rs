//! Commits that are merged beside the processes that write.

use std::path::Path;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::SeqCst};
use std::time::Duration;

use manicule_core::watch::Watch;
use manicule_graph::term::TermRef;
use manicule_graph::verify::verify;
use manicule_graph::{
    Beside, GraphError, Id, MergedWhen, Merges, Quad, Store, StoreOptions, is_merging,
    merge_beside, read_store,
};
use manicule_testkit::names;

use crate::common::{commit_lines, of_default, on_disk};

/// A writer that merges nothing that others can.
fn beside() -> StoreOptions {
    StoreOptions { merges: Merges::Beside, ..on_disk() }
}

/// Commits triples that nobody has, by a writer of one commit. Whether a merge is due then.
fn commit_once(folder: &Path, number: u64, count: u64) -> Result<bool, GraphError> {
    let store = Store::open(folder, &beside())?;
    let mut transaction = store.begin()?;
    for at in 0..count {
        let object = format!("{number}-{at}");
        let subject = transaction.intern(TermRef::Iri("s"))?;
        let object = transaction.intern(TermRef::Simple(&object))?;
        let (predicate, graph) = (subject, Id::DEFAULT_GRAPH);
        transaction.insert(Quad { subject, predicate, object, graph });
    }
    transaction.commit()?;
    Ok(store.is_merge_due())
}

/// Merges what is due, without any patience, and calls `meanwhile` before the files are made.
fn merge_due(folder: &Path, meanwhile: &(dyn Fn() + Sync)) -> Result<u64, GraphError> {
    let how = Beside { when: MergedWhen::Due, again: &|_, _| false, stand_back: meanwhile };
    merge_beside(folder, &on_disk(), &how, &Watch::none())
}

/// Number of changes that aren't merged.
fn unmerged(folder: &Path) -> usize {
    read_store(folder, 1).unwrap().state().changed()
}

#[test]
fn commits_of_many_writers_are_merged_beside_them() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    drop(Store::create(path, &on_disk()).unwrap());
    let (merges, done) = (AtomicU64::new(0), AtomicBool::new(false));
    let pause = || std::thread::sleep(Duration::from_millis(1));
    let is_late =
        |error: &GraphError| matches!(error, GraphError::Busy { .. } | GraphError::Merging { .. });
    std::thread::scope(|scope| {
        scope.spawn(|| {
            while !done.load(SeqCst) {
                match merge_due(path, &|| {}) {
                    Ok(count) => drop(merges.fetch_add(count, SeqCst)),
                    Err(error) => assert!(is_late(&error), "{error}"),
                }
                pause();
            }
        });
        for number in 0..20 {
            while let Err(error) = commit_once(path, number, 1100) {
                assert!(is_late(&error), "{error}");
                pause();
            }
        }
        done.store(true, SeqCst);
    });
    merges.fetch_add(merge_due(path, &|| {}).unwrap(), SeqCst);
    assert!(merges.load(SeqCst) > 0);
    assert_eq!(merge_due(path, &|| {}).unwrap(), 0, "there is not enough");
    assert!(unmerged(path) < 4096);
    let snapshot = read_store(path, 1).unwrap();
    assert_eq!((snapshot.commit(), snapshot.scan(&of_default(None)).count()), (20, 22_000));
    let verified = verify(path, 1, &Watch::none()).unwrap();
    assert!(verified.verdict.is_ok(), "{:?}", verified.verdict);
}

#[test]
fn who_comes_while_commits_are_merged_beside_commits_and_starts_no_other_merge() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    drop(Store::create(path, &on_disk()).unwrap());
    assert!(!commit_once(path, 0, 10).unwrap(), "it isn't due");
    assert!(commit_once(path, 1, 4100).unwrap(), "it is due, and nobody is at it");
    let is_first = AtomicBool::new(true);
    let merged = merge_due(path, &|| {
        if !is_first.swap(false, SeqCst) {
            return;
        }
        assert!(is_merging(path));
        assert!(!commit_once(path, 2, 4200).unwrap(), "somebody is at it, who looks once more");
        let other = Store::open(path, &on_disk()).unwrap_err();
        assert!(matches!(other, GraphError::Merging { .. }), "{other}");
        let other = merge_due(path, &|| {}).unwrap_err();
        assert!(matches!(other, GraphError::Merging { .. }), "{other}");
        let store = Store::open(path, &beside()).unwrap();
        assert!(matches!(store.merge(), Err(GraphError::Merging { .. })));
        // Who would merge and write has to wait for who writes, be it that somebody merges.
        let other = Store::open(path, &on_disk()).unwrap_err();
        assert!(matches!(other, GraphError::Busy { .. }), "{other}");
    });
    assert_eq!(merged.unwrap(), 2, "the commits that came meanwhile are due too");
    assert!(!is_merging(path));
    assert_eq!(unmerged(path), 0);
    let snapshot = read_store(path, 1).unwrap();
    assert_eq!((snapshot.commit(), snapshot.scan(&of_default(None)).count()), (3, 8310));
}

#[test]
fn a_merge_beside_gives_up_for_who_writes_and_leaves_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    let store = Store::create(path, &on_disk()).unwrap();
    commit_lines(&store, 0..2);
    let refused = merge_due(path, &|| {}).unwrap_err();
    assert!(matches!(refused, GraphError::Merging { .. }), "it merges itself: {refused}");
    drop(store);
    assert!(commit_once(path, 7, 4200).unwrap());
    let writer = Mutex::new(None);
    let refused = merge_due(path, &|| {
        *writer.lock().unwrap() = Some(Store::open(path, &beside()).unwrap());
    });
    assert!(matches!(refused, Err(GraphError::Busy { .. })), "{refused:?}");
    let files = ["leaf", "dict", "stat"].map(|name| names(&path.join(name)).len());
    assert_eq!(files, [0; 3]);
    drop(writer);
    assert!(commit_once(path, 8, 1).unwrap(), "it is still due");
    assert_eq!((merge_due(path, &|| {}).unwrap(), unmerged(path)), (1, 0));
}

#[test]
fn a_writer_without_others_that_merge_bounds_what_waits_itself() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    drop(Store::create(path, &on_disk()).unwrap());
    const INTEGER: &str = "http://www.w3.org/2001/XMLSchema#integer";
    let commit = |merges, number: u64| {
        let store = Store::open(path, &StoreOptions { merges, ..on_disk() }).unwrap();
        let mut transaction = store.begin().unwrap();
        let subject = transaction.intern(TermRef::Iri("s")).unwrap();
        for at in 0..40_000 {
            let object = TermRef::Typed(&(number * 40_000 + at).to_string(), INTEGER);
            let object = transaction.intern(object).unwrap();
            let (predicate, graph) = (subject, Id::DEFAULT_GRAPH);
            transaction.insert(Quad { subject, predicate, object, graph });
        }
        transaction.commit().unwrap();
        store.wait_for_merge().unwrap();
        assert_eq!(store.is_merge_due(), merges == Merges::Beside && unmerged(path) > 4096);
    };
    commit(Merges::Elsewhere, 0);
    commit(Merges::Elsewhere, 1);
    assert_eq!(unmerged(path), 80_000, "it was told to leave it");
    commit(Merges::Beside, 2);
    assert_eq!(unmerged(path), 0);
    commit(Merges::Beside, 3);
    assert_eq!(unmerged(path), 40_000);
}
