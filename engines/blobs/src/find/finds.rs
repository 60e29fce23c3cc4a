//! Matches in snapshots: searched for in trees, then spelled out as paths, snapshot by snapshot.

use std::ops::{ControlFlow, Range};

use manicule_core::watch::Watch;
use manicule_format_restic::{BlobKind, Id};

use super::level::{Forest, LevelNo};
use super::look::Look;
use super::walk;
use crate::error::RepoError;
use crate::index::Index;
use crate::repository::Repository;
use crate::snapshots::Kept;

/// Matches in snapshots.
#[derive(Debug)]
pub struct Finds<K> {
    pub(super) forest: Forest<K>,
    /// The level of each root tree, by the snapshots as they were given.
    pub(super) roots: Vec<Option<LevelNo>>,
    /// Its id.
    root_ids: Vec<Option<Id>>,
    gaps: Vec<String>,
}

impl<K: Send> Finds<K> {
    /// Searches all of `snapshots`. Memory beside the index: what is kept of each distinct match,
    /// and 24 bytes and the name of each folder of each distinct tree.
    pub fn search(
        repository: &Repository,
        index: &Index,
        snapshots: &[&Kept],
        look: &impl Look<Kept = K>,
        threads: usize,
        watch: &Watch<'_>,
    ) -> Result<Finds<K>, RepoError> {
        let mut gaps = Vec::new();
        let roots =
            snapshots.iter().map(|kept| kept.root(index).map_err(|gap| gaps.push(gap)).ok());
        let roots: Vec<_> = roots.collect();
        let known: Vec<_> = roots.iter().flatten().copied().collect();
        let (forest, more) = walk::walk(repository, index, &known, look, threads, watch)?;
        gaps.extend(more);
        let roots =
            roots.into_iter().map(|root| root.and_then(|root| forest.find(root, look.start())));
        let root_ids = snapshots.iter().map(|kept| kept.snapshot.tree).collect();
        Ok(Finds { roots: roots.collect(), root_ids, forest, gaps })
    }

    /// Trees that are missing or can't be read, as sentences: what they hold was not searched.
    pub fn gaps(&self) -> &[String] {
        &self.gaps
    }
}

/// A match at a path of a snapshot.
#[derive(Clone, Copy, Debug)]
pub struct Match<'f, K> {
    /// The path, from `/` on: what the names spell.
    pub path: &'f [u8],
    /// What was kept of it.
    pub kept: &'f K,
    /// The tree that its node is in.
    pub parent: Id,
}

/// An open folder: its level, the nodes to come, and the length of its path.
struct Open {
    level: LevelNo,
    items: Range<usize>,
    path_len: usize,
}

impl<K> Finds<K> {
    /// The root tree of a snapshot.
    pub fn root(&self, snapshot: usize) -> Option<Id> {
        self.root_ids[snapshot]
    }

    /// Hands out the matches of a snapshot in the order of restic's listings: a folder before what
    /// it holds, names in the order of their tree. Only folders that lead to a match are entered.
    pub fn each<B>(
        &self,
        index: &Index,
        snapshot: usize,
        mut take: impl FnMut(Match<'_, K>) -> ControlFlow<B>,
    ) -> ControlFlow<B> {
        let mut path = Vec::new();
        let mut folders = Vec::new();
        let enter = |level: LevelNo, path_len: usize, folders: &mut Vec<Open>| {
            if level != LevelNo::NONE && self.forest.leads(level) {
                folders.push(Open { level, items: self.forest.items(level), path_len });
            }
        };
        enter(self.roots[snapshot].unwrap_or(LevelNo::NONE), 0, &mut folders);
        while let Some(folder) = folders.last_mut() {
            let Some(item) = folder.items.next() else {
                folders.pop();
                continue;
            };
            let level = folder.level;
            let entry = self.forest.entry(level, item);
            path.truncate(folder.path_len);
            path.push(b'/');
            path.extend_from_slice(entry.name);
            if !entry.kept.is_empty() {
                let parent = index.of(BlobKind::Tree).entry(self.forest.tree(level).0).0;
                for kept in entry.kept {
                    take(Match { path: &path, kept, parent })?;
                }
            }
            enter(entry.below, path.len(), &mut folders);
        }
        ControlFlow::Continue(())
    }
}
