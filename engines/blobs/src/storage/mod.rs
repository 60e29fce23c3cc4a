//! Storage of a repository: files by kind and id, whole or a range of them.
//!
//! The trait is what object stores can do as well: list a kind with sizes, read a range, read
//! whole. Nothing is opened and kept, and callers build no paths.

mod batches;
mod brought;
mod far;
mod files;
mod names;
mod write;

use std::fmt;
use std::ops::Range;

use manicule_format_restic::{FileKind, Id};
use manicule_store::store::StoreError;

pub(crate) use batches::batches;
pub use files::{FilesWork, RepositoryFiles};
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

    /// Whether each question costs a round, so that it is worth to bring what is going to be asked:
    /// of any store but a local folder. Not [`manicule_store::store::Store::is_far`], which is of
    /// stores that keep at hand what they brought: here the storage does that, by kinds and ids.
    fn is_far(&self) -> bool {
        false
    }

    /// Brings what is going to be asked, side by side; nothing where a question costs no round.
    /// Each is then given to the next question for it, without another request. What can't be
    /// brought is the error of that question, or is asked for again.
    fn bring(&self, _: &[Soon]) {}

    /// Whether the next question for it needs no request.
    fn has_brought(&self, _: &Soon) -> bool {
        false
    }

    /// A listing that was brought and not asked for yet.
    fn brought(&self, _: FileKind) -> Option<Vec<Listed>> {
        None
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

/// A question that is going to be asked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Soon {
    /// [`Storage::list`]; of packs also [`Storage::misplaced_packs`].
    List(FileKind),
    /// [`Storage::read`] of a file, with the number of bytes from which on it is refused.
    Whole(FileName, u64),
    /// [`Storage::read_at`] of pieces of a pack within this range.
    Part(Id, Range<u64>),
    /// The same, asked for more than once: given until others need the memory.
    Shared(Id, Range<u64>),
}

/// Name of a file: its kind and id; the config has no id.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FileName {
    /// The config.
    Config,
    /// A file of any other kind.
    Of(FileKind, Id),
}
