//! Graph stores, shown: leaves of each order, dictionary segments, commits that are not merged,
//! snapshots, files.

use manicule::graph::inspect::{FileTotal, OrderShape, StoreInspection};
use serde_json::json;

use crate::print;
use crate::report::Report;
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
    let ((_, last), (default, named)) = (store.commits, store.quads);
    let (len, quads) = (store.files.iter().map(|own| own.len).sum::<u64>(), default + named);
    let each = len as f64 / quads.max(1) as f64;
    let (overlay, commits) = (&store.overlay, store.overlay.commit_count);
    let overlay = Report::new(OVERLAY, print::json(overlay)).text(json!({ "last": last }));
    let segments = store.segments.iter();
    let snapshots = store.snapshots.iter();
    Report::new(STORE, print::json(store))
        .text(json!({ "quads": quads, "commits": commits, "each": each }))
        .lines("overlay", Some(overlay))
        .lines("orders", store.orders.iter().map(order))
        .lines("dictionary", segments.map(|own| Report::new(SEGMENT, print::json(own))))
        .lines("snapshots", snapshots.map(|own| Report::new(SNAPSHOT, print::json(own))))
        .lines("files", store.files.iter().map(files))
}

fn order(order: &OrderShape) -> Report {
    let fill = percent(order.row_count, order.leaf_count * order.full_rows);
    Report::new(ORDER, print::json(order)).text(json!({ "percent": fill }))
}

fn files(files: &FileTotal) -> Report {
    let noun = plural(files.count, files.noun);
    Report::new(FILES, print::json(files)).text(json!({ "noun": noun, "which": files.which }))
}
