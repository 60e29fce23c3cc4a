//! What tests of the store share: options, changes, and states as sorted lines.

#![allow(dead_code, reason = "each test uses some of it")]

use std::path::Path;

use manicule_graph::export::put_term;
use manicule_graph::term::{Direction, TermRef, TripleBuf};
use manicule_graph::{
    GraphChoice, GraphError, Id, LeafSizes, Merges, Pattern, Quad, Snapshot, Store, StoreOptions,
    Transaction, View, WhenLost, read_store,
};
use manicule_store::{Disk, SharedFiles};
use manicule_testkit::{Rng, names};

/// Options with a seed that tests agree on.
pub(crate) fn options(files: SharedFiles) -> StoreOptions {
    StoreOptions {
        files,
        random: 7,
        leaves: LeafSizes::STANDARD,
        lost: WhenLost::Refuse,
        merges: Merges::Here,
    }
}

/// Options for the disk itself.
pub(crate) fn on_disk() -> StoreOptions {
    options(Disk::shared())
}

/// All triples of the default graph that have a subject, if one is given.
pub(crate) fn of_default(subject: Option<Id>) -> Pattern {
    Pattern { subject, predicate: None, object: None, graph: GraphChoice::Default }
}

/// The default graph as lines of N-Triples, sorted.
pub(crate) fn lines(snapshot: &Snapshot) -> Vec<Vec<u8>> {
    try_lines(snapshot).expect("a sound store")
}

/// The same of a store that may be damaged.
pub(crate) fn try_lines(snapshot: &Snapshot) -> Result<Vec<Vec<u8>>, GraphError> {
    let line = |quad: Quad| {
        let mut line = Vec::new();
        for id in [quad.subject, quad.predicate, quad.object] {
            snapshot.read_term(id, |term| put_term(term, &mut line))?;
            line.push(b' ');
        }
        line.extend_from_slice(b".\n");
        Ok(line)
    };
    let quads = snapshot.scan(&of_default(None));
    let mut lines = quads.map(|quad| line(quad?)).collect::<Result<Vec<_>, GraphError>>()?;
    lines.sort_unstable();
    Ok(lines)
}

/// Removes all triples of a subject.
pub(crate) fn remove_subject(transaction: &mut Transaction, subject: TermRef<'_>) {
    let Some(subject) = transaction.find(subject).expect("a look-up") else { return };
    for quad in transaction.view().scan(&of_default(Some(subject))) {
        transaction.remove(quad.expect("a quad"));
    }
}

/// The change of a number: a page is replaced by 5 to 40 triples. The same number makes the same
/// change.
pub(crate) fn replace_page(number: u64, transaction: &mut Transaction) {
    let mut rng = Rng::new(number);
    let page = format!("http://wiki/page/{}", rng.below(20));
    remove_subject(transaction, TermRef::Iri(&page));
    let subject = transaction.intern(TermRef::Iri(&page)).expect("an id");
    for _ in 0..5 + rng.below(36) {
        let predicate = format!("http://wiki/p/{}", rng.below(5));
        let predicate = transaction.intern(TermRef::Iri(&predicate)).expect("an id");
        let text = format!("value:{}", rng.below(200));
        let object = match rng.below(3) {
            0 => TermRef::Iri(&text),
            1 => TermRef::Simple(&text),
            _ => TermRef::Tagged(&text, "en"),
        };
        let object = transaction.intern(object).expect("an id");
        transaction.insert(Quad { subject, predicate, object, graph: Id::DEFAULT_GRAPH });
    }
}

/// Commits the change of a number.
pub(crate) fn commit(store: &Store, number: u64) -> Result<(), String> {
    let mut transaction = store.begin().map_err(|error| error.to_string())?;
    replace_page(number, &mut transaction);
    transaction.commit().map(|_| ()).map_err(|error| error.to_string())
}

/// rdf:type.
pub(crate) const TYPE: &str = "http://www.w3.org/1999/02/22-rdf-syntax-ns#type";

