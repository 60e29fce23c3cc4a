//! Cells of a row, one after the other, without an allocation.
//!
//! Bytes:   cell | flags | [vint timestamp] | [vint local time] | [vint TTL] | [path] | [value] |; complex column |
//!          [deletion] | vint number of cells | cells |; docs/formats/sstable.md, "Data.db"

use manicule_core::bytes::{DecodeError, Reader};

use super::columns::Columns;
use super::row::{Liveness, Row};
use super::shape::{ColumnShape, RowShape};
use crate::deletion::{Deletion, NO_LOCAL_TIME};
use crate::vint::ReadVint;

/// Bits of a cell's flags.
pub(super) mod flag {
    pub(in super::super) const DELETED: u8 = 0x01;
    pub(in super::super) const EXPIRING: u8 = 0x02;
    pub(in super::super) const EMPTY: u8 = 0x04;
    pub(in super::super) const ROW_TIMESTAMP: u8 = 0x08;
    pub(in super::super) const ROW_TTL: u8 = 0x10;
    pub(super) const ALL: u8 = 0x1f;
}

/// A cell, borrowed from a window.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Cell<'a> {
    /// Its offset in uncompressed Data.db.
    pub at: u64,
    /// Index of its column in the header's list: the static one for a static row.
    pub column: usize,
    /// Which element of a complex column it is: a list's time UUID, a set's element, a map's key, a
    /// field's index.
    pub path: Option<&'a [u8]>,
    /// When it was written, in microseconds since 1970, by the writer.
    pub timestamp: i64,
    /// Seconds to live; 0: it doesn't expire.
    pub ttl: i32,
    /// When it was deleted or expires, in seconds since 1970; [`NO_LOCAL_TIME`]: neither.
    pub local_time: i64,
    /// Whether it is a tombstone.
    pub is_deleted: bool,
    /// Its value; empty for a tombstone, an element of a set, and for a value of no bytes.
    pub value: &'a [u8],
}

impl Cell<'_> {
    /// Whether it expires.
    pub fn is_expiring(&self) -> bool {
        self.ttl != 0
    }
}

/// A part of a row.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum RowPart<'a> {
    /// A complex column begins; its cells follow.
    Complex {
        /// Index of the column in the header's list.
        column: usize,
        /// Deletion of its earlier cells; live if there is none.
        deletion: Deletion,
        /// Number of its cells.
        cell_count: u64,
    },
    /// A cell of a simple column, or of the complex one that began last.
    Cell(Cell<'a>),
}

/// Parts of a row in order; ends with the first error.
#[derive(Clone, Debug)]
pub struct Cells<'a, 's> {
    r: Reader<'a>,
    columns: Columns<'a>,
    shapes: &'s [ColumnShape],
    liveness: Option<Liveness>,
    shape: &'s RowShape,
    has_complex_deletions: bool,
    /// The complex column that is being read, and the number of its cells that are left.
    complex: (usize, u64),
    is_done: bool,
}

impl<'a> Row<'a> {
    /// Its cells and the deletions of its complex columns, in the order of the header's columns.
    /// The end of the iteration checks that the body ends there too.
    #[inline]
    pub fn cells<'s>(&self, shape: &'s RowShape) -> Cells<'a, 's> {
        Cells {
            r: self.cells,
            columns: self.columns,
            shapes: shape.columns(self.is_static),
            liveness: self.liveness,
            shape,
            has_complex_deletions: self.has_complex_deletions,
            complex: (0, 0),
            is_done: false,
        }
    }
}

