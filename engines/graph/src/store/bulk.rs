//! A generation of leaves and dictionary segments made elsewhere, published without the log: of a
//! store filled at once, or of one that is written from scratch with other ids.

use std::path::Path;
use std::sync::Arc;

use manicule_core::sorted::HashKeys;
use manicule_format_leaf::manifest::TagNumbers;
use manicule_format_leaf::statistics::Statistics;
use manicule_format_leaf::{Id, Order};
use manicule_store::SharedFiles;

use super::merge::{adopt, sweep_unpublished};
use super::publish::{NewFile, NewGeneration};
use super::shared::Shared;
use crate::base::NewLeaf;
use crate::error::GraphError;
use crate::snapshot::State;

/// What fills an empty store, in one transaction, or takes the place of all that a store holds.
/// Dropped, it leaves nothing: the disk may have been too small for its files.
#[derive(Debug)]
pub struct Bulk {
    shared: Arc<Shared>,
    before: Arc<State>,
    new: NewGeneration,
    /// The commit that the generation holds.
    commit: u64,
    is_published: bool,
}

impl Bulk {
    /// Begins, unless something was ever committed.
    pub(super) fn begin(shared: &Arc<Shared>) -> Result<Option<Bulk>, GraphError> {
        let before = shared.begin_writing()?;
        if before.commit > 0 {
            shared.group().end_writing();
            return Ok(None);
        }
        Ok(Some(Bulk::after(shared, before, 1)))
    }

    /// Begins to write once more what the store holds; all of it is durable.
    fn rewrite(shared: &Arc<Shared>) -> Result<Bulk, GraphError> {
        let before = shared.begin_writing()?;
        let bulk = Bulk::after(shared, before.clone(), before.commit);
        shared.wait_until_durable(before.commit)?;
        Ok(bulk)
    }

    /// Of who has the right to write, which goes when this is dropped.
    fn after(shared: &Arc<Shared>, before: Arc<State>, commit: u64) -> Bulk {
        let new = NewGeneration::after(shared.files(), shared.folder(), before.base.manifest());
        Bulk { shared: shared.clone(), before, new, commit, is_published: false }
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

    /// What the store holds.
    pub fn before(&self) -> &Arc<State> {
        &self.before
    }

    /// Puts the next leaf of an order. Orders may take turns.
    pub fn put_leaf(&mut self, order: Order, leaf: &NewLeaf) -> Result<(), GraphError> {
        self.new.put_leaf(order, leaf)
    }

    /// Puts the next dictionary segment: its numbers come after those of the one before.
    pub fn put_dictionary(&mut self, bytes: &[u8]) -> Result<(), GraphError> {
        self.new.put_dictionary(bytes)
    }

    /// Begins the next dictionary segment, to be written piece by piece.
    pub fn begin_dictionary(&mut self) -> Result<NewFile, GraphError> {
        self.new.begin_dictionary()
    }

    /// Puts a dictionary segment whose bytes are all written.
    pub fn end_dictionary(&mut self, file: NewFile) -> Result<(), GraphError> {
        self.new.end_dictionary(file)
    }

    /// Makes all of it visible at once, durable. `next` has the number that each tag's next term
    /// gets, `sorted_below` those below which numbers are in the order of texts, `empty_graphs` the
    /// graphs without a quad, increasing.
    pub fn publish(
        mut self,
        next: TagNumbers,
        sorted_below: TagNumbers,
        empty_graphs: Vec<Id>,
        statistics: &Statistics,
    ) -> Result<(), GraphError> {
        let commit = self.commit;
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
        })?;
        self.is_published = true;
        Ok(())
    }
}

impl Drop for Bulk {
    fn drop(&mut self) {
        if !self.is_published {
            sweep_unpublished(&self.shared);
        }
        self.shared.group().end_writing();
    }
}

/// Has `write` publish a generation in place of all that a store holds, while nothing else is
/// merged. Who writes waits; readers go on.
pub(super) fn rewritten<T>(
    shared: &Arc<Shared>,
    write: impl FnOnce(Bulk) -> Result<T, GraphError>,
) -> Result<T, GraphError> {
    let _no_merge_meanwhile = shared.merging()?;
    Bulk::rewrite(shared).and_then(write)
}
