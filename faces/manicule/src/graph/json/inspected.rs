//! Stores, as `inspect` shows them.

use manicule_graph::inspect::{FileTotal, OrderShape, OverlayShape, SegmentShape, StoreInspection};

use crate::json::{Json, list, report};

report!(of: StoreInspection {
    path: of.path.to_string_lossy(), id: hex(&of.store_id), generation,
    merged_commit: of.commits.0, commit: of.commits.1, default_quads: of.quads.0,
    named_quads: of.quads.1, named_graphs = graph_count, blank_nodes = blank_count,
    len: of.files.iter().map(|own| own.len).sum::<u64>(), overlay: Json(&of.overlay),
    orders: list(&of.orders), dictionary: list(&of.segments), snapshots: list(&of.snapshots),
    files: list(&of.files),
});

fn hex(id: &[u8]) -> String {
    id.iter().map(|byte| format!("{byte:02x}")).collect()
}

report!(of: OverlayShape {
    commits = commit_count, layers = layer_count, added, removed, terms, memory,
});

report!(of: OrderShape {
    order = name, leaves = leaf_count, blocks = block_count, rows = row_count, len,
    fill: fill(of), leaf_rows_min: of.leaf_rows.0, leaf_rows_max: of.leaf_rows.1,
});

/// Part of the rows that the leaves would have if all were full. By way of percent, as it was
/// always rounded.
fn fill(order: &OrderShape) -> f64 {
    let full = (order.leaf_count * order.full_rows).max(1);
    order.row_count as f64 * 100.0 / full as f64 / 100.0
}

report!(of: SegmentShape {
    file = number, len, iris: of.terms[0], simple_literals: of.terms[1],
    tagged_literals: of.terms[2], typed_literals: of.terms[3],
    triple_terms: of.terms[4],
});

report!(of: FileTotal { files = count, len, what: what(of) });

fn what(of: &FileTotal) -> String {
    format!("{} {}", of.noun, of.which).trim_end().to_owned()
}