impl<'a> Cells<'a, '_> {
    /// Offset in uncompressed Data.db of the part that comes next.
    pub fn at(&self) -> u64 {
        self.r.at()
    }

    #[inline]
    fn part(&mut self) -> Result<Option<RowPart<'a>>, DecodeError> {
        if self.complex.1 != 0 {
            self.complex.1 -= 1;
            let column = self.complex.0;
            return Ok(Some(RowPart::Cell(self.complex_cell(column)?)));
        }
        let Some(column) = self.columns.next() else {
            return self.end().map(|()| None);
        };
        let ColumnShape { is_complex, width } = self.shapes[column];
        if is_complex {
            return Ok(Some(self.complex_column(column)?));
        }
        let at = self.r.at();
        let flags = self.r.u8("flags of a cell")?;
        let (timestamp, local_time, ttl) = self.times(flags, at)?;
        let value = match (flags & flag::EMPTY, width) {
            (0, Some(width)) => self.r.take("value", width)?,
            (0, None) => self.r.vbytes("value")?,
            _ => &[],
        };
        let is_deleted = flags & flag::DELETED != 0;
        let path = None;
        Ok(Some(RowPart::Cell(Cell {
            at,
            column,
            path,
            timestamp,
            ttl,
            local_time,
            is_deleted,
            value,
        })))
    }

    fn complex_column(&mut self, column: usize) -> Result<RowPart<'a>, DecodeError> {
        let deletion = if self.has_complex_deletions {
            self.shape.deletion(&mut self.r)?
        } else {
            Deletion::LIVE
        };
        let (what, at) = ("number of a column's cells", self.r.at());
        let cell_count = self.r.vint(what)?;
        // A cell has two bytes at least: its flags and the length of its path.
        let want = self.r.rest().len() as u64 / 2;
        if cell_count > want {
            return Err(DecodeError::Corrupt { what, at, want, got: cell_count });
        }
        self.complex = (column, cell_count);
        Ok(RowPart::Complex { column, deletion, cell_count })
    }

    fn complex_cell(&mut self, column: usize) -> Result<Cell<'a>, DecodeError> {
        let at = self.r.at();
        let flags = self.r.u8("flags of a cell")?;
        let (timestamp, local_time, ttl) = self.times(flags, at)?;
        let path = Some(self.r.vbytes("path of a cell")?);
        // Here the length is stored whatever the type.
        let value = match flags & flag::EMPTY {
            0 => self.r.vbytes("value")?,
            _ => &[],
        };
        let is_deleted = flags & flag::DELETED != 0;
        Ok(Cell { at, column, path, timestamp, ttl, local_time, is_deleted, value })
    }

    /// Timestamp, local time and TTL of a cell with these flags.
    #[inline]
    fn times(&mut self, flags: u8, at: u64) -> Result<(i64, i64, i32), DecodeError> {
        // Nearly all cells have the row's timestamp, and neither deletion nor TTL.
        if flags & !flag::EMPTY == flag::ROW_TIMESTAMP
            && let Some(liveness) = self.liveness
        {
            return Ok((liveness.timestamp, NO_LOCAL_TIME, 0));
        }
        if flags & !(flag::ROW_TIMESTAMP | flag::EMPTY) == 0 && flags & flag::ROW_TIMESTAMP == 0 {
            return Ok((self.shape.timestamp(&mut self.r)?, NO_LOCAL_TIME, 0));
        }
        self.rare_times(flags, at)
    }

    fn rare_times(&mut self, flags: u8, at: u64) -> Result<(i64, i64, i32), DecodeError> {
        check_flags(flags, at, self.liveness)?;
        let row =
            self.liveness.unwrap_or(Liveness { timestamp: 0, ttl: 0, expires: NO_LOCAL_TIME });
        let timestamp = match flags & flag::ROW_TIMESTAMP {
            0 => self.shape.timestamp(&mut self.r)?,
            _ => row.timestamp,
        };
        if flags & flag::ROW_TTL != 0 {
            return Ok((timestamp, row.expires, row.ttl));
        }
        let local_time = match flags & (flag::DELETED | flag::EXPIRING) {
            0 => NO_LOCAL_TIME,
            _ => self.shape.local_time(&mut self.r)?,
        };
        let ttl = match flags & flag::EXPIRING {
            0 => 0,
            _ => self.shape.ttl(&mut self.r)?,
        };
        Ok((timestamp, local_time, ttl))
    }

    /// After the last column nothing may be left.
    #[inline]
    fn end(&self) -> Result<(), DecodeError> {
        if self.r.rest().is_empty() {
            return Ok(());
        }
        let (what, at) = ("bytes after a row's last cell", self.r.at());
        Err(DecodeError::Corrupt { what, at, want: 0, got: self.r.rest().len() as u64 })
    }
}

impl<'a> Iterator for Cells<'a, '_> {
    type Item = Result<RowPart<'a>, DecodeError>;

    #[inline]
    fn next(&mut self) -> Option<Self::Item> {
        if self.is_done {
            return None;
        }
        let part = self.part();
        self.is_done = !matches!(part, Ok(Some(_)));
        part.transpose()
    }
}

/// What a cell's flags may not say.
#[cold]
fn check_flags(flags: u8, at: u64, row: Option<Liveness>) -> Result<(), DecodeError> {
    let both = flag::DELETED | flag::EXPIRING;
    let fault = if flags & !flag::ALL != 0 {
        Some("flags of a cell")
    } else if flags & both == both {
        Some("flags of a cell that is deleted and expires")
    } else if flags & flag::ROW_TIMESTAMP != 0 && row.is_none() {
        Some("flags of a cell with its row's timestamp, which has none")
    } else if flags & flag::ROW_TTL != 0
        && (flags & flag::EXPIRING == 0 || row.is_none_or(|row| row.ttl == 0))
    {
        Some("flags of a cell with its row's TTL")
    } else {
        None
    };
    match fault {
        Some(what) => {
            let (want, got) = (flag::ALL.into(), flags.into());
            Err(DecodeError::Corrupt { what, at, want, got })
        }
        None => Ok(()),
    }
}
