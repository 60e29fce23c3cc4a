//! What a query reads: one moment of a set of quads and of their terms.
//!
//! Callers: sparql, load, export

use manicule_format_leaf::Id;

use crate::error::GraphError;
use crate::quad::{Pattern, Quad};
use crate::term::TermRef;

/// One moment of a store. Nothing that is committed later is seen through it.
pub trait View {
    /// The quads of a pattern, each once, in an order of its own.
    type Quads<'v>: Iterator<Item = Result<Quad, GraphError>>
    where
        Self: 'v;
    /// The names of graphs, each once.
    type Graphs<'v>: Iterator<Item = Result<Id, GraphError>>
    where
        Self: 'v;

    /// The id of a term, or none if the store has never held it and its value is not one that ids hold.
    fn find_term(&self, term: TermRef<'_>) -> Result<Option<Id>, GraphError>;

    /// Calls `read` with the term that an id of this view names.
    fn read_term<R>(&self, id: Id, read: impl FnOnce(TermRef<'_>) -> R) -> Result<R, GraphError>
    where
        Self: Sized;

    /// The quads of a pattern. What is bound is looked up: the cost is that of the quads that come.
    fn quads(&self, pattern: &Pattern) -> Self::Quads<'_>;

    /// Appends the ids of all quads of a pattern, column by column: of subject, predicate, object and graph those that are wanted, the
    /// graph only of patterns over named graphs. Returns the number of quads.
    fn columns(
        &self,
        pattern: &Pattern,
        wanted: [bool; 4],
        out: &mut [Vec<u64>; 4],
    ) -> Result<u64, GraphError> {
        by_quads(self, pattern, wanted, out)
    }

    /// The graphs that exist, without the default graph: those that hold a quad, and those that were created.
    fn graphs(&self) -> Self::Graphs<'_>;

    /// Whether a graph of this name exists.
    fn has_graph(&self, name: Id) -> Result<bool, GraphError>;

    /// How many quads a pattern has: exact where statistics hold the count or the pattern is a range, an estimate elsewhere. Reads
    /// no more than a few blocks.
    fn estimate(&self, pattern: &Pattern) -> Result<u64, GraphError>;
}

/// The columns of a pattern, quad by quad.
pub(crate) fn by_quads(
    view: &(impl View + ?Sized),
    pattern: &Pattern,
    wanted: [bool; 4],
    out: &mut [Vec<u64>; 4],
) -> Result<u64, GraphError> {
    let mut count = 0;
    for quad in view.quads(pattern) {
        let Quad { subject, predicate, object, graph } = quad?;
        let ids = [subject, predicate, object, graph];
        for ((id, column), _) in ids.iter().zip(&mut *out).zip(wanted).filter(|(_, is)| *is) {
            column.push(id.0);
        }
        count += 1;
    }
    Ok(count)
}
