//! The golden updates: the states that Apache Jena came to; and the rules of requests.

use std::cell::RefCell;

use manicule_core::watch::Watch;
use manicule_graph::sparql::{
    DefaultGraphChoice, QueryLimits, SparqlError, UpdateOptions, UpdateWork, Writable, update_any,
};
use manicule_graph::{LeafSizes, Merges, Store, StoreOptions, WhenLost};
use manicule_graphs::{PlainGraph, state_hash};
use manicule_store::Disk;
use manicule_testkit::golden_file;
use oxrdf::{Literal, NamedNode, Triple};

use crate::shop::{Form, Shop};

/// Does a request; a document of one triple can be loaded, `<x:one>`.
fn run(store: &mut impl Writable, text: &str) -> Result<UpdateWork, SparqlError> {
    let mut load = |iri: &str, add: &mut dyn FnMut(&Triple)| {
        if iri != "x:one" {
            return Err(SparqlError::Refused(format!("{iri}: not there")));
        }
        let node = |text| NamedNode::new_unchecked(text);
        add(&Triple::new(node("x:s"), node("x:p"), Literal::new_simple_literal("loaded")));
        Ok(())
    };
    let mut options = UpdateOptions {
        base: None,
        default_graph: DefaultGraphChoice::Own,
        using: None,
        limits: QueryLimits::NONE,
        load: &mut load,
    };
    update_any(store, text, &mut options, &Watch::none())
}

/// Checks the golden updates; `state` does one over the data, and gives what was added and removed,
/// and the state.
fn check_all(
    shop: &Shop,
    mut state: impl FnMut(Form, &str) -> (Option<(u64, u64)>, (usize, String)),
) {
    let table = shop.archive.text("expected/updates.tsv");
    let mut count = 0;
    for line in table.lines().skip(1) {
        let fields: Vec<&str> = line.split('\t').collect();
        let [name, _, before, after, added, removed, hash] = fields.as_slice() else {
            panic!("seven fields: {line}")
        };
        let number = |text: &str| text.parse::<u64>().expect("a number");
        assert_eq!(number(before), 31_058);
        let text = shop.archive.text(&format!("updates/{name}.ru"));
        let (changes, (len, got)) = state(Form::of(text), text);
        assert_eq!((len as u64, got.as_str()), (number(after), *hash), "{name}");
        if let Some(changes) = changes {
            assert_eq!(changes, (number(added), number(removed)), "{name}");
        }
        count += 1;
    }
    assert_eq!(count, 9);
}

#[test]
fn updates_of_the_plain_store_come_to_jenas_states() {
    let shop = Shop::read();
    check_all(&shop, |form, text| {
        let mut store = shop.plain(form);
        run(&mut store, text).unwrap_or_else(|error| panic!("{text}: {error}"));
        (None, state_hash(&store))
    });
}

#[test]
fn updates_of_the_store_come_to_jenas_states() {
    let shop = Shop::read();
    check_all(&shop, |form, text| {
        let (store, _folder) = shop.store(form);
        let mut transaction = store.begin().expect("a transaction");
        run(&mut transaction, text).unwrap_or_else(|error| panic!("{text}: {error}"));
        let committed = transaction.commit().expect("a commit");
        (Some((committed.added, committed.removed)), state_hash(&store.snapshot()))
    });
}

/// Does the golden requests that replace pages one by one; after every 50 of them the state is that
/// of Jena.
fn check_pages(mut update: impl FnMut(&str), state: impl Fn() -> (usize, String)) {
    let states = include_str!("../../../golden/graph/pages/states.tsv");
    let mut wanted = states.lines().skip(1).map(|line| line.split('\t').collect::<Vec<_>>());
    let mut check = |count: usize| {
        let ((quads, hash), wanted) = (state(), wanted.next().expect("a state"));
        assert_eq!([count.to_string(), quads.to_string(), hash], wanted[..]);
    };
    let updates = String::from_utf8(golden_file("graph", "pages/updates.ru")).expect("text");
    check(0);
    for (at, line) in updates.lines().enumerate() {
        update(line);
        if (at + 1) % 50 == 0 {
            check(at + 1);
        }
    }
    assert_eq!(updates.lines().count(), 300);
}

fn read_pages(store: &mut impl Writable) {
    let base = golden_file("graph", "pages/base.nt");
    manicule_graphs::read_into(store, &base, oxrdfio::RdfFormat::NTriples, "x:base", None)
        .expect("triples");
}

#[test]
fn pages_of_the_plain_store_are_replaced_one_by_one() {
    let mut store = PlainGraph::new();
    read_pages(&mut store);
    let store = RefCell::new(store);
    check_pages(
        |line| {
            run(&mut *store.borrow_mut(), line).expect("an update");
        },
        || state_hash(&*store.borrow()),
    );
}

