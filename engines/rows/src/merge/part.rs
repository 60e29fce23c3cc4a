//! Parts of rows of several SSTables, borrowed from where they lie.

use manicule_format_sstable::{Cell, Deletion};

/// A part of a row.
#[derive(Clone, Debug)]
pub(crate) enum Part<'a> {
    /// A complex column; its cells follow.
    Complex {
        /// Its number.
        column: usize,
        /// Deletion of its earlier cells; live if there is none.
        deletion: Deletion,
    },
    /// A cell of a simple column, or of the complex one that began last.
    Cell(SourcedCell<'a>),
}

impl Part<'_> {
    /// Number of its column.
    pub(crate) fn column(&self) -> usize {
        match self {
            Part::Complex { column, .. } => *column,
            Part::Cell(cell) => cell.cell.column,
        }
    }
}

/// A cell, and the SSTable that it is from.
#[derive(Clone, Debug)]
pub(crate) struct SourcedCell<'a> {
    cell: Cell<'a>,
    /// A value that no SSTable has: of a counter, of the shards of several.
    summed: Option<Box<[u8]>>,
    /// Number of the SSTable.
    pub(crate) source: usize,
}

impl<'a> SourcedCell<'a> {
    pub(crate) fn new(cell: Cell<'a>, source: usize) -> Self {
        SourcedCell { cell, summed: None, source }
    }

    /// The same with another value.
    pub(crate) fn with_value(self, value: Vec<u8>) -> Self {
        SourcedCell { summed: Some(value.into()), ..self }
    }

    /// The cell with its value.
    pub(crate) fn as_cell(&self) -> Cell<'_> {
        Cell { value: self.value(), ..self.cell }
    }

    pub(crate) fn value(&self) -> &[u8] {
        self.summed.as_deref().unwrap_or(self.cell.value)
    }

    pub(crate) fn path(&self) -> Option<&'a [u8]> {
        self.cell.path
    }

    pub(crate) fn timestamp(&self) -> i64 {
        self.cell.timestamp
    }

    pub(crate) fn is_deleted(&self) -> bool {
        self.cell.is_deleted
    }

    pub(crate) fn local_time(&self) -> i64 {
        self.cell.local_time
    }
}
