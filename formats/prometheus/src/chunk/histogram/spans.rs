//! Buckets by their index: whether the buckets of two histograms are the same, and one's counts in
//! the other's buckets.

use manicule_core::bytes::DecodeError;

use crate::chunk::counts::Counts;
use crate::chunk::sample::{Span, bucket_count};

/// The indices of the buckets of some spans.
pub(super) fn indices(spans: &[Span]) -> impl Iterator<Item = i64> {
    let mut next = 0i64;
    spans.iter().flat_map(move |span| {
        let first = next.wrapping_add(span.offset.into());
        next = first.wrapping_add(span.len.into());
        first..next
    })
}

/// Whether each span begins after the one before, so that the indices rise.
pub(super) fn rise(spans: &[Span]) -> bool {
    spans.iter().skip(1).all(|span| span.offset >= 0)
}

/// The spans of increasing indices, as few as can be.
fn joined(indices: impl Iterator<Item = i64>) -> Vec<Span> {
    let mut spans: Vec<Span> = Vec::new();
    let mut next = 0;
    for index in indices {
        match spans.last_mut() {
            Some(last) if index == next => last.len += 1,
            _ => spans.push(Span { offset: index.wrapping_sub(next) as i32, len: 1 }),
        }
        next = index.wrapping_add(1);
    }
    spans
}

/// The buckets of both.
pub(super) fn union(left: &[Span], right: &[Span]) -> Vec<Span> {
    let (mut left, mut right) = (indices(left).peekable(), indices(right).peekable());
    joined(std::iter::from_fn(move || match (left.peek(), right.peek()) {
        (Some(l), Some(r)) if l == r => {
            right.next();
            left.next()
        }
        (Some(l), Some(r)) if l > r => right.next(),
        (Some(_), _) => left.next(),
        (None, _) => right.next(),
    }))
}

/// The buckets of a histogram: where they are, and their counts as they are stored.
pub(super) struct Buckets<'s, I> {
    pub(super) spans: &'s [Span],
    pub(super) counts: I,
}

/// Buckets that one of two histograms lacks.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Lacks {
    /// The earlier one lacks some of the later one.
    pub(super) earlier: bool,
    /// The later one lacks some of the earlier one.
    pub(super) later: bool,
}

impl Lacks {
    /// Both have the same buckets.
    pub(super) const NOTHING: Lacks = Lacks { earlier: false, later: false };
}

/// Compares the buckets of a histogram and a later one. `None` if a count fell: the counter was
/// reset. A bucket that the later one lacks counts as fallen unless it was empty.
pub(super) fn compare<C: Counts>(
    earlier: Buckets<'_, impl Iterator<Item = C::Bucket>>,
    later: Buckets<'_, impl Iterator<Item = C::Bucket>>,
) -> Option<Lacks> {
    let zero = C::Bucket::default();
    if earlier.spans == later.spans {
        let mut pairs = absolute::<C>(earlier.counts).zip(absolute::<C>(later.counts));
        let has_fallen = pairs.any(|(e, l)| e > l);
        return (!has_fallen).then_some(Lacks::NOTHING);
    }
    let mut earlier = indices(earlier.spans).zip(absolute::<C>(earlier.counts)).peekable();
    let mut later = indices(later.spans).zip(absolute::<C>(later.counts)).peekable();
    let mut lacks = Lacks::NOTHING;
    loop {
        match (earlier.peek(), later.peek()) {
            (Some((e, count)), Some((l, later_count))) if e == l => {
                if count > later_count {
                    return None;
                }
                earlier.next();
                later.next();
            }
            (Some((e, count)), l) if l.is_none_or(|(l, _)| e < l) => {
                if *count != zero {
                    return None;
                }
                lacks.later = true;
                earlier.next();
            }
            (_, Some(_)) => {
                lacks.earlier = true;
                later.next();
            }
            (_, None) => return Some(lacks),
        }
    }
}

/// Compares the buckets of two histograms whose counts may fall.
pub(super) fn compare_gauges(earlier: &[Span], later: &[Span]) -> Lacks {
    if earlier == later {
        return Lacks::NOTHING;
    }
    let both = bucket_count(&union(earlier, later));
    Lacks { earlier: bucket_count(earlier) < both, later: bucket_count(later) < both }
}

fn absolute<C: Counts>(stored: impl Iterator<Item = C::Bucket>) -> impl Iterator<Item = C::Bucket> {
    stored.scan(C::Bucket::default(), |running, stored| {
        *running = C::absolute(*running, stored);
        Some(*running)
    })
}

fn stored<C: Counts>(absolute: impl Iterator<Item = C::Bucket>) -> Vec<C::Bucket> {
    let mut running = C::Bucket::default();
    let stored = absolute.map(|absolute| {
        let stored = C::stored(running, absolute);
        running = absolute;
        stored
    });
    stored.collect()
}

