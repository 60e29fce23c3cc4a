//! Identity of a file, whatever its name: its device and its inode.

use std::fs::{self, File, Metadata};
use std::io;
use std::os::unix::fs::MetadataExt;
use std::path::Path;

/// Device and inode of a file. They are given to another file only when the last handle and the
/// last map have gone.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct FileId {
    device: u64,
    inode: u64,
}

impl FileId {
    /// Of an open file.
    pub fn of(file: &File) -> io::Result<Self> {
        file.metadata().map(|meta| Self::in_metadata(&meta))
    }

    /// Of the file that has a name; `None` where nothing has it.
    pub fn named(path: &Path) -> io::Result<Option<Self>> {
        match fs::metadata(path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            meta => meta.map(|meta| Some(Self::in_metadata(&meta))),
        }
    }

    fn in_metadata(meta: &Metadata) -> Self {
        FileId { device: meta.dev(), inode: meta.ino() }
    }
}
