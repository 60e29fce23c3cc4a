//! When a fingerprint may be believed: the rule that freshness stands on.
//!
//! An entry is *unchanged* if its fingerprint is the one that was stored. That proves it, unless it
//! could have changed without getting another fingerprint. So a fingerprint is stored only for what
//! had **settled** when it was looked at: its last change lies further back than the clock of its
//! file system can blur (git calls the others racily clean).
//! Everything else is stored as unsure, which is equal to nothing: it counts as changed until it is
//! indexed again.
//!
//! One more thing would have times lie: stores through a shared mapping set them when a page is
//! first written to, and not again before it has been written out. So a file that somebody had open
//! or mapped for writing when it was read is unsure as well; and where that isn't known, one that
//! changed so lately that a page may still wait to be written out. See [`Stores`]. Who maps a file
//! later sets its times with the first store to each page.
//!
//! What the rule can't see: contents changed with size, times and inode all as before, which takes
//! setting the system's clock or writing to the raw disk, since no call sets the time of change. It
//! holds on local file systems on disks (`manicule_store::keeps_times`); elsewhere everything is
//! read.
//!
//! Asked by the index of a tree, and by a run of shards over the folder that it indexed before.

use std::fs::File;
use std::os::fd::AsFd;

use manicule_format_tree::manifest::UNSURE;
use manicule_store::{Entry, Handle, KeepsTimes, Writers, keeps_times, writers, written_out_after};
use rustix::io::Errno;

/// Minimum age of a change, in nanoseconds: two ticks of the coarsest kernel clock, 100 Hz. Since
/// Linux 6.13 a time that was asked for is never given twice, but the rule is the same everywhere.
const GRANULE_NS: u64 = 20_000_000;

/// The same on file systems that store whole seconds (or, as FAT, even ones).
const GRANULE_COARSE_NS: u64 = 2_000_000_000;

const SECOND_NS: u64 = 1_000_000_000;

/// The fingerprint to store for an entry that was looked at when the clock stood at `now_ns`.
pub(crate) fn settled_fingerprint(entry: &Entry, key: u64, now_ns: u64) -> u64 {
    let is_coarse =
        entry.modified_ns.is_multiple_of(SECOND_NS) && entry.changed_ns.is_multiple_of(SECOND_NS);
    let granule_ns = if is_coarse { GRANULE_COARSE_NS } else { GRANULE_NS };
    // A change in the future says that a clock was set: nothing follows from it.
    match entry.last_change_ns().checked_add(granule_ns) {
        Some(settled_ns) if settled_ns < now_ns => entry.fingerprint(key),
        _ => UNSURE,
    }
}

/// The fingerprint to store for what was read between two looks: it must have settled before the
/// first, and be the same at the second.
pub(crate) fn read_fingerprint(before: &Entry, after: &Entry, key: u64, now_ns: u64) -> u64 {
    if before == after { settled_fingerprint(before, key, now_ns) } else { UNSURE }
}

/// Knowledge of stores that set no times.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Stores {
    /// Whether writable maps of a file are seen: on an overlay they aren't.
    sees_mapped: bool,
    /// After so long a page that was stored into has been written out, so that the next store sets
    /// the times again.
    written_out_ns: Option<u64>,
}

impl Stores {
    /// Asks the kernel, for the file system of `folder`.
    pub(crate) fn of(folder: &Handle) -> Self {
        let written_out_ns =
            written_out_after().and_then(|after| u64::try_from(after.as_nanos()).ok());
        let sees_mapped = keeps_times(folder.as_fd()) == Ok(KeepsTimes::Yes);
        Stores { sees_mapped, written_out_ns }
    }

    /// The same for a tree that a folder of another file system is part of; `None` if that one
    /// keeps no times to rely on.
    pub(crate) fn with(self, folder: &Handle) -> Result<Option<Self>, Errno> {
        Ok(match keeps_times(folder.as_fd())? {
            KeepsTimes::Yes => Some(self),
            KeepsTimes::Stacked => Some(self.with_overlay()),
            KeepsTimes::No => None,
        })
    }

    fn with_overlay(self) -> Self {
        Stores { sees_mapped: false, ..self }
    }

    /// Whether bytes of a file may change without its times from now on, as it looked when the
    /// clock stood at `now_ns`. Asked *before* the file is read: who maps it after that sets its
    /// times by their first store.
    pub(crate) fn may_be_silent(self, file: &File, entry: &Entry, now_ns: u64) -> bool {
        self.may_be_silent_with(writers(file), entry, now_ns)
    }

    fn may_be_silent_with(self, writers: Writers, entry: &Entry, now_ns: u64) -> bool {
        match writers {
            Writers::Some => true,
            Writers::None if self.sees_mapped => false,
            Writers::None | Writers::Unknown => {
                let out_ns =
                    self.written_out_ns.and_then(|after| entry.last_change_ns().checked_add(after));
                out_ns.is_none_or(|out_ns| out_ns >= now_ns)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use manicule_store::EntryKind;

    const NOW: u64 = 1_700_000_000_123_456_789;

    fn changed_at(changed_ns: u64) -> Entry {
        let kind = EntryKind::File;
        let (mode, owner, group) = (0o644, 0, 0);
        Entry { kind, size: 1, modified_ns: 5, changed_ns, inode: 1, device: 1, mode, owner, group }
    }

    fn is_sure(entry: Entry) -> bool {
        settled_fingerprint(&entry, 1, NOW) != UNSURE
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
    fn a_file_that_somebody_may_store_into_silently_is_unsure() {
        let seen = Stores { sees_mapped: true, written_out_ns: Some(60 * SECOND_NS) };
        let (overlay, never) = (seen.with_overlay(), Stores { written_out_ns: None, ..seen });
        let (long_ago, lately) =
            (changed_at(NOW - 61 * SECOND_NS), changed_at(NOW - 59 * SECOND_NS));
        for (stores, writers, entry, want) in [
            (seen, Writers::Some, long_ago, true),
            (seen, Writers::None, lately, false),
            (never, Writers::None, lately, false),
            (overlay, Writers::None, lately, true),
            (overlay, Writers::None, long_ago, false),
            (seen, Writers::Unknown, lately, true),
            (seen, Writers::Unknown, long_ago, false),
            (never, Writers::Unknown, long_ago, true),
            (seen, Writers::Unknown, changed_at(u64::MAX), true),
        ] {
            let is = stores.may_be_silent_with(writers, &entry, NOW);
            assert_eq!(is, want, "{stores:?} {writers:?} {entry:?}");
        }
    }

    #[test]
    fn what_changed_while_it_was_read_is_unsure() {
        let (before, after) = (changed_at(1_000), changed_at(2_000));
        assert_eq!(read_fingerprint(&before, &after, 1, NOW), UNSURE);
        assert_ne!(read_fingerprint(&before, &before, 1, NOW), UNSURE);
    }
}
