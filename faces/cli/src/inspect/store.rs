//! Graph stores, shown: leaves of each order, dictionary segments, commits that are not merged,
//! snapshots, files.

use std::fmt::Write as _;
use std::io::Write;

use anyhow::Result;
use manicule::graph::inspect::{OrderShape, SegmentShape, StoreInspection};
use serde_json::{Value as Json, json};

use super::options::Options;
use crate::command::exit;
use crate::messages::say;
use crate::print::{self, Print};
use crate::units::percent;
use crate::units::{grouped, human_len, plural};

pub(super) fn show(store: &StoreInspection, options: &Options, out: &mut Print) -> Result<u8> {
    if options.hex.is_some() {
        say(&format_args!("--hex shows a section of a file; give one of the store's files"));
        return Ok(exit::FAILED);
    }
    if options.json {
        out.row("graph_store", as_json(store))?
    } else {
        out.write_all(as_text(store)?.as_bytes())?
    }
    Ok(exit::DONE)
}

fn as_text(store: &StoreInspection) -> Result<String> {
    let mut out = String::new();
    writeln!(out, "store       {}", store.path.display())?;
    writeln!(out, "id          {}", hex(&store.store_id))?;
    let (default, named) = store.quads;
    let (all, graphs) = (many(default + named, "quad"), many(store.graph_count, "named graph"));
    writeln!(
        out,
        "holds       {all}: {} in the default graph, {} in {graphs}",
        grouped(default),
        grouped(named)
    )?;
    let (held, last) = store.commits;
    let generation = grouped(store.generation);
    writeln!(out, "generation  {generation}, which holds commits up to {}", grouped(held))?;
    let overlay = store.overlay;
    match overlay.commit_count {
        0 => writeln!(out, "overlay     nothing: all commits are merged")?,
        commits => writeln!(
            out,
            "overlay     {} up to {}: {} added, {} removed, {}; {}, {} of memory",
            many(commits, "commit"),
            grouped(last),
            many(overlay.added, "quad"),
            grouped(overlay.removed),
            many(overlay.terms, "new term"),
            many(overlay.layer_count, "layer"),
            human_len(overlay.memory),
        )?,
    }
    if !store.orders.is_empty() {
        writeln!(
            out,
            "{:<12}{:>7} {:>9} {:>14} {:>10}  {:>6}  smallest and largest leaf",
            "order", "leaves", "blocks", "rows", "bytes", "fill"
        )?;
    }
    for order in &store.orders {
        let (least, most) = order.leaf_rows;
        writeln!(
            out,
            "{:<12}{:>7} {:>9} {:>14} {:>10}  {:>5.0}%  {}, {} rows",
            order.name,
            grouped(order.leaf_count),
            grouped(order.block_count),
            grouped(order.row_count),
            human_len(order.len),
            fill(order),
            grouped(least),
            grouped(most),
        )?;
    }
    for segment in &store.segments {
        let [iris, simple, tagged, typed] = segment.terms;
        writeln!(
            out,
            "dictionary  {:>10}: {}, {} simple, {} language-tagged and {} other literals, {}",
            segment.number,
            many(iris, "IRI"),
            grouped(simple),
            grouped(tagged),
            grouped(typed),
            human_len(segment.len)
        )?;
    }
    writeln!(out, "blank nodes {}", grouped(store.blank_count))?;
    for snapshot in &store.snapshots {
        let (quads, commit) = (many(snapshot.quad_count, "quad"), grouped(snapshot.commit));
        let own = human_len(snapshot.own_len);
        writeln!(
            out,
            "snapshot    {}: {quads} as of commit {commit}, keeps {own} by itself",
            snapshot.name
        )?;
    }
    for files in &store.files {
        let (count, len) = (many(files.count, files.noun), human_len(files.len));
        let which =
            if files.which.is_empty() { String::new() } else { format!(" {}", files.which) };
        writeln!(out, "files       {count}{which}, {len}")?;
    }
    let len = store.files.iter().map(|files| files.len).sum::<u64>();
    writeln!(out, "all         {}{}", human_len(len), each(len, default + named))?;
    Ok(out)
}

/// Percent of the rows that the leaves of an order would have if all were full.
fn fill(order: &OrderShape) -> f64 {
    percent(order.row_count, order.leaf_count * order.full_rows)
}

/// Bytes a quad.
fn each(len: u64, quads: u64) -> String {
    match quads {
        0 => String::new(),
        quads => format!(", {:.1} B a quad", len as f64 / quads as f64),
    }
}

/// A count with commas, and its noun.
fn many(count: u64, noun: &str) -> String {
    format!("{} {}", grouped(count), plural(count, noun))
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

fn as_json(store: &StoreInspection) -> Json {
    let orders = store.orders.iter().map(|order| {
        json!({
            "order": order.name, "leaves": order.leaf_count, "blocks": order.block_count,
            "rows": order.row_count, "len": order.len, "fill": fill(order) / 100.0,
            "leaf_rows_min": order.leaf_rows.0, "leaf_rows_max": order.leaf_rows.1,
        })
    });
    let snapshots = store.snapshots.iter().map(|snapshot| {
        json!({
            "name": snapshot.name, "commit": snapshot.commit,
            "quads": snapshot.quad_count, "len": snapshot.len, "own_len": snapshot.own_len,
        })
    });
    let files = store.files.iter();
    let files = files.map(|of| json!({ "what": format!("{} {}", of.noun, of.which).trim_end(), "files": of.count, "len": of.len }));
    let overlay = store.overlay;
    json!({
        "path": print::path(&store.path),
        "id": hex(&store.store_id),
        "generation": store.generation,
        "merged_commit": store.commits.0,
        "commit": store.commits.1,
        "default_quads": store.quads.0,
        "named_quads": store.quads.1,
        "named_graphs": store.graph_count,
        "blank_nodes": store.blank_count,
        "orders": orders.collect::<Vec<_>>(),
        "dictionary": store.segments.iter().map(segment_as_json).collect::<Vec<_>>(),
        "overlay": {
            "commits": overlay.commit_count, "layers": overlay.layer_count, "added": overlay.added,
            "removed": overlay.removed, "terms": overlay.terms, "memory": overlay.memory,
        },
        "snapshots": snapshots.collect::<Vec<_>>(),
        "files": files.collect::<Vec<_>>(),
        "len": store.files.iter().map(|files| files.len).sum::<u64>(),
    })
}

fn segment_as_json(segment: &SegmentShape) -> Json {
    let [iris, simple, tagged, typed] = segment.terms;
    json!({
        "file": segment.number, "len": segment.len, "iris": iris, "simple_literals": simple,
        "tagged_literals": tagged, "typed_literals": typed,
    })
}
