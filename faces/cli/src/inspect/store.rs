//! Graph stores, shown: leaves of each order, dictionary segments, commits that are not merged,
//! snapshots, files.

use manicule::graph::inspect::{FileTotal, OrderShape, SegmentShape, StoreInspection};
use serde_json::json;

use crate::print;
use crate::report::{Report, fields};
use crate::units::{percent, plural};

const STORE: &str = "\
store       {path}
id          {id}
holds       {quads, quad}: {default_quads,} in the default graph, {named_quads,} in {named_graphs, named graph}
generation  {generation,}, which holds commits up to {merged_commit,}
overlay     [commits?{overlay}|nothing: all commits are merged]
[orders?order        leaves    blocks           rows      bytes    fill  smallest and largest leaf]
{orders}
{dictionary}
blank nodes {blank_nodes,}
{snapshots}
{files}
all         {len:B}[quads?, {each:.1} B a quad]";

const OVERLAY: &str = "{commits, commit} up to {last,}: {added, quad} added, {removed,} removed, {terms, new term}; {layers, layer}, {memory:B} of memory";

const ORDER: &str = "{order:<12}{leaves,:>7} {blocks,:>9} {rows,:>14} {len:B>10}  {percent:>5.0}%  {leaf_rows_min,}, {leaf_rows_max,} rows";

const SEGMENT: &str = "dictionary  {file:>10}: {iris, IRI}, {simple_literals,} simple, {tagged_literals,} language-tagged and {typed_literals,} other literals, {len:B}";

const SNAPSHOT: &str =
    "snapshot    {name}: {quads, quad} as of commit {commit,}, keeps {own_len:B} by itself";

const FILES: &str = "files       {files,} {noun}[which? {which}], {len:B}";

pub(super) fn report(store: &StoreInspection) -> Report {
    let ((merged, last), (default, named)) = (store.commits, store.quads);
    let (len, quads) = (store.files.iter().map(|own| own.len).sum::<u64>(), default + named);
    let id: String = store.store_id.iter().map(|byte| format!("{byte:02x}")).collect();
    let snapshots = store.snapshots.iter();
    let snapshots = snapshots.map(|own| {
        Report::new(SNAPSHOT, fields!(own => name, commit, quads = quad_count, len, own_len))
    });
    let overlay = &store.overlay;
    let commits = overlay.commit_count;
    let overlay = fields!(overlay =>
        commits = commit_count, layers = layer_count, added, removed, terms, memory);
    let fields = fields!(store =>
        path: print::path(&store.path), id: id, generation, merged_commit: merged, commit: last,
        default_quads: default, named_quads: named, named_graphs = graph_count,
        blank_nodes = blank_count, len: len);
    let each = len as f64 / quads.max(1) as f64;
    Report::new(STORE, fields)
        .text(json!({ "quads": quads, "commits": commits, "each": each }))
        .part("overlay", Some(Report::new(OVERLAY, overlay).text(json!({ "last": last }))))
        .list("orders", store.orders.iter().map(order))
        .list("dictionary", store.segments.iter().map(segment))
        .list("snapshots", snapshots)
        .list("files", store.files.iter().map(files))
}

fn order(order: &OrderShape) -> Report {
    // Percent of the rows that the leaves would have if all were full.
    let fill = percent(order.row_count, order.leaf_count * order.full_rows);
    let (least, most) = order.leaf_rows;
    let fields = fields!(order =>
        order = name, leaves = leaf_count, blocks = block_count, rows = row_count, len,
        fill: fill / 100.0, leaf_rows_min: least, leaf_rows_max: most);
    Report::new(ORDER, fields).text(json!({ "percent": fill }))
}

fn segment(segment: &SegmentShape) -> Report {
    let [iris, simple, tagged, typed] = segment.terms;
    let fields = fields!(segment =>
        file = number, len, iris: iris, simple_literals: simple, tagged_literals: tagged,
        typed_literals: typed);
    Report::new(SEGMENT, fields)
}

fn files(files: &FileTotal) -> Report {
    let what = format!("{} {}", files.noun, files.which);
    let noun = plural(files.count, files.noun);
    Report::new(FILES, fields!(files => files = count, len, what: what.trim_end()))
        .text(json!({ "noun": noun, "which": files.which }))
}
