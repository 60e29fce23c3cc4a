//! The shape of a generation and of the commits after it.

use std::path::{Path, PathBuf};

use manicule_core::bytes::DecodeError;
use manicule_format_leaf::{Order, Tag};
use manicule_store::store::{Fetched, Name};

use super::files::{FileTotal, file_totals};
use crate::base::{LEAF_ROWS, LeafSet};
use crate::dictionary::{Segment, TEXT_TAGS};
use crate::error::GraphError;
use crate::snapshot::{Snapshot, State};
use crate::store::{NamedSnapshot, named_snapshots_in, read_store, read_store_in};

/// A store's parts.
#[derive(Clone, Debug)]
pub struct StoreInspection {
    /// Its folder.
    pub path: PathBuf,
    /// Random, given when it was made.
    pub store_id: [u8; 16],
    /// Number of the current generation.
    pub generation: u64,
    /// The last commit that the generation holds, and the last one of all.
    pub commits: (u64, u64),
    /// Quads of the default graph and of the named ones, those of all commits.
    pub quads: (u64, u64),
    /// Number of named graphs.
    pub graph_count: u64,
    /// Number of blank nodes that were ever made.
    pub blank_count: u64,
    /// The orders that have leaves.
    pub orders: Vec<OrderShape>,
    /// Dictionary segments, oldest first.
    pub segments: Vec<SegmentShape>,
    /// Commits after the generation.
    pub overlay: OverlayShape,
    /// Named snapshots, by their names.
    pub snapshots: Vec<NamedSnapshot>,
    /// Files by what they are.
    pub files: Vec<FileTotal>,
}

/// Leaves of one order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OrderShape {
    /// Name of the order.
    pub name: &'static str,
    /// Number of its leaves.
    pub leaf_count: u64,
    /// Number of their blocks.
    pub block_count: u64,
    /// Number of their rows.
    pub row_count: u64,
    /// Rows of the smallest and of the largest leaf.
    pub leaf_rows: (u64, u64),
    /// Number of rows that a leaf has when it is full.
    pub full_rows: u64,
    /// Bytes of the leaves.
    pub len: u64,
}

/// A segment of the dictionary.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SegmentShape {
    /// Number of its file.
    pub number: u64,
    /// Number of its IRIs, simple, tagged and typed literals, and triple terms.
    pub terms: [u64; TEXT_TAGS.len()],
    /// Bytes of its file.
    pub len: u64,
}

/// Commits that no generation holds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct OverlayShape {
    /// Number of the commits.
    pub commit_count: u64,
    /// Number of sorted runs of each order that a look-up searches.
    pub layer_count: u64,
    /// Quads that they add.
    pub added: u64,
    /// Quads that they remove.
    pub removed: u64,
    /// Terms that they bring.
    pub terms: u64,
    /// Memory that a reader holds for them, in bytes.
    pub memory: u64,
}

/// Inspects a store as it is now, beside whoever writes it. No block of a leaf and no term is read.
pub fn inspect(folder: &Path, random: u64) -> Result<StoreInspection, GraphError> {
    inspected(&Fetched::local(folder), read_store(folder, random)?, random)
}

/// As [`inspect`], wherever the files are.
pub fn inspect_in(files: &Fetched, random: u64) -> Result<StoreInspection, GraphError> {
    inspected(files, read_store_in(files, random)?, random)
}

fn inspected(
    files: &Fetched,
    snapshot: Snapshot,
    random: u64,
) -> Result<StoreInspection, GraphError> {
    let state = snapshot.state();
    let manifest = state.base.manifest();
    let orders = Order::ALL.into_iter().map(|order| state.base.set(order));
    let segments = state.base.segments().iter().map(|segment| shape_of(segment));
    let snapshots = named_snapshots_in(files.store())?;
    Ok(StoreInspection {
        path: files.store().show(&Name::root()),
        store_id: manifest.store_id,
        generation: manifest.generation,
        commits: (manifest.commit, state.commit),
        quads: (state.count(Order::Spo, &[])?, state.count(Order::Spog, &[])?),
        graph_count: state.graphs()?.len() as u64,
        blank_count: state.next_blank,
        orders: orders.filter(|set| !set.leaves().is_empty()).map(order_shape).collect(),
        segments: segments.collect::<Result<_, _>>()?,
        overlay: overlay_of(state),
        files: file_totals(files, manifest, &snapshots, random)?,
        snapshots,
    })
}

fn order_shape(set: &LeafSet) -> OrderShape {
    let rows = || set.leaves().iter().map(|leaf| leaf.row().row_count);
    let blocks = set.leaves().iter().map(|leaf| leaf.leaf().block_count() as u64);
    OrderShape {
        name: set.order().name(),
        leaf_count: set.leaves().len() as u64,
        block_count: blocks.sum(),
        row_count: set.row_count(),
        leaf_rows: (rows().min().unwrap_or(0), rows().max().unwrap_or(0)),
        full_rows: LEAF_ROWS.into(),
        len: set.leaves().iter().map(|leaf| leaf.row().file.len).sum(),
    }
}

fn shape_of(segment: &Segment) -> Result<SegmentShape, GraphError> {
    let dictionary = segment.dictionary();
    let count = |tag: Tag| -> Result<u64, DecodeError> {
        Ok(dictionary.section(tag)?.map_or(0, |section| section.count()))
    };
    let mut terms = [0; TEXT_TAGS.len()];
    for (terms, tag) in terms.iter_mut().zip(TEXT_TAGS) {
        let file = || segment.path().to_owned();
        *terms = count(tag).map_err(|source| GraphError::Damaged { file: file(), source })?;
    }
    Ok(SegmentShape { number: segment.row().number, terms, len: segment.row().len })
}

fn overlay_of(state: &State) -> OverlayShape {
    let mut shape = OverlayShape {
        commit_count: state.commit - state.base.manifest().commit,
        layer_count: state.layers.len() as u64,
        ..OverlayShape::default()
    };
    for layer in &state.layers {
        let removed = [Order::Spo, Order::Spog].map(|order| layer.removed(order).len());
        let removed = removed.iter().sum::<usize>() as u64;
        shape.added += layer.row_count() as u64 - removed;
        shape.removed += removed;
        shape.terms += layer.terms().count();
        shape.memory += layer.memory() as u64;
    }
    shape
}
