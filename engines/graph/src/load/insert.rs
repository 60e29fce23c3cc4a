//! Statements of documents into a transaction.

use std::collections::HashMap;

use manicule_format_leaf::Id;
use oxrdf::BlankNode;

use super::raw::{RawQuad, RawTerm, Sink};
use crate::error::GraphError;
use crate::quad::Quad;
use crate::sparql::triple_of;
use crate::store::Transaction;
use crate::term::TermRef;

/// What becomes of a statement that names its graph.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum NamedGraphs {
    /// It goes there.
    Filled,
    /// It is an error: one graph alone is to change.
    Refused,
}

/// A sink whose quads a transaction adds.
#[derive(Debug)]
pub struct Insert<'t> {
    transaction: &'t mut Transaction,
    /// Graph of statements without one.
    graph: Id,
    named: NamedGraphs,
    /// The first graph that was named and refused; nothing is taken any more.
    refused: Option<String>,
    /// Nodes of the document that is read, by their labels.
    blanks: HashMap<Vec<u8>, Id>,
    /// Number of statements that were taken.
    count: u64,
    /// Why the store can't be read; nothing is taken any more.
    error: Option<GraphError>,
    tag: String,
}

impl<'t> Insert<'t> {
    /// A sink; statements that name no graph go to `graph`.
    pub fn new(transaction: &'t mut Transaction, graph: Id, named: NamedGraphs) -> Self {
        let (blanks, tag, refused) = (HashMap::new(), String::new(), None);
        Insert { transaction, graph, named, refused, blanks, count: 0, error: None, tag }
    }

    /// The first graph that a statement named and was refused for.
    pub fn refused(&self) -> Option<&str> {
        self.refused.as_deref()
    }

    /// What comes is another document: its blank nodes are new ones.
    pub fn begin_document(&mut self) {
        self.blanks.clear();
    }

    /// The number of statements that were taken, or why the store can't be read.
    pub fn end(self) -> Result<u64, GraphError> {
        self.error.map_or(Ok(self.count), Err)
    }

    fn id(&mut self, term: RawTerm<'_>) -> Result<Id, GraphError> {
        match term {
            RawTerm::Blank(label) => Ok(self.blank(label)),
            RawTerm::Triple(triple) => {
                let mut number = |node: &BlankNode| -> Result<u64, GraphError> {
                    Ok(self.blank(node.as_str().as_bytes()).payload())
                };
                let triple = triple_of(triple, &mut number)?;
                self.transaction.intern(TermRef::Triple(triple.as_triple()))
            }
            term => {
                let term = term.term_ref(&mut self.tag).expect("the others are done");
                self.transaction.intern(term)
            }
        }
    }

    fn blank(&mut self, label: &[u8]) -> Id {
        if let Some(id) = self.blanks.get(label) {
            return *id;
        }
        let id = self.transaction.new_blank();
        self.blanks.insert(label.to_vec(), id);
        id
    }

    fn add(&mut self, quad: &RawQuad<'_>) -> Result<(), GraphError> {
        let quad = Quad {
            subject: self.id(quad.subject)?,
            predicate: self.id(quad.predicate)?,
            object: self.id(quad.object)?,
            graph: quad.graph.map_or(Ok(self.graph), |graph| self.id(graph))?,
        };
        self.transaction.insert(quad);
        Ok(())
    }
}

impl Sink for Insert<'_> {
    fn take(&mut self, quad: &RawQuad<'_>) -> bool {
        if !quad.terms().all(RawTerm::is_valid) {
            return false;
        }
        if self.named == NamedGraphs::Refused
            && let Some(graph) = quad.graph
        {
            let (RawTerm::Iri(name) | RawTerm::Blank(name)) = graph else { return false };
            self.refused.get_or_insert_with(|| String::from_utf8_lossy(name).into_owned());
        }
        if self.error.is_none() && self.refused.is_none() {
            match self.add(quad) {
                Ok(()) => self.count += 1,
                Err(error) => self.error = Some(error),
            }
        }
        true
    }
}
