//! The end of Partitions.db, and the entries of Rows.db: where the tries have their roots.
//!
//! Bytes:   footer | 8 position of the keys | 8 number of keys | 8 root |, keys | 2 length | first | 2 length | last |;
//!          entry | 2 length | key | vint position in Data.db | svint root | vint number of blocks | deletion |;
//!          docs/formats/sstable.md, "Tries"

use manicule_core::bytes::{DecodeError, Reader};

use crate::data::{Parsed, windowed};
use crate::deletion::{Deletion, DeletionForm};
use crate::version::Version;
use crate::vint::ReadVint;

/// Length in bytes of what Partitions.db ends with.
pub const FOOTER_LEN: usize = 24;

/// What Partitions.db ends with.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Footer {
    /// Offset of the first and the last key, which lie between the trie and the footer.
    pub keys_at: u64,
    /// Number of partitions.
    pub partition_count: u64,
    /// Offset of the trie's root.
    pub root: u64,
}

impl Footer {
    /// Reads the last [`FOOTER_LEN`] bytes of a file of `file_len` bytes.
    pub fn read(bytes: [u8; FOOTER_LEN], file_len: u64) -> Result<Footer, DecodeError> {
        let at = file_len.saturating_sub(FOOTER_LEN as u64);
        let mut r = Reader::new(&bytes, at);
        let mut number = |what, max: u64| {
            let place = r.at();
            match r.u64_be(what)? {
                got if got > max => Err(DecodeError::Corrupt { what, at: place, want: max, got }),
                number => Ok(number),
            }
        };
        let keys_at = number("position of the first key", at)?;
        // A partition has a leaf of two bytes at least.
        let partition_count = number("number of partitions", keys_at / 2)?;
        let root = number("root of the trie of partitions", keys_at.saturating_sub(1))?;
        Ok(Footer { keys_at, partition_count, root })
    }

    /// The first and the last key, from the bytes between [`Footer::keys_at`] and the footer.
    pub fn keys<'a>(&self, bytes: &'a [u8]) -> Result<(&'a [u8], &'a [u8]), DecodeError> {
        let mut r = Reader::new(bytes, self.keys_at);
        let (first, last) = (r.short_bytes("first key")?, r.short_bytes("last key")?);
        if !r.rest().is_empty() {
            let (what, at, got) = ("bytes after the last key", r.at(), r.rest().len() as u64);
            return Err(DecodeError::Corrupt { what, at, want: 0, got });
        }
        Ok((first, last))
    }
}

/// What Rows.db says of a partition of two blocks or more.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct RowsEntry<'a> {
    /// Offset of the entry in Rows.db.
    pub at: u64,
    /// Key of the partition.
    pub key: &'a [u8],
    /// Offset of the partition in uncompressed Data.db.
    pub position: u64,
    /// Offset in Rows.db of the root of its trie, which lies before the entry.
    pub root: u64,
    /// Number of its blocks. The trie has one entry more, for the partition's end.
    pub block_count: u64,
    /// The partition's deletion.
    pub deletion: Deletion,
    /// Length of the entry in bytes.
    pub len: usize,
}

impl<'a> RowsEntry<'a> {
    /// The entry at the front of a window, which begins at `at` of Rows.db.
    pub fn read(
        window: &'a [u8],
        at: u64,
        version: Version,
    ) -> Result<Parsed<RowsEntry<'a>>, DecodeError> {
        windowed(RowsEntry::read_whole(&mut Reader::new(window, at), version), at)
    }

    fn read_whole(r: &mut Reader<'a>, version: Version) -> Result<RowsEntry<'a>, DecodeError> {
        let at = r.at();
        let key = r.short_bytes("partition key")?;
        let position_at = r.at();
        let position = r.vint("position of a partition")?;
        let (what, root_at) = ("root of the trie of a partition's blocks", r.at());
        // Counted from the position's own place.
        let root = position_at.checked_add_signed(r.svint(what)?).filter(|root| *root < at);
        let Some(root) = root else {
            return Err(DecodeError::Corrupt { what, at: root_at, want: at, got: position_at });
        };
        let (what, count_at) = ("number of blocks", r.at());
        let block_count = r.vint(what)?;
        // Each block has a node of two bytes at least.
        if block_count > at / 2 {
            let (want, got) = (at / 2, block_count);
            return Err(DecodeError::Corrupt { what, at: count_at, want, got });
        }
        let deletion = Deletion::read(r, entry_form(version))?;
        let len = (r.at() - at) as usize;
        Ok(RowsEntry { at, key, position, root, block_count, deletion, len })
    }
}

/// ScyllaDB has the short form here and not in its other files, and one of its own for negative
/// times.
fn entry_form(version: Version) -> DeletionForm {
    if version.is_scylla_only() { DeletionForm::ShortSigned } else { DeletionForm::Short }
}
