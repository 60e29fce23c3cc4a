//! Changes merged into the leaves of an order: those that have none stay, the others are rewritten,
//! split, and joined.

use std::iter::Peekable;

use manicule_core::bytes::DecodeError;
use manicule_core::watch::Meter;
use manicule_format_leaf::Id;
use manicule_format_leaf::leaf::{Leaf, LeafWriter};

use super::build::LeafCutter;
use super::edit::Pieces;
use super::part::{NewLeaf, Part};
use super::set::LeafSet;
use super::{LeafSizes, Split};
use crate::error::GraphError;
use crate::overlay::Change;

/// The leaves of an order after changes, whose rows increase strictly. A row that is added and
/// there, or removed and not there, changes nothing but that its leaf is made again.
///
/// A leaf that would have more than twice the rows of `sizes` is cut into leaves of about these, if
/// it may be split. One that has less than half of them is joined with its smaller neighbour, if
/// both have at most one and a half together and one of them is new. One without rows goes, and its
/// interval to its neighbour.
///
/// `meter` counts the rows that there were.
pub fn merge_leaves(
    set: &LeafSet,
    changes: impl IntoIterator<Item = ([Id; 4], Change)>,
    sizes: LeafSizes,
    meter: &Meter<'_>,
) -> Result<Vec<Part>, GraphError> {
    let mut changes = changes.into_iter().peekable();
    let mut parts = Vec::with_capacity(set.leaves().len());
    let mut own = Vec::new();
    for (at, leaf) in set.leaves().iter().enumerate() {
        let end = set.leaves().get(at + 1).map(|next| next.row().separator);
        take_below(&mut changes, end, &mut own);
        meter.step(leaf.row().row_count)?;
        let separator = leaf.row().separator;
        if own.is_empty() {
            parts.push(Part::Kept { leaf: leaf.clone(), separator });
            continue;
        }
        let made = merge_leaf(&leaf.leaf(), &own, separator, sizes);
        parts.extend(made.map_err(|error| leaf.damaged(error))?.into_iter().map(Part::New));
    }
    if set.leaves().is_empty() {
        let mut cutter = LeafCutter::new(set.order(), sizes.rows);
        let added = changes.filter(|(_, change)| *change == Change::Added);
        let full: Vec<NewLeaf> = added.filter_map(|(row, _)| cutter.push(row)).collect();
        parts.extend(full.into_iter().chain(cutter.finish()).map(Part::New));
    }
    join_small(&mut parts, set, sizes.rows)?;
    if let Some(first) = parts.first_mut() {
        first.set_separator([Id::MIN; 4]);
    }
    Ok(parts)
}

/// Takes the changes of rows below `end`.
fn take_below<I: Iterator<Item = ([Id; 4], Change)>>(
    changes: &mut Peekable<I>,
    end: Option<[Id; 4]>,
    own: &mut Vec<([Id; 4], Change)>,
) {
    own.clear();
    while let Some(change) = changes.next_if(|(row, _)| end.is_none_or(|end| *row < end)) {
        assert!(own.last().is_none_or(|last| last.0 < change.0), "changes increase strictly");
        own.push(change);
    }
}

fn merge_leaf(
    leaf: &Leaf<'_>,
    changes: &[([Id; 4], Change)],
    separator: [Id; 4],
    sizes: LeafSizes,
) -> Result<Vec<NewLeaf>, DecodeError> {
    let target = sizes.rows as usize;
    let mut pieces = Pieces::new(leaf, changes)?;
    let row_count = pieces.row_count();
    let leaf_count = match row_count {
        0 => return Ok(Vec::new()),
        _ if row_count <= 2 * target || sizes.split == Split::Never => 1,
        _ => (row_count + target / 2) / target,
    };
    let mut made = Vec::with_capacity(leaf_count);
    let mut separator = separator;
    for left in (1..=leaf_count).rev() {
        let own = match left {
            1 => std::mem::take(&mut pieces),
            _ => pieces.split_off_first(pieces.row_count() / left, target / 10, leaf)?,
        };
        let mut writer = LeafWriter::new_uncut(leaf.order());
        own.write(leaf, &mut writer)?;
        let row_count = writer.row_count();
        made.push(NewLeaf { separator, row_count, bytes: writer.finish() });
        if left > 1 {
            separator = pieces.first(leaf);
        }
    }
    Ok(made)
}

/// Joins leaves that are less than half full with a neighbour.
fn join_small(parts: &mut Vec<Part>, set: &LeafSet, leaf_rows: u32) -> Result<(), GraphError> {
    let target = u64::from(leaf_rows);
    let mut at = 0;
    while at < parts.len() {
        let is_new = |at: usize| matches!(parts[at], Part::New(_));
        let fits = |other: &usize| {
            let rows = parts[at].row_count() + parts[*other].row_count();
            2 * rows <= 3 * target && (is_new(at) || is_new(*other))
        };
        let beside = [at.checked_sub(1), (at + 1 < parts.len()).then_some(at + 1)];
        let beside = beside.into_iter().flatten().filter(fits);
        let smaller = beside.min_by_key(|other| parts[*other].row_count());
        match smaller.filter(|_| 2 * parts[at].row_count() < target) {
            None => at += 1,
            Some(other) => {
                // The joined one is looked at again: it may still be small.
                at = at.min(other);
                let right = parts.remove(at + 1);
                let joined = join(&parts[at], &right, set)?;
                parts[at] = Part::New(joined);
            }
        }
    }
    Ok(())
}

fn join(left: &Part, right: &Part, set: &LeafSet) -> Result<NewLeaf, GraphError> {
    let mut writer = LeafWriter::new_uncut(set.order());
    for part in [left, right] {
        match part {
            Part::Kept { leaf, .. } => {
                push_all(&leaf.leaf(), &mut writer).map_err(|error| leaf.damaged(error))?;
            }
            Part::New(new) => {
                let made = Leaf::open(&new.bytes).and_then(|leaf| push_all(&leaf, &mut writer));
                made.expect("a leaf that was just made is sound");
            }
        }
    }
    let (separator, row_count) = (left.separator(), writer.row_count());
    Ok(NewLeaf { separator, row_count, bytes: writer.finish() })
}

fn push_all(leaf: &Leaf<'_>, writer: &mut LeafWriter) -> Result<(), DecodeError> {
    (0..leaf.block_count()).try_for_each(|block| writer.push_block(leaf, block))
}
