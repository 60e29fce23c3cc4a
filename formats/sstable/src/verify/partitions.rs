//! The trie of partition keys beside the partitions.
//!
//! Bytes:   docs/formats/sstable.md, "Partitions.db"

use manicule_core::bytes::DecodeError;

use super::pages::Pages;
use crate::trie::{Footer, PartitionPayload, PartitionPlace, Step, TriePage, TrieWalk, WalkFrom};

/// Compares the leaves of Partitions.db with the partitions, as they are read.
#[derive(Clone, Debug)]
pub struct PartitionTrieCheck {
    walk: TrieWalk<'static>,
    footer: Footer,
    count: u64,
}

impl PartitionTrieCheck {
    /// Begins with the first partition. `path_len_max` is the greatest length of a path.
    pub fn new(footer: Footer, path_len_max: usize) -> PartitionTrieCheck {
        let walk = TrieWalk::new(footer.root, WalkFrom::First, path_len_max);
        PartitionTrieCheck { walk, footer, count: 0 }
    }

    fn next<E: From<DecodeError>>(
        &mut self,
        pages: &mut impl Pages<E>,
    ) -> Result<Option<(PartitionPayload, u64)>, E> {
        while let Some(number) = self.walk.page() {
            let bytes = pages.page(number)?;
            if let Step::Found(payload) = self.walk.step(TriePage { number, bytes: &bytes })? {
                let at = payload.bytes.at();
                return Ok(Some((PartitionPayload::read(payload)?, at)));
            }
        }
        Ok(None)
    }

    /// The next partition, at `position` of Data.db: its key in byte-comparable form, and the low
    /// byte of the second half of its hash. Returns the offset of its entry in Rows.db, if it has
    /// one: that entry has to have its key and position.
    ///
    /// # Errors
    /// A leaf whose path isn't the beginning of the key, with another hash or position; none where
    /// there has to be one.
    pub fn partition<E: From<DecodeError>>(
        &mut self,
        form: &[u8],
        hash: u8,
        position: u64,
        pages: &mut impl Pages<E>,
    ) -> Result<Option<u64>, E> {
        let Some((payload, at)) = self.next(pages)? else {
            let (what, at) = ("number of leaves", self.footer.root);
            let (want, got) = (self.count + 1, self.count);
            return Err(DecodeError::Corrupt { what, at, want, got }.into());
        };
        self.count += 1;
        let corrupt = |what, want, got| Err(DecodeError::Corrupt { what, at, want, got }.into());
        if !form.starts_with(self.walk.path()) {
            return corrupt("path of a partition's key", form.len() as u64, 0);
        }
        if let Some(got) = payload.hash.filter(|got| *got != hash) {
            return corrupt("hash of a partition's key", hash.into(), got.into());
        }
        match payload.place {
            PartitionPlace::Rows(at) => Ok(Some(at)),
            PartitionPlace::Data(got) if got == position => Ok(None),
            PartitionPlace::Data(got) => corrupt("position of a partition", position, got),
        }
    }

    /// All partitions have been read.
    ///
    /// # Errors
    /// Leaves that are left, and another number of partitions in the footer.
    pub fn end<E: From<DecodeError>>(&mut self, pages: &mut impl Pages<E>) -> Result<(), E> {
        let (want, root) = (self.count, self.footer.root);
        if let Some((_, at)) = self.next(pages)? {
            let (what, got) = ("number of leaves", want + 1);
            return Err(DecodeError::Corrupt { what, at, want, got }.into());
        }
        match self.footer.partition_count {
            got if got == want => Ok(()),
            got => {
                let what = "number of partitions in the footer";
                Err(DecodeError::Corrupt { what, at: root, want, got }.into())
            }
        }
    }
}
