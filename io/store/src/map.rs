//! A file's bytes, mapped: read in place, by whoever touches them first.

use std::fs::File;
use std::io;
use std::ops::Deref;
use std::path::Path;

use manicule_core::bytes::FileBytes;
use memmap2::{Mmap, MmapOptions};

/// The bytes of an immutable file.
#[derive(Debug)]
pub struct Mapped {
    // An empty file can't be mapped.
    map: Option<Mmap>,
}

impl Mapped {
    /// Maps a whole file of somebody else, who replaces it by renames only, as writers of shards
    /// and blocks do.
    pub fn open(path: &Path) -> io::Result<Self> {
        Self::of(&File::open(path)?)
    }

    /// Maps a whole file that nobody changes in place: those of a [`crate::CacheDir`], and shards,
    /// are replaced by renames only.
    ///
    /// Should somebody truncate such a file all the same, touching the lost pages ends the process;
    /// no byte is ever read outside the map.
    pub fn of(file: &File) -> io::Result<Self> {
        if file.metadata()?.len() == 0 {
            return Ok(Mapped { map: None });
        }
        // SAFETY: the map is read-only, and lives as long as `self`; cache directories never write
        // into a file that has its name.
        let map = unsafe { Mmap::map(file)? };
        Ok(Mapped { map: Some(map) })
    }

    /// Maps the first `len` bytes of a file whose holes are filled while it is mapped: see
    /// [`crate::store::RangedFile`].
    pub(crate) fn of_filling(file: &File, len: usize) -> io::Result<Self> {
        if len == 0 {
            return Ok(Mapped { map: None });
        }
        // SAFETY: the map is read-only, and lives as long as `self`. Bytes change once, from a hole
        // to what they stay, and nobody looks at them before.
        let map = unsafe { MmapOptions::new().len(len).map(file)? };
        Ok(Mapped { map: Some(map) })
    }
}

impl FileBytes for Mapped {}

impl Deref for Mapped {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        self.map.as_deref().unwrap_or_default()
    }
}
