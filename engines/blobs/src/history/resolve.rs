//! A path looked up in every snapshot, each tree on its way read once however many snapshots share
//! it.

use std::collections::{BTreeSet, HashMap};

use manicule_core::go::json::JsonError;
use manicule_format_restic::{BlobKind, Id, Node, Nodes};

use super::cached::CachedResolver;
use super::entry::{Entry, EntryNode, root_node};
use crate::index::Index;
use crate::packs::{BlobReader, bring_trees};
use crate::repository::Repository;

impl EntryNode {
    fn of(node: &Node<'_>) -> Self {
        EntryNode {
            kind: node.kind,
            kind_word: node.kind_word().into_owned(),
            size: node.size,
            mtime: node.mtime,
            content: node.blobs().to_vec(),
            subtree: node.child(),
            link_target: node.link_target().into_owned(),
        }
    }
}

/// Looks a path up below root trees.
pub(super) struct Resolver<'r> {
    repository: &'r Repository,
    index: &'r Index,
    reader: BlobReader<'r>,
    /// Asked first; what it doesn't know is read from packs.
    cached: Option<CachedResolver<'r>>,
    names: Vec<&'r [u8]>,
    /// What each tree that was read has under the name that is wanted in it: the depth decides
    /// which that is.
    known: HashMap<(usize, Id), Entry>,
}

impl<'r> Resolver<'r> {
    /// For a path, absolute or relative to the roots; `/` is each root itself.
    pub(super) fn new(repository: &'r Repository, index: &'r Index, path: &'r [u8]) -> Self {
        let names = path.split(|byte| *byte == b'/').filter(|name| !name.is_empty()).collect();
        let cached = repository.cached_trees().map(CachedResolver::new);
        let reader = BlobReader::new(repository, index);
        Resolver { repository, index, reader, cached, names, known: HashMap::new() }
    }

    /// What the path leads to below a root tree.
    pub(super) fn resolve(&mut self, root: Id) -> Entry {
        match self.cached.as_mut().and_then(|cached| cached.resolve(root, &self.names)) {
            Some(entry) => entry,
            None => self.resolve_in_packs(root),
        }
    }

    /// Looks the path up below many root trees, a name in all of them at once, where reading a tree
    /// costs a round.
    pub(super) fn prepare(&mut self, roots: impl Iterator<Item = Id>) {
        if self.cached.is_some() || !self.repository.storage().is_far() {
            return;
        }
        let mut trees: BTreeSet<Id> = roots.collect();
        for depth in 0..self.names.len() {
            bring_trees(self.repository, self.index, trees.iter().copied());
            let mut below = BTreeSet::new();
            for tree in trees {
                if let Entry::Is(node) = self.known(depth, tree) {
                    below.extend(node.subtree);
                }
            }
            trees = below;
        }
    }

    /// What a tree has under the name that is wanted at a depth.
    fn known(&mut self, depth: usize, tree: Id) -> Entry {
        if let Some(known) = self.known.get(&(depth, tree)) {
            return known.clone();
        }
        let found = self.look(depth, tree);
        self.known.insert((depth, tree), found.clone());
        found
    }

    fn resolve_in_packs(&mut self, root: Id) -> Entry {
        let mut at = Entry::Is(Box::new(root_node(root)));
        for depth in 0..self.names.len() {
            let tree = match &at {
                Entry::Is(node) => match node.subtree {
                    Some(tree) => tree,
                    None => return Entry::Absent,
                },
                Entry::Absent | Entry::Unknown { .. } => return at,
            };
            at = self.known(depth, tree);
        }
        at
    }

    fn look(&mut self, depth: usize, tree: Id) -> Entry {
        let name = self.names[depth];
        self.reader.read(BlobKind::Tree, &tree, |text| {
            let text = match text {
                Ok(text) => text,
                Err(error) => return Entry::Unknown { why: format!("tree {tree}: {error}") },
            };
            find(text, name)
                .unwrap_or_else(|error| Entry::Unknown { why: format!("tree {tree}: {error}") })
        })
    }
}

fn find(text: &[u8], name: &[u8]) -> Result<Entry, JsonError> {
    let mut nodes = Nodes::open(text)?;
    while let Some(node) = nodes.next_node()? {
        if *node.name() == *name {
            return Ok(Entry::Is(Box::new(EntryNode::of(node))));
        }
    }
    Ok(Entry::Absent)
}
