//! A store whose commits are merged.
//!
//! Callers: faces

use std::path::Path;

use super::error::Error;
use super::open::open_to_write;

/// Merges all commits of a store into its leaves and dictionaries, beside those who read it. Returns whether there were any.
pub fn compact(store: &Path) -> Result<bool, Error> {
    Ok(open_to_write(store)?.merge()?)
}
