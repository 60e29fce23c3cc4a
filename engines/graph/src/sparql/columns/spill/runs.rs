//! Rows with keys in order, in runs, and runs merged: what an external sort is made of. Keys are
//! compared byte by byte; rows of equal keys stay in the order in which they came.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::ops::Range;
use std::rc::Rc;

use super::super::stop::Outcome;
use super::file::SpillFile;

/// Number of bytes from which on a block is written.
const BLOCK_LEN: usize = 32 << 10;
/// Maximum number of runs that are merged at once.
const MERGED_MAX: usize = 64;

/// Rows with keys, in memory.
#[derive(Default)]
pub(in crate::sparql) struct HeldRows {
    keys: Vec<u8>,
    /// Where each key ends.
    ends: Vec<usize>,
    /// The ids, row by row.
    ids: Vec<u64>,
}

impl HeldRows {
    pub(in crate::sparql) fn push(&mut self, key: &[u8], row: impl Iterator<Item = u64>) {
        self.keys.extend_from_slice(key);
        self.ends.push(self.keys.len());
        self.ids.extend(row);
    }

    /// Memory that they take, in bytes, with what their sort takes.
    pub(in crate::sparql) fn len(&self) -> u64 {
        (self.keys.len() + (self.ends.len() * 2 + self.ids.len()) * size_of::<u64>()) as u64
    }

    fn key(&self, row: usize) -> &[u8] {
        let start = row.checked_sub(1).map_or(0, |before| self.ends[before]);
        &self.keys[start..self.ends[row]]
    }

    /// The rows in order, of `width` ids each.
    pub(in crate::sparql) fn sorted(&self, width: usize) -> impl Iterator<Item = (&[u8], &[u64])> {
        let mut order: Vec<usize> = (0..self.ends.len()).collect();
        order.sort_by(|one, other| self.key(*one).cmp(self.key(*other)));
        order.into_iter().map(move |row| (self.key(row), &self.ids[row * width..(row + 1) * width]))
    }
}

/// Runs in a file, from the first rows to the last.
pub(in crate::sparql) struct Runs<'v> {
    file: Rc<SpillFile<'v>>,
    /// Number of ids of a row.
    width: usize,
    /// Runs of rows, those of runs, and so on.
    levels: Vec<Vec<Run>>,
}

/// Rows in order: the blocks of the file that hold them.
type Run = Vec<Range<u64>>;

impl<'v> Runs<'v> {
    pub(in crate::sparql) fn new(file: Rc<SpillFile<'v>>, width: usize) -> Runs<'v> {
        Runs { file, width, levels: Vec::new() }
    }

    /// Adds rows as a run. Where there are many, they are merged to one.
    pub(in crate::sparql) fn put(&mut self, rows: &HeldRows) -> Outcome<()> {
        let mut writer = Writer { file: &self.file, bytes: Vec::new(), run: Vec::new() };
        rows.sorted(self.width).try_for_each(|(key, row)| writer.put(key, row))?;
        let (mut run, mut level) = (writer.finish()?, 0);
        loop {
            if level == self.levels.len() {
                self.levels.push(Vec::new());
            }
            self.levels[level].push(run);
            if self.levels[level].len() < MERGED_MAX {
                return Ok(());
            }
            let full = std::mem::take(&mut self.levels[level]);
            let mut merged = Merged::of(self.file.clone(), self.width, full)?;
            let mut writer = Writer { file: &self.file, bytes: Vec::new(), run: Vec::new() };
            while let Some(Head { key, row, .. }) = merged.next()? {
                writer.put(&key, &row)?;
            }
            run = writer.finish()?;
            level += 1;
        }
    }

    /// All of them merged.
    pub(in crate::sparql) fn merged(self) -> Outcome<Merged<'v>> {
        // The runs of runs are of rows that came before.
        let runs = self.levels.into_iter().rev().flatten().collect();
        Merged::of(self.file, self.width, runs)
    }
}

/// Writes a run.
struct Writer<'w, 'v> {
    file: &'w SpillFile<'v>,
    bytes: Vec<u8>,
    run: Run,
}

impl Writer<'_, '_> {
    fn put(&mut self, key: &[u8], row: &[u64]) -> Outcome<()> {
        self.bytes.extend_from_slice(&(key.len() as u64).to_ne_bytes());
        self.bytes.extend_from_slice(key);
        self.bytes.extend(row.iter().flat_map(|id| id.to_ne_bytes()));
        if self.bytes.len() >= BLOCK_LEN { self.write() } else { Ok(()) }
    }

