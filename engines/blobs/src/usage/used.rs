//! Which blobs snapshots need.

use manicule_core::watch::Watch;
use manicule_format_restic::{BlobKind, Id};

use super::error::UsageError;
use super::packs::Entry;
use crate::error::RepoError;
use crate::index::{Blobs, Index};
use crate::repository::Repository;
use crate::snapshots::Snapshots;
use crate::trees::{Forest, TreeNo, gap_in_words, gather};

/// Blobs that a snapshot needs: a byte for each blob of the index.
#[derive(Debug)]
pub struct UsedBlobs {
    /// As [`used_flags`] has them.
    flags: Vec<bool>,
}

impl UsedBlobs {
    /// Those of all snapshots. Each distinct tree is read once.
    ///
    /// # Errors
    /// A snapshot, or a tree or blob that one needs, that can't be read or is not there.
    pub fn of(
        repository: &Repository,
        index: &Index,
        snapshots: &Snapshots,
        threads: usize,
        watch: &Watch<'_>,
    ) -> Result<UsedBlobs, UsageError> {
        let mut gaps: Vec<String> = snapshots.broken.iter().map(RepoError::to_string).collect();
        let mut roots = Vec::new();
        for kept in &snapshots.kept {
            roots.extend(kept.root(index).map_err(|gap| gaps.push(gap)));
        }
        let gathered = gather(repository, index, &roots, threads, watch)?;
        gaps.extend(gathered.gaps.iter().map(|gap| gap_in_words(index, gap)));
        if gaps.is_empty() {
            Ok(UsedBlobs { flags: used_flags(index, &gathered.forest) })
        } else {
            Err(UsageError::Incomplete { gaps })
        }
    }

    /// Whether a snapshot needs a blob; `index` is the one that they were looked up in.
    pub fn has(&self, index: &Index, kind: BlobKind, id: &Id) -> bool {
        let start = match kind {
            BlobKind::Data => 0,
            BlobKind::Tree => index.of(BlobKind::Data).numbers_end(),
        };
        let number = index.of(kind).number(id);
        number.is_some_and(|number| self.flags[start + number as usize])
    }

    pub(super) fn flags(&self) -> &[bool] {
        &self.flags
    }
}

/// A flag for each blob that the trees of a forest name, and for each of these trees: data blobs by
/// their numbers, then trees.
pub(crate) fn used_flags(index: &Index, forest: &Forest) -> Vec<bool> {
    let data_end = index.of(BlobKind::Data).numbers_end();
    let mut is_used = vec![false; data_end + index.of(BlobKind::Tree).numbers_end()];
    for tree in forest.trees() {
        let TreeNo(number) = tree;
        is_used[data_end + number as usize] = true;
        forest.blobs(tree).iter().for_each(|blob| is_used[blob.0 as usize] = true);
    }
    is_used
}

/// All entries of the index: data blobs, then trees.
pub(super) fn entries(index: &Index) -> impl Iterator<Item = Entry> {
    let data_end = index.of(BlobKind::Data).numbers_end() as u32;
    let of = |kind: BlobKind, start: u32| {
        let blobs: &Blobs = index.of(kind);
        blobs.entries_by_blob().map(move |(first, _, _, stored)| Entry {
            kind,
            blob: start + first,
            pack: stored.pack.0,
            len: stored.place.len,
            is_compressed: stored.place.is_compressed(),
        })
    };
    of(BlobKind::Data, 0).chain(of(BlobKind::Tree, data_end))
}
