//! What a path is in a snapshot.

use manicule_format_restic::{Id, NodeKind, Time};

/// What a path leads to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Entry {
    /// Nothing of that name.
    Absent,
    /// A tree on the way can't be read, so nobody knows.
    Unknown {
        /// Why, as a sentence.
        why: String,
    },
    /// A node.
    Is(Box<EntryNode>),
}

impl Entry {
    /// The word for it: that of a node, else `absent` or `unknown`.
    pub fn word(&self) -> &str {
        match self {
            Entry::Absent => "absent",
            Entry::Unknown { .. } => "unknown",
            Entry::Is(node) => &node.kind_word,
        }
    }
}

/// The node that a path leads to, as far as a history shows it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EntryNode {
    /// What it is.
    pub kind: NodeKind,
    /// restic's word for it.
    pub kind_word: String,
    /// Length of a file in bytes.
    pub size: u64,
    /// When its contents were last changed.
    pub mtime: Time,
    /// Blobs of a file.
    pub content: Vec<Id>,
    /// The tree of a folder.
    pub subtree: Option<Id>,
    /// Target of a link.
    pub link_target: Vec<u8>,
}

/// A root as the node that it would be.
pub(super) fn root_node(tree: Id) -> EntryNode {
    EntryNode {
        kind: NodeKind::Dir,
        kind_word: "dir".to_owned(),
        size: 0,
        mtime: Time::ZERO,
        content: Vec::new(),
        subtree: Some(tree),
        link_target: Vec::new(),
    }
}
