//! A store against the plainest one: a set of quads.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use manicule_core::watch::Watch;
use manicule_format_leaf::dictionary::DictionaryWriter;
use manicule_format_leaf::manifest::TagNumbers;
use manicule_format_leaf::statistics::{PredicateStatistics, ScopeStatistics, Statistics};
use manicule_format_leaf::{Order, Tag};
use manicule_graph::base::{Gatherer, LeafCutter};
use manicule_graph::bulk::{BulkOptions, compact};
use manicule_graph::term::TermRef;
use manicule_graph::{
    Blocks as _, GraphChoice, GraphError, Id, Pattern, Quad, Snapshot, Store, Transaction, View,
    named_snapshots, read_snapshot, read_store, read_store_again,
};
use manicule_testkit::Rng;

use crate::common::{commit_lines, on_disk};

/// A quad as texts: subject, predicate, object, graph or nothing.
type Texts = [String; 4];

fn term(text: &str) -> TermRef<'_> {
    match text.split_once('^') {
        Some((lexical, "s")) => TermRef::Simple(lexical),
        Some((lexical, "en")) => TermRef::Tagged(lexical, "en"),
        Some((lexical, datatype)) => TermRef::Typed(lexical, datatype),
        None => TermRef::Iri(text),
    }
}

fn text(view: &impl View, id: Id) -> String {
    if id == Id::DEFAULT_GRAPH {
        return String::new();
    }
    let text = |term: TermRef<'_>| match term {
        TermRef::Simple(lexical) => format!("{lexical}^s"),
        TermRef::Tagged(lexical, tag) => format!("{lexical}^{tag}"),
        TermRef::Typed(lexical, datatype) => format!("{lexical}^{datatype}"),
        TermRef::Iri(text) => text.to_owned(),
        TermRef::Blank(number) => format!("_:{number}"),
        TermRef::Directional(..) | TermRef::Triple(_) => panic!("none is made"),
    };
    view.read_term(id, text).unwrap()
}

fn texts(view: &impl View, quad: Quad) -> Texts {
    [quad.subject, quad.predicate, quad.object, quad.graph].map(|id| text(view, id))
}

fn intern(transaction: &mut Transaction, texts: &Texts) -> Quad {
    let mut id = |text: &String| {
        if text.is_empty() { Id::DEFAULT_GRAPH } else { transaction.intern(term(text)).unwrap() }
    };
    let [subject, predicate, object, graph] = texts.each_ref().map(&mut id);
    Quad { subject, predicate, object, graph }
}

fn all(graph: GraphChoice) -> Pattern {
    Pattern { subject: None, predicate: None, object: None, graph }
}

fn quads(view: &impl View, pattern: &Pattern) -> BTreeSet<Texts> {
    let mut count = 0;
    let found: BTreeSet<Texts> = view
        .quads(pattern)
        .map(|quad| {
            count += 1;
            texts(view, quad.unwrap())
        })
        .collect();
    assert_eq!(found.len(), count, "each quad comes once");
    check_columns(view, pattern);
    found
}

/// Columns hold the same quads as the iterator gives.
fn check_columns(view: &impl View, pattern: &Pattern) {
    let is_named = pattern.graph != GraphChoice::Default;
    let ids = |quad: Quad| [quad.subject, quad.predicate, quad.object, quad.graph].map(|id| id.0);
    let mut want: Vec<[u64; 4]> = view.quads(pattern).map(|quad| ids(quad.unwrap())).collect();
    want.sort_unstable();
    for wanted in
        [[true, true, true, is_named], [false, false, true, false], [true, true, false, false]]
    {
        let mut columns = [const { Vec::new() }; 4];
        let (mut blocks, mut count) = (view.blocks(pattern, wanted).unwrap(), 0);
        while let Some(rows) = blocks.next().unwrap() {
            count += rows;
            let own = columns.iter_mut().zip(blocks.ids()).zip(wanted).filter(|(_, is)| *is);
            own.for_each(|((column, ids), _)| column.extend_from_slice(ids));
        }
        let id = |row: usize, at: usize| if wanted[at] { columns[at][row] } else { 0 };
        let mut got: Vec<[u64; 4]> =
            (0..count).map(|row| [0, 1, 2, 3].map(|at| id(row, at))).collect();
        got.sort_unstable();
        let kept = |row: &[u64; 4]| [0, 1, 2, 3].map(|at| if wanted[at] { row[at] } else { 0 });
        let mut want: Vec<[u64; 4]> = want.iter().map(kept).collect();
        want.sort_unstable();
        assert_eq!(got, want, "{pattern:?} {wanted:?}");
    }
}

