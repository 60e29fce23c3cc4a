//! An entry of Index.db: a partition's key, its position, and the length of its promoted index.
//!
//! Bytes:   | 2 key length | key | vint position | vint length of the promoted index | promoted index |,
//!          docs/formats/sstable.md, "Index.db"

use manicule_core::bytes::{DecodeError, Reader};

use crate::data::{Parsed, windowed};
use crate::vint::ReadVint;

/// Where a partition begins. Its promoted index follows, and need not be in the window.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct IndexEntry<'a> {
    /// Offset of the entry in Index.db.
    pub at: u64,
    /// Key of the partition.
    pub key: &'a [u8],
    /// Offset of the partition in uncompressed Data.db.
    pub position: u64,
    /// Offset of the promoted index in Index.db.
    pub promoted_at: u64,
    /// Length in bytes of the promoted index; 0: there is none.
    pub promoted_len: u64,
}

impl<'a> IndexEntry<'a> {
    /// The entry at the front of a window, which begins at `at` of Index.db.
    pub fn read(window: &'a [u8], at: u64) -> Result<Parsed<IndexEntry<'a>>, DecodeError> {
        windowed(IndexEntry::read_whole(&mut Reader::new(window, at)), at)
    }

    fn read_whole(r: &mut Reader<'a>) -> Result<IndexEntry<'a>, DecodeError> {
        let at = r.at();
        let key = r.short_bytes("partition key")?;
        let (what, position_at) = ("position of a partition", r.at());
        let position = r.vint(what)?;
        if position > i64::MAX as u64 {
            let (want, got) = (i64::MAX as u64, position);
            return Err(DecodeError::Corrupt { what, at: position_at, want, got });
        }
        let (what, len_at) = ("length of a promoted index", r.at());
        let promoted_len = r.vint(what)?;
        if promoted_len > LEN_MAX {
            let (want, got) = (LEN_MAX, promoted_len);
            return Err(DecodeError::Corrupt { what, at: len_at, want, got });
        }
        Ok(IndexEntry { at, key, position, promoted_at: r.at(), promoted_len })
    }

    /// Offset of the next entry.
    pub fn end(&self) -> u64 {
        self.promoted_at.saturating_add(self.promoted_len)
    }
}

/// Maximum length in bytes of a promoted index: the offsets in it have 32 signed bits.
const LEN_MAX: u64 = i32::MAX as u64;
