//! What snapshots cost.

use crate::blobs::cost::{By, CostReport, CostRow};
use crate::json::{Entry, report};

use super::ids;

report!(of: CostRow {
    by: of.by.word(), value, blobs: of.weighed.reached.blobs, bytes: of.weighed.reached.bytes,
    exclusive_blobs: of.weighed.exclusive.blobs, exclusive_bytes: of.weighed.exclusive.bytes,
    shared_bytes: of.shared_bytes(),
    exclusive_trees: of.weighed.exclusive.trees,
    freed_in_headers: of.weighed.exclusive.header_bytes;
    Entry("snapshots", (of.by != By::Snapshot).then(|| ids(&of.snapshots))),
});

/// Used and unused bytes of the repository.
#[derive(Clone, Copy, Debug)]
pub struct CostTotals<'c>(pub &'c CostReport);

report!(of: CostTotals<'_> {
    by: "all", used_blobs: of.0.used.blobs, used_bytes: of.0.used.bytes,
    unused_blobs: of.0.unused.blobs, unused_bytes: of.0.unused.bytes,
    extra_copies: of.0.copies.blobs, extra_copies_bytes: of.0.copies.bytes,
});
