//! Triple terms in a store: one id each through commits, merges, compactions and reopening; what
//! older programs read until the first one.

use std::fs;
use std::path::Path;

use manicule_core::watch::Watch;
use manicule_graph::bulk::{BulkOptions, compact};
use manicule_graph::term::{Direction, TermRef, TripleBuf};
use manicule_graph::{GraphError, Id, Quad, Store, Transaction, View};
use manicule_testkit::names;

use crate::common::{commit_lines, lines, on_disk};

/// The version in the head of a file.
fn version(path: &Path) -> u8 {
    fs::read(path).expect("a file")[8]
}

/// The versions of the manifest and of the newest segment of the log.
fn versions(store: &Path) -> (u8, u8) {
    let current = fs::read_to_string(store.join("CURRENT")).expect("a store");
    let mut segments = names(&store.join("log"));
    segments.retain(|name| name.ends_with(".log"));
    segments.sort();
    let newest = segments.last().expect("a log");
    (version(&store.join(current.trim_end())), version(&store.join("log").join(newest)))
}

/// Adds `<x:r> <x:says> <<( _:own <x:p> <<( <x:s> <x:p> "01"^^xsd:integer )>> )>>`.
fn insert(transaction: &mut Transaction, own: Id) -> Result<Id, GraphError> {
    let integer = "http://www.w3.org/2001/XMLSchema#integer";
    let inner = [TermRef::Iri("x:s"), TermRef::Iri("x:p"), TermRef::Typed("01", integer)];
    let inner = TripleBuf::new(inner)?;
    let own = TermRef::Blank(own.payload());
    let outer = [own, TermRef::Iri("x:p"), TermRef::Triple(inner.as_triple())];
    let outer = TripleBuf::new(outer)?;
    let object = transaction.intern(TermRef::Triple(outer.as_triple()))?;
    let subject = transaction.intern(TermRef::Iri("x:r"))?;
    let predicate = transaction.intern(TermRef::Iri("x:says"))?;
    transaction.insert(Quad { subject, predicate, object, graph: Id::DEFAULT_GRAPH });
    Ok(object)
}

#[test]
fn stores_are_of_the_old_versions_until_the_first_triple_term() {
    let folder = tempfile::tempdir().expect("a folder");
    let store = Store::create(folder.path(), &on_disk()).expect("a store");
    commit_lines(&store, 0..3);
    store.merge().expect("a merge");
    assert_eq!(versions(folder.path()), (2, 1));
    // Into a segment that has no commit yet, and into one that has.
    let mut transaction = store.begin().expect("a transaction");
    let node = transaction.new_blank();
    let first = insert(&mut transaction, node).expect("an id");
    transaction.commit().expect("a commit");
    assert_eq!(versions(folder.path()), (2, 2));
    let want = lines(&store.snapshot());
    let own = want.iter().any(|line| {
        let line = String::from_utf8_lossy(line).into_owned();
        line.starts_with("<x:r> <x:says> <<( _:b0 <x:p> <<( <x:s> <x:p> \"01\"^^<http://www")
    });
    assert!(own, "{want:?}");
    drop(store);
    let store = Store::open(folder.path(), &on_disk()).expect("a store");
    assert_eq!(lines(&store.snapshot()), want);
    for round in 0..3 {
        let mut transaction = store.begin().expect("a transaction");
        assert_eq!(insert(&mut transaction, node).expect("an id"), first, "round {round}");
        assert_eq!(transaction.commit().expect("nothing changes").commit, None);
        match round {
            0 => assert!(store.merge().expect("a merge")),
            _ => {
                let options = BulkOptions { memory: 1 << 20, threads: 1 };
                compact(&store, options, &Watch::none()).expect("a compaction");
            }
        }
        assert_eq!((versions(folder.path()), lines(&store.snapshot())), ((3, 2), want.clone()));
    }
}

#[test]
fn a_log_with_commits_goes_on_in_a_segment_of_the_new_version() {
    let folder = tempfile::tempdir().expect("a folder");
    let store = Store::create(folder.path(), &on_disk()).expect("a store");
    commit_lines(&store, 0..3);
    let mut transaction = store.begin().expect("a transaction");
    let node = transaction.new_blank();
    insert(&mut transaction, node).expect("an id");
    transaction.commit().expect("a commit");
    commit_lines(&store, 3..6);
    assert_eq!(versions(folder.path()), (2, 2));
    let want = lines(&store.snapshot());
    drop(store);
    let store = Store::open(folder.path(), &on_disk()).expect("a store");
    assert_eq!((lines(&store.snapshot()), want.len()), (want, 7));
}

#[test]
fn a_direction_is_part_of_a_literal() {
    let folder = tempfile::tempdir().expect("a folder");
    let store = Store::create(folder.path(), &on_disk()).expect("a store");
    let mut transaction = store.begin().expect("a transaction");
    let literals = [
        TermRef::Tagged("a", "ar"),
        TermRef::Directional("a", "ar", Direction::Ltr),
        TermRef::Directional("a", "ar", Direction::Rtl),
    ];
    let ids = literals.map(|term| transaction.intern(term).expect("an id"));
    assert!(ids[0] != ids[1] && ids[1] != ids[2] && ids[0] != ids[2]);
    for (id, term) in ids.into_iter().zip(literals) {
        let view = transaction.view();
        assert!(view.read_term(id, |read| read == term).expect("a term"), "{term:?}");
    }
}
