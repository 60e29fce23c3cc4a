//! Rows in partitions by the hash of their keys: equal keys are in one of them, so that the groups
//! and distinct rows of each are those of the whole.

use std::ops::Range;
use std::rc::Rc;

use manicule_core::bytes::mix;

use super::super::stop::Outcome;
use super::super::table::rows::Table;
use super::file::SpillFile;

/// Number of partitions, as a power of two.
const PARTITION_BITS: u32 = 4;
/// Number of times that a partition is partitioned again, where it needs too much memory.
const DEPTH_MAX: u64 = 8;
/// Number of ids of a block.
const BLOCK_IDS: usize = 4096;

/// Puts rows into partitions.
pub(in crate::sparql) struct Partitioner<'v> {
    file: Rc<SpillFile<'v>>,
    names: Rc<[String]>,
    /// How many times the rows were partitioned before.
    depth: u64,
    parts: Vec<Open>,
    row: Vec<u64>,
}

/// A partition that rows still come to.
#[derive(Default)]
struct Open {
    /// The ids of rows that are not in the file, row by row.
    ids: Vec<u64>,
    blocks: Vec<Range<u64>>,
    row_count: u64,
}

/// Rows of some keys, in a file.
pub(in crate::sparql) struct Partition<'v> {
    file: Rc<SpillFile<'v>>,
    names: Rc<[String]>,
    depth: u64,
    blocks: Vec<Range<u64>>,
    row_count: u64,
}

impl<'v> Partitioner<'v> {
    /// No row, of some variables.
    pub(in crate::sparql) fn new(file: Rc<SpillFile<'v>>, names: Rc<[String]>) -> Partitioner<'v> {
        Partitioner::at(file, names, 0)
    }

    fn at(file: Rc<SpillFile<'v>>, names: Rc<[String]>, depth: u64) -> Partitioner<'v> {
        let parts = (0..1 << PARTITION_BITS).map(|_| Open::default()).collect();
        Partitioner { file, names, depth, parts, row: Vec::new() }
    }

    /// Puts rows into partitions by some of their columns.
    pub(in crate::sparql) fn put(&mut self, rows: &Table, keys: &[&[u64]]) -> Outcome<()> {
        for row in 0..rows.row_count {
            let hash = keys.iter().fold(self.depth, |state, column| mix(state, column[row]));
            let part = &mut self.parts[(hash >> (u64::BITS - PARTITION_BITS)) as usize];
            self.row.clear();
            self.row.extend(rows.columns.iter().map(|column| column[row]));
            part.ids.extend_from_slice(&self.row);
            part.row_count += 1;
            if part.ids.len() >= BLOCK_IDS {
                part.write(&self.file)?;
            }
        }
        Ok(())
    }

    /// The partitions that have rows.
    pub(in crate::sparql) fn finish(mut self) -> Outcome<Vec<Partition<'v>>> {
        self.parts.iter_mut().try_for_each(|part| part.write(&self.file))?;
        let (file, names, depth) = (&self.file, &self.names, self.depth);
        let made = self.parts.into_iter().filter(|part| part.row_count > 0).map(|part| Partition {
            file: file.clone(),
            names: names.clone(),
            depth,
            blocks: part.blocks,
            row_count: part.row_count,
        });
        Ok(made.collect())
    }
}

impl Open {
    fn write(&mut self, file: &SpillFile<'_>) -> Outcome<()> {
        if !self.ids.is_empty() {
            let bytes: Vec<u8> = self.ids.iter().flat_map(|id| id.to_ne_bytes()).collect();
            self.blocks.push(file.append(&bytes)?);
            self.ids.clear();
        }
        Ok(())
    }
}

impl<'v> Partition<'v> {
    /// Its rows, some at a time.
    pub(in crate::sparql) fn tables(&self) -> impl Iterator<Item = Outcome<Table>> {
        let mut bytes = Vec::new();
        self.blocks.iter().map(move |block| {
            self.file.read(block, &mut bytes)?;
            let mut table = Table::empty(self.names.to_vec());
            let ids = bytes.chunks_exact(size_of::<u64>());
            for (at, id) in ids.enumerate() {
                let id = u64::from_ne_bytes(id.try_into().expect("eight bytes"));
                table.columns[at % self.names.len()].push(id);
            }
            table.row_count = bytes.len() / size_of::<u64>() / self.names.len();
            Ok(table)
        })
    }

    /// Its rows in parts, by the keys that they have; none where there is no use in it.
    pub(in crate::sparql) fn partitioned_again(
        &self,
        keys_of: &mut dyn FnMut(&Table) -> Outcome<Vec<Vec<u64>>>,
    ) -> Outcome<Option<Vec<Partition<'v>>>> {
        if self.row_count < 2 || self.depth == DEPTH_MAX {
            return Ok(None);
        }
        let mut partitioner =
            Partitioner::at(self.file.clone(), self.names.clone(), self.depth + 1);
        for rows in self.tables() {
            let rows = rows?;
            let keys = keys_of(&rows)?;
            partitioner.put(&rows, &keys.iter().map(Vec::as_slice).collect::<Vec<_>>())?;
        }
        partitioner.finish().map(Some)
    }
}

#[cfg(test)]
mod tests {
    use std::rc::Rc;

    use manicule_core::watch::Watch;
    use manicule_testkit::Rng;

    use super::super::super::super::session::{QueryLimits, Session};
    use super::*;

    #[test]
    fn rows_of_a_key_are_in_one_part_and_all_rows_in_some() {
        let watch = Watch::none();
        let session = Rc::new(Session::new(&watch, QueryLimits::NONE));
        let file = SpillFile::new(&session).expect("a file");
        let names: Rc<[String]> = ["a", "b"].map(str::to_owned).into();
        let (mut rng, mut want) = (Rng::new(1), Vec::new());
        let mut partitioner = Partitioner::new(file, names.clone());
        for _ in 0..20 {
            let mut table = Table::empty(names.to_vec());
            for _ in 0..rng.below(3000) {
                let row = [rng.below(100) as u64, rng.below(1 << 20) as u64];
                table.columns.iter_mut().zip(row).for_each(|(column, id)| column.push(id));
                table.row_count += 1;
                want.push(row);
            }
            partitioner.put(&table, &[&table.columns[0]]).expect("rows");
        }
        let (mut got, mut parts_of) = (Vec::new(), vec![None; 100]);
        let parts = partitioner.finish().expect("parts");
        assert!(parts.len() > 10);
        let mut again = Vec::new();
        for part in parts {
            let mut keys_of = |rows: &Table| Ok(vec![rows.columns[0].clone()]);
            again.extend(part.partitioned_again(&mut keys_of).expect("parts").expect("of use"));
        }
        for (number, part) in again.iter().enumerate() {
            for table in part.tables() {
                let table = table.expect("rows");
                for row in 0..table.row_count {
                    let own = [table.columns[0][row], table.columns[1][row]];
                    assert_eq!(*parts_of[own[0] as usize].get_or_insert(number), number);
                    got.push(own);
                }
            }
        }
        want.sort_unstable();
        got.sort_unstable();
        assert!(got == want, "{} rows of {}", got.len(), want.len());
        assert_eq!(session.work().spilled_len, 2 * 16 * want.len() as u64);
    }
}
