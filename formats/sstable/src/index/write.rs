//! Index.db as rows pass: entries, and the blocks of long partitions.
//!
//! Bytes:   docs/formats/sstable.md, "Index.db"

use manicule_core::bytes::folded;

use super::block::WIDTH_BASE;
use crate::deletion::{Deletion, DeletionForm};
use crate::place::Place;
use crate::prefix::{Prefix, PrefixBuf, PrefixKind};
use crate::vint::put_vint;

/// Appends an entry up to its promoted index of `promoted_len` bytes, which follows.
///
/// # Panics
/// If the key is longer than 65,535 bytes.
pub fn put_index_entry(key: &[u8], position: u64, promoted_len: u64, out: &mut Vec<u8>) {
    let len = u16::try_from(key.len()).expect("a key within its greatest length");
    out.extend_from_slice(&len.to_be_bytes());
    out.extend_from_slice(key);
    put_vint(position, out);
    put_vint(promoted_len, out);
}

/// Appends the head of a promoted index. Its blocks follow, and the offset of each from the first
/// one, in four bytes.
pub fn put_promoted_head(
    header_len: u64,
    deletion: Deletion,
    form: DeletionForm,
    block_count: u32,
    out: &mut Vec<u8>,
) {
    put_vint(header_len, out);
    deletion.put(form, out);
    put_vint(block_count.into(), out);
}

/// Cuts partitions into blocks as their rows pass: a block ends with the row that fills it.
///
/// Memory: two clusterings.
#[derive(Clone, Debug)]
pub struct BlockCutter {
    block_len: u64,
    form: DeletionForm,
    /// Offset of the present block; `None` where the next row begins one.
    start: Option<u64>,
    first: PrefixBuf,
    last: PrefixBuf,
    open: Option<Deletion>,
}

impl BlockCutter {
    /// With blocks of `block_len` bytes: 65,536 unless Cassandra is configured otherwise.
    pub fn new(block_len: u64, form: DeletionForm) -> BlockCutter {
        let none = PrefixBuf::of(&Prefix::FIRST);
        BlockCutter { block_len, form, start: None, first: none.clone(), last: none, open: None }
    }

    /// Passes a row or marker. Appends the block that it fills; whether it does.
    pub fn pass(&mut self, place: &Place<'_>, out: &mut Vec<u8>) -> bool {
        let start = *self.start.get_or_insert_with(|| {
            self.first.set(&place.prefix);
            place.offset
        });
        self.last.set(&place.prefix);
        self.open = place.open_after;
        let end = place.offset + place.len;
        let is_full = end - start >= self.block_len;
        if is_full {
            self.put_block(start, end, out);
        }
        is_full
    }

    /// The partition ends after `len` bytes, its end byte among them, which is the last block's.
    /// Appends that block if its last row has not filled it; whether it does.
    pub fn end(&mut self, len: u64, out: &mut Vec<u8>) -> bool {
        let start = self.start;
        if let Some(start) = start {
            self.put_block(start, len, out);
        }
        start.is_some()
    }

    fn put_block(&mut self, start: u64, end: u64, out: &mut Vec<u8>) {
        put_name(&self.first.as_prefix(), out);
        put_name(&self.last.as_prefix(), out);
        put_vint(start, out);
        put_vint(folded((end - start) as i64 - WIDTH_BASE), out);
        out.push(u8::from(self.open.is_some()));
        if let Some(open) = self.open {
            open.put(self.form, out);
        }
        self.start = None;
    }
}

fn put_name(prefix: &Prefix<'_>, out: &mut Vec<u8>) {
    out.push(prefix.kind.number());
    if prefix.kind != PrefixKind::Row {
        out.extend_from_slice(&(prefix.components.count() as u16).to_be_bytes());
    }
    out.extend_from_slice(prefix.components.bytes());
}
