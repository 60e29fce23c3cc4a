//! Rows in an order: sorted in memory as far as they fit, in runs that are merged where they don't.

use manicule_format_leaf::Order;

use super::BulkOptions;
use super::heads::Heads;
use super::radix::sort_by_column;
use super::run::put_row;
use super::tape::{Overflow, Tape, TapeReader, TapeWriter};
use crate::error::GraphError;

/// Bytes of rows that are sorted in memory, however little there is.
const ROWS_LEN_MIN: usize = 4 << 10;

/// An order that rows are brought into.
#[derive(Clone, Copy, Debug)]
pub(super) struct Step {
    pub(super) order: Order,
    /// The columns to sort by, the last first: rows come in the order before.
    pub(super) columns: &'static [usize],
}

/// What sorting takes.
#[derive(Clone, Copy, Debug)]
pub(super) struct Space<'o> {
    /// What doesn't fit into memory goes here.
    pub(super) overflow: &'o Overflow,
    /// Bytes of rows in memory; as many again are taken while they are sorted.
    pub(super) rows_len: usize,
    /// Bytes for the buffers of all runs that are merged.
    pub(super) buffers_len: usize,
}

impl<'o> Space<'o> {
    /// The space that options leave: a quarter of the memory for rows and for sorting them, as much
    /// for the order after, the rest for buffers and terms.
    pub(super) fn of(overflow: &'o Overflow, options: BulkOptions) -> Self {
        Space {
            overflow,
            rows_len: options.memory_len() / 8,
            buffers_len: options.memory_len() / 8,
        }
    }

    /// Bytes of the buffer of each of some runs.
    pub(super) fn buffer_len(&self, runs: usize) -> usize {
        (self.buffers_len / runs.max(1)).clamp(4 << 10, 1 << 20)
    }
}

/// Sorts rows, whose columns are subject, predicate, object, graph whatever the order is.
#[derive(Debug)]
pub(super) struct Sorter<'o, const N: usize> {
    space: Space<'o>,
    order: Order,
    /// Columns to sort by, the last first: the rows come in the order of the others.
    columns: &'static [usize],
    /// No number is greater.
    max: u32,
    rows: Vec<[u32; N]>,
    other: Vec<[u32; N]>,
    tapes: Vec<Tape>,
}

/// Rows in an order, each once.
#[derive(Debug)]
pub(super) enum Sorted<const N: usize> {
    /// All of them.
    Memory(Vec<[u32; N]>),
    /// Runs of them.
    Taped(Vec<Tape>),
}

impl<'o, const N: usize> Sorter<'o, N> {
    /// A sorter with some rows.
    pub(super) fn new(space: Space<'o>, step: Step, max: u32, rows: Vec<[u32; N]>) -> Self {
        let Step { order, columns } = step;
        Sorter { space, order, columns, max, rows, other: Vec::new(), tapes: Vec::new() }
    }

    /// Adds rows.
    pub(super) fn push(&mut self, rows: &[[u32; N]]) -> Result<(), GraphError> {
        let rows_max = self.space.rows_len.max(ROWS_LEN_MIN) / size_of::<[u32; N]>();
        let mut rest = rows;
        while !rest.is_empty() {
            let fits = rows_max.saturating_sub(self.rows.len()).min(rest.len());
            let (now, later) = rest.split_at(fits);
            self.rows.extend_from_slice(now);
            rest = later;
            if self.rows.len() >= rows_max {
                self.write()?;
            }
        }
        Ok(())
    }

    fn sort(&mut self) {
        for column in self.columns {
            sort_by_column(&mut self.rows, &mut self.other, *column, self.max);
        }
        self.rows.dedup();
    }

    fn write(&mut self) -> Result<(), GraphError> {
        self.sort();
        let mut out = TapeWriter::new(self.space.overflow, self.space.buffer_len(1))?;
        for row in &self.rows {
            put_row(row, out.buffer());
            out.settle()?;
        }
        self.rows.clear();
        self.tapes.push(out.finish()?);
        Ok(())
    }

    /// All rows in order.
    pub(super) fn finish(mut self) -> Result<Sorted<N>, GraphError> {
        if self.tapes.is_empty() {
            self.sort();
            return Ok(Sorted::Memory(self.rows));
        }
        if !self.rows.is_empty() {
            self.write()?;
        }
        Ok(Sorted::Taped(self.tapes))
    }

    /// The order.
    pub(super) fn order(&self) -> Order {
        self.order
    }
}

/// Reads the rows of a tape.
struct RowReader<'o, const N: usize> {
    reader: TapeReader<'o>,
    key: [u32; N],
    row: [u32; N],
    order: Order,
}

impl<const N: usize> RowReader<'_, N> {
    /// Reads the next row. Returns whether there is one.
    fn advance(&mut self) -> Result<bool, GraphError> {
        if self.reader.is_done() {
            return Ok(false);
        }
        self.row = take_row(&mut self.reader)?;
        let columns = self.order.columns();
        self.key = std::array::from_fn(|at| self.row[columns[at] as usize]);
        Ok(true)
    }
}

/// Takes a row of a tape.
pub(super) fn take_row<const N: usize>(
    reader: &mut TapeReader<'_>,
) -> Result<[u32; N], GraphError> {
    let len = N * size_of::<u32>();
    let words = reader.peek(len)?[..len].as_chunks::<4>().0;
    let row = std::array::from_fn(|at| u32::from_le_bytes(words[at]));
    reader.skip(len);
    Ok(row)
}

/// Merges runs, and gives their rows to `take` in batches of `count`; the last may have fewer.
pub(super) fn merge_rows<const N: usize>(
    tapes: &[Tape],
    order: Order,
    space: Space<'_>,
    count: usize,
    mut take: impl FnMut(&[[u32; N]]) -> Result<(), GraphError>,
) -> Result<(), GraphError> {
    let buffer_len = space.buffer_len(tapes.len());
    let mut readers = Vec::with_capacity(tapes.len());
    for tape in tapes {
        let reader = TapeReader::new(space.overflow, tape, buffer_len)?;
        let mut reader = RowReader { reader, key: [0; N], row: [0; N], order };
        if reader.advance()? {
            readers.push(reader);
        }
    }
    let is_less = |readers: &[RowReader<'_, N>], left: usize, right: usize| {
        readers[left].key < readers[right].key
    };
    let mut heads = Heads::new(0..readers.len(), |left, right| is_less(&readers, left, right));
    let mut batch: Vec<[u32; N]> = Vec::with_capacity(count);
    let mut last = None;
    while let Some(first) = heads.first() {
        let row = readers[first].row;
        if last != Some(row) {
            if batch.len() == count {
                take(&batch)?;
                batch.clear();
            }
            batch.push(row);
            last = Some(row);
        }
        let has_more = readers[first].advance()?;
        heads.advanced(!has_more, |left, right| is_less(&readers, left, right));
    }
    if batch.is_empty() { Ok(()) } else { take(&batch) }
}