#[derive(Clone, Default, Debug, PartialEq)]
struct Model {
    quads: BTreeSet<Texts>,
    graphs: BTreeSet<String>,
}

impl Model {
    /// The quads of a pattern whose terms are given as texts, of which the last is a graph.
    fn quads(&self, wanted: &[Option<String>; 3], graph: Option<&str>) -> BTreeSet<Texts> {
        let is = |quad: &&Texts| {
            let bound = wanted
                .iter()
                .zip(&quad[..3])
                .all(|(wanted, got)| wanted.as_ref().is_none_or(|text| text == got));
            bound && graph.map_or(!quad[3].is_empty(), |graph| graph == quad[3])
        };
        self.quads.iter().filter(is).cloned().collect()
    }
}

fn random_text(rng: &mut Rng, place: usize) -> String {
    let number = rng.below(12);
    match (place, rng.below(5)) {
        (3, 0..3) => String::new(),
        (3, _) => format!("g{}", number % 4),
        (2, 0) => format!("{number}^http://www.w3.org/2001/XMLSchema#integer"),
        (2, 1) => format!("0{number}^http://www.w3.org/2001/XMLSchema#integer"),
        (2, 2) => format!("text {number}^s"),
        (2, 3) => format!("text {number}^en"),
        (1, _) => format!("p{}", number % 4),
        _ => format!("n{number}"),
    }
}

fn random_texts(rng: &mut Rng) -> Texts {
    [0, 1, 2, 3].map(|place| random_text(rng, place))
}

/// Random changes of both, all in one transaction.
fn change(rng: &mut Rng, transaction: &mut Transaction, model: &mut Model) {
    for _ in 0..1 + rng.below(60) {
        let texts = random_texts(rng);
        let graph = format!("g{}", rng.below(4));
        match rng.below(40) {
            0 => {
                let name = transaction.intern(TermRef::Iri(&graph)).unwrap();
                transaction.drop_graph(name).unwrap();
                model.quads.retain(|quad| quad[3] != graph);
                model.graphs.remove(&graph);
            }
            1 => {
                let name = transaction.intern(TermRef::Iri(&graph)).unwrap();
                transaction.create_graph(name);
                model.graphs.insert(graph);
            }
            2 => {
                let (choice, is_default) =
                    rng.pick(&[(GraphChoice::Default, true), (GraphChoice::AnyNamed, false)]);
                transaction.clear(choice).unwrap();
                model.quads.retain(|quad| quad[3].is_empty() != is_default);
            }
            3 => check(rng, &transaction.view(), model),
            4..22 => {
                let quad = intern(transaction, &texts);
                transaction.remove(quad);
                model.quads.remove(&texts);
            }
            _ => {
                let quad = intern(transaction, &texts);
                transaction.insert(quad);
                if !texts[3].is_empty() {
                    model.graphs.insert(texts[3].clone());
                }
                model.quads.insert(texts);
            }
        }
    }
}

/// Everything that a view answers, and some random patterns.
fn check(rng: &mut Rng, view: &Snapshot, model: &Model) {
    let named: BTreeSet<String> = view.graphs().map(|name| text(view, name.unwrap())).collect();
    assert_eq!(named, model.graphs);
    for (choice, graph) in [(GraphChoice::Default, Some("")), (GraphChoice::AnyNamed, None)] {
        let want = model.quads(&[None, None, None], graph);
        assert_eq!(quads(view, &all(choice)), want);
    }
    for _ in 0..20 {
        let texts = random_texts(rng);
        let wanted = [0, 1, 2].map(|place| (!rng.one_in(3)).then(|| texts[place].clone()));
        let graph = rng.pick(&["", "g0", "g1", "g2", "g3", "any"]);
        let mut is_known = true;
        let mut find = |text: &str| {
            let id = view.find_term(term(text)).unwrap();
            is_known &= id.is_some();
            id
        };
        let [subject, predicate, object] =
            wanted.each_ref().map(|text| text.as_ref().and_then(|text| find(text)));
        let choice = match graph {
            "" => GraphChoice::Default,
            "any" => GraphChoice::AnyNamed,
            name => find(name).map_or(GraphChoice::Default, GraphChoice::Named),
        };
        let want = model.quads(&wanted, (graph != "any").then_some(graph));
        if !is_known {
            assert_eq!(want, BTreeSet::new());
            continue;
        }
        let pattern = Pattern { subject, predicate, object, graph: choice };
        assert_eq!(quads(view, &pattern), want, "{wanted:?} in {graph:?}");
        if let GraphChoice::Named(name) = choice {
            assert_eq!(view.has_graph(name).unwrap(), model.graphs.contains(graph));
        }
    }
}

