//! Which column has how many bytes, and which bytes are no column's: together all of the
//! uncompressed data.

use std::collections::BTreeMap;

use manicule_core::bytes::DecodeError;
use manicule_core::watch::{Meter, Phase, Unit, Watch};
use manicule_format_sstable::{Row, RowPart, RowShape, Type, Unfiltered};
use manicule_store::pages::Reading;

use super::walk::Walk;
use crate::RowsError;
use crate::table::Sstable;

/// A column's share of the data.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ColumnShare {
    /// Its name.
    pub name: Vec<u8>,
    /// Whether it is static.
    pub is_static: bool,
    /// Its type, of the SSTable that is given last.
    pub kind: Type,
    /// Its counts.
    pub counts: ColumnCounts,
}

manicule_core::counts! {
    /// What a column has.
    pub struct ColumnCounts {
        /// Bytes of its cells: times, paths and lengths with their values, and deletions of
        /// collections.
        bytes,
        /// Bytes of the values alone.
        value_bytes,
        /// Cells; of a collection one for each element.
        cells,
        /// Those that are deleted.
        tombstones,
        /// Those that expire.
        expiring,
        /// Deletions of the whole collection.
        collection_deletions,
    }
}

/// All bytes of the uncompressed data of SSTables.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Shares {
    /// Those of columns, the largest first.
    pub columns: Vec<ColumnShare>,
    /// Those of partition keys, with what begins and ends a partition.
    pub partitions: u64,
    /// Those of rows without their cells: clustering, times, deletions.
    pub rows: u64,
    /// Those of range tombstone markers.
    pub markers: u64,
    /// All of them.
    pub data_len: u64,
}

/// Counts the bytes of columns. Data.db of each SSTable is read once, one after the other.
pub fn column_shares(
    sstables: &[Sstable],
    reading: &mut Reading<'_>,
    watch: &Watch<'_>,
) -> Result<Shares, RowsError> {
    let data_len = sstables.iter().map(Sstable::data_len).sum();
    let meter = watch.phase(Phase::Reading, Unit::Bytes, data_len);
    let mut columns: BTreeMap<(bool, Vec<u8>), ColumnShare> = BTreeMap::new();
    let (mut partitions, mut rows, mut markers) = (0, 0, 0);
    for sstable in sstables {
        let tally = Tally::of(sstable, reading, &meter)?;
        (partitions, rows) = (partitions + tally.partitions, rows + tally.rows);
        markers += tally.markers;
        for (is_static, counts) in [true, false].into_iter().zip(tally.columns) {
            for (column, counts) in sstable.header().columns(is_static).iter().zip(counts) {
                let (name, kind) = (column.name.clone(), column.kind.clone());
                let share = columns.entry((is_static, name.clone())).or_insert_with(|| {
                    let counts = ColumnCounts::default();
                    ColumnShare { name, is_static, kind: kind.clone(), counts }
                });
                share.kind = kind;
                share.counts.add(&counts);
            }
        }
    }
    meter.end();
    let mut columns: Vec<ColumnShare> = columns.into_values().collect();
    columns.sort_by_key(|share| std::cmp::Reverse(share.counts.bytes));
    Ok(Shares { columns, partitions, rows, markers, data_len })
}

/// The bytes of an SSTable so far.
struct Tally {
    /// By the columns of the header: static ones, then the others.
    columns: [Vec<ColumnCounts>; 2],
    partitions: u64,
    rows: u64,
    markers: u64,
}

impl Tally {
    fn of(
        sstable: &Sstable,
        reading: &mut Reading<'_>,
        meter: &Meter<'_>,
    ) -> Result<Self, RowsError> {
        let columns = [true, false].map(|is_static| {
            vec![ColumnCounts::default(); sstable.header().columns(is_static).len()]
        });
        let mut tally = Tally { columns, partitions: 0, rows: 0, markers: 0 };
        let (shape, damaged) = (sstable.shape(), |error| sstable.data().damaged(error));
        let mut walk = Walk::new(sstable, 1);
        while let Some(head) = walk.begin(reading)? {
            tally.partitions += head.len;
            if let Some(row) = head.static_row(sstable)? {
                tally.partitions -= row.len as u64;
                tally.row(&row, shape).map_err(damaged)?;
            }
            loop {
                let at = walk.at();
                match walk.next(reading)? {
                    Some(Unfiltered::Row(row)) => tally.row(&row, shape).map_err(damaged)?,
                    Some(Unfiltered::Marker(_)) => tally.markers += walk.at() - at,
                    Some(Unfiltered::End) | None => {
                        tally.partitions += walk.at() - at;
                        break;
                    }
                }
            }
            meter.step(walk.at() - head.position)?;
        }
        Ok(tally)
    }

    fn row(&mut self, row: &Row<'_>, shape: &RowShape) -> Result<(), DecodeError> {
        let columns = &mut self.columns[usize::from(!row.is_static)];
        let mut parts = row.cells(shape);
        let mut at = parts.at();
        self.rows += at - row.at;
        while let Some(part) = parts.next() {
            let counts = match part? {
                RowPart::Complex { column, deletion, .. } => {
                    let counts = &mut columns[column];
                    counts.collection_deletions += u64::from(!deletion.is_live());
                    counts
                }
                RowPart::Cell(cell) => {
                    let counts = &mut columns[cell.column];
                    counts.cells += 1;
                    counts.tombstones += u64::from(cell.is_deleted);
                    counts.expiring += u64::from(cell.is_expiring());
                    counts.value_bytes += cell.value.len() as u64;
                    counts
                }
            };
            counts.bytes += parts.at() - at;
            at = parts.at();
        }
        Ok(())
    }
}
