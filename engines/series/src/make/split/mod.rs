//! A block cut into several, each of which is a whole block: by a hash of the labels, or by time.
//!
//! The hash is our own, so that everybody can compute it: the first eight bytes, big-endian, of the
//! SHA-256 over the labels in order, each as the length of its name (four bytes, big-endian), the
//! name, the length of its value, the value. A series goes to the part of that number modulo the
//! number of parts. So part 3 of 4 is parts 3 and 7 of 8: a part whose index is too long is cut in
//! two without a look at the others.

mod limits;

use manicule_core::watch::{Meter, Phase, Unit, Watch};
use manicule_format_prometheus::{Interval, SeriesRef, Ulid};
use sha2::{Digest, Sha256};

pub use limits::{IndexLens, IndexMax, parts_below};

use crate::block::Block;
use crate::make::merge::{Ledger, MergeError, Merged};
use crate::make::publish::Target;
use crate::make::rewrite::part::{Deletions, PartPlan, collect, finish, in_index, meta_of};
use crate::make::rewrite::{SortedTable, Symbols, Table, read};
use crate::make::write::{WriteError, Written};

/// Kinds of cuts of a block.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum SplitBy {
    /// Into a number of parts, by the hash of the labels.
    Hash {
        /// Number of parts; at least one.
        parts: u32,
    },
    /// As [`SplitBy::Hash`]; a part whose index is longer than it may be becomes two, until none
    /// is.
    Below {
        /// Number of parts to begin with, such as [`parts_below`] says; at least one.
        parts: u32,
        /// Maximum of each part's index.
        max: IndexMax,
    },
    /// At multiples of a number of milliseconds since 1970; at least one.
    Time {
        /// Their number.
        range: i64,
    },
}

/// The most parts that a block may be cut into.
pub const PARTS_MAX: u32 = 10_000;

/// A part that was made.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SplitPart {
    /// Its number, from 0. Parts without samples are not made.
    pub number: u32,
    /// Of how many.
    pub of: u32,
    /// Length of its index.
    pub index: IndexLens,
    /// Its block.
    pub block: Merged,
}

/// The hash of a series' labels, which come in the order of names.
pub fn series_hash<'l>(labels: impl IntoIterator<Item = (&'l [u8], &'l [u8])>) -> u64 {
    let mut hash = Sha256::new();
    for (name, value) in labels {
        for text in [name, value] {
            hash.update((text.len() as u32).to_be_bytes());
            hash.update(text);
        }
    }
    u64::from_be_bytes(hash.finalize().first_chunk().copied().unwrap_or_default())
}

/// Nothing goes beside what the block has deleted.
struct NoDeletions;

impl Deletions for NoDeletions {
    fn of(&self, _: SeriesRef, _: &mut dyn FnMut(usize, Interval)) {}
}

/// The parts that a block with these times (the last one not included) is cut into by time.
pub fn time_parts(min_time: i64, max_time: i64, range: i64) -> u64 {
    let last = max_time.saturating_sub(1);
    let first_part = min_time.div_euclid(range);
    if last < min_time { 0 } else { last.div_euclid(range).abs_diff(first_part) + 1 }
}

/// Cuts a block. The given one stays as it is; `memory` is what the writer of an index may take for
/// posting lists.
///
/// Parts that were made before an error stay. One with a series that can't be below a limit is such
/// an error:
/// [`WriteError::TooLong`].
pub fn split(
    block: &Block,
    target: &Target,
    by: SplitBy,
    memory: u64,
    next_ulid: impl FnMut() -> Ulid,
    watch: &Watch<'_>,
) -> Result<Vec<SplitPart>, MergeError> {
    let (meta, series) = (meta_of(block)?, table(block, watch)?);
    let whole = Interval { min_time: meta.min_time, max_time: meta.max_time.saturating_sub(1) };
    let made = Vec::new();
    let passes = match by {
        // A series is in one part; of a part that is cut again, once more.
        SplitBy::Hash { .. } | SplitBy::Below { .. } => 1,
        SplitBy::Time { range } => time_parts(meta.min_time, meta.max_time, range),
    };
    let all = passes.saturating_mul(series.groups().count() as u64);
    let meter = watch.phase(Phase::Splitting, Unit::Series, all);
    let meter_lent = &meter;
    let mut cut =
        Cut { block, target, memory, series: &series, whole, next_ulid, made, meter: meter_lent };
    match by {
        SplitBy::Hash { parts } => cut.by_hash(parts, None)?,
        SplitBy::Below { parts, max } => cut.by_hash(parts, Some(max))?,
        SplitBy::Time { range } => cut.by_time(range)?,
    }
    let made = cut.made;
    meter.end();
    Ok(made)
}