/// The counts of some spans in spans that have all their buckets and more; these are empty.
pub(super) fn spread<C: Counts>(
    counts: &[C::Bucket],
    from: &[Span],
    to: &[Span],
) -> Vec<C::Bucket> {
    if from == to {
        return counts.to_vec();
    }
    let mut from = indices(from).zip(absolute::<C>(counts.iter().copied())).peekable();
    stored::<C>(indices(to).map(|index| {
        from.next_if(|(has, _)| *has == index).map_or(C::Bucket::default(), |(_, count)| count)
    }))
}

/// Buckets of a finer schema as those of a coarser one.
#[derive(Clone, Debug)]
pub(super) struct Coarser {
    /// The coarser buckets.
    pub(super) spans: Vec<Span>,
    /// Of each bucket, whether it falls into the same coarser bucket as the one before.
    joins: Vec<bool>,
}

impl Coarser {
    /// `halvings` is the difference of the schemas.
    pub(super) fn new(spans: &[Span], halvings: u32, at: u64) -> Result<Self, DecodeError> {
        if !rise(spans) {
            let what = "spans of a fine histogram that rise";
            return Err(DecodeError::Corrupt { what, at, want: 0, got: u64::MAX });
        }
        let (mut coarse, mut joins) = (Vec::new(), Vec::new());
        for index in indices(spans) {
            let index = ((index - 1) >> halvings) + 1;
            let is_same = coarse.last() == Some(&index);
            joins.push(is_same);
            if !is_same {
                coarse.push(index);
            }
        }
        Ok(Coarser { spans: joined(coarse.into_iter()), joins })
    }

    pub(super) fn fold<C: Counts>(&self, counts: &[C::Bucket]) -> Vec<C::Bucket> {
        let mut folded: Vec<C::Bucket> = Vec::new();
        for (count, joins) in absolute::<C>(counts.iter().copied()).zip(&self.joins) {
            match folded.last_mut() {
                Some(last) if *joins => *last = C::sum(*last, count),
                _ => folded.push(count),
            }
        }
        stored::<C>(folded.into_iter())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chunk::counts::{Float, Integer};

    fn spans(list: &[(i32, u32)]) -> Vec<Span> {
        list.iter().map(|&(offset, len)| Span { offset, len }).collect()
    }

    #[test]
    fn indices_count_from_the_end_of_the_span_before() {
        let found: Vec<i64> = indices(&spans(&[(-2, 2), (0, 0), (3, 1), (0, 1)])).collect();
        assert_eq!(found, [-2, -1, 3, 4]);
        assert_eq!(joined(found.into_iter()), spans(&[(-2, 2), (3, 2)]));
    }

    #[test]
    fn counts_spread_over_more_buckets_keep_their_index() {
        let (from, to) = (spans(&[(0, 2), (2, 1)]), spans(&[(-1, 4), (1, 1), (3, 1)]));
        assert_eq!(spread::<Integer>(&[6, -3, 1], &from, &to), [0, 6, -3, -3, 4, -4]);
        assert_eq!(spread::<Float>(&[6.0, 3.0, 4.0], &from, &to), [0.0, 6.0, 3.0, 0.0, 4.0, 0.0]);
    }

    #[test]
    fn a_bucket_that_is_gone_is_a_reset_unless_it_was_empty() {
        let (earlier, later) = (spans(&[(0, 3)]), spans(&[(0, 1), (1, 2)]));
        let check = |before: [i64; 3], after: [i64; 3]| {
            compare::<Integer>(
                Buckets { spans: &earlier, counts: before.into_iter() },
                Buckets { spans: &later, counts: after.into_iter() },
            )
        };
        let both = Lacks { earlier: true, later: true };
        assert_eq!(check([5, -5, 1], [5, 0, 0]), Some(both));
        assert_eq!(check([5, -4, 1], [5, 0, 0]), None, "bucket 1 had a count");
        assert_eq!(check([5, -5, 1], [4, 0, 0]), None, "bucket 0 fell");
        assert_eq!(union(&earlier, &later), spans(&[(0, 4)]));
        assert_eq!(compare_gauges(&earlier, &later), both);
    }

    #[test]
    fn a_coarser_schema_adds_neighbours_up() {
        let coarser = Coarser::new(&spans(&[(0, 5), (4, 1)]), 1, 0).unwrap();
        // Indices 0 to 4 and 9 become 0, 1, 1, 2, 2 and 5.
        assert_eq!(coarser.spans, spans(&[(0, 3), (2, 1)]));
        assert_eq!(coarser.fold::<Float>(&[1.0, 2.0, 3.0, 4.0, 5.0, 6.0]), [1.0, 5.0, 9.0, 6.0]);
        assert_eq!(coarser.fold::<Integer>(&[1, 1, 1, 1, 1, 1]), [1, 4, 4, -3]);
        assert!(Coarser::new(&spans(&[(0, 5), (-1, 1)]), 1, 0).is_err());
    }
}
