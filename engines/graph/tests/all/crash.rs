//! Stores whose writer is stopped, or whose disk is full, at each step of a commit.

use std::fs;
use std::path::Path;

use manicule_core::watch::Watch;
use manicule_graph::{
    Beside, GraphError, MergedWhen, Merges, Store, StoreOptions, merge_beside, read_store,
};
use manicule_store::{SharedFiles, log::segments};
use manicule_testkit::names;
use manicule_testkit::steps::{Publisher, Seen, at_every_step};

use crate::common::{States, commit, lines, on_disk, options};

/// Number of commits before the one that is stopped.
const COMMITS: u64 = 3;

/// Names that no store has: a second manifest or segment of the log, files that no manifest names.
fn litter(store: &Path) -> Vec<String> {
    let current = fs::read_to_string(store.join("CURRENT")).expect("a store");
    let known = [
        "lock",
        "merging",
        "log",
        "leaf",
        "dict",
        "stat",
        "snapshots",
        "CURRENT",
        current.trim_end(),
    ];
    let other = |name: &String| !known.contains(&&name[..]);
    let logs = names(&store.join("log")).into_iter().filter(|name| name != "synced").skip(1);
    names(store).into_iter().filter(other).chain(logs).collect()
}

struct OneCommit {
    folder: tempfile::TempDir,
    states: Vec<Vec<Vec<u8>>>,
    /// The log as it is torn before the commit.
    torn: &'static [u8],
    merges: Merges,
}

impl OneCommit {
    fn new(torn: &'static [u8], merges: Merges) -> Self {
        let mut states = States::new();
        let states = (0..=COMMITS + 1).map(|count| states.after(count).to_vec()).collect();
        OneCommit { folder: tempfile::tempdir().expect("a folder"), states, torn, merges }
    }
}

impl Publisher for OneCommit {
    fn root(&self) -> &Path {
        self.folder.path()
    }

    fn reset(&self) {
        fs::remove_dir_all(self.root()).expect("ours");
        let store = Store::create(self.root(), &on_disk()).expect("a store");
        (1..=COMMITS).for_each(|number| commit(&store, number).expect("a commit"));
        drop(store);
        let log = segments(&self.root().join("log")).expect("a log").remove(0).path;
        let bytes = [fs::read(&log).expect("a log"), self.torn.to_vec()].concat();
        fs::write(log, bytes).expect("a log");
    }

    fn publish(&self, files: &SharedFiles) -> Result<(), String> {
        let options = StoreOptions { merges: self.merges, ..options(files.clone()) };
        let store = Store::open(self.root(), &options);
        let store = store.map_err(|error| error.to_string())?;
        if store.snapshot().commit() > COMMITS { Ok(()) } else { commit(&store, COMMITS + 1) }
    }

    fn seen(&self) -> Result<Seen, String> {
        let snapshot = read_store(self.root(), 1).map_err(|error| error.to_string())?;
        let (old, new) = (&self.states[COMMITS as usize], &self.states[COMMITS as usize + 1]);
        match &lines(&snapshot) {
            state if state == old => Ok(Seen::Old),
            state if state == new => Ok(Seen::New),
            state => Err(format!("{} triples of neither", state.len())),
        }
    }

    fn litter(&self) -> Vec<String> {
        litter(self.root())
    }
}

#[test]
fn a_commit_that_is_stopped_at_any_step_is_there_whole_or_not_at_all() {
    let tally = at_every_step(&OneCommit::new(b"", Merges::Here));
    let log = "log/00000000000000000001.log";
    let want = [
        "open merging",
        "open lock",
        &format!("open {log}"),
        &format!("write {log}"),
        &format!("sync {log}"),
        "open log/synced",
        "write log/synced",
    ];
    assert_eq!(tally.shown(), want);
    // A fault at the sync leaves a frame that is whole, though nobody was told.
    assert_eq!((tally.old, tally.new), (8, 8));
}

#[test]
fn a_commit_after_a_torn_one_is_there_whole_or_not_at_all() {
    let tally = at_every_step(&OneCommit::new(b"torn", Merges::Beside));
    let log = "log/00000000000000000001.log";
    let [open, cut, sync, write] =
        ["open", "cut", "sync", "write"].map(|step| format!("{step} {log}"));
    let said = ["open log/synced", "write log/synced"];
    let want =
        [&["open lock", &open[..], &cut, &sync, "open merging", &write, &sync][..], &said].concat();
    assert_eq!(tally.shown(), want);
}

/// Merges the commits of a store.
type MergeStep = fn(&Path, &SharedFiles) -> Result<(), GraphError>;

/// Merges commits into a store that has leaves.
struct OneMerge {
    merge: MergeStep,
    folder: tempfile::TempDir,
    state: Vec<Vec<u8>>,
}

impl Publisher for OneMerge {
    fn root(&self) -> &Path {
        self.folder.path()
    }

    fn reset(&self) {
        fs::remove_dir_all(self.root()).expect("ours");
        let store = Store::create(self.root(), &on_disk()).expect("a store");
        commit(&store, 1).expect("a commit");
        store.merge().expect("a merge");
        (2..=COMMITS).for_each(|number| commit(&store, number).expect("a commit"));
    }

    fn publish(&self, files: &SharedFiles) -> Result<(), String> {
        (self.merge)(self.root(), files).map_err(|error| error.to_string())
    }

    /// The commits are there all the time; what tells is the generation.
    fn seen(&self) -> Result<Seen, String> {
        let snapshot = read_store(self.root(), 1).map_err(|error| error.to_string())?;
        if lines(&snapshot) != self.state {
            return Err("another state".to_owned());
        }
        if snapshot.state().layers.is_empty() { Ok(Seen::New) } else { Ok(Seen::Old) }
    }

    fn litter(&self) -> Vec<String> {
        litter(self.root())
    }
}

#[test]
fn a_merge_that_is_stopped_at_any_step_changes_nothing_that_is_seen() {
    check_merge(|folder, files| Store::open(folder, &options(files.clone()))?.merge().map(drop));
}

#[test]
fn a_merge_beside_writers_that_is_stopped_at_any_step_changes_nothing_that_is_seen() {
    check_merge(|folder, files| {
        let (options, watch) = (options(files.clone()), Watch::none());
        let how = Beside { when: MergedWhen::Any, again: &|_, _| false, stand_back: &|| {} };
        merge_beside(folder, &options, &how, &watch).map(drop)
    });
}

fn check_merge(merge: MergeStep) {
    let state = States::new().after(COMMITS).to_vec();
    let folder = tempfile::tempdir().expect("a folder");
    let tally = at_every_step(&OneMerge { merge, folder, state });
    let last = tally.steps.iter().rposition(|step| step.starts_with("rename CURRENT"));
    let first = last.expect("CURRENT is renamed") + 1;
    // Before, everything that CURRENT leads to was synced; afterwards, old files go.
    assert!(
        tally.steps[first..].iter().skip(1).all(|step| step.starts_with("remove")),
        "{:?}",
        tally.steps
    );
    assert!(tally.old > tally.new, "{tally:?}");
}
