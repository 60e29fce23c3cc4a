//! A matcher as the label pairs whose series it wants, or doesn't.
//!
//! A matcher that a missing label doesn't satisfy wants the series of some pairs: the union of
//! their lists. One that a missing label satisfies takes away the series of the other pairs, since
//! the series without the label are in no list.

use std::ops::Range;

use manicule_core::bytes::FileBytes;
use manicule_core::pattern::go::Accepts;
use manicule_format_prometheus::{Index, PairIndex};

use super::Work;
use crate::ask::matcher::Matcher;

/// Reading a series and looking at one label costs as much as reading this many short lists, or
/// trying this many values. So with `n` series left a matcher with more than `n` times this many
/// pairs is asked of the series.
const PAIRS_A_SERIES: u64 = 4;

/// The pairs of a matcher, as far as is known before values are tried.
pub(super) struct Term<'m> {
    pub(super) matcher: &'m Matcher,
    /// Whether the series of the pairs are wanted; else they are taken away.
    pub(super) wants: bool,
    /// Pairs of which it is known.
    sure: Vec<Range<u32>>,
    /// Pairs whose values have to be tried.
    tried: Range<u32>,
    /// Length in bytes of its lists, where they are elsewhere and were not brought: whether they
    /// are read depends on how many series are left.
    pub(super) unread_len: Option<u64>,
    /// A text that all of those hold which are found by trying; empty if none is known.
    held: &'m [u8],
}

impl<'m> Term<'m> {
    /// Looks the matcher's name up, and what its text says of the values: costs searches among the
    /// values, no walks.
    pub(super) fn new<B: FileBytes>(index: &Index<B>, matcher: &'m Matcher) -> Self {
        let wants = !matcher.matches_empty();
        let all = index.pairs_of(matcher.name());
        // The pairs are those whose values the matcher's text describes, or all others.
        let described = wants != matcher.op().is_negative();
        let (inside, tried) = described_pairs(index, all.clone(), matcher.described());
        let sure = if described {
            inside
        } else {
            without(all, inside.iter().cloned().chain([tried.clone()]))
        };
        let held = if described { matcher.described_holds() } else { b"" };
        Term { matcher, wants, sure, tried, unread_len: None, held }
    }

    /// Maximum number of pairs.
    pub(super) fn pairs_max(&self) -> u64 {
        let sure: u64 = self.sure.iter().map(|range| range.len() as u64).sum();
        sure + self.tried.len() as u64
    }

    /// Whether asking that many series costs less than reading its lists.
    pub(super) fn is_asked_of(&self, series_count: u64) -> bool {
        series_count * PAIRS_A_SERIES < self.pairs_max()
    }

    /// Its only pair; `None` if there is none or more than one, or if it has to be tried.
    pub(super) fn only_pair(&self) -> Option<PairIndex> {
        match &self.sure[..] {
            [pair] if pair.len() == 1 && self.tried.is_empty() => Some(PairIndex(pair.start)),
            _ => None,
        }
    }

    /// Hands out the pairs; tries the values that have to be tried.
    pub(super) fn each_pair<B: FileBytes, E>(
        &self,
        index: &Index<B>,
        work: &mut Work,
        each: &mut dyn FnMut(PairIndex, &mut Work) -> Result<(), E>,
    ) -> Result<(), E> {
        for range in &self.sure {
            range.clone().map(PairIndex).try_for_each(|pair| each(pair, work))?;
        }
        index.pairs_holding(self.tried.clone(), self.held, &mut |pair| {
            work.values_tried += 1;
            if self.matcher.matches(index.value(pair)) == self.wants {
                each(pair, work)
            } else {
                Ok(())
            }
        })
    }
}

/// The pairs among `all` whose values are described: those of which it is sure, increasing, and
/// those to be tried.
fn described_pairs<B: FileBytes>(
    index: &Index<B>,
    all: Range<u32>,
    described: Accepts<'_>,
) -> (Vec<Range<u32>>, Range<u32>) {
    match described {
        Accepts::Everything => (vec![all], 0..0),
        Accepts::NonEmpty => {
            let has_empty = !all.is_empty() && index.value(PairIndex(all.start)).is_empty();
            let filled = all.start + u32::from(has_empty)..all.end;
            (vec![filled], 0..0)
        }
        Accepts::Values(values) => {
            let mut from = all.start;
            let mut found = Vec::with_capacity(values.len().min(all.len()));
            for value in values {
                from = index.seek_value(from..all.end, value);
                if from < all.end && index.value(PairIndex(from)) == value {
                    found.push(from..from + 1);
                }
            }
            (found, 0..0)
        }
        Accepts::Prefix(prefix) => (vec![beginning_with(index, all, prefix)], 0..0),
        Accepts::Some { prefix } => (vec![], beginning_with(index, all, prefix)),
    }
}

/// The pairs whose values begin so: they stand together.
fn beginning_with<B: FileBytes>(index: &Index<B>, pairs: Range<u32>, prefix: &[u8]) -> Range<u32> {
    let start = index.seek_value(pairs.clone(), prefix);
    // The first value after all that begin so: the prefix with its last byte that can be raised,
    // raised.
    let Some(last) = prefix.iter().rposition(|byte| *byte != 0xff) else {
        return start..pairs.end;
    };
    let mut behind = prefix[..=last].to_vec();
    behind[last] += 1;
    start..index.seek_value(start..pairs.end, &behind)
}

/// The rest of a range without the given increasing ranges.
fn without(all: Range<u32>, ranges: impl Iterator<Item = Range<u32>>) -> Vec<Range<u32>> {
    let mut left = Vec::new();
    let mut from = all.start;
    for range in ranges.filter(|range| !range.is_empty()) {
        left.push(from..range.start);
        from = range.end;
    }
    left.push(from..all.end);
    left.retain(|range| !range.is_empty());
    left
}

#[cfg(test)]
mod tests {
    use super::without;

    /// Ranges as their ends.
    #[track_caller]
    fn check(all: (u32, u32), taken: &[(u32, u32)], want: &[(u32, u32)]) {
        let range = |ends: &(u32, u32)| ends.0..ends.1;
        let left = without(range(&all), taken.iter().map(range));
        assert_eq!(left, want.iter().map(range).collect::<Vec<_>>());
    }

    #[test]
    fn ranges_are_taken_out() {
        check((3, 9), &[], &[(3, 9)]);
        check((3, 9), &[(3, 4), (4, 4), (6, 7)], &[(4, 6), (7, 9)]);
        check((3, 9), &[(3, 9)], &[]);
        check((0, 0), &[(0, 0)], &[]);
    }
}
