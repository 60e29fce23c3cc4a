//! What an update is done to.
//!
//! Callers: update, faces/manicule

use crate::quad::Quad;
use crate::term::TermRef;
use crate::view::View;
use crate::{GraphError, Id};

/// A view that can be changed, and shows its own changes. What is done through it holds, all of it or nothing, when its owner commits
/// it.
pub trait Writable: View {
    /// The id of a term, which is entered if it is new.
    fn enter_term(&mut self, term: TermRef<'_>) -> Result<Id, GraphError>;

    /// A blank node that the store has never had.
    fn new_blank(&mut self) -> Result<Id, GraphError>;

    /// Adds a quad, and says whether it was not there. Its graph exists from then on.
    fn insert(&mut self, quad: Quad) -> Result<bool, GraphError>;

    /// Removes a quad, and says whether it was there. Its graph stays.
    fn remove(&mut self, quad: Quad) -> Result<bool, GraphError>;

    /// Makes a graph exist.
    fn create_graph(&mut self, name: Id) -> Result<(), GraphError>;

    /// Makes a graph that has no quads exist no more.
    fn drop_graph(&mut self, name: Id) -> Result<(), GraphError>;
}
