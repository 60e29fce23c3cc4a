//! Where a test's data lie: in the plain store, or in a real one that the tests share, which is
//! emptied for each.

use std::collections::HashMap;

use manicule_graph::load::{
    Document, DocumentError, Fault, Insert, NamedGraphs, Rest, Syntax, read_lines,
};
use manicule_graph::term::TermRef;
use manicule_graph::{
    GraphChoice, Id, LeafSizes, Merges, Snapshot, Store, StoreOptions, Transaction, View, WhenLost,
};
use manicule_graphs::{PlainGraph, read_into};
use manicule_store::Disk;
use oxrdfio::RdfFormat;
use tempfile::TempDir;

/// Where data lie.
pub(crate) enum Place {
    /// In sets in memory.
    Plain,
    /// In a folder.
    Stored(Stored),
}

/// A store that the tests share.
pub(crate) struct Stored {
    pub(crate) store: Store,
    _folder: TempDir,
    /// Number of times that it was filled.
    filled: u64,
}

impl Stored {
    pub(crate) fn new() -> Stored {
        let folder = tempfile::tempdir().expect("a folder");
        let options = StoreOptions {
            files: Disk::shared(),
            random: 7,
            leaves: LeafSizes::STANDARD,
            lost: WhenLost::Refuse,
            merges: Merges::Here,
        };
        let store = Store::create(&folder.path().join("store"), &options).expect("a store");
        Stored { store, _folder: folder, filled: 0 }
    }

    /// A transaction after which nothing of earlier tests is there.
    fn emptied(&self) -> Transaction {
        let mut transaction = self.store.begin().expect("a transaction");
        let view = transaction.view();
        for name in view.graphs() {
            transaction.drop_graph(name.expect("a graph")).expect("it is dropped");
        }
        transaction.clear(GraphChoice::Default).expect("it is emptied");
        transaction
    }

    /// The store with the data of a plain one, and with nothing else.
    pub(crate) fn filled(&mut self, plain: &PlainGraph) -> Snapshot {
        let (mut transaction, mut nodes) = (self.emptied(), HashMap::new());
        let mut enter = |transaction: &mut Transaction, id: Id| -> Id {
            let mut node = |transaction: &mut Transaction, number| -> Id {
                *nodes.entry(number).or_insert_with(|| transaction.new_blank())
            };
            plain
                .read_term(id, |term| match term {
                    TermRef::Blank(number) => node(transaction, number),
                    TermRef::Triple(triple) => {
                        let mut number = |number| node(transaction, number).payload();
                        let triple = triple.renumbered(&mut number);
                        transaction.intern(TermRef::Triple(triple.as_triple())).expect("an id")
                    }
                    term => transaction.intern(term).expect("an id"),
                })
                .expect("a term")
        };
        for name in plain.graphs() {
            let name = enter(&mut transaction, name.expect("a graph"));
            transaction.create_graph(name);
        }
        for mut quad in crate::w3c::run::all_quads(plain) {
            for id in [&mut quad.subject, &mut quad.predicate, &mut quad.object] {
                *id = enter(&mut transaction, *id);
            }
            if quad.graph != Id::DEFAULT_GRAPH {
                quad.graph = enter(&mut transaction, quad.graph);
            }
            transaction.insert(quad);
        }
        transaction.commit().expect("a commit");
        self.filled += 1;
        // Every third one is read from leaves, the others from what is not merged yet.
        if self.filled.is_multiple_of(3) {
            self.store.merge().expect("a merge");
        }
        self.store.snapshot()
    }

    /// The store with what our own readers of documents find, and with nothing else.
    fn read(&mut self, bytes: &[u8], syntax: Syntax, base: &str) -> Result<Snapshot, String> {
        let mut transaction = self.emptied();
        let mut sink = Insert::new(&mut transaction, Id::DEFAULT_GRAPH, NamedGraphs::Filled);
        sink.begin_document();
        if syntax.is_lines() {
            let mut faults: Vec<Fault> = Vec::new();
            read_lines(bytes, syntax.has_graphs(), &mut sink, |fault| {
                faults.push(fault);
                false
            });
            if let Some(fault) = faults.first() {
                return Err(fault.to_string());
            }
        } else {
            let mut document = Document::new(syntax, Some(base), bytes)?;
            loop {
                match document.read(&mut sink, 1000, |_| false) {
                    Ok(Rest::More) => {}
                    Ok(Rest::None) => break,
                    Err(DocumentError::Fault(fault)) => return Err(fault.to_string()),
                    Err(DocumentError::Io(error)) => return Err(error.to_string()),
                }
            }
        }
        sink.end().map_err(|error| error.to_string())?;
        transaction.commit().expect("a commit");
        Ok(self.store.snapshot())
    }
}

/// A document that was read.
pub(crate) enum Read {
    Plain(PlainGraph),
    Stored(Snapshot),
}

impl Place {
    /// Reads a document: by the library's parsers into the plain store, by our own readers into the
    /// real one.
    pub(crate) fn read(
        &mut self,
        bytes: &[u8],
        format: RdfFormat,
        base: &str,
    ) -> Result<Read, String> {
        match self {
            Place::Plain => {
                let mut graph = PlainGraph::new();
                read_into(&mut graph, bytes, format, base, None)?;
                Ok(Read::Plain(graph))
            }
            Place::Stored(stored) => {
                let syntax = Syntax::of_media_type(format.media_type()).ok_or("no syntax")?;
                stored.read(bytes, syntax, base).map(Read::Stored)
            }
        }
    }
}
