//! Partitions, rows and markers as the bytes of Data.db.
//!
//! A row's body has its length in front, so it is put together in a buffer of its own: one serves
//! for all rows of a table.
//!
//! Bytes:   docs/formats/sstable.md, "Data.db"

use super::cells::RowPart;
use super::frame::flag;
use super::row::{Liveness, Row};
use super::shape::RowShape;
use super::write_cells::{put_cell, put_columns};
use crate::deletion::Deletion;
use crate::prefix::{Components, Prefix};
use crate::vint::put_vint;

/// Greatest length in bytes of a partition key: its length has 16 bits.
pub const KEY_LEN_MAX: usize = u16::MAX as usize;

/// A row without its cells.
#[derive(Clone, Copy, Debug)]
pub struct RowHead<'a> {
    /// Whether it is the partition's static row.
    pub is_static: bool,
    /// Its clustering; of the static row none.
    pub components: Components<'a>,
    /// Of the primary key; rows that were only updated have none.
    pub liveness: Option<Liveness>,
    /// Its deletion; live if there is none.
    pub deletion: Deletion,
    /// A deletion that counts for nothing beside a later liveness; live if there is none.
    /// Cassandra's rows have one of the two.
    pub shadowable: Deletion,
}

impl<'a> RowHead<'a> {
    /// The head of a row that was read.
    pub fn of(row: &Row<'a>) -> RowHead<'a> {
        let Row { is_static, components, liveness, deletion, shadowable, .. } = *row;
        RowHead { is_static, components, liveness, deletion, shadowable }
    }

    /// Whether a row without cells has nothing to say with it.
    pub fn says_nothing(&self) -> bool {
        self.liveness.is_none() && self.deletion.is_live() && self.shadowable.is_live()
    }

    /// The static row of a partition that has no static values: it is there all the same.
    pub const NO_STATICS: RowHead<'static> = RowHead {
        is_static: true,
        components: Components::NONE,
        liveness: None,
        deletion: Deletion::LIVE,
        shadowable: Deletion::LIVE,
    };
}

/// Appends what the Data.db of a table consists of.
#[derive(Clone, Debug)]
pub struct RowWriter {
    shape: RowShape,
    body: Vec<u8>,
    /// Indexes of the columns that the present row has.
    columns: Vec<usize>,
}

impl RowWriter {
    /// For a table of this shape.
    pub fn new(shape: RowShape) -> RowWriter {
        RowWriter { shape, body: Vec::new(), columns: Vec::new() }
    }

    /// The shape.
    pub fn shape(&self) -> &RowShape {
        &self.shape
    }

    /// The head of a partition.
    ///
    /// # Panics
    /// If the key is longer than [`KEY_LEN_MAX`].
    pub fn put_head(&self, key: &[u8], deletion: Deletion, out: &mut Vec<u8>) {
        let len = u16::try_from(key.len()).expect("a key within its greatest length");
        out.extend_from_slice(&len.to_be_bytes());
        out.extend_from_slice(key);
        deletion.put(self.shape.deletion_form(), out);
    }

