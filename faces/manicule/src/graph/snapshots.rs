//! Named snapshots of a store.

use std::path::Path;

use manicule_core::watch::Watch;
pub use manicule_graph::NamedSnapshot;
use manicule_graph::named_snapshots;

use super::error::Error;
use super::open::{Writing, open_to_write};

/// Keeps a store as it is now under a name, which an older snapshot loses. What is committed is
/// merged first; nothing is copied.
pub fn name_snapshot(store: &Path, name: &str, writing: Writing) -> Result<(), Error> {
    Ok(open_to_write(store, writing, &Watch::none())?.name_snapshot(name)?)
}

/// Forgets a named snapshot, and removes the files that only it kept. Returns whether there was
/// one.
pub fn drop_snapshot(store: &Path, name: &str, writing: Writing) -> Result<bool, Error> {
    Ok(open_to_write(store, writing, &Watch::none())?.drop_snapshot(name)?)
}

/// The named snapshots, by their names.
pub fn list_snapshots(store: &Path) -> Result<Vec<NamedSnapshot>, Error> {
    Ok(named_snapshots(store)?)
}