/// Commits some random changes of few terms, all kinds of objects among them, in the default graph
/// and in others.
pub(crate) fn change(rng: &mut Rng, store: &Store) {
    const INTEGER: &str = "http://www.w3.org/2001/XMLSchema#integer";
    let mut transaction = store.begin().expect("a transaction");
    for _ in 0..rng.below(60) {
        let [subject, graph] = [12, 3].map(|many| format!("http://a/{}", rng.below(many)));
        let predicate = rng.pick(&["http://a/0", "http://a/1", "http://a/p", TYPE]);
        let [subject, predicate, graph] = [&subject, predicate, &graph]
            .map(|text| transaction.intern(TermRef::Iri(text)).expect("an id"));
        let text = format!("{}", rng.below(20));
        let triple = match rng.below(6) {
            0 => [TermRef::Iri(&text), TermRef::Iri("http://a/p"), TermRef::Typed(&text, INTEGER)],
            _ => {
                let blank = TermRef::Blank(transaction.new_blank().payload());
                [blank, TermRef::Iri("http://a/p"), TermRef::Tagged(&text, "en")]
            }
        };
        let triple = TripleBuf::new(triple).expect("one level");
        let object = match rng.below(7) {
            0 => TermRef::Iri(&text),
            1 => TermRef::Simple(&text),
            2 => TermRef::Tagged(&text, "en"),
            3 => TermRef::Typed(&text, INTEGER),
            4 => TermRef::Directional(&text, "en", Direction::Rtl),
            5 => TermRef::Triple(triple.as_triple()),
            _ => TermRef::Typed(&text, "http://a/type"),
        };
        let object = transaction.intern(object).expect("an id");
        let graph = if rng.one_in(2) { Id::DEFAULT_GRAPH } else { graph };
        let quad = Quad { subject, predicate, object, graph };
        match rng.below(3) {
            0 => transaction.remove(quad),
            _ => transaction.insert(quad),
        }
    }
    transaction.commit().expect("a commit");
}

/// Commits a triple for each number.
pub(crate) fn commit_lines(store: &Store, numbers: std::ops::Range<u64>) {
    for number in numbers {
        let mut transaction = store.begin().expect("a transaction");
        let mut id = |term: TermRef<'_>| transaction.intern(term).expect("an id");
        let (subject, object) = (format!("n{number}"), format!("text {number}"));
        let (subject, predicate) = (id(TermRef::Iri(&subject)), id(TermRef::Iri("p")));
        let object = id(TermRef::Simple(&object));
        transaction.insert(Quad { subject, predicate, object, graph: Id::DEFAULT_GRAPH });
        transaction.commit().expect("a commit");
    }
}

/// Files of a store that nothing names: what a call that was stopped has left.
pub(crate) fn unnamed_files(store: &Path) -> Vec<String> {
    let snapshot = read_store(store, 1).expect("a store");
    let manifest = snapshot.state().base.manifest();
    let numbers = manifest.leaves.iter().map(|leaf| leaf.file.number);
    let others = manifest.dictionaries.iter().chain(&manifest.statistics).map(|row| row.number);
    let kept: Vec<u64> = numbers.chain(others).collect();
    let is_kept = |name: &String| {
        let number = name.split('.').next().and_then(|number| number.parse().ok());
        number.is_some_and(|number| kept.contains(&number))
    };
    let folders = ["leaf", "dict", "stat"].map(|folder| names(&store.join(folder)));
    let files = folders.into_iter().flatten().filter(|name| !is_kept(name));
    let is_aside = |name: &String| name.ends_with(".aside");
    files.chain(names(store).into_iter().filter(is_aside)).collect()
}

/// The states of a store after the changes 1, 2, 3 and so on, which nobody disturbs.
pub(crate) struct States {
    folder: tempfile::TempDir,
    states: Vec<Vec<Vec<u8>>>,
}

impl States {
    pub(crate) fn new() -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        Store::create(folder.path(), &on_disk()).expect("a store");
        States { folder, states: vec![Vec::new()] }
    }

    /// The state after so many changes, as sorted lines.
    pub(crate) fn after(&mut self, count: u64) -> &[Vec<u8>] {
        if self.states.len() as u64 <= count {
            let store = Store::open(self.folder.path(), &on_disk()).expect("a store");
            while self.states.len() as u64 <= count {
                commit(&store, self.states.len() as u64).expect("a commit");
                self.states.push(lines(&store.snapshot()));
            }
        }
        &self.states[count as usize]
    }
}
