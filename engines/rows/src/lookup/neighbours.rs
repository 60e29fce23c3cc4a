//! The partitions before and after a key that a trie doesn't have, which prove that it is absent.
//!
//! Bytes:   docs/formats/sstable.md, "Tries"

use std::cmp::Ordering;

use manicule_format_sstable::{
    Floor, PartitionHead, PartitionPayload, PartitionPlace, RowsEntry, Step, TriePage, TrieWalk,
    Until, WalkFrom,
};
use manicule_store::pages::Reading;

use super::extent::{check_end, check_key, check_start};
use super::page::page;
use super::place::{Blocks, Place};
use crate::RowsError;
use crate::table::{OpenFile, Sstable, Window, shown};

/// The tries of a table.
#[derive(Clone, Copy)]
pub(super) struct Tries<'t> {
    pub(super) sstable: &'t Sstable,
    pub(super) partitions: &'t OpenFile,
    pub(super) rows: &'t OpenFile,
    pub(super) root: u64,
}

/// A leaf, and the partition that it leads to.
struct Leaf {
    path: Vec<u8>,
    place: Place,
    key: Vec<u8>,
}

/// Longest way down a trie: a key of 65,535 bytes, each a zero, is escaped to twice as many.
const PATH_LEN_MAX: usize = 1 << 18;

impl Tries<'_> {
    /// Nothing lies between the partitions before and after a key, whose path is `path`.
    pub(super) fn check_absent(
        &self,
        key: &[u8],
        path: &[u8],
        reading: &mut Reading<'_>,
    ) -> Result<(), RowsError> {
        let near = self.floor(path, Until::Including, reading)?;
        let order = near.as_ref().and_then(|it| self.sstable.partitioner().compare(&it.key, key));
        let (before, after) = match (near, order) {
            (Some(leaf), Some(Ordering::Equal)) => return Err(self.denied(&leaf)),
            (Some(leaf), Some(Ordering::Greater)) => {
                (self.floor(&leaf.path, Until::Before, reading)?, Some(leaf))
            }
            (Some(leaf), _) => {
                let next = [&leaf.path[..], &[0]].concat();
                (Some(leaf), self.first(WalkFrom::NotBefore(&next), reading)?)
            }
            (None, _) => (None, self.first(WalkFrom::First, reading)?),
        };
        for Leaf { place, key, .. } in before.iter().chain(&after) {
            check_key(self.sstable, place.position, key, reading)?;
        }
        let after = after.map(|leaf| leaf.place.position);
        match before {
            None => check_start(self.sstable, after),
            Some(leaf) => {
                let next = after.unwrap_or(self.sstable.data_len());
                check_end(self.sstable, &leaf.place, next, reading)
            }
        }
    }

    fn denied(&self, leaf: &Leaf) -> RowsError {
        let key = shown(self.sstable.header(), &leaf.key);
        let what = format!("the leaf of the partition {key} has another path or hash than its key");
        RowsError::Contradicted { file: self.partitions.path().to_owned(), what }
    }

    fn floor(
        &self,
        path: &[u8],
        until: Until,
        reading: &mut Reading<'_>,
    ) -> Result<Option<Leaf>, RowsError> {
        let mut floor = Floor::new(self.root, path, until);
        let mut number = floor.first_page();
        loop {
            let bytes = page(self.partitions, number, reading)?;
            let step = floor.step(TriePage { number, bytes: &bytes });
            match step.map_err(|error| self.partitions.damaged(error))? {
                Step::Page(next) => number = next,
                Step::Absent => return Ok(None),
                Step::Found(payload) => {
                    let payload = PartitionPayload::read(payload);
                    let payload = payload.map_err(|error| self.partitions.damaged(error))?;
                    return self.leaf(floor.path().to_vec(), &payload, reading).map(Some);
                }
            }
        }
    }

    fn first(
        &self,
        from: WalkFrom<'_>,
        reading: &mut Reading<'_>,
    ) -> Result<Option<Leaf>, RowsError> {
        let mut walk = TrieWalk::new(self.root, from, PATH_LEN_MAX);
        while let Some(number) = walk.page() {
            let bytes = page(self.partitions, number, reading)?;
            let step = walk.step(TriePage { number, bytes: &bytes });
            if let Step::Found(payload) = step.map_err(|error| self.partitions.damaged(error))? {
                let payload = PartitionPayload::read(payload);
                let payload = payload.map_err(|error| self.partitions.damaged(error))?;
                return self.leaf(walk.path().to_vec(), &payload, reading).map(Some);
            }
        }
        Ok(None)
    }

    /// The partition of a leaf, with its key.
    fn leaf(
        &self,
        path: Vec<u8>,
        payload: &PartitionPayload,
        reading: &mut Reading<'_>,
    ) -> Result<Leaf, RowsError> {
        let sstable = self.sstable;
        match payload.place {
            PartitionPlace::Data(position) => {
                let mut window = Window::new(sstable.data());
                let key = window.parse("partition", position, reading, |window| {
                    let head = PartitionHead::read(window, position, sstable.shape())?;
                    Ok(head.map(|head| head.key.to_vec()))
                })?;
                Ok(Leaf { path, place: Place { position, blocks: Blocks::One }, key })
            }
            PartitionPlace::Rows(at) => {
                let mut window = Window::new(self.rows);
                let (place, key) = window.parse("entry of Rows.db", at, reading, |window| {
                    let entry = RowsEntry::read(window, at, sstable.version())?;
                    Ok(entry.map(|entry| {
                        let blocks = Blocks::Trie { root: entry.root, deletion: entry.deletion };
                        (Place { position: entry.position, blocks }, entry.key.to_vec())
                    }))
                })?;
                Ok(Leaf { path, place, key })
            }
        }
    }
}
