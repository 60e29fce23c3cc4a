//! The log of a store: its torn end, damage before it, readers that go on where they have ended, and commits that share a sync.

use std::fs;

use manicule_graph::{GraphError, Store, read_store, read_store_again};

mod common;
use common::{commit_lines, lines, on_disk};

#[test]
fn a_torn_end_is_cut_off_and_damage_elsewhere_is_an_error() {
    let folder = tempfile::tempdir().unwrap();
    let log_len = || {
        let log = manicule_store::log::segments(&folder.path().join("log")).unwrap().remove(0);
        (fs::metadata(&log.path).unwrap().len() as usize, log)
    };
    let store = Store::create(folder.path(), &on_disk()).unwrap();
    let ends = [0, 1, 2].map(|number| {
        commit_lines(&store, number..number + 1);
        log_len().0
    });
    drop(store);
    let log = log_len().1;
    let whole = fs::read(&log.path).unwrap();
    let count = || read_store(folder.path(), 1).map(|snapshot| snapshot.commit());
    for len in 0..whole.len() {
        fs::write(&log.path, &whole[..len]).unwrap();
        assert_eq!(
            count().unwrap() as usize,
            ends.partition_point(|end| *end <= len),
            "{len}: {ends:?}"
        );
    }
    // What a later commit says was on the disk is damaged, not torn.
    let mut flipped = whole.clone();
    flipped[ends[0] - 30] ^= 1;
    fs::write(&log.path, &flipped).unwrap();
    let error = count().unwrap_err();
    assert!(matches!(error, GraphError::Damaged { .. }), "{error}");
    fs::write(&log.path, &whole[..whole.len() - 1]).unwrap();
    // A new commit comes after the last whole one.
    commit_lines(&Store::open(folder.path(), &on_disk()).unwrap(), 7..8);
    assert_eq!(fs::read(&log.path).unwrap().len(), whole.len());
    assert_eq!(count().unwrap(), 3);
    // With another segment after it, a torn one is damage.
    fs::write(&log.path, &whole[..whole.len() - 1]).unwrap();
    let next = log.path.with_file_name(format!("{:020}.log", 4));
    fs::write(&next, "").unwrap();
    let error = count().unwrap_err();
    assert!(error.to_string().contains(&format!("offset {}", ends[1])), "{error}");
}

#[test]
fn who_has_read_a_log_reads_only_what_is_new_in_it() {
    let folder = tempfile::tempdir().unwrap();
    let store = Store::create(folder.path(), &on_disk()).unwrap();
    commit_lines(&store, 0..3);
    let before = read_store(folder.path(), 1).unwrap();
    let log = manicule_store::log::segments(&folder.path().join("log")).unwrap().remove(0);
    commit_lines(&store, 3..5);
    // What was read before is damaged, and not looked at again.
    let mut bytes = fs::read(&log.path).unwrap();
    bytes[40] ^= 1;
    fs::write(&log.path, bytes).unwrap();
    assert!(read_store(folder.path(), 1).is_err());
    let again = read_store_again(folder.path(), &before).unwrap();
    assert_eq!((again.commit(), lines(&again).len()), (5, 5));
    let same = read_store_again(folder.path(), &again).unwrap();
    assert_eq!(same.commit(), 5);
    // A merge begins a new generation and a new segment.
    commit_lines(&store, 5..6);
    store.merge().unwrap();
    commit_lines(&store, 6..7);
    let after = read_store_again(folder.path(), &same).unwrap();
    assert_eq!((after.commit(), lines(&after).len()), (7, 7));
}

#[test]
fn commits_of_many_threads_are_synced_together() {
    let folder = tempfile::tempdir().unwrap();
    let store = Store::create(folder.path(), &on_disk()).unwrap();
    std::thread::scope(|scope| {
        for thread in 0..4 {
            let store = &store;
            scope.spawn(move || commit_lines(store, thread * 100..thread * 100 + 50));
        }
    });
    let seen = lines(&store.snapshot());
    assert_eq!((seen.len(), store.snapshot().commit()), (200, 200));
    drop(store);
    assert_eq!(lines(&read_store(folder.path(), 1).unwrap()), seen);
}
