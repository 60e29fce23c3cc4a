//! An object of a store, and counts of a search.

use std::path::PathBuf;

use manicule_store::store::{Listed, Name};

manicule_core::counts! {
    /// Cost of a search of objects.
    pub(in crate::find) struct ObjectCounts {
        /// Folders that were listed.
        folders = "object_folders",
        /// Objects that were read, or listed.
        objects,
        /// Their bytes that were read.
        bytes = "object_bytes",
    }
}

/// An object.
#[derive(Clone, Debug)]
pub(super) struct Object {
    /// Folder that it lies in.
    pub(super) folder: Name,
    pub(super) listed: Listed,
    /// As it is shown.
    pub(super) path: PathBuf,
}
