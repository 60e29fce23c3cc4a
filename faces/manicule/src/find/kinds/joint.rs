//! What a kind of index does in a search, and what it gets for that.

use std::path::PathBuf;

use manicule_core::watch::Watch;

use crate::failure::Failure;
use crate::find::face::Face;
use crate::find::search::{Done, Search};

/// A kind of index in a search.
pub(in crate::find) trait Searched {
    /// Opens those of `paths` that can be opened, and reports the rest. An error names what the
    /// kind can't do, such as the order that is asked for: nothing of it is searched then.
    fn open(&mut self, paths: &[PathBuf], search: &Search, face: &dyn Face) -> Result<(), Failure>;

    /// Searches the opened indexes, or lists them. The error is that the watch has ended it.
    fn visit(&self, job: &Job<'_>) -> Result<Done, Failure>;

    /// Whether it explains by itself that no file was searched: an index has excluded all.
    fn explains_none(&self) -> bool {
        true
    }
}

/// The job of a search on everything that it opened.
#[derive(Clone, Copy)]
pub(in crate::find) struct Job<'j> {
    pub(in crate::find) search: &'j Search,
    pub(in crate::find) face: &'j dyn Face,
    pub(in crate::find) watch: &'j Watch<'j>,
}
