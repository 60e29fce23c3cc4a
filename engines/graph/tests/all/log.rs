//! The log of a store: its torn end, damage before it, readers that go on where they have ended,
//! and commits that share a sync.

use std::fs;
use std::path::{Path, PathBuf};

use manicule_core::watch::Watch;
use manicule_format_leaf::manifest::Manifest;
use manicule_graph::verify::verify;
use manicule_graph::{
    GraphError, Store, StoreOptions, WhenLost, back_up, read_store, read_store_again,
};
use manicule_store::Disk;
use manicule_store::log::segments;

use crate::common::{commit_lines, lines, on_disk};

/// The only segment of a store's log.
fn log_of(store: &Path) -> PathBuf {
    segments(&store.join("log")).unwrap().remove(0).path
}

fn len_of(path: &Path) -> usize {
    fs::metadata(path).unwrap().len() as usize
}

/// A store of commits by writers of one each, and where each ends in the log.
fn written(folder: &Path, count: u64) -> Vec<usize> {
    drop(Store::create(folder, &on_disk()).unwrap());
    let log = log_of(folder);
    let end = |number: u64| {
        commit_lines(&Store::open(folder, &on_disk()).unwrap(), number..number + 1);
        len_of(&log)
    };
    (0..count).map(end).collect()
}

#[test]
fn a_torn_end_is_cut_off() {
    let folder = tempfile::tempdir().unwrap();
    let ends = written(folder.path(), 3);
    let log = log_of(folder.path());
    let whole = fs::read(&log).unwrap();
    // As after a power cut that took what nobody was told of.
    fs::remove_file(log.with_file_name("synced")).unwrap();
    let count = || read_store(folder.path(), 1).map(|snapshot| snapshot.commit());
    for len in 0..whole.len() {
        fs::write(&log, &whole[..len]).unwrap();
        let want = ends.partition_point(|end| *end <= len);
        assert_eq!(count().unwrap() as usize, want, "{len}: {ends:?}");
    }
    // A new commit comes after the last whole one.
    commit_lines(&Store::open(folder.path(), &on_disk()).unwrap(), 7..8);
    assert_eq!(len_of(&log), whole.len());
    assert_eq!(count().unwrap(), 3);
    // With another segment after it, a torn one is damage.
    fs::write(&log, &whole[..whole.len() - 1]).unwrap();
    fs::write(log.with_file_name(format!("{:020}.log", 4)), "").unwrap();
    let error = count().unwrap_err();
    assert!(error.to_string().contains(&format!("offset {}", ends[1])), "{error}");
}

/// What becomes of a log.
enum Damage {
    Flip(usize),
    Cut(usize),
    Append,
    Remove,
    Folder,
}

fn damage(log: &Path, whole: &[u8], damage: &Damage) {
    let mut bytes = whole.to_vec();
    match damage {
        Damage::Flip(at) => bytes[*at] ^= 1,
        Damage::Cut(len) => bytes.truncate(*len),
        Damage::Append => bytes.extend_from_slice(b"foreign bytes"),
        Damage::Remove => return fs::remove_file(log).unwrap(),
        Damage::Folder => {
            fs::remove_file(log).unwrap();
            return fs::create_dir(log).unwrap();
        }
    }
    fs::write(log, bytes).unwrap();
}

