//! Questions of several kinds that are asked of a store at once.

use std::ops::Range;

use super::listed::Listed;
use super::name::Name;
use super::version::Version;

/// Something that is asked of a store beside other questions.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Ask {
    /// The entries of a folder, as [`super::Store::list`] gives them.
    Entries(Name),
    /// The files below a folder, however deep, as far as one request lists them: of a bucket the
    /// first thousand, of a web server those in the folder itself.
    Below(Name),
    /// All files below a folder, however deep, whose names in it begin alike: where folders are
    /// beginnings of names, a request for each thousand. A few of these list many folders.
    Beginning {
        /// The folder.
        folder: Name,
        /// What the names in it begin with; nothing for all of them.
        beginning: String,
    },
    /// A whole file, as [`super::Store::read`] reads it.
    Whole {
        /// The file.
        file: Name,
        /// The number of bytes from which on it is refused.
        len_max: u64,
    },
    /// Bytes of a file. Near ranges of the same file and version are one request where the store
    /// can.
    Range {
        /// The file.
        file: Name,
        /// The version that a listing has told, and in which the range lies; an error where the
        /// file has another one. `None` is whichever it has: for files that their name is a hash
        /// of.
        version: Option<Version>,
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
            | Ask::Beginning { folder: name, .. }
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
            Ask::Beginning { beginning, .. } => {
                Ask::Beginning { folder: name, beginning: beginning.clone() }
            }
            Ask::Whole { len_max, .. } => Ask::Whole { file: name, len_max: *len_max },
            Ask::Range { version, range, .. } => {
                Ask::Range { file: name, version: *version, range: range.clone() }
            }
        }
    }
}

/// A range of a file, in the version that a listing has told.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Wanted {
    /// The file.
    pub file: Name,
    /// Its version.
    pub version: Version,
    /// The range.
    pub range: Range<u64>,
}

impl From<&Wanted> for Ask {
    fn from(Wanted { file, version, range }: &Wanted) -> Self {
        Ask::Range { file: file.clone(), version: Some(*version), range: range.clone() }
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
        /// Whether these are all: [`Ask::Below`] gives what one request lists.
        is_whole: bool,
    },
    /// Bytes of a file.
    Bytes(Vec<u8>),
}

impl Answer {
    /// The entries of a folder.
    ///
    /// # Panics
    /// If the question was not about these.
    pub fn into_entries(self) -> Vec<Listed> {
        match self {
            Answer::Entries(entries) => entries,
            other => panic!("entries were asked for, and {other:?} came"),
        }
    }

    /// Bytes of a file.
    ///
    /// # Panics
    /// If the question was not about these.
    pub fn into_bytes(self) -> Vec<u8> {
        match self {
            Answer::Bytes(bytes) => bytes,
            other => panic!("bytes were asked for, and {other:?} came"),
        }
    }
}
