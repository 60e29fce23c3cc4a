//! Names of a folder's entries with the types that the folder itself tells, from one reading of it.

use std::ffi::OsString;
use std::fs::{self, FileType};
use std::io;
use std::path::Path;

use crate::entry::EntryKind;

/// An entry of a folder, by its name.
#[derive(Clone, Debug)]
pub struct NamedEntry {
    /// Its name.
    pub name: OsString,
    /// Its type where the folder told it.
    file_type: Option<FileType>,
}

/// Lists a folder. Costs no look at an entry.
pub fn list_names(folder: &Path) -> io::Result<Vec<NamedEntry>> {
    let named = |entry: io::Result<fs::DirEntry>| {
        entry.map(|entry| NamedEntry { name: entry.file_name(), file_type: entry.file_type().ok() })
    };
    fs::read_dir(folder)?.map(named).collect()
}

impl NamedEntry {
    /// An entry of which no more is known.
    pub fn of(name: OsString) -> Self {
        NamedEntry { name, file_type: None }
    }

    /// Its kind as the folder told it; `None` for a link.
    pub(crate) fn told_kind(&self) -> Option<EntryKind> {
        match self.file_type? {
            told if told.is_symlink() => None,
            told if told.is_file() => Some(EntryKind::File),
            told if told.is_dir() => Some(EntryKind::Folder),
            _ => Some(EntryKind::Rest),
        }
    }

    /// Whether it is a folder, or a link that leads to one. Only a link, and what nothing is known
    /// of, is looked at.
    pub fn is_folder(&self, folder: &Path) -> bool {
        match self.file_type.filter(|file_type| !file_type.is_symlink()) {
            Some(file_type) => file_type.is_dir(),
            None => folder.join(&self.name).is_dir(),
        }
    }

    /// Whether it is a file, or a link, which may lead to one; not a folder, nor a pipe.
    pub fn may_be_file(&self, folder: &Path) -> bool {
        match self.file_type {
            Some(file_type) if file_type.is_symlink() => {
                fs::metadata(folder.join(&self.name)).map_or(true, |meta| meta.is_file())
            }
            Some(file_type) => file_type.is_file(),
            None => true,
        }
    }
}
