//! A path looked up in the trees of a cache: those of one path lie together there, and names are
//! found without reading the other nodes.

use std::collections::HashMap;

use manicule_format_restic::{CachedNode, CachedTree, Id};

use super::entry::{Entry, EntryNode, root_node};
use crate::cache::trees::CachedTrees;

/// Looks a path up below root trees.
pub(super) struct CachedResolver<'r> {
    trees: &'r CachedTrees,
    /// The child of each tree under the name that is wanted at its depth.
    children: HashMap<(usize, u32), Option<u32>>,
    /// The entry of each tree in which the path ends.
    entries: HashMap<u32, Entry>,
}

impl<'r> CachedResolver<'r> {
    pub(super) fn new(trees: &'r CachedTrees) -> Self {
        CachedResolver { trees, children: HashMap::new(), entries: HashMap::new() }
    }

    /// What the path of these names leads to below a root tree; `None` if the cache doesn't know.
    pub(super) fn resolve(&mut self, root: Id, names: &[&[u8]]) -> Option<Entry> {
        let mut tree = self.trees.root(&root)?;
        let Some((last, folders)) = names.split_last() else {
            return Some(Entry::Is(Box::new(root_node(root))));
        };
        for (depth, name) in folders.iter().enumerate() {
            match self.child(depth, tree, name)? {
                Some(child) => tree = child,
                None => return Some(Entry::Absent),
            }
        }
        if let Some(known) = self.entries.get(&tree) {
            return Some(known.clone());
        }
        let record = self.trees.record(tree)?;
        let node = CachedTree::open(&record).ok()?.find(last).ok()?;
        let entry = match node {
            None => Entry::Absent,
            Some(node) => Entry::Is(Box::new(self.entry(&node)?)),
        };
        self.entries.insert(tree, entry.clone());
        Some(entry)
    }

    fn child(&mut self, depth: usize, tree: u32, name: &[u8]) -> Option<Option<u32>> {
        if let Some(known) = self.children.get(&(depth, tree)) {
            return Some(*known);
        }
        let record = self.trees.record(tree)?;
        let child = CachedTree::open(&record).ok()?.find(name).ok()?.and_then(|node| node.child);
        self.children.insert((depth, tree), child);
        Some(child)
    }

    fn entry(&self, node: &CachedNode<'_>) -> Option<EntryNode> {
        let subtree = match node.child {
            None => None,
            Some(child) => Some(self.trees.id(child)?),
        };
        Some(EntryNode {
            kind: node.kind,
            kind_word: String::from_utf8(node.kind_word.to_vec()).ok()?,
            size: node.size,
            mtime: node.mtime,
            content: node.blobs().map(|blob| self.trees.blob_id(blob)).collect::<Option<_>>()?,
            subtree,
            link_target: node.link_target.to_vec(),
        })
    }
}
