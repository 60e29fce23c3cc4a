//! Rows of one order with one prefix: the base and the runs of all layers, merged; the newest entry of a row wins.
//!
//! Callers: snapshot, store

use std::sync::Arc;

use manicule_format_leaf::{Id, Order};

use super::layer::Layer;
use crate::error::GraphError;

/// In place of the row that comes next where there is none: greater than all rows.
const DONE: [Id; 4] = [Id::MAX; 4];

/// A source of rows in order, some of which say that a row is removed.
#[derive(Debug)]
struct RunSource {
    layer: Arc<Layer>,
    order: Order,
    at: usize,
    end: usize,
    /// Place of the next removed row in the layer's list of them.
    removed: usize,
}

impl RunSource {
    #[inline]
    fn head(&self) -> [Id; 4] {
        if self.at < self.end { self.layer.row(self.order, self.at) } else { DONE }
    }

    /// Passes the head. Whether it was a removed row.
    #[inline]
    fn pass(&mut self) -> bool {
        let is_removed =
            self.layer.removed(self.order).get(self.removed) == Some(&(self.at as u32));
        self.removed += usize::from(is_removed);
        self.at += 1;
        is_removed
    }
}

/// Rows of an order. After an error there are none.
#[derive(Debug)]
pub struct Scan {
    order: Order,
    /// Oldest first.
    sources: Vec<RunSource>,
    heads: Vec<[Id; 4]>,
    /// The source whose rows come next.
    leader: usize,
    /// Least head of the other sources.
    limit: [Id; 4],
}

impl Scan {
    /// The rows of layers, oldest first, that begin with a prefix.
    pub fn new(layers: &[Arc<Layer>], order: Order, prefix: &[Id]) -> Self {
        let mut sources = Vec::new();
        for layer in layers {
            let places = layer.range(order, prefix);
            if !places.is_empty() {
                let removed =
                    layer.removed(order).partition_point(|at| (*at as usize) < places.start);
                let (at, end) = (places.start, places.end);
                sources.push(RunSource { layer: layer.clone(), order, at, end, removed });
            }
        }
        let heads: Vec<_> = sources.iter().map(RunSource::head).collect();
        Scan { order, sources, heads, leader: 0, limit: [Id::MIN; 4] }
    }

    /// Makes the source with the least head the leader: the newest of several, whose rows the others lose.
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
                self.sources[at].pass();
                self.heads[at] = self.sources[at].head();
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
            if self.heads[self.leader] >= self.limit {
                self.elect();
            }
            let row = self.heads[self.leader];
            if row == DONE {
                return None;
            }
            let source = &mut self.sources[self.leader];
            let is_removed = source.pass();
            self.heads[self.leader] = source.head();
            if !is_removed {
                return Some(Ok(row));
            }
        }
    }
}
