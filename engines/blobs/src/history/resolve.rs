//! A path looked up in every snapshot, each tree on its way read once however many snapshots share
//! it.

use std::collections::HashMap;

use manicule_core::go::json::JsonError;
use manicule_format_restic::{BlobKind, Id, Node, Nodes};

use super::cached::CachedResolver;
use super::entry::{Entry, EntryNode, root_node};
use crate::index::Index;
use crate::packs::BlobReader;
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
        Resolver { reader, cached, names, known: HashMap::new() }
    }

    /// What the path leads to below a root tree.
    pub(super) fn resolve(&mut self, root: Id) -> Entry {
        match self.cached.as_mut().and_then(|cached| cached.resolve(root, &self.names)) {
            Some(entry) => entry,
            None => self.resolve_in_packs(root),
        }
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
            at = match self.known.get(&(depth, tree)) {
                Some(known) => known.clone(),
                None => {
                    let found = self.look(depth, tree);
                    self.known.insert((depth, tree), found.clone());
                    found
                }
            };
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
