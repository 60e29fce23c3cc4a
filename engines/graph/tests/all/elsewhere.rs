//! A store whose files are not in a local folder: the answers of the folder, an error whatever
//! fails, and a counted number of rounds.

use std::path::Path;
use std::sync::Arc;

use manicule_graph::{
    NamedSnapshot, Snapshot, Store as GraphStore, named_snapshots, named_snapshots_in,
    read_snapshot, read_snapshot_in, read_store, read_store_again_in, read_store_in,
};
use manicule_store::Disk;
use manicule_store::store::{FetchLimits, Fetched, MemoryStore, Name, Replace, Store, WriteStore};
use manicule_testkit::{
    Rounds, SlowStore, fail_at_every_operation, in_memory, round_of_environment,
};

use crate::common::{commit, lines, of_default, on_disk, try_lines};

const LIMITS: FetchLimits = FetchLimits { file_bytes_max: 1 << 30, kept_bytes_max: 1 << 30 };

/// A store with leaves, a named snapshot of them, leaves that are newer, and commits in the log.
fn written(folder: &Path) -> GraphStore {
    let store = GraphStore::create(folder, &on_disk()).expect("a store");
    let commits = |numbers: std::ops::Range<u64>| {
        numbers.for_each(|number| commit(&store, number).expect("a commit"));
    };
    commits(1..20);
    store.merge().expect("a merge");
    store.name_snapshot("first").expect("a name");
    commits(20..40);
    store.merge().expect("a merge");
    commits(40..50);
    store
}

fn fetched(store: impl Store + 'static, kept: &Path) -> Fetched {
    Fetched::through(Arc::new(store), kept, Disk::shared(), LIMITS)
}

type Answer = (Vec<Vec<u8>>, Vec<Vec<u8>>, Vec<NamedSnapshot>);

fn ask(store: &MemoryStore) -> Result<Answer, String> {
    let kept = tempfile::tempdir().expect("a folder");
    let files = fetched(store.clone(), kept.path());
    let read = || {
        let now = try_lines(&read_store_in(&files, 1)?)?;
        let first = try_lines(&read_snapshot_in(&files, "first", 1)?)?;
        Ok((now, first, named_snapshots_in(files.store())?))
    };
    read().map_err(|error: manicule_graph::GraphError| error.to_string())
}

#[test]
fn a_store_in_memory_is_the_one_in_its_folder() {
    let folder = tempfile::tempdir().unwrap();
    written(folder.path());
    let now = lines(&read_store(folder.path(), 1).unwrap());
    let first = lines(&read_snapshot(folder.path(), "first", 1).unwrap());
    assert_ne!(now, first);
    let want = (now, first, named_snapshots(folder.path()).unwrap());
    assert!(ask(&in_memory(folder.path())) == Ok(want));
}

#[test]
fn whatever_fails_there_is_an_error_and_no_other_answer() {
    let folder = tempfile::tempdir().unwrap();
    written(folder.path());
    let operations = fail_at_every_operation(&in_memory(folder.path()), ask);
    assert!(operations > 20, "{operations}");
}

#[test]
fn a_log_that_grows_is_read_from_where_it_ended() {
    let folder = tempfile::tempdir().unwrap();
    let writer = written(folder.path());
    let (memory, kept) = (in_memory(folder.path()), tempfile::tempdir().unwrap());
    let files = fetched(memory.clone(), kept.path());
    let before = read_store_in(&files, 1).unwrap();
    let copy = || {
        // What a bucket's writer would put: what is new, and CURRENT last.
        let newer = in_memory(folder.path());
        bring(&newer, &memory, &Name::root());
    };
    commit(&writer, 50).unwrap();
    copy();
    let log = read_store_again_in(&files, &before).unwrap();
    assert_eq!((lines(&log), log.commit()), (lines(&writer.snapshot()), before.commit() + 1));
    writer.merge().unwrap();
    commit(&writer, 51).unwrap();
    copy();
    let merged = read_store_again_in(&files, &log).unwrap();
    assert!(lines(&merged) == lines(&writer.snapshot()));
}

/// Puts what differs.
fn bring(from: &MemoryStore, to: &MemoryStore, folder: &Name) {
    for entry in from.list(folder).unwrap() {
        let name = folder.join(&entry.name).unwrap();
        if entry.kind == manicule_store::EntryKind::Folder {
            bring(from, to, &name);
            continue;
        }
        let (mut bytes, mut there) = (Vec::new(), Vec::new());
        from.read(&name, u64::MAX, &mut bytes).unwrap();
        if to.read(&name, u64::MAX, &mut there).is_err() || bytes != there {
            to.put(&name, &bytes, Replace::Any).unwrap();
        }
    }
}

fn count(snapshot: &Snapshot) -> usize {
    snapshot.scan(&of_default(None)).filter(Result::is_ok).count()
}

#[test]
fn calls_take_these_rounds() {
    let folder = tempfile::tempdir().unwrap();
    let writer = written(folder.path());
    let memory = in_memory(folder.path());
    let slow = Arc::new(SlowStore::new(Arc::new(memory.clone()), round_of_environment()));
    let kept = tempfile::tempdir().unwrap();
    let files = || Fetched::through(slow.clone(), kept.path(), Disk::shared(), LIMITS);
    let mut rounds = Rounds::over(&slow);
    let opened = rounds.call("open, nothing kept", || read_store_in(&files(), 1)).unwrap();
    let again = rounds.call("open, as another process has", || read_store_in(&files(), 1));
    assert!(lines(&again.unwrap()) == lines(&opened));
    rounds.call("look again, nothing new", || read_store_again_in(&files(), &opened)).unwrap();
    commit(&writer, 50).unwrap();
    bring(&in_memory(folder.path()), &memory, &Name::root());
    let new = rounds.call("look again, a commit", || read_store_again_in(&files(), &opened));
    writer.merge().unwrap();
    bring(&in_memory(folder.path()), &memory, &Name::root());
    let merged =
        rounds.call("look again, a merge", || read_store_again_in(&files(), &new.unwrap()));
    assert_eq!(merged.unwrap().commit(), opened.commit() + 1);
    rounds.call("open a named snapshot", || read_snapshot_in(&files(), "first", 1)).unwrap();
    rounds.call("list named snapshots", || named_snapshots_in(files().store())).unwrap();
    rounds.call("scan", || count(&opened));
    rounds.call("lines", || lines(&opened));
    rounds.call("count", || manicule_graph::View::count(&opened, &of_default(None))).unwrap();
    // CURRENT, the manifest, what was synced, the log's folder and its segment, CURRENT again: six.
    // A listing for the leaves and for the dictionary, and the statistics: three. A look and a read
    // of each file that is new.
    rounds.check(&[
        ("open, nothing kept", 17),
        ("open, as another process has", 9),
        ("look again, nothing new", 6),
        ("look again, a commit", 6),
        ("look again, a merge", 17),
        ("open a named snapshot", 12),
        ("list named snapshots", 4),
        ("scan", 0),
        ("lines", 0),
        ("count", 0),
    ]);
}
