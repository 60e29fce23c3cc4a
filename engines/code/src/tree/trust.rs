//! When a fingerprint may be believed: the rule that freshness stands on.
//!
//! An entry is *unchanged* if its print is the one that was stored. That proves it, unless it could have changed
//! without getting another print. So a print is stored only for what had **settled** when it was looked at: its last
//! change lies further back than the clock of its file system can blur. Everything else is stored as unsure, which is
//! equal to nothing: it counts as changed until it is indexed again.
//!
//! What the rule can't see: contents changed with size, times and inode all as before, which takes setting the
//! system's clock or writing to the raw disk, since no call sets the time of change; and stores through a shared
//! mapping after the first one to a page. It holds on local file systems (`manicule_store::keeps_times`); elsewhere
//! no index is used.

use manicule_format_tree::manifest::UNSURE;
use manicule_store::Entry;

/// How far back a change must lie, in nanoseconds: two ticks of the coarsest kernel clock, 100 Hz. Since Linux 6.13 a
/// time that was asked for is never given twice, but the rule is the same everywhere.
const GRANULE_NS: u64 = 20_000_000;

/// The same on file systems that store whole seconds (or, as FAT, even ones).
const GRANULE_COARSE_NS: u64 = 2_000_000_000;

const SECOND_NS: u64 = 1_000_000_000;

/// The print to store for an entry that was looked at when the clock stood at `now_ns`.
pub(super) fn settled_print(entry: &Entry, key: u64, now_ns: u64) -> u64 {
    let is_coarse =
        entry.modified_ns.is_multiple_of(SECOND_NS) && entry.changed_ns.is_multiple_of(SECOND_NS);
    let granule_ns = if is_coarse { GRANULE_COARSE_NS } else { GRANULE_NS };
    // A change in the future says that a clock was set: nothing follows from it.
    match entry.last_change_ns().checked_add(granule_ns) {
        Some(settled_ns) if settled_ns < now_ns => entry.print(key),
        _ => UNSURE,
    }
}

/// The print to store for a file that was read between two looks: it must have settled before the first, and be the
/// same at the second.
pub(super) fn read_print(before: &Entry, after: &Entry, key: u64, now_ns: u64) -> u64 {
    if before == after { settled_print(before, key, now_ns) } else { UNSURE }
}

#[cfg(test)]
mod tests {
    use super::*;
    use manicule_store::EntryKind;

    const NOW: u64 = 1_700_000_000_123_456_789;

    fn changed_at(changed_ns: u64) -> Entry {
        let kind = EntryKind::File;
        Entry { kind, size: 1, modified_ns: 5, changed_ns, inode: 1, device: 1 }
    }

    fn is_sure(entry: Entry) -> bool {
        settled_print(&entry, 1, NOW) != UNSURE
    }

    #[test]
    fn what_changed_long_ago_has_settled() {
        assert!(is_sure(changed_at(NOW - 30_000_000)));
    }

    #[test]
    fn what_changed_just_now_or_in_the_future_has_not() {
        assert!(!is_sure(changed_at(NOW - 10_000_000)));
        assert!(!is_sure(changed_at(NOW + 1)));
        assert!(!is_sure(changed_at(u64::MAX)));
    }

    #[test]
    fn whole_seconds_settle_after_two() {
        let second = |back: u64| Entry {
            modified_ns: 0,
            ..changed_at((NOW / SECOND_NS - back) * SECOND_NS)
        };
        assert!(!is_sure(second(1)));
        assert!(is_sure(second(3)));
    }

    #[test]
    fn what_changed_while_it_was_read_is_unsure() {
        let (before, after) = (changed_at(1_000), changed_at(2_000));
        assert_eq!(read_print(&before, &after, 1, NOW), UNSURE);
        assert_ne!(read_print(&before, &before, 1, NOW), UNSURE);
    }
}
