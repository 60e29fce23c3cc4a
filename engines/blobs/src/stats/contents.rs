//! Files that differ in their contents, and the blobs of each at the first path that has it.
//!
//! What a tree holds is counted where it is met first, in the order of snapshots and paths: at any
//! later place its contents are known. So each tree is read once.

use std::collections::{HashMap, HashSet};
use std::vec::IntoIter;

use manicule_core::watch::{Phase, Unit, Watch};
use manicule_format_restic::{BlobKind, Id, IdHasher, OwnedNode};

use super::counted::{Stats, StatsMode};
use crate::error::RepoError;
use crate::index::Index;
use crate::packs::BlobReader;
use crate::repository::Repository;
use crate::trees::{TreeNo, read_nodes};

pub(super) fn count(
    repository: &Repository,
    index: &Index,
    roots: &[TreeNo],
    mode: StatsMode,
    watch: &Watch<'_>,
    stats: &mut Stats,
) -> Result<(), RepoError> {
    let mut counting =
        Counting { index, mode, contents: HashSet::new(), paths: HashMap::new(), stats };
    let mut reader = BlobReader::new(repository, index);
    let mut met: HashSet<Id> = HashSet::new();
    let meter = watch.endless(Phase::Reading, Unit::Trees);
    for root in roots {
        let mut enter = Some(index.of(BlobKind::Tree).entry(root.0).0);
        let mut levels: Vec<(IntoIter<OwnedNode>, usize)> = Vec::new();
        let mut path: Vec<u8> = Vec::new();
        loop {
            if let Some(tree) = enter.take().filter(|tree| met.insert(*tree)) {
                meter.step(1).map_err(RepoError::from)?;
                match read_nodes(&mut reader, tree) {
                    Ok(nodes) => levels.push((nodes.into_iter(), path.len())),
                    Err(why) => counting.stats.gaps.push(why),
                }
            }
            let Some((nodes, path_len)) = levels.last_mut() else { break };
            path.truncate(*path_len);
            let Some(node) = nodes.next() else {
                levels.pop();
                continue;
            };
            path.push(b'/');
            path.extend_from_slice(&node.name);
            counting.node(&path, &node);
            enter = node.subtree.filter(|_| node.kind == "dir");
        }
    }
    meter.end();
    Ok(())
}

struct Counting<'c> {
    index: &'c Index,
    mode: StatsMode,
    /// By the hash of their blobs; all nodes without any are one.
    contents: HashSet<Id>,
    paths: HashMap<Vec<u8>, HashSet<Id>>,
    stats: &'c mut Stats,
}

impl Counting<'_> {
    fn node(&mut self, path: &[u8], node: &OwnedNode) {
        let blobs = node.content.as_deref().unwrap_or_default();
        let mut hasher = IdHasher::new();
        blobs.iter().for_each(|id| hasher.update(&id.0));
        if !self.contents.insert(hasher.finish()) {
            return;
        }
        if self.mode == StatsMode::FilesByContents {
            self.stats.size = self.stats.size.wrapping_add(node.size);
            self.stats.files += 1;
            return;
        }
        if blobs.is_empty() {
            return;
        }
        if !self.paths.contains_key(path) {
            self.stats.files += 1;
        }
        let known = self.paths.entry(path.to_vec()).or_default();
        for id in blobs {
            if !known.insert(*id) {
                continue;
            }
            match self.index.places(BlobKind::Data, id).next() {
                Some(found) => {
                    self.stats.size += u64::from(found.place.plain_len());
                    self.stats.blobs += 1;
                }
                None => {
                    let shown = String::from_utf8_lossy(path);
                    self.stats.gaps.push(format!("{shown}: its blob {id} is not in the index"));
                }
            }
        }
    }
}
