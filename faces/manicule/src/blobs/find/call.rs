//! Arguments of a search, and what it finds.

use manicule_blobs::{BlobKind, FoundObject, Id, Kept, Moment, Place, SnapshotFilter};

/// What the words of a search are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FindBy {
    /// Each decides for itself: 8 to 64 hexadecimal digits with which the id of a blob, tree or
    /// pack of the index begins, or of a blob or tree that a tree names; or a pattern.
    Word,
    /// Ids of data blobs.
    Blob,
    /// Ids of trees.
    Tree,
    /// Ids of packs.
    Pack,
}

/// How a path that matches is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FindForm {
    /// The path alone.
    Path,
    /// With mode, numbers of owner and group, size and time, as `restic find --long`.
    Long {
        /// Whether the size has a unit.
        is_human: bool,
    },
    /// As an object of `restic find --json`.
    Json,
}

/// Arguments of a search.
#[derive(Clone, Debug)]
pub struct FindCall {
    /// What is searched for: restic's patterns, or ids.
    pub words: Vec<Vec<u8>>,
    /// Which of the two.
    pub by: FindBy,
    /// Snapshots that are searched: `latest`, or beginnings of ids. Without any, those that the
    /// filter admits.
    pub snapshots: Vec<String>,
    /// Conditions on the snapshots.
    pub filter: SnapshotFilter,
    /// Whether the oldest snapshot is first, not the newest.
    pub oldest_first: bool,
    /// Whether letters of either case match a pattern.
    pub ignores_case: bool,
    /// Only what was last changed then, or later. For patterns.
    pub oldest: Option<Moment>,
    /// Only what was last changed then, or earlier. For patterns.
    pub newest: Option<Moment>,
    /// How paths are written.
    pub form: FindForm,
    /// Whether the places of blobs are listed: those of the files that match a pattern in the
    /// file's line, others in rows of their own.
    pub places: bool,
}

/// Something that was found.
#[derive(Clone, Copy, Debug)]
pub enum FindRow<'r> {
    /// A path that matches a pattern.
    Path {
        /// The snapshot.
        snapshot: &'r Kept,
        /// The path in the form that was asked for, without a line end.
        line: &'r [u8],
    },
    /// A file that needs a blob, or a folder that is a tree.
    Object(FoundObject<'r>),
    /// A place of a blob, by the index.
    Place {
        /// The blob's kind.
        kind: BlobKind,
        /// Its id.
        id: Id,
        /// The pack; `None` where the index doesn't have the blob.
        at: Option<(Id, Place)>,
    },
    /// Something that could not be searched, as a sentence.
    Gap(&'r str),
    /// A pack that can't be read, so that its blobs come from the index, as a sentence.
    Note(&'r str),
}
