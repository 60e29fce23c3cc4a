//! What a comparison counts: nodes that came and went, and the blobs that only one side has.

use std::collections::HashSet;

use manicule_format_restic::{BlobKind, Id, OwnedNode};

use crate::index::Index;

/// What came, or went.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct DiffCounts {
    /// Files.
    pub files: u64,
    /// Folders.
    pub dirs: u64,
    /// Whatever else.
    pub others: u64,
    /// Data blobs that the other side lacks.
    pub data_blobs: u64,
    /// Trees that the other side lacks.
    pub tree_blobs: u64,
    /// Length of these blobs' plaintexts.
    pub bytes: u64,
}

/// Both, and the files whose content changed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct DiffSums {
    /// Number of files on both sides with other contents.
    pub changed_files: u64,
    /// What only the second side has.
    pub added: DiffCounts,
    /// What only the first side has.
    pub removed: DiffCounts,
}

/// Where a node is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Side {
    Both,
    Before,
    After,
}

type Blobs = HashSet<(BlobKind, Id)>;

/// The blobs of both sides.
#[derive(Default)]
pub(super) struct Sides {
    pub(super) changed_files: u64,
    before: Blobs,
    after: Blobs,
    common: Blobs,
    common_trees: HashSet<Id>,
    added: DiffCounts,
    removed: DiffCounts,
}

impl Sides {
    pub(super) fn insert(&mut self, side: Side, kind: BlobKind, id: Id) {
        let blobs = match side {
            Side::Both => &mut self.common,
            Side::Before => &mut self.before,
            Side::After => &mut self.after,
        };
        blobs.insert((kind, id));
    }

    pub(super) fn add_blobs(&mut self, side: Side, node: &OwnedNode) {
        match node.kind.as_str() {
            "file" => {
                let ids = node.content.iter().flatten();
                ids.for_each(|id| self.insert(side, BlobKind::Data, *id));
            }
            "dir" => {
                node.subtree.iter().for_each(|id| self.insert(side, BlobKind::Tree, *id));
            }
            _ => {}
        }
    }

    pub(super) fn is_new_common_tree(&mut self, tree: Id) -> bool {
        self.common_trees.insert(tree)
    }

    /// Whether a tree that both sides have was gone through.
    pub(super) fn has_common(&self, tree: &Id) -> bool {
        self.common_trees.contains(tree)
    }

    pub(super) fn count(&mut self, side: Side, node: &OwnedNode) {
        let counts = if side == Side::Before { &mut self.removed } else { &mut self.added };
        match node.kind.as_str() {
            "file" => counts.files += 1,
            "dir" => counts.dirs += 1,
            _ => counts.others += 1,
        }
    }

    /// The sums, and blobs that no index file has, as sentences.
    pub(super) fn finish(&mut self, index: &Index) -> (DiffSums, Vec<String>) {
        let mut gaps = Vec::new();
        let sides = [
            (&self.before, &self.after, &mut self.removed),
            (&self.after, &self.before, &mut self.added),
        ];
        for (own, other, counts) in sides {
            let only = own.iter().filter(|blob| !other.contains(blob));
            for &(kind, id) in only.filter(|blob| !self.common.contains(blob)) {
                match kind {
                    BlobKind::Data => counts.data_blobs += 1,
                    BlobKind::Tree => counts.tree_blobs += 1,
                }
                match index.places(kind, &id).next() {
                    Some(found) => counts.bytes += u64::from(found.place.plain_len()),
                    None => gaps.push(format!("{kind} blob {id} is not in the index")),
                }
            }
        }
        gaps.sort_unstable();
        let Sides { changed_files, added, removed, .. } = *self;
        (DiffSums { changed_files, added, removed }, gaps)
    }
}
