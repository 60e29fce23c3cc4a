//! The making of a tree's index: surveyed, read, written as segments, merged.

pub(super) mod build;
pub(super) mod options;
pub(super) mod survey;

mod gather;
mod segments;
