//! Storage of a repository: files by kind and id, whole or a range of them.
//!
//! The trait is what object stores can do as well: list a kind with sizes, read a range, read
//! whole. Nothing is opened and kept, and callers build no paths.

mod files;
mod write;

use std::fmt;

use manicule_format_restic::{FileKind, Id};
use manicule_store::store::StoreError;

pub use files::RepositoryFiles;
pub use write::{RepositoryWriter, WriteStorage};

/// A file as a listing shows it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Listed {
    /// Its name.
    pub id: Id,
    /// Its length in bytes.
    pub len: u64,
}

/// A file that lies where nobody opens it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Misplaced {
    /// Its name.
    pub id: Id,
    /// The folder that it lies in, for messages.
    pub place: String,
}

/// Files of a repository. Every file but the config is immutable and named by the SHA-256 of its
/// bytes.
pub trait Storage: fmt::Debug + Send + Sync {
    /// Every file of a kind, ordered by id. A missing folder is an empty one, and names that are no
    /// ids are skipped. Whatever else has an id for a name, such as a folder, is listed with a
    /// length of 0: reading it says what it is.
    fn list(&self, kind: FileKind) -> Result<Vec<Listed>, StoreError>;

    /// Packs that are listed, and lie where none of them is opened. Object stores have one place
    /// for each.
    fn misplaced_packs(&self) -> Result<Vec<Misplaced>, StoreError> {
        Ok(Vec::new())
    }

    /// Bytes of a file from an offset on, as many as `out` holds.
    fn read_at(&self, file: FileName, at: u64, out: &mut [u8]) -> Result<(), StoreError>;

    /// A whole file, in place of what `out` holds. A file of more than `len_max` bytes is an error.
    fn read(&self, file: FileName, len_max: u64, out: &mut Vec<u8>) -> Result<(), StoreError>;

    /// The repository's place for messages: a path or an address.
    fn place(&self) -> String;

    /// A file's name for messages.
    fn name(&self, file: FileName) -> String;
}

/// Name of a file: its kind and id; the config has no id.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FileName {
    /// The config.
    Config,
    /// A file of any other kind.
    Of(FileKind, Id),
}
