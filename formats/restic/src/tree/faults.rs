//! What may be wrong with a node that can be read: restic's findings, and ours.
//!
//! Bytes:   docs/formats/restic.md, section Trees

use manicule_core::go::quote;

use super::node::{Node, NodeKind};
use crate::Id;

/// What is wrong with a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum NodeFault {
    /// A file with `null` in place of a list of blobs.
    NoContent,
    /// A file that names a blob of the null id.
    NullBlob {
        /// Which of its blobs, from 0.
        index: usize,
    },
    /// A folder without a tree.
    NoSubtree,
    /// A folder with a tree of the null id.
    NullSubtree,
    /// A word for its kind that restic doesn't check for.
    UnknownKind,
    /// An empty name.
    EmptyName,
    /// A name that is smaller than the one before, by its bytes. Restic doesn't look.
    NameOrder,
    /// The name of the node before. Restic doesn't look.
    RepeatedName,
}

const NULL: Id = Id([0; 32]);

impl NodeFault {
    /// Whether restic's check finds it too. Its words are then those of [`NodeFault::describe`].
    pub fn is_found_by_restic(self) -> bool {
        !matches!(self, NodeFault::NameOrder | NodeFault::RepeatedName)
    }

    /// A sentence about the node, whose fault this is.
    pub fn describe(self, node: &Node<'_>) -> String {
        let name = quote(node.name());
        match self {
            NodeFault::NoContent => format!("file {name} has nil blob list"),
            NodeFault::NullBlob { index } => format!("file {name} blob {index} has null ID"),
            NodeFault::NoSubtree => format!("dir node {name} has no subtree"),
            NodeFault::NullSubtree => format!("dir node {name} subtree id is null"),
            NodeFault::UnknownKind => {
                format!("node {name} with invalid type {}", quote(node.kind_word().as_bytes()))
            }
            NodeFault::EmptyName => "node with empty name".to_owned(),
            NodeFault::NameOrder => format!("node {name} comes after a greater name"),
            NodeFault::RepeatedName => format!("node {name} comes twice"),
        }
    }
}

/// Judges the nodes of a tree in their order. Memory: one name.
#[derive(Clone, Debug, Default)]
pub struct NodeChecks {
    last_name: Option<Vec<u8>>,
}

impl NodeChecks {
    /// The same for each tree: nothing seen yet.
    pub fn new() -> Self {
        NodeChecks::default()
    }

    /// Appends what is wrong with the next node, restic's findings first and in its order: of a
    /// folder without a tree it doesn't look at the name.
    pub fn check(&mut self, node: &Node<'_>, faults: &mut Vec<NodeFault>) {
        let name = node.name();
        let from = faults.len();
        match node.kind {
            NodeKind::File => check_content(node.content(), faults),
            NodeKind::Dir => faults.extend(subtree_fault(node.subtree)),
            NodeKind::Irregular | NodeKind::Other => faults.push(NodeFault::UnknownKind),
            _ => {}
        }
        let is_lost_folder = node.kind == NodeKind::Dir && faults.len() > from;
        if name.is_empty() && !is_lost_folder {
            faults.push(NodeFault::EmptyName);
        }
        match self.last_name.as_deref() {
            Some(last) if *last == *name => faults.push(NodeFault::RepeatedName),
            Some(last) if *last > *name => faults.push(NodeFault::NameOrder),
            _ => {}
        }
        let last = self.last_name.get_or_insert_default();
        last.clear();
        last.extend_from_slice(&name);
    }
}

fn check_content(content: Option<&[Id]>, faults: &mut Vec<NodeFault>) {
    let Some(ids) = content else { return faults.push(NodeFault::NoContent) };
    let null = ids.iter().enumerate().filter(|(_, id)| **id == NULL);
    faults.extend(null.map(|(index, _)| NodeFault::NullBlob { index }));
}

fn subtree_fault(subtree: Option<Id>) -> Option<NodeFault> {
    match subtree {
        None => Some(NodeFault::NoSubtree),
        Some(NULL) => Some(NodeFault::NullSubtree),
        Some(_) => None,
    }
}
