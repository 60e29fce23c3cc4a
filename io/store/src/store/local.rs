//! A folder of this machine, or one that is mounted, as a store.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Read};
use std::os::unix::fs::FileTypeExt;
use std::path::{Path, PathBuf};

use super::error::StoreError;
use super::listed::Listed;
use super::name::Name;
use super::read::{Access, Look, Store, WholeFile, too_long};
use super::version::Version;
use crate::entry::EntryKind;
use crate::files::{open_itself, open_with_len};
use crate::map::Mapped;
use crate::names::{NamedEntry, list_names};
use crate::pages::{ByteSource, MappedFile, PositionedFile, SystemCache};
use crate::range::{read_range, read_rest};

/// A local folder. Links in it are followed, unless it is told not to; what is neither a file nor
/// leads to one is not opened.
#[derive(Clone, Debug)]
pub struct LocalStore {
    path: PathBuf,
    reads_pipes: bool,
    follows_links: bool,
}

impl LocalStore {
    /// The folder at `path`. Nothing is looked at yet.
    pub fn at(path: &Path) -> Self {
        LocalStore { path: path.to_owned(), reads_pipes: false, follows_links: true }
    }

    /// Reads a pipe to its end where a file is read whole: whoever writes it says when. Elsewhere
    /// pipes are refused, as nobody may ever write them.
    #[must_use]
    pub fn with_pipes(self) -> Self {
        LocalStore { reads_pipes: true, ..self }
    }

    /// Takes a link in the place of a file for what is no file, so that nothing elsewhere is read;
    /// folders may be links.
    #[must_use]
    pub fn without_links(self) -> Self {
        LocalStore { follows_links: false, ..self }
    }

    /// As [`Store::list`] of its own folder, by the entries that it was listed with before.
    pub fn listed(&self, entries: &[NamedEntry]) -> Vec<Listed> {
        entries.iter().filter_map(|entry| self.entry(&self.path, entry.clone())).collect()
    }

    /// Costs a look at links alone, and at what the folder doesn't tell the type of.
    fn entry(&self, folder: &Path, entry: NamedEntry) -> Option<Listed> {
        let told = entry.told_kind();
        let name = entry.name.into_string().ok()?;
        if let Some(kind) = told {
            return Some(Listed { name, kind, len: None, version: None });
        }
        Some(match self.look_at(&folder.join(&name)) {
            Ok(Look { kind, len, version }) => {
                let version = (kind == EntryKind::File).then_some(version);
                Listed { name, kind, len: Some(len), version }
            }
            // A link to nothing. Any other error comes again from whoever looks or reads.
            Err(error) => {
                let len = (error.kind() == io::ErrorKind::NotFound).then_some(0);
                Listed { name, kind: EntryKind::Rest, len, version: None }
            }
        })
    }

    /// What a path leads to. A link to a folder is one in any case.
    fn look_at(&self, path: &Path) -> io::Result<Look> {
        let through = look_through(path)?;
        if self.follows_links || through.kind == EntryKind::Folder {
            return Ok(through);
        }
        Ok(look_of(&fs::symlink_metadata(path)?))
    }

    /// Opens a file, with the length that it has.
    fn open_file(&self, path: &Path) -> io::Result<(File, u64)> {
        let mut options = OpenOptions::new();
        let open = if self.follows_links { open_with_len } else { open_itself };
        open(path, options.read(true))
    }

    /// Calls `read` with an open file and its length.
    fn with_file(
        &self,
        name: &Name,
        read: impl FnOnce(File, u64) -> io::Result<()>,
    ) -> Result<(), StoreError> {
        let path = self.show(name);
        self.open_file(&path).and_then(|(file, len)| read(file, len)).map_err(failed(&path))
    }
}

/// The path of a name below a folder.
pub(super) fn path_of(folder: &Path, name: &Name) -> PathBuf {
    // An empty name would add a slash.
    if name.as_str().is_empty() { folder.to_owned() } else { folder.join(name.as_str()) }
}

