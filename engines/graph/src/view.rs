//! What a query reads: one moment of a set of quads and of their terms.

use std::ops::ControlFlow;

use manicule_format_leaf::{Id, Role, Tag};

use crate::error::GraphError;
use crate::quad::{Pattern, Quad};
use crate::term::TermRef;

/// A term that is to be read.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct WantedTerm {
    /// Its id.
    pub id: Id,
    /// A number of the caller's: where the term goes.
    pub number: u32,
}

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

    /// The id of a term, or none if the store has never held it and its value is not one that ids
    /// hold.
    fn find_term(&self, term: TermRef<'_>) -> Result<Option<Id>, GraphError>;

    /// Calls `read` with the term that an id of this view names.
    fn read_term<R>(&self, id: Id, read: impl FnOnce(TermRef<'_>) -> R) -> Result<R, GraphError>
    where
        Self: Sized;

    /// Calls `read` with each of some ids and its term. Ids in order are read fastest.
    fn read_terms(
        &self,
        ids: &[WantedTerm],
        read: &mut dyn FnMut(WantedTerm, TermRef<'_>),
    ) -> Result<(), GraphError>
    where
        Self: Sized,
    {
        ids.iter().try_for_each(|own| self.read_term(own.id, |term| read(*own, term)))
    }

    /// The number below which those of a tag are in the order of the terms' texts, compared by
    /// bytes: terms of such ids needn't be read to be put in order.
    fn sorted_below(&self, tag: Tag) -> u64 {
        let _ = tag;
        0
    }

    /// The quads of a pattern. What is bound is looked up: the cost is that of the quads that come.
    fn quads(&self, pattern: &Pattern) -> Self::Quads<'_>;

    /// Hands over the quads of a pattern some at a time, column by column: of subject, predicate,
    /// object and graph those that are wanted, the graph only of patterns over named graphs; and
    /// how many there are. Returns the number of all of them.
    fn batches(
        &self,
        pattern: &Pattern,
        wanted: [bool; 4],
        each: &mut Batch<'_>,
    ) -> Result<u64, GraphError> {
        by_quads(self.quads(pattern), wanted, each)
    }

    /// How many quads a pattern has, where that is known without reading them.
    fn count(&self, pattern: &Pattern) -> Result<Option<u64>, GraphError> {
        let _ = pattern;
        Ok(None)
    }

    /// The distinct ids at a place of a pattern's quads, each with the number of its quads, where
    /// that takes less time than to read them.
    fn counts_by(
        &self,
        pattern: &Pattern,
        place: Role,
    ) -> Result<Option<Vec<(Id, u64)>>, GraphError> {
        let _ = (pattern, place);
        Ok(None)
    }

    /// The graphs that exist, without the default graph: those that hold a quad, and those that
    /// were created.
    fn graphs(&self) -> Self::Graphs<'_>;

    /// Whether a graph of this name exists.
    fn has_graph(&self, name: Id) -> Result<bool, GraphError>;

    /// How many quads a pattern has: exact where statistics hold the count or the pattern is a
    /// range, an estimate elsewhere. Reads no more than a few blocks.
    fn estimate(&self, pattern: &Pattern) -> Result<u64, GraphError>;
}

/// Takes some quads: their ids by place, and how many they are. After a break there are no more.
pub type Batch<'b> = dyn FnMut([&[u64]; 4], usize) -> ControlFlow<()> + 'b;

/// Maximum number of quads of a batch that is put together quad by quad.
const BATCH_QUADS: usize = 1024;

/// The columns of a pattern's quads, put together quad by quad.
pub(crate) fn by_quads(
    quads: impl Iterator<Item = Result<Quad, GraphError>>,
    wanted: [bool; 4],
    each: &mut Batch<'_>,
) -> Result<u64, GraphError> {
    let (mut count, mut rows) = (0, 0);
    let mut columns: [Vec<u64>; 4] = Default::default();
    for quad in quads {
        let Quad { subject, predicate, object, graph } = quad?;
        let ids = [subject, predicate, object, graph];
        for ((id, column), _) in ids.iter().zip(&mut columns).zip(wanted).filter(|(_, is)| *is) {
            column.push(id.0);
        }
        rows += 1;
        if rows == BATCH_QUADS {
            count += rows as u64;
            if each(columns.each_ref().map(Vec::as_slice), rows).is_break() {
                return Ok(count);
            }
            columns.iter_mut().for_each(Vec::clear);
            rows = 0;
        }
    }
    // What a break says is of no use after the last ones.
    let _ = each(columns.each_ref().map(Vec::as_slice), rows);
    Ok(count + rows as u64)
}
