//! A copy of a store in another folder.

use std::path::Path;

use manicule_core::watch::Watch;
pub use manicule_graph::BackedUp;
use manicule_graph::back_up;
use manicule_store::Disk;

use super::error::Error;

/// Copies a store, or one of its named snapshots, into a folder that isn't there or is empty, while
/// others write to the store. The copy is there when it is whole, and is a store.
pub fn backup(
    store: &Path,
    at: Option<&str>,
    target: &Path,
    watch: &Watch<'_>,
) -> Result<BackedUp, Error> {
    Ok(back_up(store, at, target, &Disk::shared(), watch)?)
}