    /// A row with its cells, `before_len` bytes after the start of what was before it: of the
    /// static row 0, of a partition's first row the distance from the partition's start.
    ///
    /// `parts` are in the order of the header's columns, and of a complex column as many cells
    /// follow as it says. They are gone through twice.
    pub fn put_row<'p>(
        &mut self,
        row: &RowHead<'_>,
        parts: impl Iterator<Item = RowPart<'p>> + Clone,
        before_len: u64,
        out: &mut Vec<u8>,
    ) {
        let mut flags = self.columns_of(row, parts.clone());
        let RowWriter { shape, body, columns } = self;
        body.clear();
        put_vint(before_len, body);
        if let Some(liveness) = row.liveness {
            flags |= flag::TIMESTAMP;
            shape.put_timestamp(liveness.timestamp, body);
            if liveness.ttl != 0 {
                flags |= flag::EXPIRING;
                shape.put_ttl(liveness.ttl, body);
                shape.put_local_time(liveness.expires, body);
            }
        }
        let (deletions, more) = deletions(row);
        for deletion in deletions.into_iter().flatten() {
            flags |= flag::DELETION;
            shape.put_deletion(deletion, body);
        }
        let shapes = shape.columns(row.is_static);
        if flags & flag::ALL_COLUMNS == 0 {
            put_columns(columns, shapes.len(), body);
        }
        for part in parts {
            match part {
                RowPart::Complex { deletion, cell_count, .. } => {
                    if flags & flag::COMPLEX_DELETION != 0 {
                        shape.put_deletion(deletion, body);
                    }
                    put_vint(cell_count, body);
                }
                RowPart::Cell(cell) => {
                    put_cell(&cell, row.liveness, shapes[cell.column].width, shape, body);
                }
            }
        }
        let more = if row.is_static { more | flag::STATIC } else { more };
        out.push(if more != 0 { flags | flag::MORE } else { flags });
        if more != 0 {
            out.push(more);
        }
        out.extend_from_slice(row.components.bytes());
        put_vint(body.len() as u64, out);
        out.extend_from_slice(body);
    }

    /// Notes which columns there are; the flags that follow from that.
    fn columns_of<'p>(
        &mut self,
        row: &RowHead<'_>,
        parts: impl Iterator<Item = RowPart<'p>>,
    ) -> u8 {
        self.columns.clear();
        let mut flags = 0;
        for part in parts {
            match part {
                RowPart::Complex { column, deletion, .. } => {
                    self.columns.push(column);
                    if !deletion.is_live() {
                        flags |= flag::COMPLEX_DELETION;
                    }
                }
                RowPart::Cell(cell) if cell.path.is_none() => self.columns.push(cell.column),
                RowPart::Cell(_) => {}
            }
        }
        debug_assert!(self.columns.is_sorted_by(|left, right| left < right), "columns in order");
        let is_all = self.columns.len() == self.shape.columns(row.is_static).len();
        if is_all { flags | flag::ALL_COLUMNS } else { flags }
    }

    /// A range tombstone marker: of a boundary both deletions, of a bound the one that ends or
    /// begins.
    ///
    /// # Panics
    /// If the kind of the prefix asks for other deletions.
    pub fn put_marker(
        &mut self,
        prefix: &Prefix<'_>,
        [ends, begins]: [Option<Deletion>; 2],
        before_len: u64,
        out: &mut Vec<u8>,
    ) {
        let RowWriter { shape, body, .. } = self;
        let (kind, components) = (prefix.kind, prefix.components);
        assert_eq!(
            (ends.is_some(), begins.is_some()),
            (kind.closes(), kind.opens()),
            "{kind:?} has the deletions of its kind"
        );
        body.clear();
        put_vint(before_len, body);
        for deletion in [ends, begins].into_iter().flatten() {
            shape.put_deletion(deletion, body);
        }
        out.extend_from_slice(&[flag::MARKER, kind.number()]);
        out.extend_from_slice(&(components.count() as u16).to_be_bytes());
        out.extend_from_slice(components.bytes());
        put_vint(body.len() as u64, out);
        out.extend_from_slice(body);
    }

    /// The end of a partition.
    pub fn put_end(&self, out: &mut Vec<u8>) {
        out.push(flag::END);
    }
}

