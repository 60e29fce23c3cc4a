//! What listings show.

use super::name::Name;
use super::version::Version;
use crate::entry::EntryKind;

/// An entry of a folder.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Listed {
    /// Its name in the folder.
    pub name: String,
    /// Its kind; that of its target for a link.
    pub kind: EntryKind,
    /// Its length in bytes, where the listing has it: 0 for what is no file.
    pub len: Option<u64>,
    /// Its version, where the listing has it; of files alone.
    pub version: Option<Version>,
}

impl Listed {
    /// Its name in the store.
    ///
    /// # Panics
    /// If it is of no listing, and its name none.
    pub fn file_in(&self, folder: &Name) -> Name {
        folder.join(&self.name).expect("entries of a folder have names")
    }
}
