//! Windows into a long Index.db at an address: ranges far from each other, in one round, by which
//! the index of a wide partition is searched; and the end of a long Rows.db, where the trie of the
//! last partition has its root and the nodes below it.
//!
//! A round takes 30 ms, a request $0.0000004 and a window of 4 KiB nothing beside it: 8 windows
//! leave a ninth, which for 303,031 blocks is 90 KB and 120 KB of places of chunks, too much for
//! the next round; 16 leave 1/17, and that once more 40 KB. 32 would cost twice as many requests
//! and save no round. Windows nearer to each other would be read as one request, with what lies
//! between them.

use std::ops::Range;

use manicule_format_sstable::Component;
use manicule_store::store::{Name, Wanted};

use super::ahead::{Files, REQUESTS_MAX, ROOTS_LEN, SHORT_MAX, end_of};

/// Length in bytes of a window.
pub(crate) const WINDOW_LEN: u64 = 4 << 10;

/// Parts that windows divide a range into.
const PARTS: u64 = 17;

/// Bytes between two windows at least: from 32 KiB on they are requests of their own.
const GAP_MIN: u64 = 36 << 10;

/// An Index.db up to this length has no promoted index that is searched by windows.
const INDEX_LEN_MIN: u64 = 512 << 10;

/// Bytes of an index for each of Filter.db, which has 10 bits for a partition and 24 bytes at
/// least, from which on partitions are wide: the index of one alone has 400 KB.
const WIDE: u64 = 16 << 10;

/// Distance of windows of a length, in a range of `len` bytes.
pub(crate) fn window_step(len: u64, window_len: u64) -> u64 {
    (len / PARTS).max(GAP_MIN + window_len).next_multiple_of(WINDOW_LEN)
}

/// Windows of a length into a range, at multiples of their distance: not at its start.
pub(crate) fn windows(range: &Range<u64>, step: u64, window_len: u64) -> Vec<Range<u64>> {
    let first = (range.start + 1).next_multiple_of(step);
    let starts = (first..range.end).step_by(step as usize);
    starts.map(|start| start..(start + window_len).min(range.end)).collect()
}

/// What is wanted of an index of wide partitions that is opened.
fn ranges(component: &Component, len: u64) -> Vec<Range<u64>> {
    match component {
        Component::Index if len > INDEX_LEN_MIN => {
            windows(&(0..len), window_step(len, WINDOW_LEN), WINDOW_LEN)
        }
        Component::Rows if len > SHORT_MAX => std::iter::once(end_of(len, ROOTS_LEN)).collect(),
        _ => Vec::new(),
    }
}

/// Adds what is wanted of the indexes of wide partitions, as far as these requests go out with
/// those that are wanted anyway.
pub(super) fn put_wide<'l>(listed: impl IntoIterator<Item = Files<'l>>, wanted: &mut Vec<Wanted>) {
    for (descriptor, versions) in listed {
        let filter = versions.iter().find(|(component, _)| *component == Component::Filter);
        let Some((_, filter)) = filter else { continue };
        for (component, version) in versions {
            let ranges = ranges(component, version.len());
            let is_wide = version.len() / WIDE >= filter.len();
            let goes_out = wanted.len() + ranges.len() <= REQUESTS_MAX;
            let file = Name::new(&descriptor.file_name(component));
            let Some(file) = file.filter(|_| is_wide && goes_out) else { continue };
            let of = |range| Wanted { file: file.clone(), version: *version, range };
            wanted.extend(ranges.into_iter().map(of));
        }
    }
}

#[cfg(test)]
mod tests {
    use manicule_format_sstable::Descriptor;
    use manicule_store::store::Version;

    use super::*;

    #[test]
    fn windows_divide_what_is_left_and_lie_apart() {
        let starts = |range: Range<u64>| {
            let step = window_step(range.end - range.start, WINDOW_LEN);
            let windows = windows(&range, step, WINDOW_LEN);
            assert!(windows.iter().all(|it| it.start > range.start && it.end <= range.end));
            (windows.len(), step)
        };
        assert_eq!(starts(0..7_200_000), (16, 425_984));
        assert_eq!(starts(425_984..2 * 425_984), (10, 40 << 10));
        assert_eq!(starts(1 << 40..(1 << 40) + 90_000), (2, 40 << 10));
        assert_eq!(starts(0..10), (0, 40 << 10));
    }

    #[test]
    fn of_wide_partitions_alone_and_if_there_are_requests_left() {
        let (descriptor, _) = Descriptor::parse("nb-1-big-Data.db").expect("a name");
        let count = |index: (Component, u64), filter_len: u64, before: usize| {
            let version = |len| Version::in_bucket([0; 24], len);
            let versions = [(index.0, version(index.1)), (Component::Filter, version(filter_len))];
            let one = Wanted { file: Name::root(), version: version(1), range: 0..1 };
            let mut wanted = vec![one; before];
            put_wide([(&descriptor, &versions[..])], &mut wanted);
            wanted.len() - before
        };
        let index = || (Component::Index, 7_200_000);
        assert_eq!([count(index(), 24, 0), count(index(), 24, 16)], [16, 16]);
        assert_eq!([count(index(), 24, 17), count(index(), 1000, 0)], [0, 0]);
        assert_eq!(count((Component::Index, INDEX_LEN_MIN), 24, 0), 0);
        assert_eq!(count((Component::Rows, 3_000_000), 24, 31), 1);
        assert_eq!(count((Component::Data, 3_000_000), 24, 0), 0);
    }
}
