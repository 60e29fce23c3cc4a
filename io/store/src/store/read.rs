//! Stores that are read.

use std::fmt;
use std::io;
use std::path::PathBuf;

use super::ask::{Answer, Ask, Wanted};
use super::error::{StoreError, replaced};
use super::listed::Listed;
use super::name::Name;
use super::version::Version;
use super::write::WriteStore;
use crate::entry::EntryKind;
use crate::map::Mapped;
use crate::pages::{ByteSource, ReadCounts, SystemCache};
use crate::threads;

/// Threads that wait for requests at once, where a store has no better way.
const SIDE_BY_SIDE: usize = 16;

/// Files by name. What a name leads to may be replaced whole, and is never changed in place.
pub trait Store: fmt::Debug + Send + Sync {
    /// The entries of a folder, in no order; names that are not valid UTF-8 are left out. A folder
    /// that is not there is an error where folders are things of their own, and an empty one where
    /// they are beginnings of names.
    fn list(&self, folder: &Name) -> Result<Vec<Listed>, StoreError>;

    /// What a name leads to.
    fn look(&self, name: &Name) -> Result<Look, StoreError>;

    /// Opens a file for many reads. They see the version that was opened, or fail once it has been
    /// replaced: its source never gives bytes of two.
    fn open(&self, file: &Name, access: Access) -> Result<Box<dyn ByteSource>, StoreError>;

    /// As [`Store::open`] of a file whose version a listing has told: a store that can read on
    /// condition of a version asks nothing here, and its source fails if it is another one.
    fn open_seen(
        &self,
        file: &Name,
        seen: Version,
        access: Access,
    ) -> Result<Box<dyn ByteSource>, StoreError> {
        let source = self.open(file, access)?;
        if source.version() == seen {
            Ok(source)
        } else {
            Err(StoreError { file: self.show(file), source: replaced() })
        }
    }

    /// Asks several questions side by side, in one round where the store can. The answers come in
    /// the order of the questions, each of the kind that its question is of.
    fn ask_all(&self, asked: &[Ask]) -> Vec<Result<Answer, StoreError>> {
        let count = asked.len();
        threads::map(count.min(SIDE_BY_SIDE), count, |place| ask_one(self, &asked[place]))
    }

    /// The entries of several folders, in one round where the store can.
    fn list_all(&self, folders: &[Name]) -> Vec<Result<Vec<Listed>, StoreError>> {
        let asked: Vec<Ask> = folders.iter().cloned().map(Ask::Entries).collect();
        self.ask_all(&asked).into_iter().map(|it| it.map(Answer::into_entries)).collect()
    }

    /// Several whole files, in one round where the store can, each as [`Store::read`] reads it.
    fn read_all(&self, files: &[Name], len_max: u64) -> Vec<Result<Vec<u8>, StoreError>> {
        let whole = |file: &Name| Ask::Whole { file: file.clone(), len_max };
        let asked: Vec<Ask> = files.iter().map(whole).collect();
        self.ask_all(&asked).into_iter().map(|it| it.map(Answer::into_bytes)).collect()
    }

    /// Brings ranges that are going to be read, side by side, where that is worth it: over a store
    /// where a round is dear, and that keeps them at hand. Whether all are there now.
    fn bring(&self, _: &[Wanted]) -> bool {
        true
    }

    /// Whether a round is dear, as it takes as long as reading some MiB, and what
    /// [`Store::bring`] brings is kept at hand.
    fn is_far(&self) -> bool {
        false
    }

    /// Opens a file as a listing of its folder has it: where that has its version, in that version
    /// and without a request; else in the one that it has now.
    fn open_listed(
        &self,
        folder: &Name,
        listed: &Listed,
        access: Access,
    ) -> Result<Box<dyn ByteSource>, StoreError> {
        let file = listed.file_in(folder);
        match listed.version {
            Some(version) => self.open_seen(&file, version, access),
            None => self.open(&file, access),
        }
    }

    /// Maps a whole file in place; `None` where a store can't, and [`super::Fetched`] brings it.
    fn map(&self, _: &Name) -> Result<Option<WholeFile>, StoreError> {
        Ok(None)
    }

    /// Fills `out` with the bytes of a file from an offset on, whichever version it has: for files
    /// that their name is a hash of.
    fn read_at(&self, file: &Name, at: u64, out: &mut [u8]) -> Result<(), StoreError>;

    /// Reads a whole file in place of what `out` holds. A file of more than `len_max` bytes is an
    /// error of both lengths.
    fn read(&self, file: &Name, len_max: u64, out: &mut Vec<u8>) -> Result<(), StoreError>;

