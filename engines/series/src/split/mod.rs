//! A block cut into several, each of which is a whole block: by a hash of the labels, or by time.
//!
//! The hash is our own, so that everybody can compute it: the first eight bytes, big-endian, of the SHA-256 over the
//! labels in order, each as the length of its name (four bytes, big-endian), the name, the length of its value, the
//! value. A series goes to the part of that number modulo the number of parts.
//!
//! Callers: faces/manicule

use manicule_format_prometheus::{Interval, SeriesRef, Ulid};
use sha2::{Digest, Sha256};

use crate::merge::{MergeError, Merged};
use crate::rewrite::part::{Deletions, PartPlan, in_index, meta_of, write};
use crate::rewrite::{SortedTable, Symbols, Table, read};
use crate::{Block, Target};

/// How a block is cut.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum SplitBy {
    /// Into so many parts, by the hash of the labels.
    Hash {
        /// How many; at least one.
        parts: u32,
    },
    /// At multiples of so many milliseconds since 1970; at least one.
    Time {
        /// How many.
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
    fn of(&self, _: SeriesRef, _: &mut dyn FnMut(Interval)) {}
}

/// The parts that a block with these times (the last one not included) is cut into by time.
pub fn time_parts(min_time: i64, max_time: i64, range: i64) -> u64 {
    let last = max_time.saturating_sub(1);
    let first_part = min_time.div_euclid(range);
    if last < min_time { 0 } else { last.div_euclid(range).abs_diff(first_part) + 1 }
}

/// Cuts a block. The given one stays as it is; `memory` is what the writer of an index may take for posting lists.
pub fn split(
    block: &Block,
    target: &Target,
    by: SplitBy,
    memory: u64,
    mut next_ulid: impl FnMut() -> Ulid,
) -> Result<Vec<SplitPart>, MergeError> {
    let meta = meta_of(block)?;
    let whole = Interval { min_time: meta.min_time, max_time: meta.max_time.saturating_sub(1) };
    let series = table(block)?;
    let mut made = Vec::new();
    let mut part = |number: u32, chosen: Option<&dyn Fn(usize) -> bool>, range| {
        let (ulid, deletions) = (next_ulid(), &NoDeletions);
        let plan = PartPlan { ulid, memory, series: &series, chosen, range, deletions };
        let block = write(block, target, &plan)?;
        made.extend(block.map(|block| SplitPart { number, block }));
        Ok::<_, MergeError>(())
    };
    match by {
        SplitBy::Hash { parts } => {
            let of = part_numbers(&series, parts);
            for number in 0..parts {
                part(number, Some(&|series| of[series] == number), whole)?;
            }
        }
        SplitBy::Time { range } => {
            let mut begin = whole.min_time.div_euclid(range).saturating_mul(range);
            for number in 0..time_parts(meta.min_time, meta.max_time, range) as u32 {
                let end = begin.saturating_add(range - 1);
                let (min_time, max_time) = (begin.max(whole.min_time), end.min(whole.max_time));
                part(number, None, Interval { min_time, max_time })?;
                begin = begin.saturating_add(range);
            }
        }
    }
    Ok(made)
}

/// All series of a block.
fn table(block: &Block) -> Result<SortedTable, MergeError> {
    let (mut table, mut symbols, mut labels) = (Table::default(), Symbols::new(block), Vec::new());
    for series in block.index().all_postings().map_err(in_index(block))?.iter() {
        read(block, series, &mut labels).map_err(in_index(block))?;
        symbols.push(&mut table, series, &labels);
    }
    Ok(table.into_sorted())
}

/// The part of each series.
fn part_numbers(series: &SortedTable, parts: u32) -> Vec<u32> {
    let strings = series.strings();
    let text = |rank: u32| strings[rank as usize];
    let hash = |labels: &[(u32, u32)]| {
        series_hash(labels.iter().map(|label| (text(label.0), text(label.1))))
    };
    series.groups().map(|group| (hash(group.labels) % u64::from(parts)) as u32).collect()
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