/// A block on the way to its parts.
struct Cut<'c, N> {
    block: &'c Block,
    target: &'c Target,
    memory: u64,
    series: &'c SortedTable,
    /// The times of the block, both included.
    whole: Interval,
    next_ulid: N,
    made: Vec<SplitPart>,
    meter: &'c Meter<'c>,
}

impl<N: FnMut() -> Ulid> Cut<'_, N> {
    fn by_hash(&mut self, parts: u32, max: Option<IndexMax>) -> Result<(), MergeError> {
        let hashes = hashes(self.series);
        let mut left: Vec<(u32, u32)> = (0..parts).rev().map(|number| (number, parts)).collect();
        while let Some((number, of)) = left.pop() {
            let is_in = |series: usize| hashes[series] % u64::from(of) == u64::from(number);
            match self.part(number, of, Some(&is_in), self.whole, max) {
                Err(MergeError::Index(WriteError::TooLong { .. }))
                    if max.is_some()
                        && of <= PARTS_MAX / 2
                        && (0..hashes.len()).filter(|series| is_in(*series)).nth(1).is_some() =>
                {
                    left.extend([(number + of, of * 2), (number, of * 2)]);
                }
                done => done?,
            }
        }
        Ok(())
    }

    fn by_time(&mut self, range: i64) -> Result<(), MergeError> {
        let Interval { min_time, max_time } = self.whole;
        let mut begin = min_time.div_euclid(range).saturating_mul(range);
        let parts = time_parts(min_time, max_time.saturating_add(1), range) as u32;
        for number in 0..parts {
            let end = begin.saturating_add(range - 1);
            let times = Interval { min_time: begin.max(min_time), max_time: end.min(max_time) };
            self.part(number, parts, None, times, None)?;
            begin = begin.saturating_add(range);
        }
        Ok(())
    }

    /// Makes a part, unless it has no samples, or its index is longer than it may be.
    fn part(
        &mut self,
        number: u32,
        of: u32,
        chosen: Option<&dyn Fn(usize) -> bool>,
        range: Interval,
        max: Option<IndexMax>,
    ) -> Result<(), MergeError> {
        let (ulid, deletions) = ((self.next_ulid)(), &NoDeletions);
        let check = |written: &Written| match max {
            Some(max) => IndexLens::written(written).check(&max),
            None => Ok(()),
        };
        let (memory, series, check) = (self.memory, self.series, &check);
        let ledger = &Ledger::of_part();
        let plan = PartPlan { ulid, memory, series, chosen, range, deletions, ledger, check };
        let collected = collect(self.block, Some(self.target), &plan, self.meter)?;
        let made = finish(collected, &plan, &self.meter.watch().silent())?;
        self.made.extend(made.map(|(block, written)| SplitPart {
            number,
            of,
            index: IndexLens::written(&written),
            block,
        }));
        Ok(())
    }
}

/// All series of a block.
fn table(block: &Block, watch: &Watch<'_>) -> Result<SortedTable, MergeError> {
    let (mut table, mut symbols) = (Table::default(), Symbols::new(block));
    let (mut labels, mut walk) = (Vec::new(), block.index().walk());
    let all = block.index().all_postings().map_err(in_index(block))?;
    let reading = watch.phase(Phase::Reading, Unit::Series, all.len() as u64);
    let mut steps = reading.steps();
    for series in all.iter() {
        read(&mut walk, series, &mut labels).map_err(in_index(block))?;
        symbols.push(&mut table, series, &labels);
        steps.add(1)?;
    }
    drop(steps);
    reading.end();
    Ok(table.into_sorted())
}

/// The hash of each series.
fn hashes(series: &SortedTable) -> Vec<u64> {
    let strings = series.strings();
    let text = |rank: u32| strings[rank as usize];
    let hash = |labels: &[(u32, u32)]| {
        series_hash(labels.iter().map(|label| (text(label.0), text(label.1))))
    };
    series.groups().map(|group| hash(group.labels)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_hash_is_what_its_description_says() {
        // printf '\0\0\0\010__name__\0\0\0\002up\0\0\0\003job\0\0\0\001a' | sha256sum
        let labels: [(&[u8], &[u8]); 2] = [(b"__name__", b"up"), (b"job", b"a")];
        assert_eq!(series_hash(labels), 0x63f3_22b6_966f_3e31);
    }

    #[test]
    fn parts_by_time_begin_at_multiples() {
        assert_eq!(time_parts(0, 0, 10), 0);
        assert_eq!(time_parts(5, 10, 10), 1);
        assert_eq!(time_parts(5, 11, 10), 2);
        assert_eq!(time_parts(-1, 1, 10), 2);
        assert_eq!(time_parts(i64::MIN, i64::MAX, 1), u64::MAX);
    }
}
