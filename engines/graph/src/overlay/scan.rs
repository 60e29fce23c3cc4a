//! Rows of one order with one prefix: the base and the runs of all layers, merged; the newest entry
//! of a row wins.

use std::sync::Arc;

use manicule_format_leaf::{Id, Order};

use super::layer::Layer;
use crate::base::{BaseRows, LeafSet};
use crate::error::GraphError;

/// In place of the row that comes next where there is none: greater than all rows.
const DONE: [Id; 4] = [Id::MAX; 4];

/// A source of rows in order, some of which say that a row is removed.
#[derive(Debug)]
enum Source {
    Base(BaseRows),
    Run {
        layer: Arc<Layer>,
        /// Place of the head, and the end.
        at: usize,
        end: usize,
        /// Place of the next removed row in the layer's list of them.
        removed: usize,
    },
}

/// Rows of an order. After an error there are none.
#[derive(Debug)]
pub struct Scan {
    order: Order,
    /// Oldest first.
    sources: Vec<Source>,
    heads: Vec<[Id; 4]>,
    /// The source whose rows come next.
    leader: usize,
    /// Least head of the other sources.
    limit: [Id; 4],
    error: Option<GraphError>,
}

impl Scan {
    /// The rows of the base and of layers, oldest first, that begin with a prefix.
    pub fn new(base: &LeafSet, layers: &[Arc<Layer>], prefix: &[Id]) -> Result<Self, GraphError> {
        let order = base.order();
        let (mut sources, mut heads) = (Vec::new(), Vec::new());
        if !base.leaves().is_empty() {
            let mut rows = BaseRows::new(base.clone(), base.range(prefix)?);
            if let Some(first) = rows.next() {
                heads.push(first?);
                sources.push(Source::Base(rows));
            }
        }
        for layer in layers {
            let places = layer.range(order, prefix);
            if !places.is_empty() {
                let removed =
                    layer.removed(order).partition_point(|at| (*at as usize) < places.start);
                heads.push(layer.row(order, places.start));
                let (at, end) = (places.start, places.end);
                sources.push(Source::Run { layer: layer.clone(), at, end, removed });
            }
        }
        Ok(Scan { order, sources, heads, leader: 0, limit: [Id::MIN; 4], error: None })
    }

    /// Passes the head of a source. Whether it was a removed row.
    #[inline]
    fn pass(&mut self, source: usize) -> bool {
        match &mut self.sources[source] {
            Source::Base(rows) => {
                self.heads[source] = match rows.next() {
                    Some(Ok(row)) => row,
                    Some(Err(error)) => {
                        self.error = Some(error);
                        DONE
                    }
                    None => DONE,
                };
                false
            }
            Source::Run { layer, at, end, removed } => {
                let is_removed = layer.removed(self.order).get(*removed) == Some(&(*at as u32));
                *removed += usize::from(is_removed);
                *at += 1;
                self.heads[source] = if *at < *end { layer.row(self.order, *at) } else { DONE };
                is_removed
            }
        }
    }

    /// Makes the source with the least head the leader: the newest of several, whose rows the
    /// others lose.
    fn elect(&mut self) {
        let Some(least) = self.heads.iter().min().copied() else { return };
        let mut same = self.heads.iter().rposition(|head| *head == least).into_iter();
        self.leader = same.next().unwrap_or(0);
        self.limit = DONE;
        for at in 0..self.sources.len() {
            if at == self.leader {
                continue;
            }
            if self.heads[at] == least && least != DONE {
                self.pass(at);
            }
            self.limit = self.limit.min(self.heads[at]);
        }
    }

    /// The order of the rows.
    pub fn order(&self) -> Order {
        self.order
    }
}

impl Iterator for Scan {
    type Item = Result<[Id; 4], GraphError>;

    #[inline]
    fn next(&mut self) -> Option<Self::Item> {
        if self.sources.is_empty() {
            return None;
        }
        loop {
            if let Some(error) = self.error.take() {
                self.sources.clear();
                return Some(Err(error));
            }
            if self.heads[self.leader] >= self.limit {
                self.elect();
            }
            let row = self.heads[self.leader];
            if row == DONE {
                return None;
            }
            if !self.pass(self.leader) {
                return Some(Ok(row));
            }
        }
    }
}
