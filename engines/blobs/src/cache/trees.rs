//! The trees of all snapshots in a cache: by their numbers there, those of one path after each
//! other.
//!
//! Bytes:   docs/formats/blob-cache.md, "Trees"

use std::borrow::Cow;
use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::Once;

use manicule_format_restic::{BlobKind, Id};
use manicule_store::SharedFiles;
use manicule_store::threads::{self, Chunks};

use super::sealed::Sealed;
use crate::index::{Blobs, Index};

/// Sections.
pub(crate) const TEXTS: usize = 0;
pub(crate) const SNAPSHOTS: usize = 1;
pub(crate) const IDS: usize = 2;
pub(crate) const BLOBS: usize = 3;
pub(crate) const ENDS: usize = 4;
pub(crate) const RECORDS: usize = 5;
pub(crate) const SECTIONS: usize = 6;
/// Length of a snapshot's row: end of its text, number of its root tree.
pub(crate) const SNAPSHOT_LEN: usize = 8 + 4;
/// Lengths of pages, in bytes.
pub(crate) const PAGE_LENS: [u32; SECTIONS] =
    [16384, SNAPSHOT_LEN as u32 * 1365, 16384, 16384, 16384, 16384];

/// Number of records that a thread takes at once.
const RECORDS_AT_ONCE: usize = 1024;

/// Trees in a cache. What is damaged is `None`, and the file goes: the next call makes it again.
#[derive(Debug)]
pub(crate) struct CachedTrees {
    sealed: Sealed,
    /// Numbers of root trees.
    roots: HashMap<Id, u32>,
    path: PathBuf,
    files: SharedFiles,
    removal: Once,
}

impl CachedTrees {
    /// The trees of a file whose head was compared. `path` is where it lies.
    pub(crate) fn new(sealed: Sealed, path: PathBuf, files: SharedFiles) -> Self {
        let (roots, removal) = (HashMap::new(), Once::new());
        CachedTrees { sealed, roots, path, files, removal }
    }

    fn or_remove<T>(&self, whole: Option<T>) -> Option<T> {
        if whole.is_none() {
            // If it can't be removed the next call finds it damaged again.
            self.removal.call_once(|| drop(self.files.remove(&self.path)));
        }
        whole
    }

    /// The texts of the snapshots and the numbers of their root trees, in the order of the
    /// snapshots' ids.
    pub(crate) fn snapshots(&self, count: usize) -> Option<Vec<(Vec<u8>, u32)>> {
        let mut start = 0;
        let read = |number: usize| {
            let at = (number * SNAPSHOT_LEN) as u64;
            let row = self.sealed.bytes(SNAPSHOTS, at..at + SNAPSHOT_LEN as u64)?;
            let (end, root) = row.split_at(8);
            let end = u64::from_le_bytes(end.try_into().ok()?);
            let text = self.sealed.bytes(TEXTS, start..end)?.into_owned();
            start = end;
            Some((text, u32::from_le_bytes(root.try_into().ok()?)))
        };
        self.or_remove((0..count).map(read).collect())
    }

    /// Notes the root trees, which are found by their ids from then on.
    pub(crate) fn note_roots(&mut self, roots: impl IntoIterator<Item = (Id, u32)>) {
        self.roots = roots.into_iter().collect();
    }

    /// The number of a root tree.
    pub(crate) fn root(&self, id: &Id) -> Option<u32> {
        self.roots.get(id).copied()
    }

    /// The id of a tree.
    pub(crate) fn id(&self, number: u32) -> Option<Id> {
        self.id_in(IDS, number)
    }

    /// The id of a data blob.
    pub(crate) fn blob_id(&self, number: u32) -> Option<Id> {
        self.id_in(BLOBS, number)
    }

    fn id_in(&self, section: usize, number: u32) -> Option<Id> {
        let at = u64::from(number) * 32;
        let id = self.sealed.bytes(section, at..at + 32);
        self.or_remove(id.and_then(|id| Some(Id(id[..].try_into().ok()?))))
    }

    /// The number in the index of each tree, by their numbers here; `None` also if the index lacks
    /// one.
    pub(crate) fn tree_numbers(&self, index: &Index) -> Option<Vec<u32>> {
        self.numbers(IDS, index.of(BlobKind::Tree))
    }

    /// The same of data blobs.
    pub(crate) fn blob_numbers(&self, index: &Index) -> Option<Vec<u32>> {
        self.numbers(BLOBS, index.of(BlobKind::Data))
    }

    fn numbers(&self, section: usize, blobs: &Blobs) -> Option<Vec<u32>> {
        let ids = self.sealed.bytes(section, 0..self.sealed.section(section).len);
        let ids = self.or_remove(ids)?;
        let (ids, _) = ids.as_chunks::<32>();
        let mut numbers = Vec::with_capacity(ids.len());
        blobs.find_each(ids, |_, number| numbers.extend(number));
        (numbers.len() == ids.len()).then_some(numbers)
    }

    /// The record of a tree.
    pub(crate) fn record(&self, number: u32) -> Option<Cow<'_, [u8]>> {
        let end = |number: u32| {
            let at = u64::from(number) * 8;
            let end = self.sealed.bytes(ENDS, at..at + 8)?;
            Some(u64::from_le_bytes(end[..].try_into().ok()?))
        };
        let range = || Some(number.checked_sub(1).map_or(Some(0), end)?..end(number)?);
        self.or_remove(range().and_then(|range| self.sealed.bytes(RECORDS, range)))
    }

    /// Hands out all records in the order of their numbers, on several threads a stretch each:
    /// every thread has a `state`. Pages are opened for the time only.
    pub(crate) fn each_record<S: Send>(
        &self,
        threads: usize,
        state: impl Fn() -> S + Sync,
        visit: impl Fn(&mut S, u32, &[u8]) -> Option<()> + Sync,
    ) -> Option<Vec<S>> {
        let ends = self.or_remove(self.sealed.bytes(ENDS, 0..self.sealed.section(ENDS).len))?;
        let (ends, _) = ends.as_chunks::<8>();
        let end = |number: usize| u64::from_le_bytes(ends[number]);
        let stretches = Chunks::new(0..ends.len(), RECORDS_AT_ONCE);
        let work = || {
            let mut state = state();
            for stretch in &stretches {
                let first = stretch.start.checked_sub(1).map_or(0, end);
                let bytes = self.sealed.bytes_once(RECORDS, first..end(stretch.end - 1))?;
                let mut at = 0;
                for number in stretch {
                    let next = (end(number).checked_sub(first)?) as usize;
                    visit(&mut state, number as u32, bytes.get(at..next)?)?;
                    at = next;
                }
            }
            Some(vec![state])
        };
        let all = threads::fold(threads, work, |left, right| {
            let (mut left, mut right) = (left?, right?);
            left.append(&mut right);
            Some(left)
        });
        self.or_remove(all)
    }
}
