//! Each fact that SSTables hold, as it lies in them: cells, times of rows, deletions of every kind,
//! also what others hide.

use manicule_core::watch::{Phase, Unit, Watch};
use manicule_format_sstable::{
    Cell, Column, Deletion, Header, Marker, Prefix, PrefixKind, Row, RowPart, Token, Type,
    Unfiltered,
};
use manicule_store::pages::Reading;

use super::live::LiveCounts;
use crate::RowsError;
use crate::fact::FactKind;
use crate::merge::{CellPath, element_type};
use crate::scan::{Chosen, Expected, IndexWalk, Indexed, Keys, Walk};
use crate::slice::Head;
use crate::table::Sstable;

/// A fact.
#[derive(Debug)]
pub struct Fact<'f> {
    /// Number of its SSTable.
    pub sstable: usize,
    /// Key of its partition as it lies in the file.
    pub key: &'f [u8],
    /// Its row, or the bound of a range; `None`: the partition, or its static row.
    pub place: Option<Prefix<'f>>,
    /// Its kind.
    pub kind: FactKind,
    /// Whether it is of the static row.
    pub is_static: bool,
    /// The column, of cells and collections.
    pub column: Option<&'f Column>,
    /// Which element of a column of many cells it is.
    pub path: Option<&'f [u8]>,
    /// The value of a cell, of a counter its shards; `None` of deletions, and of an element of a
    /// set, which is its path.
    pub value: Option<&'f [u8]>,
    /// When it was written, in microseconds since 1970, by the writer.
    pub timestamp: i64,
    /// Seconds to live; 0: it doesn't expire.
    pub ttl: i32,
    /// When it was deleted or expires, in seconds since 1970; `NO_LOCAL_TIME`: neither.
    pub local_time: i64,
}

impl<'f> Fact<'f> {
    /// What its path is.
    pub fn path(&self) -> CellPath<'f> {
        match self.column {
            Some(column) => CellPath::of(&column.kind, self.path),
            None => CellPath::None,
        }
    }

    /// Type and bytes of its value; of a counter its shards are a blob.
    pub fn typed_value(&self) -> Option<(&'f Type, &'f [u8])> {
        let (column, value) = self.column.zip(self.value)?;
        match element_type(&column.kind, self.path)? {
            Type::Counter => Some((&Type::Blob, value)),
            kind => Some((kind, value)),
        }
    }
}

/// Hands out the facts of the partitions that are chosen, SSTable after SSTable, each in the order
/// of its data. Counted are partitions, and facts as rows.
///
/// The indexes are read up to the last token that is chosen, of the data what is chosen. Memory: a
/// window and a row.
pub fn facts<E: From<RowsError>>(
    sstables: &[Sstable],
    chosen: &Chosen,
    reading: &mut Reading<'_>,
    watch: &Watch<'_>,
    mut take: impl FnMut(&Fact<'_>) -> Result<(), E>,
) -> Result<LiveCounts, E> {
    let data_len = sstables.iter().map(Sstable::data_len).sum();
    let meter = watch.phase(Phase::Reading, Unit::Bytes, data_len);
    let mut counts = LiveCounts::default();
    for (number, sstable) in sstables.iter().enumerate() {
        chosen.check(sstable)?;
        let last = chosen.last_token(sstable);
        let mut index = IndexWalk::new(sstable, Keys::All, reading)?;
        let mut walk = Walk::new(sstable, 1);
        let mut next = Indexed::default();
        while index.next(&mut next, reading)? {
            if last.is_some_and(|last| Token::of(&next.key).0 > last) {
                break;
            }
            if chosen.takes(&next.key) {
                let head = walk.begin_at(&Expected::from(&next), reading)?;
                counts.partitions += 1;
                counts.rows += partition(&head, number, &mut walk, reading, &mut take)?;
            }
            meter.step(next.len).map_err(RowsError::from)?;
        }
    }
    meter.end();
    Ok(counts)
}

/// What the facts of a place have in common.
#[derive(Clone, Copy)]
struct Of<'f> {
    header: &'f Header,
    sstable: usize,
    key: &'f [u8],
    place: Option<Prefix<'f>>,
    is_static: bool,
}

