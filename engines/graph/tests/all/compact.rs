//! Stores written from scratch: the same quads, in what a load of them would write.

use std::fs;
use std::path::Path;

use manicule_core::watch::Watch;
use manicule_graph::bulk::{BulkOptions, Compacted, compact, load_bulk};
use manicule_graph::load::{Input, LoadOptions, OnFault, Place, Syntax};
use manicule_graph::term::TermRef;
use manicule_graph::{
    GraphError, Id, Quad, Snapshot, Store, Tag, View, back_up, read_snapshot, read_store,
    read_store_again,
};
use manicule_store::{Disk, SharedFiles};
use manicule_testkit::names;
use manicule_testkit::steps::{Publisher, Seen, at_every_step};

use crate::common::{commit, lines, of_default, on_disk, options, unnamed_files};

const SPACE: BulkOptions = BulkOptions { memory: 1 << 20, threads: 2 };

fn compacted(store: &Store, space: BulkOptions) -> Option<Compacted> {
    compact(store, space, &Watch::none()).expect("a compaction")
}

/// Whether ids are in the order of texts, and no commit waits.
fn is_compact(snapshot: &Snapshot) -> bool {
    let state = snapshot.state();
    let manifest = state.base.manifest();
    let tags = [Tag::IRI, Tag::STRING, Tag::TAGGED, Tag::TYPED];
    let is_sorted = |tag: Tag| manifest.sorted_below.of(tag) == manifest.next_numbers.of(tag);
    state.layers.is_empty() && tags.into_iter().all(is_sorted)
}

/// A store whose pages were replaced again and again: with a generation of several segments, and
/// commits after it.
fn prepare(folder: &Path, count: u64) {
    let store = Store::create(folder, &on_disk()).expect("a store");
    for number in 1..=count {
        commit(&store, number).expect("a commit");
        if number % 5 == 0 {
            store.merge().expect("a merge");
        }
    }
}

/// The files of a store and their bytes.
fn len(store: &Path) -> u64 {
    let folders = ["leaf", "dict", "stat"].map(|name| store.join(name));
    let len = |folder: &Path, name: &String| fs::metadata(folder.join(name)).expect("a file").len();
    folders.iter().flat_map(|folder| names(folder).into_iter().map(|name| len(folder, &name))).sum()
}

#[test]
fn what_is_written_is_what_a_load_writes() {
    let folder = tempfile::tempdir().expect("a folder");
    let [changed, fresh] = ["changed", "fresh"].map(|name| folder.path().join(name));
    prepare(&changed, 42);
    let store = Store::open(&changed, &on_disk()).expect("a store");
    let before = store.snapshot();
    let kept = read_store(&changed, 3).expect("a store");
    assert!(!is_compact(&before));
    let want = lines(&before);
    for memory in [1, 1 << 30] {
        let made = compacted(&store, BulkOptions { memory, ..SPACE });
        if memory > 1 {
            assert_eq!(made, None, "it is compact");
            continue;
        }
        let made = made.expect("there is something to do");
        assert_eq!(made.quads, want.len() as u64);
        assert!(made.terms_dropped > 0 && made.len < made.len_before, "{made:?}");
        assert_eq!(made.len, len(&changed), "nothing else is left");
    }
    let after = store.snapshot();
    assert!(is_compact(&after));
    assert_eq!(after.commit(), before.commit());
    for snapshot in [&after, &before, &kept, &read_store_again(&changed, &kept).expect("a store")] {
        assert!(lines(snapshot) == want);
    }
    let document = folder.path().join("a.nt");
    fs::write(&document, want.concat()).expect("a file");
    let other = Store::create(&fresh, &on_disk()).expect("a store");
    let bulk = other.begin_bulk().expect("it can be written").expect("it is empty");
    let input = Input { place: Place::File(document), syntax: Syntax::NTriples, base: None };
    let load = LoadOptions { graph: None, on_fault: OnFault::Stop };
    load_bulk(bulk, &[input], &load, SPACE, &Watch::none()).expect("a load");
    assert!(len(&changed) * 50 <= len(&fresh) * 51, "{} and {}", len(&changed), len(&fresh));
    let numbers = |snapshot: &Snapshot| snapshot.state().base.manifest().next_numbers;
    assert_eq!(numbers(&after), numbers(&other.snapshot()));
    let statistics = |snapshot: &Snapshot| snapshot.state().base.statistics().cloned();
    assert_eq!(statistics(&after), statistics(&other.snapshot()));
}

