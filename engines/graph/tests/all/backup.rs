//! Copies of a store that is being written: each is a store, with a state that the original had.

use std::fs;
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering::SeqCst};

use manicule_core::watch::Watch;
use manicule_graph::{BackedUp, GraphError, Store, back_up, named_snapshots, read_store};
use manicule_store::{Disk, SharedFiles};
use manicule_testkit::names;
use manicule_testkit::steps::{Publisher, Seen, at_every_step};

use crate::common::{States, commit, lines, on_disk};

fn copy(store: &Path, snapshot: Option<&str>, target: &Path) -> Result<BackedUp, GraphError> {
    back_up(store, snapshot, target, &Disk::shared(), &Watch::none())
}

#[test]
fn a_store_that_is_written_and_merged_is_copied_as_it_was_at_one_moment() {
    let (folder, targets) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let store = Store::create(folder.path(), &on_disk()).unwrap();
    let mut states = States::new();
    let (acknowledged, done) = (AtomicU64::new(0), AtomicU64::new(0));
    std::thread::scope(|scope| {
        scope.spawn(|| {
            for number in 1.. {
                commit(&store, number).unwrap();
                acknowledged.store(number, SeqCst);
                if number % 7 == 0 {
                    store.merge().unwrap();
                }
                if done.load(SeqCst) > 0 && number >= 60 {
                    break;
                }
            }
        });
        for number in 0..12 {
            let target = targets.path().join(number.to_string());
            let before = acknowledged.load(SeqCst);
            let made = copy(folder.path(), None, &target);
            // Its own error would hide this one while the writer goes on.
            done.fetch_add(u64::from(number == 11 || made.is_err()), SeqCst);
            let made = made.unwrap();
            let read = read_store(&target, 1).unwrap();
            assert_eq!(made.commit, read.commit());
            assert!(made.commit >= before, "what was acknowledged before is there");
            assert!(lines(&read) == states.after(made.commit), "copy {number}");
        }
    });
    // A copy is written to as any store.
    let target = targets.path().join("11");
    let copied = Store::open(&target, &on_disk()).unwrap();
    let next = copied.snapshot().commit() + 1;
    commit(&copied, next).unwrap();
    copied.merge().unwrap();
    assert!(lines(&read_store(&target, 1).unwrap()) == states.after(next));
    assert!(copy(folder.path(), None, &target).is_err(), "a store is no empty folder");
}

#[test]
fn a_named_snapshot_is_copied_as_it_was() {
    let (folder, target) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let store = Store::create(folder.path(), &on_disk()).unwrap();
    let mut states = States::new();
    (1..=3).for_each(|number| commit(&store, number).unwrap());
    store.name_snapshot("third").unwrap();
    (4..=5).for_each(|number| commit(&store, number).unwrap());
    let made = copy(folder.path(), Some("third"), target.path()).unwrap();
    assert_eq!(made.commit, 3);
    assert!(lines(&read_store(target.path(), 1).unwrap()) == states.after(3));
    let listed = named_snapshots(folder.path()).unwrap();
    let [third] = &listed[..] else { panic!("one snapshot") };
    assert_eq!((third.commit, third.own_len, third.len), (3, 0, made.len));
    assert_eq!(third.quad_count, states.after(3).len() as u64);
    store.merge().unwrap();
    let [third] = &named_snapshots(folder.path()).unwrap()[..] else { panic!("one snapshot") };
    assert!(0 < third.own_len && third.own_len <= third.len);
    assert_eq!(named_snapshots(target.path()).unwrap(), []);
    let watch = Watch::none();
    watch.cancel();
    let other = target.path().join("other");
    let stopped = back_up(folder.path(), None, &other, &Disk::shared(), &watch);
    assert!(matches!(stopped, Err(GraphError::Stopped(_))));
    assert!(!other.exists(), "nothing is left");
    let missing = copy(folder.path(), Some("fourth"), &other);
    assert!(matches!(missing, Err(GraphError::Missing { .. })));
}

#[test]
fn a_damaged_file_is_not_copied_as_a_sound_one() {
    let (folder, target) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let store = Store::create(folder.path(), &on_disk()).unwrap();
    commit(&store, 1).unwrap();
    store.merge().unwrap();
    drop(store);
    let leaf = folder.path().join("leaf").join(&names(&folder.path().join("leaf"))[0]);
    let mut bytes = fs::read(&leaf).unwrap();
    bytes[30] ^= 1;
    fs::write(&leaf, bytes).unwrap();
    let error = copy(folder.path(), None, target.path()).unwrap_err();
    assert!(matches!(&error, GraphError::Damaged { file, .. } if *file == leaf), "{error}");
    assert_eq!(names(target.path()), [""; 0], "the folder was there before");
}

/// Copies a store that has leaves and a log.
struct OneCopy {
    store: tempfile::TempDir,
    target: tempfile::TempDir,
    state: Vec<Vec<u8>>,
}

impl Publisher for OneCopy {
    fn root(&self) -> &Path {
        self.target.path()
    }

    fn reset(&self) {
        fs::remove_dir_all(self.root()).expect("ours");
        fs::create_dir_all(self.root().join("log")).expect("ours");
        // Of a copy of another store, which was stopped.
        fs::write(self.root().join("log/00000000000000000009.log"), "left").expect("ours");
    }

    fn publish(&self, files: &SharedFiles) -> Result<(), String> {
        if read_store(self.root(), 1).is_ok() {
            return Ok(());
        }
        let made = back_up(self.store.path(), None, self.root(), files, &Watch::none());
        made.map(|_| ()).map_err(|error| error.to_string())
    }

    fn seen(&self) -> Result<Seen, String> {
        match read_store(self.root(), 1) {
            Ok(snapshot) if lines(&snapshot) == self.state => Ok(Seen::New),
            Ok(_) => Err("another state".to_owned()),
            Err(GraphError::Missing { .. }) => Ok(Seen::Old),
            Err(error) => Err(error.to_string()),
        }
    }

    fn litter(&self) -> Vec<String> {
        names(self.root()).into_iter().filter(|name| name.ends_with(".aside")).collect()
    }
}

#[test]
fn a_copy_that_is_stopped_at_any_step_is_there_whole_or_not_at_all() {
    let [store, target] = [(), ()].map(|()| tempfile::tempdir().expect("a folder"));
    let writer = Store::create(store.path(), &on_disk()).expect("a store");
    commit(&writer, 1).expect("a commit");
    writer.merge().expect("a merge");
    commit(&writer, 2).expect("a commit");
    let state = States::new().after(2).to_vec();
    let tally = at_every_step(&OneCopy { store, target, state });
    let renamed = tally.steps.iter().rposition(|step| step.starts_with("rename CURRENT"));
    assert_eq!(renamed, Some(tally.steps.len() - 2), "CURRENT comes last: {:?}", tally.steps);
}
