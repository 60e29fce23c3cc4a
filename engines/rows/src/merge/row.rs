//! A row that owns its bytes, its columns numbered as those of all SSTables together.
//!
//! Callers: rows, source, walked, live, write, faces/manicule

use manicule_core::bytes::DecodeError;
use manicule_format_sstable::{Cell, Deletion, Liveness, PrefixBuf, Row, RowPart, RowShape};

use super::columns::MergedColumn;

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
                    let merged = MergedCell {
                        path: cell.path.map(<[u8]>::to_vec),
                        timestamp: cell.timestamp,
                        ttl: cell.ttl,
                        local_time: cell.local_time,
                        is_deleted: cell.is_deleted,
                        value: cell.value.to_vec(),
                        source,
                    };
                    match columns.last_mut() {
                        Some(last) if cell.path.is_some() => last.cells.push(merged),
                        _ => columns.push(MergedCells {
                            column: numbers[cell.column],
                            deletion: Deletion::LIVE,
                            cells: vec![merged],
                        }),
                    }
                }
            }
        }
        columns.sort_by_key(|cells| cells.column);
        let clustering = PrefixBuf::of(&row.prefix());
        let Row { liveness, deletion, shadowable, .. } = *row;
        Ok(MergedRow { clustering, liveness, deletion, shadowable, columns })
    }

    /// Adds its parts as a file has them, by the columns of all SSTables.
    pub(crate) fn put_parts<'r>(&'r self, columns: &[MergedColumn], parts: &mut Vec<RowPart<'r>>) {
        for MergedCells { column, deletion, cells } in &self.columns {
            let (column, deletion) = (*column, *deletion);
            if columns[column].kind.is_complex() {
                let cell_count = cells.len() as u64;
                parts.push(RowPart::Complex { column, deletion, cell_count });
            }
            parts.extend(cells.iter().map(|cell| {
                let MergedCell { timestamp, ttl, local_time, is_deleted, .. } = *cell;
                let (path, value) = (cell.path.as_deref(), &cell.value[..]);
                RowPart::Cell(Cell {
                    at: 0,
                    column,
                    path,
                    timestamp,
                    ttl,
                    local_time,
                    is_deleted,
                    value,
                })
            }));
        }
    }

    /// Whether it says nothing.
    pub fn is_empty(&self) -> bool {
        let is_live = self.deletion.is_live() && self.shadowable.is_live();
        self.liveness.is_none() && is_live && self.columns.is_empty()
    }
}