/// Counts are exact where a pattern is a range.
fn check_counts(view: &Snapshot, model: &Model) {
    let count = |pattern: &Pattern| view.estimate(pattern).unwrap() as usize;
    assert_eq!(count(&all(GraphChoice::Default)), model.quads(&[None, None, None], Some("")).len());
    assert_eq!(count(&all(GraphChoice::AnyNamed)), model.quads(&[None, None, None], None).len());
    for predicate in ["p0", "p1", "p2", "p3"] {
        let Some(id) = view.find_term(TermRef::Iri(predicate)).unwrap() else { continue };
        let pattern = Pattern { predicate: Some(id), ..all(GraphChoice::Default) };
        let want = model.quads(&[None, Some(predicate.to_owned()), None], Some(""));
        assert_eq!(count(&pattern), want.len());
    }
}

/// Statistics of the generation are those of its rows.
fn check_statistics(view: &Snapshot) {
    let Some(got) = view.state().base.statistics() else {
        assert!(view.state().base.manifest().generation == 1, "only a new store has none");
        return;
    };
    let [default, named] = [GraphChoice::Default, GraphChoice::AnyNamed];
    for (choice, got) in [(default, &got.default), (named, &got.named)] {
        let quads: Vec<Quad> = view.scan(&all(choice)).map(Result::unwrap).collect();
        let mut gatherer = Gatherer::new(None);
        let sorted = |key: fn(&Quad) -> [Id; 3]| {
            let mut rows: Vec<_> = quads.iter().map(key).collect();
            rows.sort_unstable();
            rows
        };
        for [subject, predicate, _] in sorted(|quad| [quad.subject, quad.predicate, quad.object]) {
            gatherer.by_subject(subject, predicate);
        }
        for [predicate, object, _] in sorted(|quad| [quad.predicate, quad.object, quad.subject]) {
            gatherer.by_predicate(predicate, object);
        }
        for [object, ..] in sorted(|quad| [quad.object, quad.subject, quad.predicate]) {
            gatherer.by_object(object);
        }
        let want = gatherer.finish();
        let counts = |of: &ScopeStatistics| (of.row_count, of.subject_count, of.object_count);
        assert_eq!(counts(got), counts(&want));
        for (got, want) in got.predicates.iter().zip(&want.predicates) {
            let counts = |of: &PredicateStatistics| {
                (of.predicate, of.row_count, of.subject_count, of.object_count)
            };
            assert_eq!(counts(got), counts(want));
        }
    }
    for (graph, count) in &got.graphs {
        assert_eq!(view.estimate(&all(GraphChoice::Named(*graph))).unwrap(), *count);
    }
    assert_eq!(got.graphs.iter().map(|graph| graph.1).sum::<u64>(), got.named.row_count);
}

fn random_history(seed: u64, folder: &Path) {
    let mut rng = Rng::new(seed);
    let mut store = Store::create(folder, &on_disk()).unwrap();
    let mut model = Model::default();
    let mut old: Vec<(Snapshot, Model)> = Vec::new();
    for _ in 0..60 {
        let mut transaction = store.begin().unwrap();
        let mut changed = model.clone();
        change(&mut rng, &mut transaction, &mut changed);
        if rng.one_in(8) {
            drop(transaction);
        } else {
            let committed = transaction.commit().unwrap();
            let added = changed.quads.difference(&model.quads).count();
            let removed = model.quads.difference(&changed.quads).count();
            assert_eq!((committed.added, committed.removed), (added as u64, removed as u64));
            assert_eq!(committed.commit.is_none(), changed == model);
            model = changed;
        }
        if rng.one_in(10) {
            drop(store);
            store = Store::open(folder, &on_disk()).unwrap();
        }
        if rng.one_in(5) {
            store.merge().unwrap();
            assert!(!store.merge().unwrap(), "there is nothing left to merge");
            check_statistics(&store.snapshot());
        }
        if rng.one_in(8) {
            let options =
                BulkOptions { memory: rng.pick(&[1, 1 << 20]), threads: 1 + rng.below(2) };
            let compact = || compact(&store, options, &Watch::none()).unwrap();
            compact();
            assert_eq!(compact(), None, "there is nothing left to compact");
            check_statistics(&store.snapshot());
        }
        let now = store.snapshot();
        check(&mut rng, &now, &model);
        check_counts(&now, &model);
        if rng.one_in(6) {
            old.push((now, model.clone()));
        }
    }
    for (snapshot, model) in &old {
        check(&mut rng, snapshot, model);
    }
    check(&mut rng, &read_store(folder, 8).unwrap(), &model);
}

