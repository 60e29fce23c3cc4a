//! Whether a store is right.

use std::path::Path;

use manicule_core::watch::Watch;
use manicule_graph::verify::StoreCounts;

use super::error::Error;
use super::open::{files_of, random};
use crate::inspect::{Part, Verified};

/// Verifies a store as it is now, beside whoever writes it, and its named snapshots: every file,
/// that the orders hold the same quads, that ids have terms, and the log.
pub fn verify(store: &Path, watch: &Watch<'_>) -> Result<Verified, Error> {
    let verified = match files_of(store)? {
        None => manicule_graph::verify::verify(store, random()?, watch)?,
        Some(files) => manicule_graph::verify::verify_in(&files, random()?, watch)?,
    };
    let (counts, verdict) = (verified.counts, verified.verdict);
    let mut fields = counts.fields();
    fields.push(("warnings", verdict.warnings.count));
    Ok(Verified { verdict, counts: fields, lines: lines(&counts), tree_index: None })
}

fn lines(counts: &StoreCounts) -> Vec<Vec<Part>> {
    use Part::{Count, Len, Text};
    vec![
        vec![
            Count(counts.files, "file"),
            Text(" ("),
            Len(counts.len),
            Text(") of "),
            Count(counts.manifests, "manifest"),
            Text(", "),
            Count(counts.quads, "quad"),
            Text(" in "),
            Count(counts.rows, "row"),
            Text(", "),
            Count(counts.terms, "term"),
        ],
        vec![
            Count(counts.commits, "commit"),
            Text(" since with "),
            Count(counts.changes, "changed quad"),
        ],
    ]
}
