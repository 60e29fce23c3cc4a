//! What searches hand to a thread: files, and texts that are at hand already.

use std::path::Path;

use crate::code::tree::{Flow, Visit};
use crate::kinds::System;

/// A visitor of files, and of texts in memory.
pub trait Visitor: Visit {
    /// Searches a text.
    fn text(&mut self, text: Text<'_>) -> Flow;
}

/// A document of a shard, or an object of a store.
#[derive(Clone, Copy, Debug)]
pub struct Text<'t> {
    /// System that it is of.
    pub system: System,
    /// Path under which it is shown.
    pub path: &'t Path,
    /// Its bytes.
    pub bytes: &'t [u8],
    /// If there are any: each match shares its line with one of them.
    pub places: &'t [u32],
    /// Whether the call has named it, so that all of it is read, text or not.
    pub is_named: bool,
}
