//! Rows of the same clustering as one, without what deletions hide.
//!
//! Callers: markers, places, reader, walked, write

use manicule_format_sstable::{Deletion, Liveness};

use super::cells::{compare_paths, newer};
use super::columns::MergedColumn;
use super::row::{MergedCell, MergedCells, MergedRow};

/// The rows as one under a deletion of their range or partition; `None` if nothing is left, or none is given.
pub(crate) fn merged(
    rows: Vec<MergedRow>,
    around: Deletion,
    columns: &[MergedColumn],
) -> Option<MergedRow> {
    let deletion = rows.iter().map(|row| row.deletion).fold(Deletion::LIVE, later);
    let liveness = rows.iter().filter_map(|row| row.liveness).reduce(newer_liveness);
    let shadowable = rows.iter().map(|row| row.shadowable).fold(Deletion::LIVE, later);
    let is_shadowed = liveness.is_some_and(|it| !shadowable.deletes(it.timestamp));
    let shadowable = if is_shadowed { Deletion::LIVE } else { shadowable };
    let outer = later(around, deletion);
    let hides = later(outer, shadowable);
    let shadowable = if shadowable.supersedes(&outer) { shadowable } else { Deletion::LIVE };
    let liveness = liveness.filter(|liveness| !hides.deletes(liveness.timestamp));
    let deletion = if deletion.supersedes(&around) { deletion } else { Deletion::LIVE };
    let count = rows.iter().map(|row| row.columns.len()).sum();
    let mut parts: Vec<MergedCells> = Vec::with_capacity(count);
    let mut rows = rows.into_iter();
    // The list of the first is that of the merged one.
    let MergedRow { clustering, columns: mut kept, .. } = rows.next()?;
    parts.append(&mut kept);
    rows.for_each(|mut row| parts.append(&mut row.columns));
    parts.sort_by_key(|part| part.column);
    let mut merged = MergedRow { clustering, liveness, deletion, shadowable, columns: kept };
    let mut parts = parts.into_iter().peekable();
    while let Some(mut part) = parts.next() {
        let column = &columns[part.column];
        if !column.kind.is_complex() {
            while let Some(mut other) = parts.next_if(|other| other.column == part.column) {
                if let (Some(left), Some(right)) = (part.cells.pop(), other.cells.pop()) {
                    part.cells.push(newer(&column.kind, left, right));
                }
            }
            // A single cell, whose column has no deletion.
            part.cells.retain(|cell| !hides.deletes(cell.timestamp));
            if !part.cells.is_empty() {
                merged.columns.push(part);
            }
            continue;
        }
        while let Some(other) = parts.next_if(|other| other.column == part.column) {
            part.deletion = later(part.deletion, other.deletion);
            part.cells.extend(other.cells);
        }
        merged.columns.extend(merged_column(part, hides, column));
    }
    (!merged.is_empty()).then_some(merged)
}

/// The cells of one column as those that are kept; `None` if nothing is left.
fn merged_column(part: MergedCells, hides: Deletion, column: &MergedColumn) -> Option<MergedCells> {
    let MergedCells { column: number, deletion, mut cells } = part;
    let has_deletion = deletion.supersedes(&hides);
    let hides = later(hides, deletion);
    let deletion = if has_deletion { deletion } else { Deletion::LIVE };
    // Stable: cells of one path stay in the order of the SSTables.
    cells.sort_by(|left, right| {
        compare_paths(&column.kind, left.path.as_deref(), right.path.as_deref())
    });
    let mut kept: Vec<MergedCell> = Vec::new();
    for cell in cells {
        match kept.pop() {
            Some(last) if is_same(&last, &cell, column) => {
                kept.push(newer(&column.kind, last, cell));
            }
            last => {
                kept.extend(last);
                kept.push(cell);
            }
        }
    }
    kept.retain(|cell| !hides.deletes(cell.timestamp));
    let is_empty = kept.is_empty() && !has_deletion;
    (!is_empty).then_some(MergedCells { column: number, deletion, cells: kept })
}

fn is_same(left: &MergedCell, right: &MergedCell, column: &MergedColumn) -> bool {
    compare_paths(&column.kind, left.path.as_deref(), right.path.as_deref()).is_eq()
}

/// The deletion that supersedes the other.
pub(crate) fn later(left: Deletion, right: Deletion) -> Deletion {
    if right.supersedes(&left) { right } else { left }
}

/// The higher timestamp; of equal ones the one that expires, later.
fn newer_liveness(left: Liveness, right: Liveness) -> Liveness {
    let rank = |liveness: &Liveness| {
        let expires = (liveness.ttl != 0).then_some(liveness.expires);
        (liveness.timestamp, expires)
    };
    if rank(&left) < rank(&right) { right } else { left }
}
