//! What an update is done to.

use crate::quad::{GraphChoice, Quad};
use crate::store::Transaction;
use crate::term::TermRef;
use crate::view::View;
use crate::{GraphError, Id};

/// Changes of a store that show themselves. They hold, all or none, when their owner commits them.
pub trait Writable {
    /// What shows the changes so far.
    type View: View;

    /// Calls `read` with the store as the changes so far leave it.
    fn with_view<R>(&mut self, read: impl FnOnce(&Self::View) -> R) -> R;

    /// The id of a term, which is entered if it is new.
    fn intern(&mut self, term: TermRef<'_>) -> Result<Id, GraphError>;

    /// The id of a term, if it has one.
    fn find(&self, term: TermRef<'_>) -> Result<Option<Id>, GraphError>;

    /// A blank node that the store has never had.
    fn new_blank(&mut self) -> Id;

    /// Adds a quad. Its graph exists from then on.
    fn insert(&mut self, quad: Quad);

    /// Removes a quad. Its graph stays.
    fn remove(&mut self, quad: Quad);

    /// Makes a graph exist.
    fn create_graph(&mut self, name: Id);

    /// Removes the quads of graphs, which stay.
    fn clear(&mut self, graph: GraphChoice) -> Result<(), GraphError>;

    /// Removes a graph and its quads.
    fn drop_graph(&mut self, name: Id) -> Result<(), GraphError>;
}

impl Writable for Transaction {
    type View = crate::Snapshot;

    fn with_view<R>(&mut self, read: impl FnOnce(&Self::View) -> R) -> R {
        read(&self.view())
    }

    fn intern(&mut self, term: TermRef<'_>) -> Result<Id, GraphError> {
        Transaction::intern(self, term)
    }

    fn find(&self, term: TermRef<'_>) -> Result<Option<Id>, GraphError> {
        Transaction::find(self, term)
    }

    fn new_blank(&mut self) -> Id {
        Transaction::new_blank(self)
    }

    fn insert(&mut self, quad: Quad) {
        Transaction::insert(self, quad);
    }

    fn remove(&mut self, quad: Quad) {
        Transaction::remove(self, quad);
    }

    fn create_graph(&mut self, name: Id) {
        Transaction::create_graph(self, name);
    }

    fn clear(&mut self, graph: GraphChoice) -> Result<(), GraphError> {
        Transaction::clear(self, graph)
    }

    fn drop_graph(&mut self, name: Id) -> Result<(), GraphError> {
        Transaction::drop_graph(self, name)
    }
}
