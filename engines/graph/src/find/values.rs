//! Literals whose value is their id, each once: they are in no dictionary, only in the orders that
//! begin with objects.

use std::ops::Range;
use std::sync::Arc;

use manicule_format_leaf::{Id, Order, Tag};

use crate::base::LeafSet;
use crate::error::GraphError;
use crate::overlay::Layer;
use crate::snapshot::State;

/// Rows whose objects are decoded at once.
const BATCH_ROWS: u64 = 4096;

/// Distinct values in order, out of the base and of all layers; also such whose quads are all
/// removed.
#[derive(Debug)]
pub(super) struct Values<'s> {
    sources: Vec<Source<'s>>,
    /// The next value of each source.
    heads: Vec<Option<Id>>,
    /// Number of rows that were passed.
    pub(super) rows: u64,
}

#[derive(Debug)]
enum Source<'s> {
    Base { set: &'s LeafSet, positions: Range<u64>, column: Vec<u64>, next: usize },
    Layer { layer: &'s Arc<Layer>, order: Order, places: Range<usize> },
}

impl<'s> Values<'s> {
    pub(super) fn new(state: &'s State) -> Result<Self, GraphError> {
        let least = Id::new(Tag::FIRST_INLINE, 0);
        let mut sources = Vec::new();
        for order in [Order::Osp, Order::Ospg] {
            let set = state.base.set(order);
            let positions = set.range(&[least])?.start..set.row_count();
            sources.push(Source::Base { set, positions, column: Vec::new(), next: 0 });
            sources.extend(state.layers.iter().map(|layer| {
                let end = layer.range(order, &[]).end;
                Source::Layer { layer, order, places: layer.range(order, &[least]).start..end }
            }));
        }
        let heads = vec![None; sources.len()];
        let mut values = Values { sources, heads, rows: 0 };
        (0..values.sources.len()).try_for_each(|source| values.pass(source))?;
        Ok(values)
    }

    /// The next value.
    pub(super) fn next(&mut self) -> Result<Option<Id>, GraphError> {
        let Some(least) = self.heads.iter().flatten().min().copied() else { return Ok(None) };
        for source in 0..self.sources.len() {
            if self.heads[source] == Some(least) {
                self.pass(source)?;
            }
        }
        Ok(Some(least))
    }

    /// Moves a source to a value that differs from its last one.
    fn pass(&mut self, source: usize) -> Result<(), GraphError> {
        let last = self.heads[source];
        loop {
            let id = self.sources[source].next()?;
            self.rows += u64::from(id.is_some());
            if id.is_none() || id != last {
                self.heads[source] = id;
                return Ok(());
            }
        }
    }
}

impl Source<'_> {
    /// The object of the next row.
    fn next(&mut self) -> Result<Option<Id>, GraphError> {
        match self {
            Source::Base { set, positions, column, next } => {
                if *next == column.len() {
                    let end = positions.end.min(positions.start + BATCH_ROWS);
                    column.clear();
                    set.decode(0, positions.start..end, column)?;
                    (positions.start, *next) = (end, 0);
                }
                let id = column.get(*next).map(|id| Id(*id));
                *next += 1;
                Ok(id)
            }
            Source::Layer { layer, order, places } => {
                Ok(places.next().map(|at| layer.row(*order, at)[0]))
            }
        }
    }
}