/// Checks what reader, verifier and writer say of a damaged log; `kept` is the last of five commits
/// that can be read.
#[track_caller]
fn check(what: &Damage, kept: u64) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    written(path, 5);
    let log = log_of(path);
    let whole = fs::read(&log).unwrap();
    damage(&log, &whole, what);
    let found = |path: &Path| {
        let verified = verify(path, 3, &Watch::none()).unwrap();
        verified.verdict.findings.list.iter().map(ToString::to_string).collect::<Vec<_>>()
    };
    if kept == 5 {
        assert_eq!((lines(&read_store(path, 1).unwrap()).len(), found(path)), (5, Vec::new()));
        return;
    }
    let lost = |error: GraphError| match error {
        GraphError::Log(lost) => lost,
        error => panic!("{error}"),
    };
    let refused = [
        lost(read_store(path, 1).unwrap_err()),
        lost(Store::open(path, &on_disk()).unwrap_err()),
        lost(back_up(path, None, &path.join("copy"), &Disk::shared(), &Watch::none()).unwrap_err()),
    ];
    for lost in &refused {
        assert_eq!((lost.kept, lost.last, &lost.file), (kept, Some(5), &log), "{lost}");
    }
    let story = found(path);
    assert!(story.len() == 1 && story[0].contains("there w"), "{story:?}");
    let forgetting = StoreOptions { lost: WhenLost::Forget, ..on_disk() };
    let store = Store::open(path, &forgetting).unwrap();
    assert_eq!(store.forgotten(), Some(&refused[1]));
    commit_lines(&store, 9..10);
    drop(store);
    assert_eq!(found(path), Vec::<String>::new());
    assert_eq!(Store::open(path, &on_disk()).unwrap().forgotten(), None);
    assert_eq!(lines(&read_store(path, 1).unwrap()).len() as u64, kept + 1);
}

#[test]
fn commits_that_were_acknowledged_are_missed() {
    let folder = tempfile::tempdir().unwrap();
    let ends = written(folder.path(), 5);
    for at in [0, 9, 18, 30, 60] {
        check(&Damage::Flip(at), 0);
    }
    for (kept, end) in ends.iter().enumerate() {
        check(&Damage::Flip(end - 1), kept as u64);
        check(&Damage::Cut(*end), kept as u64 + 1);
        check(&Damage::Cut(end - 1), kept as u64);
    }
    check(&Damage::Cut(0), 0);
    check(&Damage::Cut(16), 0);
    check(&Damage::Append, 5);
    check(&Damage::Remove, 0);
}

#[test]
fn a_folder_in_place_of_the_log_is_an_error() {
    let folder = tempfile::tempdir().unwrap();
    written(folder.path(), 2);
    damage(&log_of(folder.path()), b"", &Damage::Folder);
    for error in [
        read_store(folder.path(), 1).map(drop).unwrap_err(),
        Store::open(folder.path(), &on_disk()).map(drop).unwrap_err(),
    ] {
        assert!(error.to_string().contains(".log: "), "{error}");
    }
}

#[test]
fn a_log_that_a_manifest_names_is_missed_also_when_nothing_else_is_known() {
    let folder = tempfile::tempdir().unwrap();
    written(folder.path(), 2);
    let logs = folder.path().join("log");
    fs::remove_dir_all(&logs).unwrap();
    fs::create_dir(&logs).unwrap();
    let error = read_store(folder.path(), 1).unwrap_err().to_string();
    assert!(error.contains("it is missing") && error.contains("nobody knows"), "{error}");
    // One of version 1 may have had none.
    let name = fs::read_to_string(folder.path().join("CURRENT")).unwrap();
    let path = folder.path().join(name.trim_end());
    let manifest = Manifest::decode(&fs::read(&path).unwrap()).unwrap();
    fs::write(&path, Manifest { has_log: false, ..manifest }.encode()).unwrap();
    assert_eq!(read_store(folder.path(), 1).unwrap().commit(), 0);
    let store = Store::open(folder.path(), &on_disk()).unwrap();
    commit_lines(&store, 0..2);
    store.merge().unwrap();
    assert_eq!(lines(&read_store(folder.path(), 1).unwrap()).len(), 2);
}

#[test]
fn who_has_read_a_log_reads_only_what_is_new_in_it() {
    let folder = tempfile::tempdir().unwrap();
    let store = Store::create(folder.path(), &on_disk()).unwrap();
    commit_lines(&store, 0..3);
    let before = read_store(folder.path(), 1).unwrap();
    let log = log_of(folder.path());
    commit_lines(&store, 3..5);
    // What was read before is damaged, and not looked at again.
    let mut bytes = fs::read(&log).unwrap();
    bytes[40] ^= 1;
    fs::write(&log, bytes).unwrap();
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