/// The deletions of a row in the order of its bytes, and what its second byte of flags says of
/// them.
fn deletions(row: &RowHead<'_>) -> ([Option<Deletion>; 2], u8) {
    match (row.deletion.is_live(), row.shadowable.is_live()) {
        (true, true) => ([None, None], 0),
        (false, true) => ([Some(row.deletion), None], 0),
        (true, false) => ([Some(row.shadowable), None], flag::SHADOWABLE),
        (false, false) => ([Some(row.deletion), Some(row.shadowable)], flag::MORE_SHADOWABLE),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::{Cell, Frame, Unfiltered};
    use crate::deletion::NO_LOCAL_TIME;
    use crate::header::{Column, Header};
    use crate::types::Type;
    use crate::{Parsed, Version};

    fn shape() -> RowShape {
        let column = |name: &str, kind| Column { name: name.as_bytes().to_vec(), kind };
        let set = Type::Set { element: Box::new(Type::Text), is_frozen: false };
        RowShape::new(&Header {
            version: Version::Me,
            base_timestamp: 100,
            base_deletion_time: 1_000,
            base_ttl: 60,
            key: Type::Int,
            clustering: Vec::new(),
            statics: Vec::new(),
            regulars: vec![column("a", Type::Int), column("b", Type::Text), column("s", set)],
        })
    }

    fn cell(column: usize, timestamp: i64, value: &[u8]) -> Cell<'_> {
        let (path, ttl, local_time, is_deleted) = (None, 0, NO_LOCAL_TIME, false);
        Cell { at: 0, column, path, timestamp, ttl, local_time, is_deleted, value }
    }

    /// Parts without the offsets that they were read at.
    fn read(bytes: &[u8], shape: &RowShape) -> (Deletion, Deletion, Vec<RowPart<'static>>) {
        let Ok(Parsed::Done(frame)) = Frame::read(bytes, 0, shape) else { panic!("{bytes:?}") };
        let Ok(Unfiltered::Row(row)) = frame.open(bytes, shape) else { panic!("{bytes:?}") };
        let parts = row.cells(shape).map(|part| match part.expect("a part") {
            RowPart::Cell(cell) => RowPart::Cell(Cell { at: 0, path: None, value: b"", ..cell }),
            RowPart::Complex { column, deletion, cell_count } => {
                RowPart::Complex { column, deletion, cell_count }
            }
        });
        (row.deletion, row.shadowable, parts.collect())
    }

    #[test]
    fn a_row_has_the_bytes_of_its_parts() {
        let (mut out, mut writer) = (Vec::new(), RowWriter::new(shape()));
        let liveness = Some(Liveness { timestamp: 105, ttl: 0, expires: NO_LOCAL_TIME });
        let row = RowHead { is_static: false, liveness, ..RowHead::NO_STATICS };
        let parts = [RowPart::Cell(cell(0, 105, &[0, 0, 0, 9])), RowPart::Cell(cell(1, 104, b"x"))];
        writer.put_row(&row, parts.into_iter(), 30, &mut out);
        // Flags, size, length before, timestamp, column 2 missing; a cell of the row's time, one of
        // its own.
        assert_eq!(out, [0x04, 12, 30, 5, 0b100, 0x08, 0, 0, 0, 9, 0x00, 4, 1, b'x']);
        out.clear();
        let deletion = Deletion { marked_at: 107, local_time: 1_002 };
        writer.put_row(&RowHead { deletion, ..row }, parts.into_iter(), 30, &mut out);
        assert_eq!(out[..6], [0x14, 14, 30, 5, 7, 2]);
    }

    #[test]
    fn deletions_and_complex_columns_are_read_back() {
        let deletion = Deletion { marked_at: 107, local_time: 1_002 };
        let shadowable = Deletion { marked_at: 90, local_time: 900 };
        let parts = [
            RowPart::Cell(Cell { is_deleted: true, local_time: 7, ..cell(0, 2, b"") }),
            RowPart::Complex { column: 2, deletion, cell_count: 1 },
            RowPart::Cell(cell(2, i64::MIN, b"")),
        ];
        let with_path = parts.map(|part| match part {
            RowPart::Cell(cell) if cell.column == 2 => {
                RowPart::Cell(Cell { path: Some(b"element"), ..cell })
            }
            other => other,
        });
        let mut writer = RowWriter::new(shape());
        for (one, other) in [
            (Deletion::LIVE, Deletion::LIVE),
            (deletion, Deletion::LIVE),
            (Deletion::LIVE, shadowable),
            (deletion, shadowable),
        ] {
            let head = RowHead { is_static: false, ..RowHead::NO_STATICS };
            let head = RowHead { deletion: one, shadowable: other, ..head };
            let mut out = Vec::new();
            writer.put_row(&head, with_path.into_iter(), 1, &mut out);
            assert_eq!(read(&out, writer.shape()), (one, other, parts.to_vec()));
        }
    }

    #[test]
    #[should_panic(expected = "has the deletions of its kind")]
    fn a_marker_has_the_deletions_of_its_kind() {
        let deletion = Some(Deletion { marked_at: 1, local_time: 1 });
        RowWriter::new(shape()).put_marker(&Prefix::FIRST, [deletion, None], 1, &mut Vec::new());
    }
}
