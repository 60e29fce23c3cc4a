//! Blocks that were made, as they are told.
//!
//! Callers: series/rewrite, series/split

use manicule::series::merge::Merged;
use serde_json::{Value, json};

use crate::units::counted;

/// A line about a block.
pub(super) fn text(block: &Merged) -> String {
    let stats = &block.meta.stats;
    format!(
        "{}  {} series, {}, {}\n",
        block.path.display(),
        stats.num_series,
        counted(stats.num_samples, "sample"),
        counted(stats.num_chunks, "chunk"),
    )
}

/// An object about a block.
pub(super) fn json(block: &Merged) -> Value {
    let (meta, stats) = (&block.meta, &block.meta.stats);
    json!({
        "ulid": meta.ulid,
        "path": block.path.to_string_lossy(),
        "min_time": meta.min_time,
        "max_time": meta.max_time,
        "series": stats.num_series,
        "samples": stats.num_samples,
        "chunks": stats.num_chunks,
    })
}