#[test]
fn a_store_is_a_set_of_quads() {
    for seed in 0..6 {
        let folder = tempfile::tempdir().unwrap();
        println!("seed {seed}");
        random_history(seed, &folder.path().join("store"));
    }
}

#[test]
fn one_process_writes() {
    let folder = tempfile::tempdir().unwrap();
    let store = Store::create(folder.path(), &on_disk()).unwrap();
    let busy = Store::open(folder.path(), &on_disk()).unwrap_err();
    assert!(matches!(busy, GraphError::Busy { .. }), "{busy}");
    assert!(Store::create(folder.path(), &on_disk()).is_err(), "it isn't empty");
    drop(store);
    Store::open(folder.path(), &on_disk()).unwrap();
    let missing = Store::open(&folder.path().join("none"), &on_disk()).unwrap_err();
    assert!(matches!(missing, GraphError::Missing { .. }), "{missing}");
}

/// Commits of one triple each.
/// The files below a store, by their folders.
fn file_counts(folder: &Path) -> [usize; 5] {
    let count = |name: &str| fs::read_dir(folder.join(name)).unwrap().count();
    [count("leaf"), count("dict"), count("log"), count("stat"), count("")]
}

#[test]
fn merges_leave_nothing_that_nobody_names() {
    let folder = tempfile::tempdir().unwrap();
    let store = Store::create(folder.path(), &on_disk()).unwrap();
    let before = store.snapshot();
    for round in 0..6 {
        commit_lines(&store, round * 10..round * 10 + 10);
        assert!(store.merge().unwrap());
        // Three orders of the default graph; a log and how far it was synced; and CURRENT,
        // manifest, two locks, five folders.
        let [leaves, dictionaries, logs, statistics, names] = file_counts(folder.path());
        assert_eq!((leaves, logs, statistics, names), (3, 2, 1, 9));
        assert!(dictionaries <= 3, "{dictionaries} after {round}");
    }
    fs::write(folder.path().join("leaf/0000000999.leaf"), "left by a killed merge").unwrap();
    // A reader may have listed it just before the merge that removes it: what it holds is in the
    // generation.
    fs::write(folder.path().join(format!("log/{:020}.log", 1)), "no log").unwrap();
    let seen = read_store(folder.path(), 1).unwrap();
    assert_eq!(quads(&seen, &all(GraphChoice::Default)).len(), 60);
    drop(store);
    let store = Store::open(folder.path(), &on_disk()).unwrap();
    let [leaves, _, logs, ..] = file_counts(folder.path());
    assert_eq!((leaves, logs), (3, 2));
    assert_eq!(quads(&store.snapshot(), &all(GraphChoice::Default)).len(), 60);
    assert_eq!(quads(&before, &all(GraphChoice::Default)).len(), 0);
}

#[test]
fn readers_and_writers_go_on_while_commits_are_merged() {
    let folder = tempfile::tempdir().unwrap();
    let store = Store::create(folder.path(), &on_disk()).unwrap();
    let is_over = std::sync::atomic::AtomicBool::new(false);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            while !is_over.load(std::sync::atomic::Ordering::SeqCst) {
                store.merge().unwrap();
            }
        });
        for reader in 0..2 {
            let (store, folder, is_over) = (&store, folder.path(), &is_over);
            scope.spawn(move || {
                let mut other = read_store(folder, 3).unwrap();
                while !is_over.load(std::sync::atomic::Ordering::SeqCst) {
                    other = read_store_again(folder, &other).unwrap();
                    let snapshot = if reader == 0 { store.snapshot() } else { other.clone() };
                    // Each commit adds one triple.
                    let count = quads(&snapshot, &all(GraphChoice::Default)).len() as u64;
                    assert_eq!(count, snapshot.commit());
                }
            });
        }
        commit_lines(&store, 0..150);
        is_over.store(true, std::sync::atomic::Ordering::SeqCst);
    });
    assert_eq!(store.snapshot().commit(), 150);
}