    /// Reads the bytes of a file from an offset on, as many as there are now, in place of what
    /// `out` holds: for files that grow.
    fn read_rest(&self, file: &Name, at: u64, out: &mut Vec<u8>) -> Result<(), StoreError>;

    /// A name as messages have it: of a local store its path.
    fn show(&self, name: &Name) -> PathBuf;

    /// What writes its files; `None` where it is only read.
    fn writer(&self) -> Option<&dyn WriteStore> {
        None
    }
}

/// What a name leads to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Look {
    /// Its kind.
    pub kind: EntryKind,
    /// Its length in bytes: 0 for what is no file.
    pub len: u64,
    /// Its version. A file that is not held open may give its number to another: within a tick of
    /// the system's clock, and with the same length, that one has the same version.
    pub version: Version,
}

/// All bytes of a file, in place.
#[derive(Debug)]
pub struct WholeFile {
    /// The bytes.
    pub bytes: Mapped,
    /// Their version.
    pub version: Version,
}

/// How a file is read where there is a choice.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Access {
    /// In place.
    Mapped,
    /// By position.
    Positioned(SystemCache),
}

/// What writes the files of a store.
///
/// # Errors
/// A store that is only read.
pub fn writer_of(store: &dyn Store) -> Result<&dyn WriteStore, StoreError> {
    store.writer().ok_or_else(|| {
        let source = io::Error::new(io::ErrorKind::Unsupported, "it is only read, not written");
        StoreError { file: store.show(&Name::root()), source }
    })
}

/// The text of a small file; `None` where it is missing.
pub fn read_text(store: &dyn Store, file: &Name) -> Result<Option<String>, StoreError> {
    let mut text = Vec::new();
    match store.read(file, u64::MAX, &mut text) {
        Err(error) if error.is_missing() => return Ok(None),
        read => read?,
    }
    String::from_utf8(text).map(Some).map_err(|_| {
        let what = "stream did not contain valid UTF-8";
        let source = io::Error::new(io::ErrorKind::InvalidData, what);
        StoreError { file: store.show(file), source }
    })
}

/// The error of a file that is longer than what is read at once.
pub fn too_long(len: u64, len_max: u64) -> io::Error {
    let text = format!("{len} bytes, more than the {len_max} that are read at once");
    io::Error::new(io::ErrorKind::FileTooLarge, text)
}

/// The answer to one question, by the store's own methods.
fn ask_one<S: Store + ?Sized>(store: &S, asked: &Ask) -> Result<Answer, StoreError> {
    match asked {
        Ask::Entries(folder) => store.list(folder).map(Answer::Entries),
        Ask::Below(folder) => {
            let mut files = Vec::new();
            list_below(store, folder, "", "", &mut files)?;
            Ok(Answer::Below { files, is_whole: true })
        }
        Ask::Beginning { folder, beginning } => {
            let mut files = Vec::new();
            list_below(store, folder, "", beginning, &mut files)?;
            Ok(Answer::Below { files, is_whole: true })
        }
        Ask::Whole { file, len_max } => {
            let mut bytes = Vec::new();
            store.read(file, *len_max, &mut bytes).map(|()| Answer::Bytes(bytes))
        }
        Ask::Range { file, version, range } => {
            let mut bytes = vec![0; (range.end - range.start) as usize];
            match version {
                None => store.read_at(file, range.start, &mut bytes)?,
                Some(version) => {
                    let access = Access::Positioned(SystemCache::Used);
                    let source = store.open_seen(file, *version, access)?;
                    let read = source.read_at(range.start, &mut bytes, &mut ReadCounts::default());
                    read.map_err(|source| StoreError { file: store.show(file), source })?;
                }
            }
            Ok(Answer::Bytes(bytes))
        }
    }
}

/// The files below a folder whose names begin so, `prefix` before them. Folders in folders are few,
/// and each is a call.
fn list_below<S: Store + ?Sized>(
    store: &S,
    folder: &Name,
    prefix: &str,
    beginning: &str,
    files: &mut Vec<Listed>,
) -> Result<(), StoreError> {
    for entry in store.list(folder)? {
        let name = format!("{prefix}{}", entry.name);
        match entry.kind {
            EntryKind::Folder => {
                let prefix = format!("{name}/");
                if prefix.starts_with(beginning) || beginning.starts_with(&prefix) {
                    list_below(store, &entry.file_in(folder), &prefix, beginning, files)?;
                }
            }
            _ if name.starts_with(beginning) => files.push(Listed { name, ..entry }),
            _ => {}
        }
    }
    Ok(())
}
