//! Questions of several kinds that are asked of a store at once.

use std::ops::Range;

use super::listed::Listed;
use super::name::Name;

/// Something that is asked of a store beside other questions.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Ask {
    /// The entries of a folder, as [`super::Store::list`] gives them.
    Entries(Name),
    /// The files below a folder, however deep.
    Below(Name),
    /// A whole file, as [`super::Store::read`] reads it.
    Whole {
        /// The file.
        file: Name,
        /// The number of bytes from which on it is refused.
        len_max: u64,
    },
    /// Bytes of a file, as [`super::Store::read_at`] reads them.
    Range {
        /// The file.
        file: Name,
        /// Which bytes.
        range: Range<u64>,
    },
}

impl Ask {
    /// The folder or file that it is about.
    pub fn name(&self) -> &Name {
        match self {
            Ask::Entries(name)
            | Ask::Below(name)
            | Ask::Whole { file: name, .. }
            | Ask::Range { file: name, .. } => name,
        }
    }

    /// The same about another name.
    #[must_use]
    pub fn of(&self, name: Name) -> Self {
        match self {
            Ask::Entries(_) => Ask::Entries(name),
            Ask::Below(_) => Ask::Below(name),
            Ask::Whole { len_max, .. } => Ask::Whole { file: name, len_max: *len_max },
            Ask::Range { range, .. } => Ask::Range { file: name, range: range.clone() },
        }
    }
}

/// An answer of a store.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Answer {
    /// The entries of a folder.
    Entries(Vec<Listed>),
    /// The files below a folder by their names in it, `a/b` for one in a folder of it.
    Below {
        /// The files, in no order.
        files: Vec<Listed>,
        /// Whether these are all: of a bucket they are what one request lists.
        is_whole: bool,
    },
    /// Bytes of a file.
    Bytes(Vec<u8>),
}
