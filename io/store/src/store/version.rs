//! Identity of a file's contents, in its store and in the cache.

use std::fs::File;
use std::io;
use std::os::fd::AsFd;

use manicule_core::bytes::mix;

use crate::entry::look_at;

/// Identity of a file's contents: two files of the same version have the same bytes, whatever their
/// names. Of a local file its device, inode, length and time of change; a file that took the name
/// or the number of another has another time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Version {
    /// The device, or a store in memory.
    place: u64,
    file: u64,
    len: u64,
    change: u64,
}

/// Devices have no such bit in their numbers.
const IN_MEMORY: u64 = 1 << 63;

impl Version {
    /// Of an open local file.
    pub fn of(file: &File) -> io::Result<Self> {
        let seen = look_at(file.as_fd())?;
        let change = seen.last_change_ns();
        Ok(Version { place: seen.device, file: seen.inode, len: seen.size, change })
    }

    /// Of the bytes that were put into a store in memory as its `change`th.
    pub(super) fn in_memory(store: u64, change: u64, len: u64) -> Self {
        Version { place: IN_MEMORY | store, file: change, len, change }
    }

    /// Length of the file in bytes.
    pub fn len(&self) -> u64 {
        self.len
    }

    /// Whether it has no bytes.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// A hash, mixed with `seed`.
    pub(crate) fn hash(&self, seed: u64) -> u64 {
        mix(mix(seed, self.file), self.change ^ self.place << 48)
    }
}