#[test]
fn blank_nodes_keep_their_numbers_and_empty_graphs_their_names() {
    let folder = tempfile::tempdir().expect("a folder");
    let store = Store::create(folder.path(), &on_disk()).expect("a store");
    let mut transaction = store.begin().expect("a transaction");
    let [z, a, dropped] =
        ["z", "a", "m"].map(|name| transaction.intern(TermRef::Iri(name)).expect("an id"));
    let blanks: Vec<Id> = (0..5).map(|_| transaction.new_blank()).collect();
    let quad = Quad { subject: blanks[3], predicate: z, object: blanks[1], graph: blanks[4] };
    transaction.insert(quad);
    [z, a].into_iter().for_each(|name| transaction.create_graph(name));
    transaction.create_graph(dropped);
    transaction.commit().expect("a commit");
    let mut transaction = store.begin().expect("a transaction");
    transaction.drop_graph(dropped).expect("a graph");
    transaction.commit().expect("a commit");
    let made = compacted(&store, SPACE).expect("there is something to do");
    assert_eq!((made.quads, made.terms_dropped), (1, 1));
    let snapshot = store.snapshot();
    let find = |name| snapshot.find_term(TermRef::Iri(name)).expect("a look-up");
    let [first, second] = [0, 1].map(|number| Id::new(Tag::IRI, number));
    assert_eq!([find("a"), find("z"), find("m")], [Some(first), Some(second), None]);
    let names: Vec<Id> = snapshot.graphs().map(|name| name.expect("a name")).collect();
    assert_eq!(names, [blanks[4], first, second]);
    assert_eq!(snapshot.state().next_blank, 5);
    let mut transaction = store.begin().expect("a transaction");
    let again = Quad { predicate: second, ..quad };
    transaction.insert(again);
    assert_eq!(transaction.commit().expect("a commit").added, 0, "the quad is there");
}

#[test]
fn an_empty_store_and_a_store_that_becomes_empty_are_compact() {
    let folder = tempfile::tempdir().expect("a folder");
    let store = Store::create(folder.path(), &on_disk()).expect("a store");
    assert_eq!(compacted(&store, SPACE), None);
    commit(&store, 1).expect("a commit");
    store.merge().expect("a merge");
    let mut transaction = store.begin().expect("a transaction");
    for quad in store.snapshot().scan(&of_default(None)) {
        transaction.remove(quad.expect("a quad"));
    }
    transaction.commit().expect("a commit");
    let made = compacted(&store, SPACE).expect("there is something to do");
    assert!(made.quads == 0 && made.terms_dropped > 0, "{made:?}");
    assert_eq!(
        [names(&folder.path().join("leaf")), names(&folder.path().join("dict"))],
        [[""; 0]; 2]
    );
    commit(&store, 2).expect("a commit");
    assert!(!lines(&read_store(folder.path(), 1).expect("a store")).is_empty());
}

#[test]
fn a_compaction_that_is_stopped_leaves_nothing_and_named_snapshots_stay() {
    let folder = tempfile::tempdir().expect("a folder");
    prepare(folder.path(), 12);
    let store = Store::open(folder.path(), &on_disk()).expect("a store");
    store.name_snapshot("kept").expect("a name");
    commit(&store, 13).expect("a commit");
    let files = |name: &str| names(&folder.path().join(name));
    let before = ["leaf", "dict", "stat", ""].map(files);
    let watch = Watch::none();
    watch.cancel();
    let stopped = compact(&store, SPACE, &watch);
    assert!(matches!(stopped, Err(GraphError::Stopped(_))), "{stopped:?}");
    assert_eq!(["leaf", "dict", "stat", ""].map(files), before);
    let kept = lines(&read_snapshot(folder.path(), "kept", 1).expect("a snapshot"));
    let want = lines(&store.snapshot());
    compacted(&store, SPACE).expect("there is something to do");
    assert!(lines(&store.snapshot()) == want);
    assert!(lines(&read_snapshot(folder.path(), "kept", 1).expect("a snapshot")) == kept);
}

/// Compacts a store that has leaves, segments and a log.
struct OneCompaction {
    /// The store before.
    prepared: tempfile::TempDir,
    folder: tempfile::TempDir,
    lines: Vec<Vec<u8>>,
}

impl Publisher for OneCompaction {
    fn root(&self) -> &Path {
        self.folder.path()
    }

    fn reset(&self) {
        fs::remove_dir_all(self.root()).expect("ours");
        back_up(self.prepared.path(), None, self.root(), &Disk::shared(), &Watch::none())
            .expect("a copy");
    }

    fn publish(&self, files: &SharedFiles) -> Result<(), String> {
        let store = Store::open(self.root(), &options(files.clone()));
        let store = store.map_err(|error| error.to_string())?;
        let made = compact(&store, BulkOptions { memory: 1, threads: 1 }, &Watch::none());
        made.map(|_| ()).map_err(|error| error.to_string())
    }

    fn seen(&self) -> Result<Seen, String> {
        let snapshot = read_store(self.root(), 1).map_err(|error| error.to_string())?;
        match (lines(&snapshot) == self.lines, is_compact(&snapshot)) {
            (false, _) => Err("other quads".to_owned()),
            (true, false) => Ok(Seen::Old),
            (true, true) => Ok(Seen::New),
        }
    }

    fn litter(&self) -> Vec<String> {
        unnamed_files(self.root())
    }
}

#[test]
fn a_compaction_that_is_stopped_at_any_step_leaves_the_old_store_or_the_new_one() {
    let [prepared, folder] = [(); 2].map(|()| tempfile::tempdir().expect("a folder"));
    prepare(prepared.path(), 42);
    let lines = lines(&read_store(prepared.path(), 1).expect("a store"));
    let tally = at_every_step(&OneCompaction { prepared, folder, lines });
    let shown = tally.shown().join(" ");
    assert!(shown.contains("compact.aside") && tally.old > 0 && tally.new > 0, "{tally:?}");
}