#[test]
fn pages_of_the_store_are_replaced_one_by_one() {
    let folder = tempfile::tempdir().expect("a folder");
    let options = StoreOptions {
        files: Disk::shared(),
        random: 7,
        leaves: LeafSizes::STANDARD,
        lost: WhenLost::Refuse,
        merges: Merges::Here,
    };
    let store = Store::create(&folder.path().join("store"), &options).expect("a store");
    let mut transaction = store.begin().expect("a transaction");
    read_pages(&mut transaction);
    transaction.commit().expect("a commit");
    check_pages(
        |line| {
            let mut transaction = store.begin().expect("a transaction");
            run(&mut transaction, line).expect("an update");
            transaction.commit().expect("a commit");
        },
        || state_hash(&store.snapshot()),
    );
}

/// Does requests one after the other, over nothing, and lists the state.
fn check(requests: &[&str], want: &[&str]) {
    let mut store = PlainGraph::new();
    for text in requests {
        run(&mut store, text).unwrap_or_else(|error| panic!("{text}: {error}"));
    }
    assert_eq!(manicule_graphs::state_lines(&store), want, "{requests:?}");
}

fn check_refused(requests: &[&str], refused: &str) {
    let mut store = PlainGraph::new();
    for text in requests {
        run(&mut store, text).unwrap_or_else(|error| panic!("{text}: {error}"));
    }
    let outcome = run(&mut store, refused);
    assert!(matches!(outcome, Err(SparqlError::Refused(_))), "{refused}: {outcome:?}");
}

#[test]
fn removals_come_before_additions() {
    let data = "INSERT DATA { <x:a> <x:p> 1 . <x:b> <x:p> 2 }";
    let swap = "DELETE { ?s <x:p> ?o } INSERT { ?s <x:p> 1 } WHERE { ?s <x:p> ?o }";
    let one = "\"1\"^^<http://www.w3.org/2001/XMLSchema#integer>";
    let lines = [format!("<x:a> <x:p> {one} ."), format!("<x:b> <x:p> {one} .")];
    check(&[data, swap], &[&lines[0], &lines[1]]);
}

#[test]
fn an_illegal_triple_is_skipped_alone() {
    let data = "INSERT DATA { <x:a> <x:p> 'text' }";
    let turn = "INSERT { ?o <x:q> ?s . ?s <x:q> ?o . ?s <x:r> ?never } WHERE { ?s <x:p> ?o }";
    check(&[data, turn], &["<x:a> <x:p> \"text\" .", "<x:a> <x:q> \"text\" ."]);
}

#[test]
fn a_node_of_a_template_is_the_solutions_own() {
    let data = "INSERT DATA { <x:a> <x:p> <x:b>, <x:c> }";
    let made = "INSERT { _:n <x:q> ?o . _:n <x:r> ?o } WHERE { <x:a> <x:p> ?o } ;
        DELETE { <x:a> <x:p> ?o } WHERE { <x:a> <x:p> ?o }";
    let lines =
        ["_:b0 <x:q> <x:b> .", "_:b0 <x:r> <x:b> .", "_:b1 <x:q> <x:c> .", "_:b1 <x:r> <x:c> ."];
    check(&[data, made], &lines);
}

#[test]
fn a_request_sees_what_it_did() {
    let request = "LOAD <x:one> INTO GRAPH <x:g> ; COPY <x:g> TO DEFAULT ; DROP GRAPH <x:g>";
    check(&[request], &["<x:s> <x:p> \"loaded\" ."]);
}

#[test]
fn a_copy_of_itself_changes_nothing() {
    let data = "PREFIX x: <x:> INSERT DATA { GRAPH <x:g> { <x:a> <x:p> <x:b> } }";
    let copies = "PREFIX x: <x:> MOVE <x:g> TO x:g ; COPY x:g TO <x:g> ; ADD <x:g> TO <x:g>";
    check(&[data, copies], &["<x:a> <x:p> <x:b> <x:g> ."]);
}

#[test]
fn silent_passes_over_what_else_is_refused() {
    for verb in ["CLEAR GRAPH <x:g>", "DROP GRAPH <x:g>", "LOAD <x:two>", "COPY <x:g> TO <x:h>"] {
        check_refused(&[], verb);
        check(&[&verb.replacen(' ', " SILENT ", 1)], &[]);
    }
    for verb in ["ADD <x:g> TO DEFAULT", "MOVE <x:g> TO <x:h>"] {
        check_refused(&[], verb);
        check(&[&verb.replacen(' ', " SILENT ", 1)], &[]);
    }
    check_refused(&["CREATE GRAPH <x:g>"], "CREATE GRAPH <x:g>");
    check(&["CREATE GRAPH <x:g> ; CREATE SILENT GRAPH <x:g> ; COPY <x:g> TO <x:h>"], &[]);
}
