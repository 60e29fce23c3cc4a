//! Stores that are made, filled at once, or given named snapshots, stopped at each step of that.

use std::fs;
use std::path::Path;

use manicule_format_leaf::dictionary::DictionaryWriter;
use manicule_format_leaf::manifest::TagNumbers;
use manicule_format_leaf::statistics::Statistics;
use manicule_format_leaf::{Order, Tag};
use manicule_graph::base::LeafCutter;
use manicule_graph::{GraphError, Id, Store, named_snapshots, read_snapshot, read_store};
use manicule_store::SharedFiles;
use manicule_testkit::names;
use manicule_testkit::steps::{Publisher, Seen, at_every_step};

use crate::common::{States, commit, lines, on_disk, options};

/// Names that no store has.
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
    let snapshots = names(&store.join("snapshots")).into_iter();
    names(store).into_iter().filter(other).chain(snapshots.filter(|name| name != "kept")).collect()
}

fn said<T>(outcome: Result<T, GraphError>) -> Result<T, String> {
    outcome.map_err(|error| error.to_string())
}

/// A step that a store takes.
struct OneStep {
    folder: tempfile::TempDir,
    prepare: fn(&Path),
    take: fn(&Path, &SharedFiles) -> Result<(), String>,
    seen: fn(&Path) -> Result<Seen, String>,
}

impl Publisher for OneStep {
    fn root(&self) -> &Path {
        self.folder.path()
    }

    fn reset(&self) {
        fs::remove_dir_all(self.root()).expect("ours");
        fs::create_dir(self.root()).expect("ours");
        (self.prepare)(self.root());
    }

    fn publish(&self, files: &SharedFiles) -> Result<(), String> {
        (self.take)(self.root(), files)
    }

    fn seen(&self) -> Result<Seen, String> {
        (self.seen)(self.root())
    }

    fn litter(&self) -> Vec<String> {
        litter(self.root())
    }
}

fn check(
    prepare: fn(&Path),
    take: fn(&Path, &SharedFiles) -> Result<(), String>,
    seen: fn(&Path) -> Result<Seen, String>,
) {
    let folder = tempfile::tempdir().expect("a folder");
    let tally = at_every_step(&OneStep { folder, prepare, take, seen });
    assert!(tally.old > 0 && tally.new > 0, "{tally:?}");
}

#[test]
fn a_store_that_is_made_is_there_or_not() {
    let make = |folder: &Path, files: &SharedFiles| {
        if read_store(folder, 1).is_ok() {
            return Ok(());
        }
        said(Store::create(folder, &options(files.clone())).map(drop))
    };
    let seen = |folder: &Path| match read_store(folder, 1) {
        Ok(snapshot) if lines(&snapshot).is_empty() => Ok(Seen::New),
        Ok(_) => Err("a new store has no triples".to_owned()),
        Err(GraphError::Missing { .. }) => Ok(Seen::Old),
        Err(error) => Err(error.to_string()),
    };
    check(|_| {}, make, seen);
}

/// Fills a store with a triple.
fn fill(folder: &Path, files: &SharedFiles) -> Result<(), String> {
    let store = said(Store::open(folder, &options(files.clone())))?;
    let Some(mut bulk) = said(store.begin_bulk())? else { return Ok(()) };
    let mut dictionary = DictionaryWriter::new();
    dictionary.begin(Tag::IRI, 0);
    dictionary.push(b"http://a/");
    dictionary.end(None);
    said(bulk.put_dictionary(&dictionary.finish()))?;
    let iri = Id::new(Tag::IRI, 0);
    for order in Order::DEFAULT {
        let mut cutter = LeafCutter::new(order, 10);
        assert!(cutter.push([iri, iri, iri, Id::DEFAULT_GRAPH]).is_none());
        said(bulk.put_leaf(order, &cutter.finish().expect("a leaf")))?;
    }
    let mut next = TagNumbers::default();
    next.set(Tag::IRI, 1);
    said(bulk.publish(next, next, Vec::new(), &Statistics::default()))
}

#[test]
fn a_store_that_is_filled_at_once_has_all_or_nothing() {
    let seen = |folder: &Path| {
        let lines = lines(&said(read_store(folder, 1))?);
        match &lines[..] {
            [] => Ok(Seen::Old),
            [line] if line == b"<http://a/> <http://a/> <http://a/> .\n" => Ok(Seen::New),
            lines => Err(format!("{} triples", lines.len())),
        }
    };
    check(|folder| drop(Store::create(folder, &on_disk()).expect("a store")), fill, seen);
}

#[test]
fn a_snapshot_that_is_named_is_there_whole_or_not_at_all() {
    let prepare = |folder: &Path| {
        let store = Store::create(folder, &on_disk()).expect("a store");
        commit(&store, 1).expect("a commit");
        store.merge().expect("a merge");
        commit(&store, 2).expect("a commit");
    };
    let name = |folder: &Path, files: &SharedFiles| {
        said(said(Store::open(folder, &options(files.clone())))?.name_snapshot("kept"))
    };
    let seen = |folder: &Path| {
        let mut states = States::new();
        if lines(&said(read_store(folder, 1))?) != states.after(2) {
            return Err("the store is another".to_owned());
        }
        match &said(named_snapshots(folder))?[..] {
            [] => Ok(Seen::Old),
            [kept] if kept.name == "kept" && kept.commit == 2 => {
                let snapshot = said(read_snapshot(folder, "kept", 1))?;
                let is_same = lines(&snapshot) == states.after(2);
                is_same.then_some(Seen::New).ok_or_else(|| "another state".to_owned())
            }
            other => Err(format!("{other:?}")),
        }
    };
    check(prepare, name, seen);
}

#[test]
fn a_snapshot_that_is_dropped_leaves_the_store_as_it_is() {
    let prepare = |folder: &Path| {
        let store = Store::create(folder, &on_disk()).expect("a store");
        commit(&store, 1).expect("a commit");
        store.name_snapshot("kept").expect("a name");
        commit(&store, 2).expect("a commit");
        store.merge().expect("a merge");
    };
    let forget = |folder: &Path, files: &SharedFiles| {
        let store = said(Store::open(folder, &options(files.clone())))?;
        said(store.drop_snapshot("kept").map(drop))
    };
    let seen = |folder: &Path| {
        let mut states = States::new();
        if lines(&said(read_store(folder, 1))?) != states.after(2) {
            return Err("the store is another".to_owned());
        }
        if said(named_snapshots(folder))?.is_empty() {
            Ok(Seen::New)
        } else {
            let is_same = lines(&said(read_snapshot(folder, "kept", 1))?) == states.after(1);
            is_same.then_some(Seen::Old).ok_or_else(|| "another state".to_owned())
        }
    };
    check(prepare, forget, seen);
}
