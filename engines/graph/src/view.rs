//! What a query reads: one moment of a set of quads and of their terms.

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
    /// The quads of a pattern, column by column.
    type Blocks<'v>: Blocks
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

    /// The quads of a pattern some at a time, column by column: of subject, predicate, object and
    /// graph those that are wanted, the graph only of patterns over named graphs.
    fn blocks(&self, pattern: &Pattern, wanted: [bool; 4]) -> Result<Self::Blocks<'_>, GraphError>;

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

/// Quads, some at a time.
pub trait Blocks {
    /// Reads the next quads. Returns their number, which may be 0; none after the last.
    fn next(&mut self) -> Result<Option<usize>, GraphError>;

    /// The ids of the quads that were read last, by place: of those that are wanted.
    fn ids(&self) -> [&[u64]; 4];
}

/// Maximum number of quads of a block that is put together quad by quad.
const BLOCK_QUADS: usize = 1024;

/// Blocks of quads that come one by one.
#[derive(Debug)]
pub struct ByQuads<I> {
    quads: I,
    wanted: [bool; 4],
    columns: [Vec<u64>; 4],
}

impl<I> ByQuads<I> {
    /// Blocks of some quads, with the ids at some of their places.
    pub fn new(quads: I, wanted: [bool; 4]) -> ByQuads<I> {
        ByQuads { quads, wanted, columns: Default::default() }
    }
}

impl<I: Iterator<Item = Result<Quad, GraphError>>> Blocks for ByQuads<I> {
    fn next(&mut self) -> Result<Option<usize>, GraphError> {
        self.columns.iter_mut().for_each(Vec::clear);
        let mut count = 0;
        for quad in self.quads.by_ref().take(BLOCK_QUADS) {
            let Quad { subject, predicate, object, graph } = quad?;
            let ids = [subject, predicate, object, graph];
            let columns = ids.iter().zip(&mut self.columns).zip(self.wanted);
            columns.filter(|(_, is)| *is).for_each(|((id, column), _)| column.push(id.0));
            count += 1;
        }
        Ok((count > 0).then_some(count))
    }

    fn ids(&self) -> [&[u64]; 4] {
        self.columns.each_ref().map(Vec::as_slice)
    }
}
