//! What a store holds, in numbers.

use std::path::Path;

pub use manicule_graph::stats::{PredicateStats, ScopeStats, StoreStats, TermCounts};

use super::error::Error;
use super::open::open_to_read;

/// The statistics of a store as it is now, or as a named snapshot has it.
pub fn stats(store: &Path, at: Option<&str>) -> Result<StoreStats, Error> {
    Ok(manicule_graph::stats::stats(&open_to_read(store, at)?)?)
}