    fn write(&mut self) -> Outcome<()> {
        self.run.push(self.file.append(&self.bytes)?);
        self.bytes.clear();
        Ok(())
    }

    fn finish(mut self) -> Outcome<Run> {
        if !self.bytes.is_empty() {
            self.write()?;
        }
        Ok(self.run)
    }
}

/// A run that is read.
struct Reader {
    blocks: std::vec::IntoIter<Range<u64>>,
    /// The block, and how far it was read.
    bytes: Vec<u8>,
    at: usize,
}

impl Reader {
    /// The next row; none after the last.
    fn next(&mut self, run: usize, file: &SpillFile<'_>, width: usize) -> Outcome<Option<Head>> {
        if self.at == self.bytes.len() {
            let Some(block) = self.blocks.next() else { return Ok(None) };
            file.read(&block, &mut self.bytes)?;
            self.at = 0;
        }
        let len = self.word() as usize;
        let key = self.bytes[self.at..self.at + len].to_vec();
        self.at += len;
        let row = (0..width).map(|_| self.word()).collect();
        Ok(Some(Head { key, run, row }))
    }

    fn word(&mut self) -> u64 {
        let bytes = &self.bytes[self.at..self.at + size_of::<u64>()];
        self.at += size_of::<u64>();
        u64::from_ne_bytes(bytes.try_into().expect("eight bytes"))
    }
}

/// A row with its key, and the run that it is the first of: in the order of keys, and of runs.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
pub(in crate::sparql) struct Head {
    key: Vec<u8>,
    run: usize,
    pub(in crate::sparql) row: Vec<u64>,
}

/// Runs merged.
pub(in crate::sparql) struct Merged<'v> {
    file: Rc<SpillFile<'v>>,
    width: usize,
    readers: Vec<Reader>,
    heads: BinaryHeap<Reverse<Head>>,
}

impl<'v> Merged<'v> {
    fn of(file: Rc<SpillFile<'v>>, width: usize, runs: Vec<Run>) -> Outcome<Merged<'v>> {
        let reader = |run: Run| Reader { blocks: run.into_iter(), bytes: Vec::new(), at: 0 };
        let readers: Vec<Reader> = runs.into_iter().map(reader).collect();
        let mut merged = Merged { file, width, readers, heads: BinaryHeap::new() };
        (0..merged.readers.len()).try_for_each(|run| merged.read(run))?;
        Ok(merged)
    }

    fn read(&mut self, run: usize) -> Outcome<()> {
        let head = self.readers[run].next(run, &self.file, self.width)?;
        self.heads.extend(head.map(Reverse));
        Ok(())
    }

    /// The next row; none after the last.
    pub(in crate::sparql) fn next(&mut self) -> Outcome<Option<Head>> {
        let Some(Reverse(head)) = self.heads.pop() else { return Ok(None) };
        self.read(head.run)?;
        Ok(Some(head))
    }
}

#[cfg(test)]
mod tests {
    use manicule_core::watch::Watch;
    use manicule_testkit::Rng;

    use super::super::super::super::session::{QueryLimits, Session};
    use super::*;

    #[test]
    fn runs_merged_are_a_stable_sort() {
        let watch = Watch::none();
        let session = Rc::new(Session::new(&watch, QueryLimits::NONE));
        // Runs of runs of runs.
        for (seed, run_count) in [0, 1, 3, 64, 65, 64 * 64 + 70].into_iter().enumerate() {
            let mut rng = Rng::new(seed as u64);
            let mut runs = Runs::new(SpillFile::new(&session).expect("a file"), 2);
            let (mut want, mut next) = (Vec::new(), 0);
            for _ in 0..run_count {
                let mut held = HeldRows::default();
                for _ in 0..1 + rng.below(5) {
                    let key = vec![b'k'; rng.below(4)];
                    held.push(&key, [next, next * 2].into_iter());
                    want.push((key, next));
                    next += 1;
                }
                runs.put(&held).expect("a run");
            }
            want.sort();
            let (mut merged, mut got) = (runs.merged().expect("runs"), Vec::new());
            while let Some(Head { key, row, .. }) = merged.next().expect("a row") {
                assert_eq!(row[1], row[0] * 2);
                got.push((key, row[0]));
            }
            assert!(got == want, "{run_count} runs");
        }
    }
}
