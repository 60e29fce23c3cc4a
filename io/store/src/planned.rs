//! Files of which a plan says that they are there, as a reader finds them: under their names, or
//! still aside.

use std::fs;
use std::path::{Path, PathBuf};

use crate::store::{Name, Store, StoreError};

/// A file that a plan gives its name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rename {
    /// Its name before.
    pub aside: PathBuf,
    /// Its name.
    pub path: PathBuf,
}

/// Whether a file aside is one of a plan: an empty one is but the lock of somebody who looks for
/// work.
pub fn is_written(aside: &Path) -> bool {
    fs::metadata(aside).is_ok_and(|metadata| metadata.len() > 0)
}

/// As [`is_written`], in a store.
pub fn is_written_in(store: &dyn Store, aside: &Name) -> Result<bool, StoreError> {
    match store.look(aside) {
        Err(error) if error.is_missing() => Ok(false),
        seen => seen.map(|seen| seen.len > 0),
    }
}
