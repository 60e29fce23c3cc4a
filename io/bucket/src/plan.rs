//! Which ranges of a file are one request.
//!
//! Requests side by side cost no time but their own: a round of 30 ms is paid once, however many
//! there are. So two ranges are read as one only where the bytes between them cost less than a
//! request does by itself, which is the work of about [`GAP_MAX`] bytes. Where more are wanted than
//! may be in flight, they go out in several rounds: then the smallest gaps are read along, as long
//! as these bytes take less time than the rounds that they save. And what is long is divided, as
//! one connection has no more than a part of the line.

use std::ops::Range;

/// Bytes between two ranges that are read along: at 100 MB/s they take 0.3 ms, and a request takes
/// as much of the processor on both sides. Its price, $0.4 for a million, is that of 4 KiB that
/// leave the region.
const GAP_MAX: u64 = 32 << 10;

/// Bytes that take as long as a round: 30 ms at 100 MB/s.
const ROUND_BYTES: u64 = 3 << 20;

/// Bytes of one request at most: a connection gives some 80 MB/s, so that it takes 50 ms.
const REQUEST_MAX: u64 = 4 << 20;

/// The ranges to be asked for, in increasing order, which hold all of `wanted`. `in_flight` may go
/// out at a time.
pub(crate) fn requests(wanted: &[Range<u64>], in_flight: usize) -> Vec<Range<u64>> {
    requests_of(&[wanted], in_flight).pop().expect("those of one object")
}

/// The same of several objects, which share what may go out at a time.
pub(crate) fn requests_of<W: AsRef<[Range<u64>]>>(
    objects: &[W],
    in_flight: usize,
) -> Vec<Vec<Range<u64>>> {
    let apart = |wanted: &W| {
        let wanted = wanted.as_ref().iter();
        let mut sorted: Vec<_> = wanted.filter(|range| !range.is_empty()).cloned().collect();
        sorted.sort_by_key(|range| (range.start, range.end));
        joined(&sorted, GAP_MAX)
    };
    let apart: Vec<Vec<Range<u64>>> = objects.iter().map(apart).collect();
    let gap = gap_to_join(&apart, in_flight);
    let few = |apart: Vec<Range<u64>>| match gap {
        Some(gap) => joined(&apart, gap),
        None => apart,
    };
    apart.into_iter().map(|apart| few(apart).into_iter().flat_map(divided).collect()).collect()
}

/// Sorted ranges, those with at most `gap` bytes between them as one.
fn joined(sorted: &[Range<u64>], gap: u64) -> Vec<Range<u64>> {
    let mut joined: Vec<Range<u64>> = Vec::with_capacity(sorted.len());
    for range in sorted {
        match joined.last_mut() {
            Some(last) if range.start <= last.end.saturating_add(gap) => {
                last.end = last.end.max(range.end);
            }
            _ => joined.push(range.clone()),
        }
    }
    joined
}

/// The gap up to which ranges have to be joined so that all go out at once; `None` where they do
/// anyway, or where that takes longer than the rounds.
fn gap_to_join(objects: &[Vec<Range<u64>>], in_flight: usize) -> Option<u64> {
    let count: usize = objects.iter().map(Vec::len).sum();
    let surplus = count.checked_sub(in_flight.max(1)).filter(|&surplus| surplus > 0)?;
    let pairs = objects.iter().flat_map(|apart| apart.windows(2));
    let mut gaps: Vec<u64> = pairs.map(|two| two[1].start - two[0].end).collect();
    gaps.sort_unstable();
    let rounds_saved = count.div_ceil(in_flight.max(1)) - 1;
    let smallest = gaps.get(..surplus)?;
    (smallest.iter().sum::<u64>() <= rounds_saved as u64 * ROUND_BYTES)
        .then(|| smallest[surplus - 1])
}

/// A range in pieces of about the same length.
fn divided(range: Range<u64>) -> impl Iterator<Item = Range<u64>> {
    let len = range.end - range.start;
    let pieces = len.div_ceil(REQUEST_MAX);
    let bound = move |piece: u64| {
        range.start + (u128::from(len) * u128::from(piece) / u128::from(pieces)) as u64
    };
    (0..pieces).map(move |piece| bound(piece)..bound(piece + 1))
}

#[cfg(test)]
mod tests {
    use super::*;

    const KIB: u64 = 1 << 10;

    /// First bytes and ends of ranges that are wanted, and of requests.
    #[track_caller]
    fn check(wanted: &[(u64, u64)], in_flight: usize, want: &[(u64, u64)]) {
        let wanted: Vec<_> = wanted.iter().map(|&(start, end)| start..end).collect();
        let got = requests(&wanted, in_flight).into_iter().map(|range| (range.start, range.end));
        assert_eq!(got.collect::<Vec<_>>(), want);
    }

    #[test]
    fn near_ranges_are_one_request_in_any_order() {
        check(&[(100, 200), (0, 10), (150, 160), (5, 5)], 8, &[(0, 200)]);
        check(&[(7, 7)], 8, &[]);
    }

    #[test]
    fn far_ranges_go_out_side_by_side() {
        let (near, far) = (10 + GAP_MAX, 11 + GAP_MAX);
        check(&[(0, 10), (near, near + 1)], 8, &[(0, near + 1)]);
        check(&[(0, 10), (far, far + 1)], 8, &[(0, 10), (far, far + 1)]);
    }

    #[test]
    fn more_than_may_be_in_flight_are_joined_where_that_is_faster_than_a_round() {
        let wanted: Vec<_> = (0..4).map(|at| (at * 100 * KIB, at * 100 * KIB + 1)).collect();
        check(&wanted, 4, &wanted);
        // Three gaps of 100 KiB take 3 ms, and a second round 30.
        check(&wanted, 2, &[(0, 300 * KIB + 1)]);
        // Of ranges that are 10 MiB apart none is joined.
        let far: Vec<_> = (0..4).map(|at| (at * (10 << 20), at * (10 << 20) + 1)).collect();
        check(&far, 2, &far);
    }

    #[test]
    fn objects_share_what_may_be_in_flight() {
        let at =
            |starts: &[u64]| starts.iter().map(|at| at * KIB..at * KIB + 1).collect::<Vec<_>>();
        let (near, far) = (at(&[0, 100]), at(&[0, 5000]));
        let objects = [near, far.clone()];
        assert_eq!(requests_of(&objects, 4), objects);
        // One request less is one round: the nearer two are joined, whichever object they are of.
        let joined = vec![Range { start: 0, end: 100 * KIB + 1 }];
        assert_eq!(requests_of(&objects, 3), [joined, far]);
        // Two less would take 5 MB.
        assert_eq!(requests_of(&objects, 2), objects);
        // Objects are never joined.
        assert_eq!(requests_of(&[at(&[0]), at(&[0])], 1), [at(&[0]), at(&[0])]);
    }

    #[test]
    fn what_is_long_is_divided_evenly() {
        let len = 2 * REQUEST_MAX + 1;
        let [first, second, end] = [7 + len / 3, 7 + len / 3 * 2, 7 + len];
        check(&[(7, end)], 8, &[(7, first), (first, second), (second, end)]);
        check(&[(0, REQUEST_MAX)], 8, &[(0, REQUEST_MAX)]);
    }
}
