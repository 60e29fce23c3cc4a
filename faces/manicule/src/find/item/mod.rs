//! What matches in each kind of index: as text, where in it, and as JSON.

pub(super) mod cell;
pub(super) mod entry;
mod json;
pub(super) mod label;
pub(super) mod path;
mod shown;
pub(super) mod term;

pub use entry::Entry;
