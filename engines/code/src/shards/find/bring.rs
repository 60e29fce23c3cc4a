//! What a call is going to read of shards that are elsewhere, brought before it is read: of all
//! shards in one round.
//!
//! The rounds of a search: the end of each shard, which says where the rest is; what opening reads,
//! and the trigrams; the posting lists that were chosen; the documents that these name. What nobody
//! has foreseen is brought when it is read, and costs a round by itself.

use std::ops::Range;

use manicule_core::bytes::DecodeError;
use manicule_format_zoekt::Section;
use manicule_store::store::RangedFile;

use super::super::open::ShardError;
use super::files::OpenShard;
use super::select::Plan;

/// Bytes of documents that are brought at first, and at most, before some of them are visited: who
/// has seen enough soon shall not wait for all.
const AT_FIRST: u64 = 4 << 20;
const AT_ONCE: u64 = 64 << 20;

/// Whether a part of them is elsewhere.
pub(super) fn is_far(shards: &[OpenShard<'_>]) -> bool {
    shards.iter().any(|open| !open.shard().is_whole())
}

/// Brings ranges of shards in one round, or of as many bytes as one holds.
fn all<'o, 'a: 'o>(
    wanted: impl Iterator<Item = (&'o OpenShard<'a>, Vec<Range<u64>>)>,
) -> Result<(), ShardError> {
    let (shards, wanted): (Vec<_>, Vec<_>) =
        wanted.map(|(open, ranges)| (open, (open.file(), ranges))).unzip();
    for (open, brought) in shards.into_iter().zip(RangedFile::bring_all(&wanted)) {
        brought.map_err(|error| open.damaged(error))?;
    }
    Ok(())
}

/// Brings the posting lists of plans, and the documents that they leave.
pub(super) fn looked_up<'p>(
    shards: &[OpenShard<'_>],
    plans: impl Iterator<Item = Option<&'p Plan<'p>>> + Clone,
) -> Result<(), ShardError> {
    if !is_far(shards) {
        return Ok(());
    }
    let planned = || {
        let pairs = shards.iter().zip(plans.clone());
        pairs.filter_map(|(open, plan)| plan.map(|plan| (open, plan)))
    };
    let lists = planned().map(|(open, plan)| {
        let lists = plan.lists(open.shard().contents());
        lists.map(|lists| (open, lists)).map_err(|error| open.damaged(error))
    });
    all(lists.collect::<Result<Vec<_>, _>>()?.into_iter())?;
    let mut named = Vec::new();
    for (open, plan) in planned() {
        let numbers = plan.documents(open.shard().contents());
        let numbers = numbers.map_err(|error| open.damaged(error))?;
        named.push((open, numbers.into_iter().map(|number| number as usize).collect()));
    }
    documents(named)
}

/// Brings documents: contents, line ends, symbols.
pub(super) fn documents<'o, 'a: 'o>(
    wanted: Vec<(&'o OpenShard<'a>, Vec<usize>)>,
) -> Result<(), ShardError> {
    let mut all_ranges = Vec::with_capacity(wanted.len());
    for (open, numbers) in wanted {
        let mut ranges = Vec::with_capacity(4 * numbers.len());
        for number in numbers {
            ranges_of(open, number, &mut ranges).map_err(|error| open.damaged(error))?;
        }
        all_ranges.push((open, ranges));
    }
    all(all_ranges.into_iter())
}

fn ranges_of(
    open: &OpenShard<'_>,
    number: usize,
    ranges: &mut Vec<Range<u64>>,
) -> Result<(), DecodeError> {
    let shard = open.shard();
    for section in [Section::FileContents, Section::Newlines, Section::FileSections] {
        let Range { start, end } = shard.items(section).range(number)?;
        ranges.push(start.into()..end.into());
    }
    if shard.has_symbols() {
        ranges.push(shard.symbol_rows(number)?);
    }
    Ok(())
}

/// Brings the contents of at most `len_max` bytes.
pub(super) fn texts(shards: &[OpenShard<'_>], len_max: usize) -> Result<(), ShardError> {
    if !is_far(shards) {
        return Ok(());
    }
    let short = |open: &OpenShard<'_>| {
        let texts = open.shard().contents().texts();
        let ranges = (0..texts.len()).map(|number| texts.range(number));
        let ranges: Result<Vec<_>, _> = ranges.collect();
        let short = ranges?.into_iter().filter(|range| range.len() <= len_max);
        Ok(short.map(|range| range.start.into()..range.end.into()).collect())
    };
    let wanted = shards.iter().map(|open| {
        short(open).map(|ranges| (open, ranges)).map_err(|error: DecodeError| open.damaged(error))
    });
    all(wanted.collect::<Result<Vec<_>, _>>()?.into_iter())
}

/// Brings the line ends of all documents.
pub(super) fn newlines(shards: &[OpenShard<'_>]) -> Result<(), ShardError> {
    let newlines = |open: &OpenShard<'_>| open.shard().toc().extent(Section::Newlines).data();
    all(shards.iter().map(|open| (open, vec![newlines(open)])))
}

/// Cuts ranges that are visited in order, with the bytes of each, into what is brought at once.
pub(super) fn batches(lens: impl Iterator<Item = u64>) -> Vec<Range<usize>> {
    let (mut batches, mut start, mut len, mut len_max) = (Vec::new(), 0, 0, AT_FIRST);
    let mut end = 0;
    for own in lens {
        len += own;
        end += 1;
        if len >= len_max {
            batches.push(start..end);
            (start, len, len_max) = (end, 0, (4 * len_max).min(AT_ONCE));
        }
    }
    if start < end {
        batches.push(start..end);
    }
    batches
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn batches_grow_and_are_bounded() {
        let some = |count: usize| batches((0..count).map(|_| 1 << 20));
        assert!(some(0).is_empty());
        assert_eq!(some(6), [0..4, 4..6]);
        assert_eq!(some(150), [0..4, 4..20, 20..84, 84..148, 148..150]);
    }
}
