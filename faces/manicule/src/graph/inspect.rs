//! What a store is made of.

use std::path::Path;

pub use manicule_graph::inspect::{
    FileTotal, OrderShape, OverlayShape, SegmentShape, StoreInspection,
};

use super::error::Error;
use super::open::{files_of, random};

/// Inspects a store as it is now, beside whoever writes it.
pub fn inspect(store: &Path) -> Result<StoreInspection, Error> {
    Ok(match files_of(store)? {
        None => manicule_graph::inspect::inspect(store, random()?)?,
        Some(files) => manicule_graph::inspect::inspect_in(&files, random()?)?,
    })
}
