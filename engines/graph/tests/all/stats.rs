//! Statistics of a store against a walk over all quads: through commits, removals and merges.

use std::collections::{BTreeMap, BTreeSet};

use manicule_graph::export::put_term;
use manicule_graph::stats::{ScopeStats, stats};
use manicule_graph::{GraphChoice, Id, Pattern, Quad, Snapshot, Store, View};
use manicule_testkit::Rng;

use crate::common::{TYPE, change, on_disk};

fn written(snapshot: &Snapshot, id: Id) -> String {
    let mut line = Vec::new();
    snapshot.read_term(id, |term| put_term(term, &mut line)).expect("a term");
    String::from_utf8(line).expect("UTF-8")
}

/// A place in a quad.
type Part = fn(&Quad) -> Id;

#[track_caller]
fn check_scope(snapshot: &Snapshot, graph: GraphChoice, got: &ScopeStats, seed: &str) {
    let all = Pattern { subject: None, predicate: None, object: None, graph };
    let quads: Vec<Quad> = snapshot.scan(&all).map(|quad| quad.expect("a quad")).collect();
    let distinct =
        |quads: &[Quad], of: Part| quads.iter().map(of).collect::<BTreeSet<_>>().len() as u64;
    let subject: Part = |quad| quad.subject;
    let object: Part = |quad| quad.object;
    let counts = (quads.len() as u64, distinct(&quads, subject), distinct(&quads, object));
    assert_eq!((got.quads, got.subjects, got.objects), counts, "{seed}");
    let mut by_predicate: BTreeMap<String, Vec<Quad>> = BTreeMap::new();
    for quad in &quads {
        by_predicate.entry(written(snapshot, quad.predicate)).or_default().push(*quad);
    }
    assert_eq!(got.predicates.len(), by_predicate.len(), "{seed}");
    assert!(got.predicates.is_sorted_by(|left, right| left.quads >= right.quads), "{seed}");
    for row in &got.predicates {
        let own = &by_predicate[&row.predicate];
        let want = (own.len() as u64, distinct(own, subject), distinct(own, object));
        assert_eq!((row.quads, row.subjects, row.objects), want, "{seed}, {}", row.predicate);
    }
    let mut classes: BTreeMap<String, u64> = BTreeMap::new();
    for quad in by_predicate.get(&format!("<{TYPE}>")).into_iter().flatten() {
        *classes.entry(written(snapshot, quad.object)).or_default() += 1;
    }
    assert_eq!(got.classes.iter().cloned().collect::<BTreeMap<_, _>>(), classes, "{seed}");
    let kinds: u64 = got.objects_by_kind.iter().map(|(_, count)| count).sum();
    assert_eq!(kinds, got.quads, "{seed}");
}

#[test]
fn counts_are_those_of_a_walk_over_all_quads() {
    for seed in 0..10 {
        let mut rng = Rng::new(seed);
        let folder = tempfile::tempdir().expect("a folder");
        let store = Store::create(folder.path(), &on_disk()).expect("a store");
        for round in 0..6 {
            change(&mut rng, &store);
            if rng.one_in(3) {
                store.merge().expect("a merge");
            }
            let snapshot = store.snapshot();
            let got = stats(&snapshot).expect("statistics");
            let seed = format!("seed {seed}, round {round}");
            check_scope(&snapshot, GraphChoice::Default, &got.default, &seed);
            check_scope(&snapshot, GraphChoice::AnyNamed, &got.named, &seed);
            let graphs: u64 = got.graphs.iter().map(|(_, count)| count).sum();
            assert_eq!(graphs, got.named.quads, "{seed}");
            let names = snapshot.graphs().count() as u64;
            assert_eq!(got.graphs.len() as u64 + got.empty_graph_count, names, "{seed}");
        }
    }
}
