//! The promoted index of a long partition: its head, and where its offset map says that the blocks
//! are.
//!
//! Bytes:   | vint header length | deletion | vint number of blocks | blocks | number of blocks × 4 offset |,
//!          docs/formats/sstable.md, "Index.db"

use manicule_core::bytes::{DecodeError, Reader};

use super::entry::IndexEntry;
use crate::data::{Parsed, RowShape, windowed};
use crate::deletion::Deletion;
use crate::vint::ReadVint;

/// Minimum length in bytes of a block and its offset: two names of a kind and a count or a header,
/// offset, width, flag.
const BLOCK_LEN_MIN: u64 = 8;

/// Length in bytes of an offset in the map.
const OFFSET_LEN: u64 = 4;

/// The head of a promoted index.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Promoted {
    /// Distance from the partition's first byte to its first unfiltered: key, deletion, static row.
    pub header_len: u64,
    /// The partition's deletion.
    pub deletion: Deletion,
    /// Number of blocks: 2 or more in all files that systems write.
    pub block_count: u32,
    /// Offset of the first block in Index.db.
    pub blocks_at: u64,
    /// Offset of the offset map in Index.db.
    pub map_at: u64,
}

impl Promoted {
    /// The head of an entry's promoted index, at the front of a window that begins at
    /// [`IndexEntry::promoted_at`].
    pub fn read(
        window: &[u8],
        entry: &IndexEntry<'_>,
        shape: &RowShape,
    ) -> Result<Parsed<Promoted>, DecodeError> {
        let at = entry.promoted_at;
        // What follows the promoted index is another entry's.
        let len = window.len().min(usize::try_from(entry.promoted_len).unwrap_or(usize::MAX));
        let is_whole = len as u64 == entry.promoted_len;
        let read = Promoted::read_whole(&mut Reader::new(&window[..len], at), entry, shape);
        if is_whole { read.map(Parsed::Done) } else { windowed(read, at) }
    }

    fn read_whole(
        r: &mut Reader<'_>,
        entry: &IndexEntry<'_>,
        shape: &RowShape,
    ) -> Result<Promoted, DecodeError> {
        let header_len = r.vint("length of a partition's head")?;
        let deletion = Deletion::read(r, shape.deletion_form())?;
        let (what, at) = ("number of blocks", r.at());
        let got = r.vint(what)?;
        let left = entry.end() - r.at();
        let want = left / BLOCK_LEN_MIN;
        let block_count = u32::try_from(got).ok().filter(|_| got != 0 && got <= want);
        let Some(block_count) = block_count else {
            // None is too few, whatever there is room for.
            let want = want.max(1);
            return Err(DecodeError::Corrupt { what, at, want, got });
        };
        let map_at = entry.end() - u64::from(block_count) * OFFSET_LEN;
        Ok(Promoted { header_len, deletion, block_count, blocks_at: r.at(), map_at })
    }

    /// Offset in Index.db of a block's offset in the map: four bytes, which [`Promoted::block_at`]
    /// reads.
    pub fn map_place(&self, block: u32) -> u64 {
        self.map_at + u64::from(block) * OFFSET_LEN
    }

    /// Offset in Index.db of a block, from the four bytes of the map at its place.
    pub fn block_at(&self, block: u32, bytes: [u8; 4]) -> Result<u64, DecodeError> {
        let (offset, room) = (u64::from(u32::from_be_bytes(bytes)), self.map_at - self.blocks_at);
        // The first block is where they begin, and no other is.
        if offset >= room || (offset == 0) != (block == 0) {
            let (what, at) = ("offset of a block in the offset map", self.map_place(block));
            let want = if block == 0 { 0 } else { room };
            return Err(DecodeError::Corrupt { what, at, want, got: offset });
        }
        Ok(self.blocks_at + offset)
    }
}
