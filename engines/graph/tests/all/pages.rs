//! 300 pages replaced one by one, each in a durable transaction: the states are those of Jena.

use manicule_core::hex;
use manicule_graph::load::{Document, RawQuad, RawTerm, Rest, Sink, Syntax};
use manicule_graph::term::TermRef;
use manicule_graph::{Id, Quad, Snapshot, Store, Transaction, read_store};
use manicule_testkit::golden_file;
use sha2::{Digest, Sha256};

use crate::common::{lines, on_disk, remove_subject};

/// Inserts what a document says.
struct Insert<'t>(&'t mut Transaction);

impl Insert<'_> {
    fn id(&mut self, term: RawTerm<'_>) -> Id {
        let text = |bytes| str::from_utf8(bytes).expect("UTF-8");
        let lower = |tag| text(tag).to_ascii_lowercase();
        match term {
            RawTerm::Iri(iri) => self.0.intern(TermRef::Iri(text(iri))),
            RawTerm::Simple(lexical) => self.0.intern(TermRef::Simple(text(lexical))),
            RawTerm::Tagged(lexical, tag) => {
                self.0.intern(TermRef::Tagged(text(lexical), &lower(tag)))
            }
            RawTerm::Typed(lexical, datatype) => {
                self.0.intern(TermRef::Typed(text(lexical), text(datatype)))
            }
            RawTerm::Blank(_) => panic!("there are no blank nodes"),
            RawTerm::Directional(..) | RawTerm::Triple(_) => panic!("none is of RDF 1.2"),
        }
        .expect("an id")
    }
}

impl Sink for Insert<'_> {
    fn take(&mut self, quad: &RawQuad<'_>) -> bool {
        let [subject, predicate, object] =
            [quad.subject, quad.predicate, quad.object].map(|term| self.id(term));
        self.0.insert(Quad { subject, predicate, object, graph: Id::DEFAULT_GRAPH });
        true
    }
}

fn insert(transaction: &mut Transaction, document: &[u8]) {
    let mut document = Document::new(Syntax::Turtle, None, document).expect("a document");
    let mut sink = Insert(transaction);
    let rest = document.read(&mut sink, usize::MAX, |fault| panic!("{fault}"));
    assert!(matches!(rest, Ok(Rest::None)));
}

/// `DELETE WHERE { <page> ?p ?o } ; INSERT DATA { ... }`, as all requests are.
fn update(transaction: &mut Transaction, request: &str) {
    let rest = request.strip_prefix("DELETE WHERE { <").expect("a request");
    let (page, rest) = rest.split_once("> ?p ?o } ; INSERT DATA {").expect("a request");
    remove_subject(transaction, TermRef::Iri(page));
    insert(transaction, rest.strip_suffix('}').expect("a request").as_bytes());
}

fn state(snapshot: &Snapshot) -> (String, String) {
    let (lines, mut hash) = (lines(snapshot), Sha256::new());
    lines.iter().for_each(|line| hash.update(line));
    (lines.len().to_string(), hex::encode(hash.finalize()))
}

#[test]
fn pages_that_are_replaced_one_by_one_give_the_states_of_jena() {
    let states = include_str!("../../../../proof/golden/graph/pages/states.tsv");
    let row = |line: &str| line.split('\t').map(str::to_owned).collect::<Vec<_>>();
    let states: Vec<Vec<String>> = states.lines().skip(1).map(row).collect();
    let requests = String::from_utf8(golden_file("graph", "pages/updates.ru")).expect("text");
    let folder = tempfile::tempdir().expect("a folder");
    let mut store = Store::create(folder.path(), &on_disk()).expect("a store");
    let mut transaction = store.begin().expect("a transaction");
    insert(&mut transaction, &golden_file("graph", "pages/base.nt"));
    transaction.commit().expect("a commit");
    let mut states = states.iter();
    for (count, request) in requests.lines().chain([""]).enumerate() {
        if count % 50 == 0 {
            let want = states.next().expect("a state");
            let (triples, hash) = state(&store.snapshot());
            assert_eq!(&[count.to_string(), triples, hash], &want[..]);
            // What is acknowledged is there for others, and after a restart.
            drop(store);
            assert_eq!(state(&read_store(folder.path(), 1).expect("a store")).1, want[2]);
            store = Store::open(folder.path(), &on_disk()).expect("a store");
        }
        if !request.is_empty() {
            let mut transaction = store.begin().expect("a transaction");
            update(&mut transaction, request);
            transaction.commit().expect("a commit");
        }
    }
    assert!(states.next().is_none());
}
