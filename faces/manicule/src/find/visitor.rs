//! What searches hand to a thread: files, and texts that are at hand already.

use std::path::Path;

use crate::code::tree::{Flow, Visit};

/// A visitor of files, and of texts in memory.
pub trait Visitor: Visit {
    /// Searches a document of a shard, which is shown under this path. `places`, if there are any:
    /// each match shares its line with one of them.
    fn text(&mut self, path: &Path, text: &[u8], places: &[u32]) -> Flow;
}
