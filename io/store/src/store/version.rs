//! Identity of a file's contents, in its store and in the cache.

use std::fs::{File, Metadata};
use std::io;
use std::os::fd::AsFd;
use std::os::unix::fs::MetadataExt;

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

/// Devices have no such bits in their numbers.
const IN_MEMORY: u64 = 1 << 63;
const IN_BUCKET: u64 = 1 << 62;

impl Version {
    /// Of an open local file.
    pub fn of(file: &File) -> io::Result<Self> {
        let seen = look_at(file.as_fd())?;
        let change = seen.last_change_ns();
        Ok(Version { place: seen.device, file: seen.inode, len: seen.size, change })
    }

    /// Of a local file that was looked at.
    pub(super) fn of_metadata(seen: &Metadata) -> Self {
        let ns = |seconds: i64, ns: i64| {
            (seconds as u64).wrapping_mul(1_000_000_000).wrapping_add(ns as u64)
        };
        let modified = ns(seen.mtime(), seen.mtime_nsec());
        let change = modified.max(ns(seen.ctime(), seen.ctime_nsec()));
        let (major, minor) = (rustix::fs::major(seen.dev()), rustix::fs::minor(seen.dev()));
        let place = u64::from(major) << 32 | u64::from(minor);
        Version { place, file: seen.ino(), len: seen.len(), change }
    }

    /// Of the bytes that were put into a store in memory as its `change`th.
    pub(super) fn in_memory(store: u64, change: u64, len: u64) -> Self {
        Version { place: IN_MEMORY | store, file: change, len, change }
    }

    /// Of an object in a bucket, by a hash of its place there and of the mark that the bucket gives
    /// its bytes.
    pub fn in_bucket(hash: [u8; 24], len: u64) -> Self {
        let [place, file, change] =
            [0, 8, 16].map(|at| u64::from_be_bytes(hash[at..at + 8].try_into().expect("8 bytes")));
        Version { place: place & !IN_MEMORY | IN_BUCKET, file, len, change }
    }

    /// Length of the file in bytes.
    pub fn len(&self) -> u64 {
        self.len
    }

    /// Whether it has no bytes.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Its bytes, for names of files.
    pub(super) fn bytes(&self) -> [u8; 32] {
        let mut bytes = [0; 32];
        let fields = [self.place, self.file, self.len, self.change];
        for (field, out) in fields.iter().zip(bytes.chunks_mut(8)) {
            out.copy_from_slice(&field.to_be_bytes());
        }
        bytes
    }

    /// As [`Version::bytes`] has it.
    pub(super) fn of_bytes(bytes: &[u8; 32]) -> Self {
        let (fields, _) = bytes.as_chunks::<8>();
        let field = |at: usize| u64::from_be_bytes(fields[at]);
        Version { place: field(0), file: field(1), len: field(2), change: field(3) }
    }

    /// A hash, mixed with `seed`.
    pub(crate) fn hash(&self, seed: u64) -> u64 {
        mix(mix(seed, self.file), self.change ^ self.place << 48)
    }
}
