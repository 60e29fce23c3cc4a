//! Rows that are looked up in others batch by batch, and what both give together.

use super::super::stop::Outcome;
use super::super::table::meter::Meter;
use super::super::table::rows::{NO_ROW, Table, gather};
use super::super::table::sink::Sink;
use super::build::Lookup;

/// Number of joined rows that are handed on together, about: their columns fit the cache.
pub(in crate::sparql) const ROWS: usize = 4096;

/// Both sides of a join: one is looked up in, batches of the other pass by.
pub(in crate::sparql) struct Sides<'j> {
    /// Rows of the first side by their keys.
    pub(in crate::sparql) lookup: Lookup,
    /// Columns of the first side that are kept.
    pub(in crate::sparql) built: Vec<&'j [u64]>,
    /// Places of the keys in a batch.
    pub(in crate::sparql) keys: Vec<usize>,
    /// Places in a batch of the columns that are kept.
    pub(in crate::sparql) passing: Vec<usize>,
}

/// Looks batches of rows up, and puts together what both sides give.
pub(in crate::sparql) struct Prober<'j> {
    sides: &'j Sides<'j>,
    /// Joined rows that are handed on together: the columns of the first side, then those of the
    /// other.
    chunk: Table,
    builts: Vec<u32>,
    passings: Vec<u32>,
    key: Vec<u64>,
}

impl<'j> Prober<'j> {
    /// Joined rows have some variables: those of the first side, then those of the other.
    pub(in crate::sparql) fn new(sides: &'j Sides<'j>, names: Vec<String>) -> Self {
        let key = vec![0; sides.keys.len()];
        let (builts, passings) = (Vec::new(), Vec::new());
        Prober { sides, chunk: Table::empty(names), builts, passings, key }
    }

    /// Looks up the rows of a batch. What is joined is handed on, fewer than twice [`ROWS`] rows at
    /// a time, until there is an error.
    pub(in crate::sparql) fn pass<E>(
        &mut self,
        batch: &[&[u64]],
        row_count: usize,
        each: &mut impl FnMut(&Table) -> Result<(), E>,
    ) -> Result<(), E> {
        self.builts.clear();
        self.passings.clear();
        if let (Lookup::Unique { base, rows }, [place]) = (&self.sides.lookup, &self.sides.keys[..])
        {
            for_unique(batch[*place], rows, *base, &mut self.builts, &mut self.passings);
            return each(self.glued(batch, row_count));
        }
        for row in 0..row_count {
            let places = self.key.iter_mut().zip(&self.sides.keys);
            places.for_each(|(id, place)| *id = batch[*place][row]);
            let mut next = 0;
            loop {
                let own = &self.sides.lookup.rows_of(&self.key)[next..];
                let own = &own[..own.len().min(ROWS)];
                next += own.len();
                self.builts.extend_from_slice(own);
                self.passings.resize(self.builts.len(), row as u32);
                if self.builts.len() < ROWS {
                    break;
                }
                each(self.glued(batch, row_count))?;
                self.builts.clear();
                self.passings.clear();
            }
        }
        each(self.glued(batch, row_count))
    }

    fn glued(&mut self, batch: &[&[u64]], row_count: usize) -> &Table {
        let (builts, passings) = self.chunk.columns.split_at_mut(self.sides.built.len());
        for (column, own) in builts.iter_mut().zip(&self.sides.built) {
            gather(own, &self.builts, column);
        }
        // Each row once, in order: where keys have one row each, most batches are so.
        let is_all =
            self.passings.len() == row_count && matches!(self.sides.lookup, Lookup::Unique { .. });
        for (column, place) in passings.iter_mut().zip(&self.sides.passing) {
            if is_all {
                column.clear();
                column.extend_from_slice(batch[*place]);
            } else {
                gather(batch[*place], &self.passings, column);
            }
        }
        self.chunk.row_count = self.builts.len();
        &self.chunk
    }
}

/// A join on its way to a sink.
pub(in crate::sparql) struct Joined<'j, 's, 'v> {
    prober: Prober<'j>,
    /// Number of joined rows so far.
    pub(in crate::sparql) count: u64,
    meter: &'j Meter<'s, 'v>,
    sink: &'j mut dyn Sink,
}

impl<'j, 's, 'v> Joined<'j, 's, 'v> {
    /// A join whose rows have some variables: those of the first side, then those of the other.
    pub(in crate::sparql) fn new(
        sides: &'j Sides<'j>,
        names: Vec<String>,
        meter: &'j Meter<'s, 'v>,
        sink: &'j mut dyn Sink,
    ) -> Outcome<Self> {
        let prober = Prober::new(sides, names);
        // The variables, where no row comes.
        sink.push(&prober.chunk)?;
        Ok(Joined { prober, count: 0, meter, sink })
    }

    /// Looks up the rows of a batch.
    pub(in crate::sparql) fn pass(&mut self, batch: &[&[u64]], row_count: usize) -> Outcome<()> {
        let Joined { prober, count, meter, sink } = self;
        prober.pass(batch, row_count, &mut |chunk| {
            *count += chunk.row_count as u64;
            meter.passed(chunk.row_count)?;
            sink.push(chunk)
        })
    }
}

/// Pairs of rows where each key has one row at most.
fn for_unique(
    keys: &[u64],
    rows: &[u32],
    base: u64,
    builts: &mut Vec<u32>,
    passings: &mut Vec<u32>,
) {
    builts.resize(keys.len(), 0);
    passings.resize(keys.len(), 0);
    let mut count = 0;
    for (at, key) in keys.iter().enumerate() {
        let row = Lookup::row_of(rows, base, *key);
        // Written in any case, and kept if there is a row: there is no branch to be guessed.
        (builts[count], passings[count]) = (row, at as u32);
        count += usize::from(row != NO_ROW);
    }
    builts.truncate(count);
    passings.truncate(count);
}
