//! Triple patterns joined as they are scanned: a block of quads at a time is looked up in the rows
//! so far, so that the columns of the larger side are never held twice.

use std::collections::BTreeSet;

use super::super::join::build::Lookup;
use super::super::join::probe::{Joined, ROWS, Sides};
use super::super::state::Columns;
use super::super::stop::{Outcome, Stop};
use super::super::table::rows::Table;
use super::super::table::sink::Sink;
use super::quads::{At, QuadPattern};
use super::spread::{PassingRows, Spread};
use crate::GraphError;
use crate::view::{Blocks as _, View};

/// Number of blocks between two looks at the time.
const BLOCKS_PER_LOOK: usize = 8;

/// Takes some quads of a pattern: their ids by place, and how many they are.
type Each<'e> = dyn FnMut([&[u64]; 4], usize) -> Outcome<()> + 'e;

/// What a scan of a pattern gives to a table.
struct Parts {
    /// Columns of the table that are kept.
    left: Vec<usize>,
    /// Columns of the table that the pattern shares, and its places for them.
    keys: Vec<(usize, usize)>,
    /// Places of the pattern whose variables are new and kept.
    right: Vec<usize>,
}

impl<V: View> Columns<'_, '_, V> {
    /// Hands over the quads of a pattern in which no variable occurs twice. Returns the number of
    /// rows.
    pub(in crate::sparql) fn stream(
        &self,
        pattern: &QuadPattern,
        is_kept: impl Fn(&str) -> bool,
        sink: &mut dyn Sink,
    ) -> Outcome<u64> {
        let mut chunk = Table::default();
        let mut places = Vec::new();
        for (at, place) in pattern.places.iter().enumerate() {
            if let At::Variable(name) = place
                && is_kept(name)
            {
                chunk.push(name.clone(), Vec::new());
                places.push(at);
            }
        }
        // Its variables, where no quad comes.
        sink.push(&chunk)?;
        self.blocks(pattern, &places, &mut |batch, rows| {
            for (column, place) in chunk.columns.iter_mut().zip(&places) {
                column.clear();
                column.extend_from_slice(batch[*place]);
            }
            chunk.row_count = rows;
            sink.push(&chunk)
        })
    }

    /// Hands over the rows of a table with the quads of a pattern, in which no variable occurs
    /// twice, that agree with them: all rows bind what both share. The table is looked up in, the
    /// quads pass by. Returns the number of rows.
    pub(in crate::sparql) fn stream_joined(
        &self,
        table: &Table,
        pattern: &QuadPattern,
        is_kept: impl Fn(&str) -> bool,
        sink: &mut dyn Sink,
    ) -> Outcome<u64> {
        let Parts { left, keys, right } = parts(table, pattern, &is_kept);
        let columns = table.columns_at(keys.iter().map(|(column, _)| *column));
        let lookup = Lookup::new(&columns, table.row_count, pattern.count as usize, &self.meter)?;
        let mut names: Vec<String> = left.iter().map(|at| table.names[*at].clone()).collect();
        names.extend(right.iter().filter_map(|at| pattern.name_at(*at).cloned()));
        let built = table.columns_at(left);
        let keys: Vec<usize> = keys.iter().map(|(_, place)| *place).collect();
        let mut wanted = right.clone();
        wanted.extend(&keys);
        let sides = Sides { lookup, built, keys, passing: right };
        let mut joined = Joined::new(&sides, names, &self.meter, sink)?;
        self.blocks(pattern, &wanted, &mut |batch, rows| joined.pass(&batch, rows))?;
        Ok(joined.count)
    }

    /// As [`Columns::stream_joined`], with the rows of the table passing by, of which a number of
    /// joined rows is expected. Several threads look the joined rows up in patterns that close
    /// cycles too, and the number that each has let pass is returned.
    pub(in crate::sparql) fn stream_table(
        &self,
        table: &Table,
        expected: u64,
        pattern: &QuadPattern,
        is_kept: impl Fn(&str) -> bool,
        spread: Option<&Spread<'_>>,
        sink: &mut dyn Sink,
    ) -> Outcome<(u64, Vec<u64>)> {
        let parts = parts(table, pattern, &is_kept);
        let names = || parts.right.iter().filter_map(|at| pattern.name_at(*at).cloned());
        let mut needed: BTreeSet<String> = names().collect();
        needed.extend(parts.keys.iter().map(|(column, _)| table.names[*column].clone()));
        let scanned = self.scan(pattern, Some(&needed))?;
        let columns = |names: &mut dyn Iterator<Item = &String>| -> Vec<&[u64]> {
            names.filter_map(|name| scanned.column(name)).collect()
        };
        let keys = columns(&mut parts.keys.iter().map(|(column, _)| &table.names[*column]));
        let lookup = Lookup::new(&keys, scanned.row_count, table.row_count, &self.meter)?;
        let (new, mut all): (Vec<String>, Vec<String>) = (names().collect(), Vec::new());
        all.extend(new.iter().cloned());
        all.extend(parts.left.iter().map(|at| table.names[*at].clone()));
        let built = columns(&mut new.iter());
        let keys = parts.keys.iter().map(|(column, _)| *column).collect();
        let sides = Sides { lookup, built, keys, passing: parts.left };
        if let Some(spread) = spread {
            let columns = table.columns_at(0..table.names.len());
            let row_count = table.row_count;
            let rows = PassingRows { columns: &columns, row_count, expected };
            return self.spread(spread, rows, &sides, &all, sink);
        }
        let mut joined = Joined::new(&sides, all, &self.meter, sink)?;
        let mut batch: Vec<&[u64]> = Vec::new();
        for (at, start) in (0..table.row_count).step_by(ROWS).enumerate() {
            if at.is_multiple_of(BLOCKS_PER_LOOK) {
                self.meter.check(0)?;
            }
            let rows = start..table.row_count.min(start + ROWS);
            batch.clear();
            batch.extend(table.columns.iter().map(|column| &column[rows.clone()]));
            joined.pass(&batch, rows.len())?;
        }
        Ok((joined.count, Vec::new()))
    }

    /// Reads the quads of a pattern block by block, until its end or an error.
    fn blocks(&self, pattern: &QuadPattern, places: &[usize], each: &mut Each<'_>) -> Outcome<u64> {
        let ids = pattern.ids();
        self.meter.admit(pattern.count as usize, self.graphs.held(pattern.count, &ids))?;
        let wanted = std::array::from_fn(|place| places.contains(&place));
        let failed = |error: GraphError| Stop::Failed(error.into());
        let mut blocks = self.graphs.blocks(&ids, wanted).map_err(failed)?;
        let (mut scanned, mut block_count) = (0, 0_usize);
        while let Some(rows) = blocks.next().map_err(failed)? {
            scanned += rows as u64;
            block_count += 1;
            if block_count.is_multiple_of(BLOCKS_PER_LOOK) {
                self.meter.check(0)?;
            }
            each(blocks.ids(), rows)?;
        }
        self.meter.scanned(scanned)?;
        Ok(scanned)
    }
}

/// What comes from a table and what from a pattern.
fn parts(table: &Table, pattern: &QuadPattern, is_kept: &impl Fn(&str) -> bool) -> Parts {
    let left = (0..table.names.len()).filter(|at| is_kept(&table.names[*at])).collect();
    let (mut keys, mut right) = (Vec::new(), Vec::new());
    for (at, place) in pattern.places.iter().enumerate() {
        let At::Variable(name) = place else { continue };
        match table.place(name) {
            Some(column) => keys.push((column, at)),
            None if is_kept(name) => right.push(at),
            None => {}
        }
    }
    Parts { left, keys, right }
}
