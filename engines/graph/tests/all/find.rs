//! Terms that are found, with their uses, against a walk over all quads; through commits, removals,
//! merges and graphs.

use std::collections::BTreeMap;
use std::ops::ControlFlow;

use manicule_core::watch::Watch;
use manicule_graph::export::put_term;
use manicule_graph::find::{FindCall, FindCounts, Uses, find};
use manicule_graph::term::TermRef;
use manicule_graph::{GraphChoice, Id, Pattern, Quad, Snapshot, Store, View};
use manicule_testkit::Rng;

use crate::common::{change, on_disk};

type Found = BTreeMap<String, Uses>;

fn written(term: TermRef<'_>) -> String {
    let mut line = Vec::new();
    put_term(term, &mut line);
    String::from_utf8(line).expect("UTF-8")
}

/// What a search finds.
fn found(snapshot: &Snapshot, text: &str, with_written: bool, is_inverted: bool) -> Found {
    let is_match = |bytes: &[u8]| String::from_utf8_lossy(bytes).contains(text);
    let call = FindCall { is_match: &is_match, with_written, is_inverted };
    let (mut found, mut counts) = (Found::new(), FindCounts::default());
    find(snapshot, &call, &mut counts, &Watch::none(), &mut |one| {
        assert_eq!(found.insert(written(one.term), one.uses), None, "each term once");
        ControlFlow::Continue(())
    })
    .expect("a search");
    found
}

/// What a walk over all quads finds.
fn walked(snapshot: &Snapshot, wanted: &dyn Fn(&str, &str) -> bool) -> Found {
    let mut walked = Found::new();
    for graph in [GraphChoice::Default, GraphChoice::AnyNamed] {
        let all = Pattern { subject: None, predicate: None, object: None, graph };
        for quad in snapshot.scan(&all) {
            let Quad { subject, predicate, object, graph } = quad.expect("a quad");
            for (place, id) in [subject, predicate, object, graph].into_iter().enumerate() {
                if id == Id::DEFAULT_GRAPH {
                    continue;
                }
                let (text, line) =
                    snapshot.read_term(id, |term| (lexical(term), written(term))).expect("a term");
                let Some(text) = text.filter(|text| wanted(text, &line)) else { continue };
                drop(text);
                let uses = walked.entry(line).or_default();
                let places =
                    [&mut uses.subject, &mut uses.predicate, &mut uses.object, &mut uses.graph];
                *places.into_iter().nth(place).expect("four places") += 1;
            }
        }
    }
    walked
}

fn lexical(term: TermRef<'_>) -> Option<String> {
    match term {
        TermRef::Blank(_) => None,
        TermRef::Iri(text)
        | TermRef::Simple(text)
        | TermRef::Tagged(text, _)
        | TermRef::Directional(text, ..)
        | TermRef::Typed(text, _) => Some(text.to_owned()),
        TermRef::Triple(triple) => {
            let parts: Vec<String> = triple.terms().into_iter().filter_map(lexical).collect();
            Some(parts.join("\n"))
        }
    }
}

#[test]
fn terms_are_those_of_a_walk_over_all_quads() {
    for seed in 0..5 {
        let mut rng = Rng::new(seed);
        let folder = tempfile::tempdir().expect("a folder");
        let store = Store::create(folder.path(), &on_disk()).expect("a store");
        for round in 0..6 {
            change(&mut rng, &store);
            if rng.one_in(3) {
                store.merge().expect("a merge");
            }
            let snapshot = store.snapshot();
            for text in ["", "1", "/2", "a", "2@en", "\"2"] {
                let seed = format!("seed {seed}, round {round}, {text:?}");
                let own = walked(&snapshot, &|own, _| own.contains(text));
                assert_eq!(found(&snapshot, text, false, false), own, "{seed}");
                let others = walked(&snapshot, &|own, _| !own.contains(text));
                assert_eq!(found(&snapshot, text, false, true), others, "{seed}");
                let written =
                    walked(&snapshot, &|own, line| own.contains(text) || line.contains(text));
                assert_eq!(found(&snapshot, text, true, false), written, "{seed}");
            }
        }
    }
}

#[test]
fn a_search_ends_when_it_is_told_and_looks_uses_up_for_matches_alone() {
    let folder = tempfile::tempdir().expect("a folder");
    let store = Store::create(folder.path(), &on_disk()).expect("a store");
    let mut rng = Rng::new(1);
    (0..20).for_each(|_| change(&mut rng, &store));
    store.merge().expect("a merge");
    let search = |text: &str| {
        let is_match = |bytes: &[u8]| bytes == text.as_bytes();
        let call =
            FindCall { is_match: &is_match, with_written: false, is_inverted: text.is_empty() };
        let (mut counts, mut seen) = (FindCounts::default(), 0);
        find(&store.snapshot(), &call, &mut counts, &Watch::none(), &mut |_| {
            seen += 1;
            if seen == 3 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        })
        .expect("a search");
        (seen, counts)
    };
    // An IRI: its subjects and objects, in default and named orders, and not its predicates, which
    // it isn't.
    let (seen, counts) = search("http://a/11");
    assert_eq!((seen, counts.terms_matched, counts.uses_looked_up), (1, 1, 4), "{counts:?}");
    let (seen, counts) = search("nothing");
    assert_eq!((seen, counts.terms_matched, counts.uses_looked_up), (0, 0, 0), "{counts:?}");
    let all = counts.terms_compared;
    let (seen, counts) = search("");
    assert!(seen == 3 && counts.terms_compared < all && all > 60, "{counts:?}");
}