pub(super) fn failed(path: &Path) -> impl FnOnce(io::Error) -> StoreError + '_ {
    |source| StoreError { file: path.to_owned(), source }
}

fn look_through(path: &Path) -> io::Result<Look> {
    fs::metadata(path).map(|seen| look_of(&seen))
}

fn look_of(seen: &fs::Metadata) -> Look {
    let kind = match () {
        () if seen.is_file() => EntryKind::File,
        () if seen.is_dir() => EntryKind::Folder,
        () => EntryKind::Rest,
    };
    let len = if kind == EntryKind::File { seen.len() } else { 0 };
    Look { kind, len, version: Version::of_metadata(seen) }
}

impl Store for LocalStore {
    fn list(&self, folder: &Name) -> Result<Vec<Listed>, StoreError> {
        let path = self.show(folder);
        let entries = list_names(&path).map_err(failed(&path))?;
        Ok(entries.into_iter().filter_map(|entry| self.entry(&path, entry)).collect())
    }

    fn look(&self, name: &Name) -> Result<Look, StoreError> {
        let path = self.show(name);
        self.look_at(&path).map_err(failed(&path))
    }

    fn open(&self, file: &Name, access: Access) -> Result<Box<dyn ByteSource>, StoreError> {
        let path = self.show(file);
        let source = match access {
            Access::Positioned(SystemCache::Bypassed) => {
                PositionedFile::open(&path, SystemCache::Bypassed).map(|file| Box::new(file) as _)
            }
            Access::Mapped => self
                .open_file(&path)
                .and_then(|(file, _)| MappedFile::of(&file))
                .map(|file| Box::new(file) as Box<dyn ByteSource>),
            Access::Positioned(SystemCache::Used) => self
                .open_file(&path)
                .and_then(|(file, _)| PositionedFile::of(file))
                .map(|file| Box::new(file) as _),
        };
        source.map_err(failed(&path))
    }

    fn map(&self, file: &Name) -> Result<Option<WholeFile>, StoreError> {
        let path = self.show(file);
        let whole = |(file, _): (File, u64)| {
            Ok(Some(WholeFile { version: Version::of(&file)?, bytes: Mapped::of(&file)? }))
        };
        self.open_file(&path).and_then(whole).map_err(failed(&path))
    }

    fn read_at(&self, file: &Name, at: u64, out: &mut [u8]) -> Result<(), StoreError> {
        self.with_file(file, |file, _| read_range(&file, out, at))
    }

    fn read(&self, file: &Name, len_max: u64, out: &mut Vec<u8>) -> Result<(), StoreError> {
        let path = self.show(file);
        if self.reads_pipes && fs::metadata(&path).is_ok_and(|it| it.file_type().is_fifo()) {
            out.clear();
            let opened = File::open(&path);
            let read =
                opened.and_then(|pipe| pipe.take(len_max.saturating_add(1)).read_to_end(out));
            let is_within = read.map(|len| len as u64 <= len_max).map_err(failed(&path))?;
            let error = || failed(&path)(too_long(out.len() as u64, len_max));
            return if is_within { Ok(()) } else { Err(error()) };
        }
        self.with_file(file, |file, len| {
            out.clear();
            if len > len_max {
                return Err(too_long(len, len_max));
            }
            out.reserve(len as usize + 1);
            file.take(len_max).read_to_end(out).map(|_| ())
        })
    }

    fn read_rest(&self, file: &Name, at: u64, out: &mut Vec<u8>) -> Result<(), StoreError> {
        let path = self.show(file);
        let read = |(file, _): (File, u64)| read_rest(&file, at, out);
        self.open_file(&path).and_then(read).map_err(failed(&path))
    }

    fn show(&self, name: &Name) -> PathBuf {
        path_of(&self.path, name)
    }
}
