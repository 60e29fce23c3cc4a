//! What keeps a forest from being whole.

use manicule_format_restic::{BlobKind, Id};

use super::{Forest, TreeNo};
use crate::index::Index;
use crate::packs::ReadError;

/// Something in a tree that keeps the forest from being whole.
#[derive(Debug)]
pub(crate) enum Gap {
    /// The tree can't be read.
    Unreadable(TreeNo, ReadError),
    /// Its text is no tree, from some place on.
    Undecodable(TreeNo, String),
    /// It names a tree that the index lacks.
    NoTree(TreeNo, Id),
    /// It names a data blob that the index lacks.
    NoBlob(TreeNo, Id),
}

/// A forest, and what it lacks.
#[derive(Debug)]
pub(crate) struct Gathered {
    pub(crate) forest: Forest,
    pub(crate) gaps: Vec<Gap>,
}

/// A gap as a sentence.
pub(crate) fn gap_in_words(index: &Index, gap: &Gap) -> String {
    let tree = |tree: &TreeNo| index.of(BlobKind::Tree).entry(tree.0).0;
    match gap {
        Gap::Unreadable(at, error) => format!("tree {}: {error}", tree(at)),
        Gap::Undecodable(at, error) => format!("tree {}: {error}", tree(at)),
        Gap::NoTree(at, id) => format!("tree {}: its subtree {id} is not in the index", tree(at)),
        Gap::NoBlob(at, id) => format!("tree {}: its blob {id} is not in the index", tree(at)),
    }
}
