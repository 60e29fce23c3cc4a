//! Local files as sources: mapped, or read by position.

use std::fs::{File, OpenOptions};
use std::io;
use std::os::unix::fs::{FileExt, OpenOptionsExt};
use std::path::Path;

use rustix::fs::OFlags;

use super::source::{ByteSource, ReadCounts};
use crate::files::open_plain;
use crate::map::Mapped;
use crate::range::read_range;
use crate::store::Version;

/// A file that is read in place.
#[derive(Debug)]
pub struct MappedFile {
    version: Version,
    map: Mapped,
}

impl MappedFile {
    /// Maps a plain file that nobody changes in place.
    pub fn open(path: &Path) -> io::Result<Self> {
        Self::of(&open_plain(path, OpenOptions::new().read(true))?)
    }

    /// Maps an open file.
    pub(crate) fn of(file: &File) -> io::Result<Self> {
        Ok(MappedFile { version: Version::of(file)?, map: Mapped::of(file)? })
    }
}

impl ByteSource for MappedFile {
    fn version(&self) -> Version {
        self.version
    }

    fn len(&self) -> u64 {
        self.map.len() as u64
    }

    fn mapped(&self) -> Option<&[u8]> {
        Some(&self.map)
    }

    fn read_at(&self, at: u64, out: &mut [u8], _: &mut ReadCounts) -> io::Result<()> {
        let range = usize::try_from(at).ok().and_then(|at| self.map.get(at..)?.get(..out.len()));
        out.copy_from_slice(range.ok_or(io::ErrorKind::UnexpectedEof)?);
        Ok(())
    }
}

/// Whether reads go through the system's cache.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SystemCache {
    /// They do.
    Used,
    /// They go past it (`O_DIRECT`), to measure what a cold read costs. Some file systems refuse.
    Bypassed,
}

/// Memory and offsets of reads past the system's cache are aligned to this.
const DIRECT_ALIGN: usize = 4096;

/// A file that is read by position: one call a range.
#[derive(Debug)]
pub struct PositionedFile {
    version: Version,
    file: File,
    system_cache: SystemCache,
}

impl PositionedFile {
    /// Opens a plain file that nobody changes in place.
    pub fn open(path: &Path, system_cache: SystemCache) -> io::Result<Self> {
        let mut options = OpenOptions::new();
        options.read(true);
        if system_cache == SystemCache::Bypassed {
            options.custom_flags(OFlags::DIRECT.bits() as i32);
        }
        let file = match system_cache {
            SystemCache::Used => open_plain(path, &options)?,
            SystemCache::Bypassed => options.open(path)?,
        };
        Ok(PositionedFile { version: Version::of(&file)?, file, system_cache })
    }

    /// An open file, read through the system's cache.
    pub(crate) fn of(file: File) -> io::Result<Self> {
        Ok(PositionedFile { version: Version::of(&file)?, file, system_cache: SystemCache::Used })
    }

    /// Reads whole aligned blocks and copies what is wanted: as many bytes more as lie in them.
    fn read_direct(&self, at: u64, out: &mut [u8], counts: &mut ReadCounts) -> io::Result<()> {
        let align = DIRECT_ALIGN as u64;
        let first = at / align * align;
        let skipped = (at - first) as usize;
        let len = (skipped + out.len()).next_multiple_of(DIRECT_ALIGN);
        let mut buffer = vec![0; len + DIRECT_ALIGN];
        let start = buffer.as_ptr().align_offset(DIRECT_ALIGN);
        let aligned = &mut buffer[start..start + len];
        let mut got = 0;
        while got < skipped + out.len() {
            let more = self.file.read_at(&mut aligned[got..], first + got as u64)?;
            counts.reads += 1;
            counts.read_bytes += more as u64;
            got += more;
            // Only the end of the file ends a read between two blocks.
            if more == 0 || got % DIRECT_ALIGN != 0 {
                break;
            }
        }
        let wanted = aligned[..got].get(skipped..skipped + out.len());
        out.copy_from_slice(wanted.ok_or(io::ErrorKind::UnexpectedEof)?);
        Ok(())
    }
}

impl ByteSource for PositionedFile {
    fn version(&self) -> Version {
        self.version
    }

    fn mapped(&self) -> Option<&[u8]> {
        None
    }

    fn read_at(&self, at: u64, out: &mut [u8], counts: &mut ReadCounts) -> io::Result<()> {
        if self.system_cache == SystemCache::Bypassed {
            return self.read_direct(at, out, counts);
        }
        counts.reads += 1;
        counts.read_bytes += out.len() as u64;
        read_range(&self.file, out, at)
    }
}
