//! Folders that rows make: their sizes, and their removal.
//!
//! Callers: find/rows, code/build

use std::fs;
use std::path::Path;

use anyhow::Result;

/// The bytes of the files below a folder, or of the one file.
pub(crate) fn bytes_below(path: &Path) -> Result<u64> {
    let meta = fs::symlink_metadata(path)?;
    if !meta.is_dir() {
        return Ok(meta.len());
    }
    fs::read_dir(path)?.map(|entry| bytes_below(&entry?.path())).sum()
}

/// Removes a folder or a file that may not exist.
pub(crate) fn remove(path: &Path) -> Result<()> {
    if path.is_dir() {
        fs::remove_dir_all(path)?;
    } else if path.exists() {
        fs::remove_file(path)?;
    }
    Ok(())
}
