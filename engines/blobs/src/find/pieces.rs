//! Blobs and trees that are searched for by their ids.

use std::collections::HashSet;

use manicule_format_restic::{BlobKind, Id, IdPrefix, Node, NodeKind};

use super::look::{Look, State};

/// Ids of one kind: whole ones, and beginnings.
#[derive(Clone, Debug, Default)]
struct Ids {
    whole: HashSet<Id>,
    begun: Vec<IdPrefix>,
}

impl Ids {
    fn has(&self, id: &Id) -> bool {
        self.begun.iter().any(|prefix| prefix.matches(id)) || self.whole.contains(id)
    }

    fn is_empty(&self) -> bool {
        self.whole.is_empty() && self.begun.is_empty()
    }
}

/// A search for the files that need one of some data blobs, and for the folders that are one of
/// some trees. Every place of a blob in a file is a match.
#[derive(Clone, Debug)]
pub struct Pieces {
    data: Ids,
    trees: Ids,
}

impl Pieces {
    /// For nothing yet.
    pub fn nothing() -> Self {
        Pieces { data: Ids::default(), trees: Ids::default() }
    }

    /// Adds one.
    pub fn add(&mut self, kind: BlobKind, id: Id) {
        self.ids_mut(kind).whole.insert(id);
    }

    /// Adds all of a kind that begin so.
    pub fn add_begun(&mut self, kind: BlobKind, prefix: IdPrefix) {
        match Id::parse(prefix.to_string().as_bytes()) {
            Some(id) => self.add(kind, id),
            None => self.ids_mut(kind).begun.push(prefix),
        }
    }

    /// Whether an id is among those that are searched for.
    pub fn has(&self, kind: BlobKind, id: &Id) -> bool {
        match kind {
            BlobKind::Data => self.data.has(id),
            BlobKind::Tree => self.trees.has(id),
        }
    }

    fn ids_mut(&mut self, kind: BlobKind) -> &mut Ids {
        match kind {
            BlobKind::Data => &mut self.data,
            BlobKind::Tree => &mut self.trees,
        }
    }
}

impl Look for Pieces {
    type Kept = (BlobKind, Id);

    fn start(&self) -> State {
        State(0)
    }

    #[inline]
    fn node(&self, at: State, node: &Node<'_>, kept: &mut Vec<(BlobKind, Id)>) -> Option<State> {
        if node.kind == NodeKind::Dir {
            let tree = node.child().filter(|tree| self.trees.has(tree));
            kept.extend(tree.map(|tree| (BlobKind::Tree, tree)));
        } else if !self.data.is_empty() {
            let blobs = node.blobs().iter().filter(|id| self.data.has(id));
            kept.extend(blobs.map(|id| (BlobKind::Data, *id)));
        }
        Some(at)
    }
}
