//! A request that is being done.
//!
//! Callers: update

use std::collections::HashMap;

use oxrdf::BlankNode;

use super::super::error::SparqlError;
use super::writable::Writable;
use crate::Id;
use crate::quad::Quad;

manicule_core::counts! {
    /// What an update did.
    pub struct UpdateWork {
        /// Operations.
        operations,
        /// Quads added that were not there.
        inserted,
        /// Quads removed that were there.
        removed,
    }
}

/// A request that is being done.
pub(super) struct Run<'w, W> {
    pub(super) store: &'w mut W,
    pub(super) work: UpdateWork,
    /// Blank nodes of the request's data, and those that expressions have made.
    pub(super) nodes: HashMap<BlankNode, Id>,
}

impl<W: Writable> Run<'_, W> {
    pub(super) fn insert(&mut self, quad: Quad) -> Result<(), SparqlError> {
        self.work.inserted += u64::from(self.store.insert(quad)?);
        Ok(())
    }

    pub(super) fn remove(&mut self, quad: Quad) -> Result<(), SparqlError> {
        self.work.removed += u64::from(self.store.remove(quad)?);
        Ok(())
    }
}
