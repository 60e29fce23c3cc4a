//! The plainest way to know what a repository holds: every pack opened by its own header, every
//! snapshot walked by itself. No index file is read, nothing is shared between snapshots, nothing
//! is fast.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::fs;
use std::path::{Path, PathBuf};

use manicule_format_restic::{
    BlobKind, Decompressor, Id, Key, KeyFile, KeyLimits, Moment, Node, Nodes, Snapshot, Version,
    open_blob, open_header, unpack,
};
use manicule_repositories::PASSWORD;

/// A blob's kind, as it orders, and id.
pub(crate) type Handle = (bool, Id);

const TREE: bool = true;
const LIMIT: usize = 1 << 24;
const KEY_LIMITS: KeyLimits = KeyLimits { memory_bytes_max: 1 << 28, work_max: 1 << 24 };

/// A node, as versions of a path are told apart by it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct PlainNode {
    pub(crate) kind: String,
    pub(crate) content: Vec<Id>,
    pub(crate) subtree: Option<Id>,
    pub(crate) link_target: Vec<u8>,
    pub(crate) mtime: Moment,
}

/// A snapshot, and all that a walk from its root meets.
pub(crate) struct PlainSnapshot {
    pub(crate) id: Id,
    pub(crate) snapshot: Snapshot,
    pub(crate) reached: BTreeSet<Handle>,
    pub(crate) nodes: BTreeMap<Vec<u8>, PlainNode>,
}

/// A whole repository.
pub(crate) struct Plain {
    /// Stored length of each blob, and of those in several packs the number of further places.
    pub(crate) lens: HashMap<Handle, u64>,
    pub(crate) copies: HashMap<Handle, u64>,
    /// By time, then id.
    pub(crate) snapshots: Vec<PlainSnapshot>,
}

/// Files of a folder, and of the folders in it.
fn files(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).expect("a folder") {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            found.extend(files(&path));
        } else {
            found.push(path);
        }
    }
    found
}

impl Plain {
    pub(crate) fn read(repository: &Path) -> Plain {
        let key = fs::read(&files(&repository.join("keys"))[0]).expect("a key file");
        let key = KeyFile::parse(&key).expect("a key file");
        let key = key.open(PASSWORD.as_bytes(), &KEY_LIMITS).expect("the password");
        let (mut lens, mut copies, mut trees) = (HashMap::new(), HashMap::new(), HashMap::new());
        let mut decompressor = Decompressor::new();
        for pack in files(&repository.join("data")) {
            let bytes = fs::read(pack).expect("a pack");
            let header = open_header(&key, &mut bytes.clone(), bytes.len() as u64);
            for blob in header.expect("a header").blobs {
                let kind = blob.kind.expect("a kind");
                let handle = (kind == BlobKind::Tree, blob.id);
                *copies.entry(handle).or_insert(0) += lens.contains_key(&handle) as u64;
                lens.insert(handle, blob.place.len.into());
                if kind == BlobKind::Tree {
                    let start = blob.place.offset as usize;
                    let mut stored = bytes[start..start + blob.place.len as usize].to_vec();
                    let opened = open_blob(&key, &mut stored, &blob, LIMIT, &mut decompressor);
                    trees.insert(blob.id, opened.expect("a tree").plain.to_vec());
                }
            }
        }
        let read = |path: PathBuf| PlainSnapshot::read(&key, &trees, &path);
        let mut snapshots: Vec<_> =
            files(&repository.join("snapshots")).into_iter().map(read).collect();
        snapshots.sort_by_key(|one| (one.snapshot.time.moment, one.id));
        Plain { lens, copies, snapshots }
    }

    /// Number and stored bytes of some blobs.
    pub(crate) fn sum<'a>(&self, handles: impl IntoIterator<Item = &'a Handle>) -> (u64, u64) {
        let add = |(count, bytes), handle| (count + 1, bytes + self.lens[handle]);
        handles.into_iter().fold((0, 0), add)
    }

    /// What some snapshots, by their places, reach, and what only they do.
    pub(crate) fn reached(&self, members: &[usize]) -> (BTreeSet<Handle>, BTreeSet<Handle>) {
        let (mut inside, mut outside) = (BTreeSet::new(), BTreeSet::new());
        for (at, one) in self.snapshots.iter().enumerate() {
            let set = if members.contains(&at) { &mut inside } else { &mut outside };
            set.extend(&one.reached);
        }
        let exclusive = inside.difference(&outside).copied().collect();
        (inside, exclusive)
    }
}

impl PlainSnapshot {
    fn read(key: &Key, trees: &HashMap<Id, Vec<u8>>, path: &Path) -> PlainSnapshot {
        let mut bytes = fs::read(path).expect("a snapshot");
        let id = Id::of(&bytes);
        let mut decompressor = Decompressor::new();
        let plain = key.open_in_place(&mut bytes).expect("a snapshot");
        let json = unpack(Version::V2, plain, LIMIT, &mut decompressor).expect("a snapshot");
        let snapshot = Snapshot::parse(json).expect("a snapshot");
        let root = snapshot.tree.expect("a tree");
        let (reached, nodes) = (BTreeSet::new(), BTreeMap::new());
        let mut read = PlainSnapshot { id, snapshot, reached, nodes };
        read.walk(trees, root, b"");
        read
    }

    fn walk(&mut self, trees: &HashMap<Id, Vec<u8>>, tree: Id, path: &[u8]) {
        self.reached.insert((TREE, tree));
        let mut nodes = Nodes::open(&trees[&tree]).expect("a tree");
        while let Some(node) = nodes.next_node().expect("a node") {
            self.reached.extend(node.blobs().iter().map(|id| (!TREE, *id)));
            let path = [path, b"/", &node.name()[..]].concat();
            self.nodes.insert(path.clone(), PlainNode::of(node));
            if let Some(child) = node.child() {
                self.walk(trees, child, &path);
            }
        }
    }
}

impl PlainNode {
    fn of(node: &Node<'_>) -> PlainNode {
        PlainNode {
            kind: node.kind_word().into_owned(),
            content: node.blobs().to_vec(),
            subtree: node.child(),
            link_target: node.link_target().into_owned(),
            mtime: node.mtime.moment,
        }
    }
}