#[test]
fn an_empty_store_is_filled_at_once_and_written_to_as_any_other() {
    let folder = tempfile::tempdir().unwrap();
    let store = Store::create(folder.path(), &on_disk()).unwrap();
    let iri = |number| Id::new(Tag::IRI, number);
    let mut dictionary = DictionaryWriter::new();
    dictionary.begin(Tag::IRI, 0);
    (0..100).for_each(|number| dictionary.push(format!("iri {number:02}").as_bytes()));
    dictionary.end(None);
    let dictionary = dictionary.finish();
    let fill = |store: &Store| {
        let mut bulk = store.begin_bulk().unwrap().expect("it is empty");
        for order in Order::DEFAULT {
            let row =
                |number| order.row([iri(number), iri(7), iri(99 - number), Id::DEFAULT_GRAPH]);
            let mut rows: Vec<[Id; 4]> = (0..100).map(row).collect();
            rows.sort();
            let mut cutter = LeafCutter::new(order, 30);
            let full: Vec<_> = rows.into_iter().filter_map(|row| cutter.push(row)).collect();
            full.iter()
                .chain(&cutter.finish())
                .for_each(|leaf| bulk.put_leaf(order, leaf).unwrap());
        }
        bulk.put_dictionary(&dictionary).unwrap();
        bulk
    };
    drop(fill(&store));
    assert_eq!(store.snapshot().commit(), 0, "what isn't published isn't seen");
    let mut next = TagNumbers::default();
    next.set(Tag::IRI, 100);
    fill(&store).publish(next, next, Vec::new(), &Statistics::default()).unwrap();
    assert!(store.begin_bulk().unwrap().is_none());
    let check = |snapshot: &Snapshot, count| {
        assert_eq!(quads(snapshot, &all(GraphChoice::Default)).len(), count);
        assert_eq!(snapshot.find_term(TermRef::Iri("iri 42")).unwrap(), Some(iri(42)));
        assert_eq!(text(snapshot, iri(42)), "iri 42");
    };
    check(&store.snapshot(), 100);
    commit_lines(&store, 0..5);
    drop(store);
    let store = Store::open(folder.path(), &on_disk()).unwrap();
    check(&store.snapshot(), 105);
    store.merge().unwrap();
    check(&store.snapshot(), 105);
    check(&read_store(folder.path(), 1).unwrap(), 105);
    assert_eq!(store.snapshot().commit(), 6);
}

#[test]
fn a_named_snapshot_stays_whatever_comes_after() {
    let folder = tempfile::tempdir().unwrap();
    let store = Store::create(folder.path(), &on_disk()).unwrap();
    let at = |name: &str| {
        read_snapshot(folder.path(), name, 1)
            .map(|snapshot| quads(&snapshot, &all(GraphChoice::Default)).len())
    };
    commit_lines(&store, 0..10);
    store.name_snapshot("first").unwrap();
    for round in 1..4 {
        commit_lines(&store, round * 10..round * 10 + 10);
        store.merge().unwrap();
    }
    store.name_snapshot("second.1").unwrap();
    let [leaves, ..] = file_counts(folder.path());
    assert_eq!((at("first").unwrap(), at("second.1").unwrap(), leaves), (10, 40, 6));
    let listed = named_snapshots(folder.path()).unwrap();
    let names: Vec<_> = listed.iter().map(|one| &one.name[..]).collect();
    assert_eq!(names, ["first", "second.1"]);
    drop(store);
    let store = Store::open(folder.path(), &on_disk()).unwrap();
    assert_eq!(at("first").unwrap(), 10);
    assert!(store.drop_snapshot("first").unwrap() && !store.drop_snapshot("first").unwrap());
    assert!(matches!(at("first").unwrap_err(), GraphError::Missing { .. }));
    assert_eq!(file_counts(folder.path())[0], 3);
    for name in ["", ".", "..", "a/b", "a.aside", "ä"] {
        assert!(
            matches!(store.name_snapshot(name).unwrap_err(), GraphError::SnapshotName { .. }),
            "{name}"
        );
    }
}
