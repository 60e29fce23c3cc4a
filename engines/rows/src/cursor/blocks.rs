//! The blocks of one partition, by whichever index it has.

use std::cell::Cell;

use manicule_format_sstable::{Deletion, DeletionForm};
use manicule_store::pages::Reading;

use super::place::{BlockPlace, Seek, Token, Wanted};
use super::promoted::{self, PromotedIndex};
use super::tries;
use crate::RowsError;
use crate::lookup::{Blocks, Place};
use crate::table::Sstable;

/// Length in bytes of a key's length.
const KEY_LEN_LEN: usize = 2;

/// The blocks of one partition.
#[derive(Debug)]
pub(crate) struct Cursor<'t> {
    sstable: &'t Sstable,
    place: Place,
    seek: Seek,
    /// Number of blocks that were compared or found.
    block_count: Cell<u64>,
}

impl<'t> Cursor<'t> {
    pub(crate) fn new(sstable: &'t Sstable, place: Place, seek: Seek) -> Self {
        Cursor { sstable, place, seek, block_count: Cell::new(0) }
    }

    /// Number of blocks of the index that were compared or found so far.
    pub(crate) fn block_count(&self) -> u64 {
        self.block_count.get()
    }

    /// The partition's deletion and the length of its head, where the index says them and the head
    /// has nothing else.
    pub(crate) fn head(&self, key: &[u8]) -> Option<(Deletion, u64)> {
        if self.sstable.shape().has_statics() || self.seek == Seek::Scan {
            return None;
        }
        match self.place.blocks {
            Blocks::One => None,
            Blocks::Promoted { promoted, .. } => Some((promoted.deletion, promoted.header_len)),
            Blocks::Trie { deletion, .. } => {
                let mut bytes = Vec::new();
                let form = self.sstable.shape().deletion_form();
                // A negative time has no short form, and so no length that is known.
                if form == DeletionForm::Short && deletion.marked_at < 0 && !deletion.is_live() {
                    return None;
                }
                deletion.put(form, &mut bytes);
                Some((deletion, (KEY_LEN_LEN + key.len() + bytes.len()) as u64))
            }
        }
    }

    /// The partition's first byte.
    pub(crate) fn position(&self) -> u64 {
        self.place.position
    }

    /// The block in which a slice begins; `None` where there is no index, or it isn't used.
    pub(crate) fn find(
        &self,
        wanted: &Wanted<'_>,
        reading: &mut Reading<'_>,
    ) -> Result<Option<BlockPlace>, RowsError> {
        let Seek::Index(cost) = self.seek else { return Ok(None) };
        match self.place.blocks {
            Blocks::One => Ok(None),
            Blocks::Promoted { promoted, index_bytes } => {
                let (position, count) = (self.place.position, &self.block_count);
                let index = PromotedIndex { promoted: &promoted, index_bytes, position };
                promoted::find(self.sstable, index, cost, wanted, count, reading)
            }
            Blocks::Trie { root, .. } => {
                self.block_count.update(|count| count + 1);
                tries::find(self.sstable, root, wanted.place, reading)
            }
        }
    }

    /// The block before another one.
    pub(crate) fn before(
        &self,
        block: &BlockPlace,
        reading: &mut Reading<'_>,
    ) -> Result<Option<BlockPlace>, RowsError> {
        match (&block.token, &self.place.blocks) {
            (Token::Number(number), Blocks::Promoted { promoted, .. }) => match number {
                0 => Ok(None),
                number => {
                    let count = &self.block_count;
                    promoted::block(self.sstable, promoted, number - 1, count, reading).map(Some)
                }
            },
            (Token::Path(path), Blocks::Trie { root, .. }) => {
                self.block_count.update(|count| count + 1);
                tries::before(self.sstable, *root, path, reading)
            }
            _ => Ok(None),
        }
    }
}