impl<'f> Of<'f> {
    fn deletion(&self, kind: FactKind, deletion: Deletion) -> Fact<'f> {
        Fact {
            sstable: self.sstable,
            key: self.key,
            place: self.place,
            kind,
            is_static: self.is_static,
            column: None,
            path: None,
            value: None,
            timestamp: deletion.marked_at,
            ttl: 0,
            local_time: deletion.local_time,
        }
    }

    fn cell(&self, cell: &Cell<'f>) -> Fact<'f> {
        let kind = if cell.is_deleted { FactKind::CellDeletion } else { FactKind::Cell };
        let written = Deletion { marked_at: cell.timestamp, local_time: cell.local_time };
        let column = &self.header.columns(self.is_static)[cell.column];
        let has_value = !cell.is_deleted && element_type(&column.kind, cell.path).is_some();
        Fact {
            column: Some(column),
            path: cell.path,
            value: has_value.then_some(cell.value),
            ttl: cell.ttl,
            ..self.deletion(kind, written)
        }
    }
}

/// Hands out the facts of the partition that a walk is at, whose head was read; returns their
/// number.
fn partition<E: From<RowsError>>(
    head: &Head,
    number: usize,
    walk: &mut Walk<'_>,
    reading: &mut Reading<'_>,
    take: &mut impl FnMut(&Fact<'_>) -> Result<(), E>,
) -> Result<u64, E> {
    let sstable = walk.sstable();
    let key = walk.key().to_vec();
    let header = sstable.header();
    let mut count = 0;
    let mut put = |fact: Fact<'_>| {
        count += 1;
        take(&fact)
    };
    let whole = Of { header, sstable: number, key: &key, place: None, is_static: false };
    if !head.deletion.is_live() {
        put(whole.deletion(FactKind::PartitionDeletion, head.deletion))?;
    }
    if let Some(statics) = head.static_row(sstable)? {
        row(sstable, &statics, &Of { is_static: true, ..whole }, &mut put)?;
    }
    loop {
        match walk.next(reading)? {
            None | Some(Unfiltered::End) => break,
            Some(Unfiltered::Row(found)) => {
                row(sstable, &found, &Of { place: Some(found.prefix()), ..whole }, &mut put)?;
            }
            Some(Unfiltered::Marker(found)) => {
                marker(&found, &Of { place: Some(found.prefix), ..whole }, &mut put)?;
            }
        }
    }
    Ok(count)
}

fn row<'f, E: From<RowsError>>(
    sstable: &Sstable,
    row: &Row<'f>,
    of: &Of<'f>,
    put: &mut impl FnMut(Fact<'_>) -> Result<(), E>,
) -> Result<(), E> {
    if let Some(liveness) = row.liveness {
        let written = Deletion { marked_at: liveness.timestamp, local_time: liveness.expires };
        put(Fact { ttl: liveness.ttl, ..of.deletion(FactKind::Row, written) })?;
    }
    let deletions =
        [(FactKind::RowDeletion, row.deletion), (FactKind::ShadowableDeletion, row.shadowable)];
    for (kind, deletion) in deletions {
        if !deletion.is_live() {
            put(of.deletion(kind, deletion))?;
        }
    }
    for part in row.cells(sstable.shape()) {
        match part.map_err(|error| sstable.data().damaged(error))? {
            RowPart::Cell(cell) => put(of.cell(&cell))?,
            RowPart::Complex { deletion, .. } if deletion.is_live() => {}
            RowPart::Complex { column, deletion, .. } => {
                let column = Some(&of.header.columns(of.is_static)[column]);
                put(Fact { column, ..of.deletion(FactKind::CollectionDeletion, deletion) })?;
            }
        }
    }
    Ok(())
}

/// The end of a range, and the beginning of one.
fn marker<'f, E>(
    marker: &Marker<'f>,
    of: &Of<'f>,
    put: &mut impl FnMut(Fact<'_>) -> Result<(), E>,
) -> Result<(), E> {
    use PrefixKind::{
        ExclusiveEndInclusiveStart, InclusiveEnd, InclusiveEndExclusiveStart, InclusiveStart,
    };
    let kind = marker.prefix.kind;
    if let Some(ends) = marker.ends {
        let is_inclusive = matches!(kind, InclusiveEnd | InclusiveEndExclusiveStart);
        put(of.deletion(FactKind::RangeEnd { is_inclusive }, ends))?;
    }
    if let Some(begins) = marker.begins {
        let is_inclusive = matches!(kind, InclusiveStart | ExclusiveEndInclusiveStart);
        put(of.deletion(FactKind::RangeStart { is_inclusive }, begins))?;
    }
    Ok(())
}
