//! A store filled at once: leaves and dictionary segments made elsewhere, published as its first generation, without the log.
//!
//! Callers: load

use std::path::Path;
use std::sync::Arc;

use manicule_core::sorted::HashKeys;
use manicule_format_leaf::manifest::TagNumbers;
use manicule_format_leaf::statistics::Statistics;
use manicule_format_leaf::{Id, Order};
use manicule_store::SharedFiles;

use super::merge::adopt;
use super::publish::NewGeneration;
use super::shared::Shared;
use crate::base::NewLeaf;
use crate::error::GraphError;
use crate::snapshot::State;

/// What fills an empty store, in one transaction. Dropped, it leaves nothing that is seen; its files go with the next merge.
#[derive(Debug)]
pub struct Bulk {
    shared: Arc<Shared>,
    before: Arc<State>,
    new: NewGeneration,
}

impl Bulk {
    /// Begins, unless something was ever committed.
    pub(super) fn begin(shared: &Arc<Shared>) -> Result<Option<Bulk>, GraphError> {
        let before = shared.begin_writing()?;
        if before.commit > 0 {
            shared.group().end_writing();
            return Ok(None);
        }
        let new = NewGeneration::after(shared.files(), shared.folder(), before.base.manifest());
        Ok(Some(Bulk { shared: shared.clone(), before, new }))
    }

    /// The file system that is written through.
    pub fn files(&self) -> &SharedFiles {
        self.shared.files()
    }

    /// The store's folder. What ends with `.aside` there is swept when the store is opened.
    pub fn folder(&self) -> &Path {
        self.shared.folder()
    }

    /// Keys of tables of terms.
    pub fn keys(&self) -> HashKeys {
        self.before.keys
    }

    /// Puts the next leaf of an order. Orders may take turns.
    pub fn put_leaf(&mut self, order: Order, leaf: &NewLeaf) -> Result<(), GraphError> {
        self.new.put_leaf(order, leaf)
    }

    /// Puts the next dictionary segment: its numbers come after those of the one before.
    pub fn put_dictionary(&mut self, bytes: &[u8]) -> Result<(), GraphError> {
        self.new.put_dictionary(bytes)
    }

    /// Makes all of it visible at once, durable. `next` has the number that each tag's next term gets, `sorted_below` those below which
    /// numbers are in the order of texts, `empty_graphs` the graphs without a quad, increasing.
    pub fn publish(
        mut self,
        next: TagNumbers,
        sorted_below: TagNumbers,
        empty_graphs: Vec<Id>,
        statistics: &Statistics,
    ) -> Result<(), GraphError> {
        let commit = self.before.commit + 1;
        self.shared.roll_log(commit + 1)?;
        let before = self.before.base.manifest().clone();
        let none = NewGeneration::after(self.shared.files(), self.shared.folder(), &before);
        let mut new = std::mem::replace(&mut self.new, none);
        new.put_statistics(statistics)?;
        let manifest = new.manifest();
        (manifest.commit, manifest.log, manifest.graphs) = (commit, commit + 1, empty_graphs);
        (manifest.next_numbers, manifest.sorted_below) = (next, sorted_below);
        adopt(&self.shared, new, &self.before, |_, generation| {
            State::of(generation.clone(), self.before.keys)
        })
    }
}

impl Drop for Bulk {
    fn drop(&mut self) {
        self.shared.group().end_writing();
    }
}
