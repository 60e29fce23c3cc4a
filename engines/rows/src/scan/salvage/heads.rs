//! Heads of partitions that may be damaged: the key by the data, or by the index.

use std::cmp::Ordering;

use manicule_core::bytes::DecodeError;
use manicule_format_sstable::{Deletion, KeyHash, Parsed, PartitionHead, Partitioner};
use manicule_store::pages::Reading;

use super::loss::{Loss, LossKind};
use super::{Keep, Salvage};
use crate::RowsError;
use crate::scan::index::Indexed;

/// Longest deletion in bytes.
const DELETION_LEN_MAX: usize = 16;

/// What a partition begins with.
pub(super) struct FoundHead {
    pub(super) key: Vec<u8>,
    pub(super) deletion: Deletion,
    /// Length in bytes of both.
    pub(super) len: u64,
}

impl<K: Keep> Salvage<'_, '_, K> {
    /// The head at a place, where the index has `entry` if it has any.
    pub(super) fn head(
        &mut self,
        at: u64,
        entry: Option<&Indexed>,
        reading: &mut Reading<'_>,
    ) -> Result<FoundHead, RowsError> {
        let read = self.read_head(at, reading).and_then(|found| self.is_within(found, at, reading));
        let wanted = entry.filter(|entry| entry.has_key).map(|entry| &entry.key);
        match (read, wanted) {
            (Ok(found), None) => {
                let hash = KeyHash::of(&found.key).low as u8;
                if entry.and_then(|entry| entry.hash).is_some_and(|wanted| wanted != hash) {
                    let why = "key in the data: its hash is not that of the index".to_owned();
                    let (kind, range) = (LossKind::Key, at..at + found.len);
                    (self.lose)(Loss { kind, key: Some(found.key.clone()), range, why });
                }
                Ok(found)
            }
            (Ok(found), Some(key)) if found.key == *key => Ok(found),
            (Ok(found), Some(key)) if self.is_plausible(&found.key, reading) => {
                let why =
                    format!("entry of the index for offset {at} has another key than the data");
                let (kind, key) = (LossKind::Index, Some(key.clone()));
                (self.lose)(Loss { kind, key, range: 0..0, why });
                Ok(found)
            }
            (_, Some(key)) => {
                let found = self.head_by_key(at, key, reading)?;
                let why = "key in the data: that of the index was taken".to_owned();
                let (kind, range) = (LossKind::Key, at..at + found.len);
                (self.lose)(Loss { kind, key: Some(key.clone()), range, why });
                Ok(found)
            }
            (Err(error), None) => Err(error),
        }
    }

    /// A head that ends before the next partition begins.
    fn is_within(
        &mut self,
        found: FoundHead,
        at: u64,
        reading: &mut Reading<'_>,
    ) -> Result<FoundHead, RowsError> {
        let end = at + found.len;
        if end <= self.starts.after(at, reading) {
            return Ok(found);
        }
        let want = self.starts.confirmed_after(at, reading);
        if end <= want {
            return Ok(found);
        }
        let what = "partition key that ends before the next partition";
        Err(self.sstable.data().damaged(DecodeError::Corrupt { what, at, want, got: end }))
    }

    /// Whether a partition that the index doesn't have begins at a place.
    pub(super) fn is_head(&mut self, at: u64, reading: &mut Reading<'_>) -> bool {
        let read = self.read_head(at, reading);
        read.is_ok_and(|found| self.is_plausible(&found.key, reading))
    }

    fn read_head(&mut self, at: u64, reading: &mut Reading<'_>) -> Result<FoundHead, RowsError> {
        let shape = self.sstable.shape();
        self.window.parse("partition", at, reading, |window| {
            let head = PartitionHead::read(window, at, shape)?;
            Ok(head.map(|head| FoundHead {
                key: head.key.to_vec(),
                deletion: head.deletion,
                len: head.len as u64,
            }))
        })
    }

    /// The head at a place as if it had a key: what lies there where the key does is not looked at.
    fn head_by_key(
        &mut self,
        at: u64,
        key: &[u8],
        reading: &mut Reading<'_>,
    ) -> Result<FoundHead, RowsError> {
        let mut bytes = (key.len() as u16).to_be_bytes().to_vec();
        bytes.extend_from_slice(key);
        let deletion_at = at + bytes.len() as u64;
        let window = self.window.at(deletion_at, DELETION_LEN_MAX, reading)?;
        bytes.extend_from_slice(&window[..window.len().min(DELETION_LEN_MAX)]);
        let sstable = self.sstable;
        let damaged = |error| sstable.data().damaged(error);
        let shape = sstable.shape();
        let head = match PartitionHead::read(&bytes, at, shape).map_err(damaged)? {
            Parsed::Done(head) => head,
            more @ Parsed::More { .. } => more.last("partition", at, &bytes).map_err(damaged)?,
        };
        Ok(FoundHead { key: key.to_vec(), deletion: head.deletion, len: head.len as u64 })
    }

    /// Whether a key can be the next partition's: by the filter, and by the order of the
    /// partitions.
    fn is_plausible(&self, key: &[u8], reading: &mut Reading<'_>) -> bool {
        let partitioner = self.sstable.partitioner();
        let is_after = self.last_key.as_ref().is_none_or(|last| match partitioner {
            Partitioner::Other => last != key,
            _ => partitioner.compare(last, key) == Some(Ordering::Less),
        });
        // A filter that can't be read denies nothing.
        is_after && self.sstable.may_contain(KeyHash::of(key), reading).unwrap_or(true)
    }
}
