//! A file's bytes, mapped: read in place, by whoever touches them first.

use std::fs::File;
use std::io;
use std::ops::Deref;
use std::path::Path;

use memmap2::Mmap;

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
}

impl Deref for Mapped {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        self.map.as_deref().unwrap_or_default()
    }
}
