//! Read permission of this process, by the owner and mode of an entry.

use rustix::process::{getegid, geteuid, getgroups};
use rustix::thread::{CapabilitySet, capabilities};

use super::entry::Entry;

const READ: u32 = 0o4;

/// Stands for users and groups that a container doesn't know; its root has no say over their files.
const NOBODY: u32 = 65534;

/// As whom this process reads.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rights {
    user: u32,
    groups: Vec<u32>,
    /// Modes do not keep it out: it is root, mostly.
    reads_all: bool,
}

impl Rights {
    /// Asks the kernel: four calls.
    pub fn of_process() -> Self {
        let mut groups: Vec<u32> =
            getgroups().unwrap_or_default().into_iter().map(|group| group.as_raw()).collect();
        groups.push(getegid().as_raw());
        let any = CapabilitySet::DAC_OVERRIDE | CapabilitySet::DAC_READ_SEARCH;
        let reads_all = capabilities(None).is_ok_and(|sets| sets.effective.intersects(any));
        Rights { user: geteuid().as_raw(), groups, reads_all }
    }

    /// Whether the mode of an entry lets this process read it. Lists of access and security modules
    /// may say otherwise, either way: those are known to whoever opens it.
    #[inline]
    pub fn may_read(&self, entry: &Entry) -> bool {
        let who = if entry.owner == self.user {
            6
        } else if self.groups.contains(&entry.group) {
            3
        } else {
            0
        };
        entry.mode >> who & READ != 0
            || (self.reads_all && entry.owner != NOBODY && entry.group != NOBODY)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::EntryKind;

    #[test]
    fn the_first_class_that_fits_decides() {
        let rights = Rights { user: 1, groups: vec![10, 11], reads_all: false };
        let root = Rights { reads_all: true, ..rights.clone() };
        let entry = |owner: u32, group: u32, mode: u32| Entry {
            kind: EntryKind::File,
            size: 0,
            modified_ns: 0,
            changed_ns: 0,
            inode: 0,
            device: 0,
            mode,
            owner,
            group,
        };
        for (owner, group, mode, want) in [
            (1, 99, 0o400, true),
            (1, 10, 0o044, false),
            (2, 11, 0o040, true),
            (2, 11, 0o404, false),
            (2, 99, 0o004, true),
            (2, 99, 0o770, false),
        ] {
            let entry = entry(owner, group, mode);
            assert_eq!(rights.may_read(&entry), want, "{owner}:{group} {mode:o}");
            assert!(root.may_read(&entry));
        }
        assert!(!root.may_read(&entry(NOBODY, 99, 0o600)));
    }
}
