//! Statements of documents into a transaction.

use std::collections::HashMap;

use manicule_format_leaf::Id;

use super::raw::{RawQuad, RawTerm, Sink};
use crate::error::GraphError;
use crate::quad::Quad;
use crate::store::Transaction;

/// A sink whose quads a transaction adds.
#[derive(Debug)]
pub struct Insert<'t> {
    transaction: &'t mut Transaction,
    /// Graph of statements without one.
    graph: Id,
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
    pub fn new(transaction: &'t mut Transaction, graph: Id) -> Self {
        let (blanks, tag) = (HashMap::new(), String::new());
        Insert { transaction, graph, blanks, count: 0, error: None, tag }
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
        if let RawTerm::Blank(label) = term {
            if let Some(id) = self.blanks.get(label) {
                return Ok(*id);
            }
            let id = self.transaction.new_blank();
            self.blanks.insert(label.to_vec(), id);
            return Ok(id);
        }
        let term = term.term_ref(&mut self.tag).expect("blank nodes are done");
        self.transaction.intern(term)
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
        if self.error.is_none() {
            match self.add(quad) {
                Ok(()) => self.count += 1,
                Err(error) => self.error = Some(error),
            }
        }
        true
    }
}
