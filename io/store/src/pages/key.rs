//! Names of things in the cache: a file, what kind of thing, and where it lies there.

use std::fs::File;
use std::io;
use std::os::fd::AsFd;

use manicule_core::bytes::mix;

use crate::entry::look_at;

/// Identity of a file's contents: a file that took the name or the number of another has another
/// time of change.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct FileKey {
    device: u64,
    inode: u64,
    len: u64,
    changed_ns: u64,
}

impl FileKey {
    /// Of an open file.
    pub fn of(file: &File) -> io::Result<Self> {
        let seen = look_at(file.as_fd())?;
        let changed_ns = seen.last_change_ns();
        Ok(FileKey { device: seen.device, inode: seen.inode, len: seen.size, changed_ns })
    }

    /// Length of the file in bytes.
    pub fn len(&self) -> u64 {
        self.len
    }

    /// Whether it has no bytes.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }
}

/// The kind of pages. Parsed values have kinds from 1, chosen by those who parse.
pub const PAGE_KIND: u8 = 0;

/// What the cache knows a thing by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Key {
    pub(super) file: FileKey,
    pub(super) kind: u8,
    pub(super) at: u64,
}

impl Key {
    pub(super) fn hash(&self, seed: u64) -> u64 {
        let file = mix(mix(seed, self.file.inode), self.file.changed_ns ^ self.file.device << 48);
        mix(file, self.at << 8 | u64::from(self.kind))
    }
}
