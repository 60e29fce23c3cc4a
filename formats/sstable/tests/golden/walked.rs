//! Data.db walked whole, into things that can be compared.

use manicule_core::bytes::DecodeError;
use manicule_format_sstable::{
    Cell, Deletion, Frame, Header, PartitionHead, Row, RowPart, RowShape, Sequence, Unfiltered,
};

/// A partition and all that it holds.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Partition {
    pub(crate) at: u64,
    pub(crate) len: u64,
    pub(crate) key: Vec<u8>,
    pub(crate) deletion: Deletion,
    /// From the partition's first byte to its first unfiltered that isn't the static row.
    pub(crate) head_len: u64,
    pub(crate) items: Vec<Item>,
}

/// A row or a marker.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Item {
    pub(crate) at: u64,
    pub(crate) len: u64,
    /// Number of the prefix's kind; 3 for the static row.
    pub(crate) kind: u8,
    pub(crate) clustering: Vec<Option<Vec<u8>>>,
    pub(crate) before_len: u64,
    pub(crate) liveness: Option<(i64, i32, i64)>,
    pub(crate) deletion: Deletion,
    pub(crate) ends: Option<Deletion>,
    pub(crate) begins: Option<Deletion>,
    pub(crate) parts: Vec<Part>,
}

/// A cell, or the begin of a complex column.
#[derive(Clone, PartialEq, Debug)]
pub(crate) enum Part {
    Complex(usize, Deletion, u64),
    Cell(OwnedCell),
}

#[derive(Clone, PartialEq, Debug)]
pub(crate) struct OwnedCell {
    pub(crate) at: u64,
    pub(crate) column: usize,
    pub(crate) path: Option<Vec<u8>>,
    pub(crate) timestamp: i64,
    pub(crate) ttl: i32,
    pub(crate) local_time: i64,
    pub(crate) is_deleted: bool,
    pub(crate) value: Vec<u8>,
}

/// All partitions of uncompressed bytes; every check is made.
pub(crate) fn walk(data: &[u8], header: &Header) -> Result<Vec<Partition>, DecodeError> {
    let shape = RowShape::new(header);
    let mut sequence = Sequence::new();
    let mut partitions = Vec::new();
    let mut at = 0;
    while at < data.len() {
        let window = &data[at..];
        let head = PartitionHead::read(window, at as u64, &shape)?;
        let head = head.last("head of a partition", at as u64, window)?;
        sequence.begin(&head);
        let mut place = at + head.len;
        let (mut items, mut head_len) = (Vec::new(), head.len as u64);
        loop {
            let (item, len) = item(&data[place..], place as u64, &shape, header, &mut sequence)?;
            place += len;
            let Some(item) = item else { break };
            if item.kind == 3 {
                head_len += item.len;
            }
            items.push(item);
        }
        let (key, deletion) = (head.key.to_vec(), head.deletion);
        let len = (place - at) as u64;
        partitions.push(Partition { at: at as u64, len, key, deletion, head_len, items });
        at = place;
    }
    Ok(partitions)
}

fn item(
    window: &[u8],
    at: u64,
    shape: &RowShape,
    header: &Header,
    sequence: &mut Sequence,
) -> Result<(Option<Item>, usize), DecodeError> {
    let frame = Frame::read(window, at, shape)?.last("unfiltered", at, window)?;
    let unfiltered = frame.open(window, shape)?;
    sequence.check(&unfiltered, at, shape, &header.clustering)?;
    let item = match unfiltered {
        Unfiltered::End => None,
        Unfiltered::Row(row) => Some(of_row(&row, shape, header)?),
        Unfiltered::Marker(marker) => Some(Item {
            at: marker.at,
            len: marker.len as u64,
            kind: marker.prefix.kind.number(),
            clustering: owned(marker.prefix.values(&header.clustering)),
            before_len: marker.before_len,
            liveness: None,
            deletion: Deletion::LIVE,
            ends: marker.ends,
            begins: marker.begins,
            parts: Vec::new(),
        }),
    };
    Ok((item, frame.len))
}

fn owned<'a>(values: impl Iterator<Item = Option<&'a [u8]>>) -> Vec<Option<Vec<u8>>> {
    values.map(|value| value.map(<[u8]>::to_vec)).collect()
}

fn of_row(row: &Row<'_>, shape: &RowShape, header: &Header) -> Result<Item, DecodeError> {
    let mut parts = Vec::new();
    for part in row.cells(shape) {
        parts.push(match part? {
            RowPart::Complex { column, deletion, cell_count } => {
                Part::Complex(column, deletion, cell_count)
            }
            RowPart::Cell(cell) => Part::Cell(of_cell(&cell)),
        });
    }
    let is_nothing =
        row.liveness.is_none() && row.deletion.is_live() && parts.is_empty() && row.is_static;
    assert_eq!(row.is_static && row.is_empty(), is_nothing, "row at {}", row.at);
    Ok(Item {
        at: row.at,
        len: row.len as u64,
        kind: if row.is_static { 3 } else { 4 },
        clustering: owned(row.components.values(&header.clustering)),
        before_len: row.before_len,
        liveness: row.liveness.map(|it| (it.timestamp, it.ttl, it.expires)),
        deletion: row.deletion,
        ends: None,
        begins: None,
        parts,
    })
}

fn of_cell(cell: &Cell<'_>) -> OwnedCell {
    OwnedCell {
        at: cell.at,
        column: cell.column,
        path: cell.path.map(<[u8]>::to_vec),
        timestamp: cell.timestamp,
        ttl: cell.ttl,
        local_time: cell.local_time,
        is_deleted: cell.is_deleted,
        value: cell.value.to_vec(),
    }
}
