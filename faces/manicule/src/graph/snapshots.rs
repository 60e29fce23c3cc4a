//! Named snapshots of a store.

use std::path::Path;

pub use manicule_graph::NamedSnapshot;
use manicule_graph::{named_snapshots, named_snapshots_in};

use super::error::Error;
use super::open::files_of;
use super::store::Writer;

/// The named snapshots of the store in a folder, or at an address, by their names.
pub fn list_snapshots(folder: &Path) -> Result<Vec<NamedSnapshot>, Error> {
    Ok(match files_of(folder)? {
        None => named_snapshots(folder)?,
        Some(files) => named_snapshots_in(files.store())?,
    })
}

impl Writer {
    /// Keeps the store as it is now under a name, which an older snapshot loses. What is committed
    /// is merged first; nothing is copied.
    pub fn name_snapshot(&self, name: &str) -> Result<(), Error> {
        Ok(self.engine.name_snapshot(name)?)
    }

    /// Forgets a named snapshot, and removes the files that only it kept. Returns whether there was
    /// one.
    pub fn drop_snapshot(&self, name: &str) -> Result<bool, Error> {
        Ok(self.engine.drop_snapshot(name)?)
    }
}
