//! A request that is being done.

use std::collections::HashMap;

use oxrdf::BlankNode;

use super::super::levels::Levels;
use super::writable::Writable;
use crate::Id;
use crate::quad::Quad;

manicule_core::counts! {
    /// What an update did. What of it changed anything, the commit says.
    pub struct UpdateWork {
        /// Operations.
        operations,
        /// Quads that were to be there.
        inserted,
        /// Quads that were not to be there, those of cleared graphs aside.
        removed,
    }
}

/// A request that is being done.
pub(super) struct Run<'w, W> {
    pub(super) store: &'w mut W,
    pub(super) work: UpdateWork,
    /// Those of the request.
    pub(super) levels: Levels,
    /// Blank nodes of the request's data, and those that expressions have made.
    pub(super) nodes: HashMap<BlankNode, Id>,
}

impl<W: Writable> Run<'_, W> {
    pub(super) fn insert(&mut self, quad: Quad) {
        self.store.insert(quad);
        self.work.inserted += 1;
    }

    pub(super) fn remove(&mut self, quad: Quad) {
        self.store.remove(quad);
        self.work.removed += 1;
    }
}
