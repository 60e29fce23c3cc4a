//! What a kind of index does in a search, and what it gets for that.

use std::path::PathBuf;

use manicule_core::watch::Watch;

use crate::failure::Failure;
use crate::find::face::Face;
use crate::find::search::{Done, Search};

/// A system's part in a search.
pub trait Searched {
    /// Opens those of `paths` that can be opened, and reports the rest.
    ///
    /// # Errors
    /// What the kind can't do, such as the order that is asked for: nothing of it is searched then.
    fn open(&mut self, paths: &[PathBuf], search: &Search, face: &dyn Face) -> Result<(), Failure>;

    /// Searches the opened indexes, or lists them.
    ///
    /// # Errors
    /// That the watch has ended it; all else is reported to the face.
    fn visit(&self, job: &Job<'_>) -> Result<Done, Failure>;

    /// Whether it explains by itself that no file was searched: an index has excluded all.
    fn explains_none(&self) -> bool {
        true
    }
}

/// The job of a search on everything that it opened.
#[derive(Clone, Copy)]
pub struct Job<'j> {
    /// The search.
    pub search: &'j Search,
    /// Who receives what is found.
    pub face: &'j dyn Face,
    /// Ends it.
    pub watch: &'j Watch<'j>,
}
