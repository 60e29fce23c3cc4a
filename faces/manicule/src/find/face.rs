//! Whoever receives what a search finds: a printer, a table, a program's callback.

use std::ops::ControlFlow;
use std::path::Path;

use super::hit::Hit;
use super::visitor::Visitor;
use crate::code::tree::Flow;
use crate::failure::Failure;
use crate::kinds::System;

/// Receiver of a search. Files and documents are handed to visitors, one a thread; the hits of an
/// index without lines to a page, on the caller's thread.
pub trait Face: Sync {
    /// A visitor for one more thread.
    fn visitor(&self) -> Box<dyn Visitor + '_>;

    /// The page of an index, before it is searched or listed.
    fn page<'p>(&'p self, place: IndexPlace<'p>) -> Box<dyn Page + 'p>;

    /// Files that were proven to hold no match, and their bytes, for whoever counts what was
    /// searched.
    fn left_out(&self, file_count: u64, len: u64);

    /// Something that can't be searched. The search goes on.
    fn failure(&self, failure: Failure);

    /// Something that is not searched though nothing failed, as a sentence.
    fn note(&self, note: &str);

    /// Whether the answer is complete: nothing more is searched.
    fn is_over(&self) -> bool;
}

/// An index without lines.
#[derive(Clone, Copy, Debug)]
pub struct IndexPlace<'p> {
    /// System that wrote it.
    pub system: System,
    /// Its path.
    pub path: &'p Path,
    /// Whether hits are best printed while it is searched, as it may have millions.
    pub is_long: bool,
}

/// Receiver of an index's hits.
pub trait Page {
    /// Receives a hit. Whether the search of this index goes on; an error ends it, and is among the
    /// failures of its end.
    fn hit(&mut self, hit: &Hit<'_>) -> Result<ControlFlow<()>, Failure>;

    /// The index was searched. Whether the search of others goes on.
    fn end(&mut self, end: PlaceEnd) -> Flow;

    /// The index is listed rather than searched. Whether others are, too.
    fn listed(&mut self) -> Flow;
}

/// End of an index's search.
#[derive(Debug)]
pub struct PlaceEnd {
    /// What could not be searched.
    pub failures: Vec<Failure>,
    /// Number of bytes that were read, as far as they are counted.
    pub searched_len: u64,
}
