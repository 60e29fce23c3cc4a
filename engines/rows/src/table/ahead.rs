//! What is brought of SSTables at an address before it is read: a round is dear there, and requests
//! side by side are not. Of local files nothing is.
//!
//! | component | of a short one | of a long one |
//! |---|---|---|
//! | Statistics.db | all | all, up to 4 MiB |
//! | CompressionInfo.db | all | what lies before the offsets, and the last offsets |
//! | Filter.db | all | its head; its bits when a key is known |
//! | Summary.db | all | its head, the first and the last key |
//! | Partitions.db | all | its end, with the root and the nodes below it |
//! | Index.db | all | its first entry; windows, if partitions are wide |
//! | Rows.db | all | its end, if partitions are wide |
//! | Data.db, checksums | all | nothing |

use std::ops::Range;

use manicule_format_sstable::{Component, Descriptor};
use manicule_store::pages::{ReadCounts, Reading};
use manicule_store::store::{Name, Store, Version, Wanted, side_by_side};

/// Length in bytes of the longest component that is brought whole whatever it is.
pub(super) const SHORT_MAX: u64 = 64 << 10;

/// Length in bytes of the longest Statistics.db that is.
const STATISTICS_MAX: u64 = 4 << 20;

/// Length in bytes of what is brought of a component's head, or its end.
const EDGE_LEN: u64 = 4 << 10;

/// Length in bytes of the end of a trie, which is written from its leaves to its root.
pub(super) const ROOTS_LEN: u64 = 64 << 10;

/// Requests that go out at once. Up to this number what may not be wanted comes along.
pub(super) const REQUESTS_MAX: usize = 32;

/// What SSTables are asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Foreseen {
    /// Which they are.
    Listing,
    /// Whether they may have a key.
    Filter,
    /// Their types and columns.
    Header,
    /// What they say of themselves.
    Statistics,
    /// Everything: they are opened.
    Opening,
    /// A pass over their indexes, of which this many bytes each are held.
    Indexes(u64),
}

/// What names the files of an SSTable, and their versions, as a listing has them.
pub(super) type Files<'l> = (&'l Descriptor, &'l [(Component, Version)]);

/// Adds what is wanted of an SSTable.
pub(super) fn put((descriptor, versions): Files<'_>, foreseen: Foreseen, wanted: &mut Vec<Wanted>) {
    for (component, version) in versions {
        // A component that is none of a name has not been listed.
        let Some(file) = Name::new(&descriptor.file_name(component)) else { continue };
        for range in ranges(component, version.len(), foreseen).into_iter().flatten() {
            wanted.push(Wanted { file: file.clone(), version: *version, range });
        }
    }
}

/// Does a job for each of several SSTables, side by side where their files are at an address: see
/// [`side_by_side`].
pub(crate) fn together<T>(
    store: &dyn Store,
    count: usize,
    reading: &mut Reading<'_>,
    mut job: impl FnMut(usize, &mut Reading<'_>) -> T,
) -> Vec<T> {
    if !store.is_far() {
        return (0..count).map(|number| job(number, reading)).collect();
    }
    // What is begun again is counted once.
    let budget = reading.budget;
    let done = side_by_side(store, count, |number| {
        let mut counts = ReadCounts::default();
        (job(number, &mut Reading { counts: &mut counts, budget }), counts)
    });
    let counted = |(result, counts): (T, ReadCounts)| {
        reading.counts.add(&counts);
        result
    };
    done.into_iter().map(counted).collect()
}

/// The end of a file, from the beginning of a page on.
pub(super) fn end_of(len: u64, wanted: u64) -> Range<u64> {
    len.saturating_sub(wanted) / EDGE_LEN * EDGE_LEN..len
}

/// What is wanted of a component.
fn ranges(component: &Component, len: u64, foreseen: Foreseen) -> [Option<Range<u64>>; 2] {
    let whole = [Some(0..len), None];
    let (head, end) = (0..EDGE_LEN.min(len), end_of(len, EDGE_LEN));
    let is_wanted = match foreseen {
        Foreseen::Listing => matches!(component, Component::Toc),
        Foreseen::Filter => matches!(component, Component::Filter),
        Foreseen::Header => matches!(component, Component::Statistics),
        Foreseen::Statistics => matches!(
            component,
            Component::Statistics
                | Component::CompressionInfo
                | Component::Summary
                | Component::Partitions
        ),
        Foreseen::Opening => !matches!(component, Component::Other(_)),
        Foreseen::Indexes(_) => {
            matches!(
                component,
                Component::Index | Component::Partitions | Component::Rows | Component::Data
            )
        }
    };
    if !is_wanted {
        return [None, None];
    }
    if let Foreseen::Indexes(held) = foreseen {
        return match component {
            // The last partition is read for its end.
            Component::Data => [Some(end_of(len, ROOTS_LEN)), None],
            Component::Partitions if len > held => [Some(0..held), Some(end_of(len, ROOTS_LEN))],
            _ => [Some(0..len.min(held)), None],
        };
    }
    match component {
        _ if len <= SHORT_MAX => whole,
        Component::Statistics if len <= STATISTICS_MAX => whole,
        Component::CompressionInfo | Component::Summary => [Some(head), Some(end)],
        Component::Filter | Component::Index => [Some(head), None],
        Component::Partitions => [Some(end_of(len, ROOTS_LEN)), None],
        _ => [None, None],
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_long_components_edges_are_brought() {
        let of = |component: &Component, len: u64, foreseen: Foreseen| -> Vec<(u64, u64)> {
            let ranges = ranges(component, len, foreseen).into_iter().flatten();
            ranges.map(|range| (range.start, range.end)).collect()
        };
        let long = 10 << 20;
        assert_eq!(of(&Component::Data, 100, Foreseen::Opening), [(0, 100)]);
        assert_eq!(of(&Component::Data, long, Foreseen::Opening), []);
        assert_eq!(of(&Component::Data, 100, Foreseen::Statistics), []);
        let edges = [(0, EDGE_LEN), (long - EDGE_LEN, long)];
        assert_eq!(of(&Component::CompressionInfo, long, Foreseen::Statistics), edges);
        assert_eq!(of(&Component::Filter, long, Foreseen::Filter), [(0, EDGE_LEN)]);
        assert_eq!(of(&Component::Partitions, long, Foreseen::Opening), [(long - ROOTS_LEN, long)]);
        assert_eq!(of(&Component::Index, long, Foreseen::Indexes(5)), [(0, 5)]);
        assert_eq!(of(&Component::Toc, 90, Foreseen::Listing), [(0, 90)]);
    }
}
