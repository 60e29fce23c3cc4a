//! Why a path is not restored as it was, and whose fault that is.

use std::io;

/// Cause of a path that could not be restored as it was.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Fault {
    /// The repository's data: a blob is missing or damaged.
    Data,
    /// The snapshot's tree: it has an entry that can't be restored.
    Tree,
    /// The file system of the target.
    Target,
}

/// A fault, and a sentence about it.
pub(super) struct Failure {
    pub(super) fault: Fault,
    pub(super) why: String,
}

impl Failure {
    pub(super) fn of_data(why: String) -> Self {
        Failure { fault: Fault::Data, why }
    }

    pub(super) fn of_tree(why: impl Into<String>) -> Self {
        Failure { fault: Fault::Tree, why: why.into() }
    }

    pub(super) fn of_target(why: impl Into<String>) -> Self {
        Failure { fault: Fault::Target, why: why.into() }
    }
}

/// Files that a restoration opens itself are the target's: the repository's are read through its
/// storage.
impl From<io::Error> for Failure {
    fn from(error: io::Error) -> Self {
        Failure::of_target(error.to_string())
    }
}
