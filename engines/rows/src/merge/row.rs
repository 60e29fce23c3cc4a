//! A row that owns its bytes, its columns numbered as those of all SSTables together.

use manicule_core::bytes::DecodeError;
use manicule_format_sstable::{
    Cell, Deletion, Liveness, Prefix, PrefixBuf, PrefixKind, Row, RowHead, RowPart, RowShape,
};

use super::part::Part;
use super::rows::RowMerge;

/// A row.
#[derive(Clone, Debug)]
pub struct MergedRow {
    /// Its clustering; of the static row without components.
    pub clustering: PrefixBuf,
    /// Of its primary key; rows that were only updated have none.
    pub liveness: Option<Liveness>,
    /// Its deletion, if it hides more than those around it; live otherwise.
    pub deletion: Deletion,
    /// A deletion that counts for nothing beside a later liveness; live if there is none.
    pub shadowable: Deletion,
    /// Its columns, by their numbers.
    pub columns: Vec<MergedCells>,
}

/// A column of a row.
#[derive(Clone, Debug)]
pub struct MergedCells {
    /// Number of the column.
    pub column: usize,
    /// Deletion of its earlier cells, of a complex column; live if there is none.
    pub deletion: Deletion,
    /// Its cells: one of a simple column, of a complex one any number, by their paths.
    pub cells: Vec<MergedCell>,
}

/// A cell.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MergedCell {
    /// Which element of a complex column it is.
    pub path: Option<Vec<u8>>,
    /// When it was written, in microseconds since 1970, by the writer.
    pub timestamp: i64,
    /// Seconds to live; 0: it doesn't expire.
    pub ttl: i32,
    /// When it was deleted or expires, in seconds since 1970; `NO_LOCAL_TIME`: neither.
    pub local_time: i64,
    /// Whether it is a tombstone.
    pub is_deleted: bool,
    /// Its value.
    pub value: Vec<u8>,
    /// Number of the SSTable that it is from.
    pub source: usize,
}

impl MergedRow {
    /// A copy of a row of the SSTable `source`, whose columns have the numbers `numbers`.
    pub(crate) fn copy(
        row: &Row<'_>,
        shape: &RowShape,
        numbers: &[usize],
        source: usize,
    ) -> Result<Self, DecodeError> {
        let mut columns: Vec<MergedCells> = Vec::new();
        for part in row.cells(shape) {
            match part? {
                RowPart::Complex { column, deletion, .. } => {
                    let (column, cells) = (numbers[column], Vec::new());
                    columns.push(MergedCells { column, deletion, cells });
                }
                RowPart::Cell(cell) => {
                    let cell = Cell { column: numbers[cell.column], ..cell };
                    put(cell, source, &mut columns);
                }
            }
        }
        columns.sort_by_key(|cells| cells.column);
        let clustering = PrefixBuf::of(&row.prefix());
        let Row { liveness, deletion, shadowable, .. } = *row;
        Ok(MergedRow { clustering, liveness, deletion, shadowable, columns })
    }

    /// A copy of what is left of several rows.
    pub(crate) fn of(merged: &RowMerge<'_>) -> Self {
        let RowMerge { head, parts, .. } = merged;
        let mut columns: Vec<MergedCells> = Vec::new();
        for part in parts {
            match part {
                Part::Complex { column, deletion } => {
                    let (column, deletion, cells) = (*column, *deletion, Vec::new());
                    columns.push(MergedCells { column, deletion, cells });
                }
                Part::Cell(cell) => put(cell.as_cell(), cell.source, &mut columns),
            }
        }
        let prefix = Prefix { kind: PrefixKind::Row, components: head.components };
        let RowHead { liveness, deletion, shadowable, .. } = *head;
        let clustering = PrefixBuf::of(&prefix);
        MergedRow { clustering, liveness, deletion, shadowable, columns }
    }
}

/// Adds a copy of a cell of a simple column, or of the complex one that is last.
fn put(cell: Cell<'_>, source: usize, columns: &mut Vec<MergedCells>) {
    let Cell { column, path, timestamp, ttl, local_time, is_deleted, value, .. } = cell;
    let (path, value) = (path.map(<[u8]>::to_vec), value.to_vec());
    let cell = MergedCell { path, timestamp, ttl, local_time, is_deleted, value, source };
    match columns.last_mut() {
        Some(last) if cell.path.is_some() => last.cells.push(cell),
        _ => {
            let (deletion, cells) = (Deletion::LIVE, vec![cell]);
            columns.push(MergedCells { column, deletion, cells });
        }
    }
}
