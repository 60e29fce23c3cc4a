//! Directory and footer of a leaf: where its blocks are, and what is at both ends of them.
//!
//! Bytes:   docs/formats/leaf.md, section *leaf*

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use manicule_core::bytes::{DecodeError, Reader};

use super::BLOCK_ROWS_MAX;
use crate::head::{FileKind, HEAD_LEN, check, check_max, check_sum, read_head};
use crate::order::Order;

/// Length of what follows the last row.
const TAIL_LEN: usize = 4 * size_of::<u32>();
/// Length of what follows the first row in an entry.
pub(super) const ENTRY_TAIL_LEN: usize = 3 * size_of::<u32>();

/// Length of an entry of the directory.
pub(super) fn entry_len(width: usize) -> usize {
    width * 8 + ENTRY_TAIL_LEN
}

/// What opening a leaf found: kept by who maps the file, so that it is bound again for nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LeafShape {
    pub(super) order: Order,
    pub(super) row_count: u32,
    pub(super) block_count: u32,
    pub(super) directory_at: u32,
    pub(super) len: u64,
}

/// Reads head, directory and footer, and checks them.
pub(super) fn read_shape(bytes: &[u8]) -> Result<LeafShape, DecodeError> {
    let [order, zeros @ ..] = read_head(bytes, FileKind::Leaf)?;
    check(
        "zeros in the head",
        13,
        0,
        u32::from_le_bytes([zeros[0], zeros[1], zeros[2], 0]).into(),
    )?;
    let Some(order) = Order::of(order) else {
        let (at, want, got) = (12, Order::ALL.len() as u64 - 1, order.into());
        return Err(DecodeError::Corrupt { what: "order", at, want, got });
    };
    let footer_len = order.width() * 8 + TAIL_LEN;
    let Some(tail_at) =
        bytes.len().checked_sub(TAIL_LEN).filter(|at| *at + TAIL_LEN >= HEAD_LEN + footer_len)
    else {
        let (need, have) = ((HEAD_LEN + footer_len) as u64, bytes.len() as u64);
        return Err(DecodeError::Short { what: "footer", at: 0, need, have });
    };
    let mut tail = Reader::new(&bytes[tail_at..], tail_at as u64);
    let row_count = tail.u32_le("row count")?;
    let directory_at = tail.u32_le("directory offset")?;
    let block_count = tail.u32_le("block count")?;
    let sum = tail.u32_le("checksum of the directory")?;
    let footer_at = (bytes.len() - footer_len) as u64;
    let directory_len = u64::from(block_count) * entry_len(order.width()) as u64;
    check_max("directory offset", tail_at as u64 + 4, footer_at, directory_at.into())?;
    check(
        "end of the directory",
        tail_at as u64 + 8,
        footer_at,
        u64::from(directory_at) + directory_len,
    )?;
    check_max("offset of the directory, the least", 0, directory_at.into(), HEAD_LEN as u64)?;
    let mut covered = crc32fast::Hasher::new();
    covered.update(&bytes[..HEAD_LEN]);
    covered.update(&bytes[directory_at as usize..bytes.len() - 4]);
    let computed = covered.finalize();
    if sum != computed {
        let (what, at) = ("directory", directory_at.into());
        return Err(DecodeError::Checksum { what, at, stored: sum, computed });
    }
    let shape = LeafShape { order, row_count, block_count, directory_at, len: bytes.len() as u64 };
    shape.check_entries(bytes)?;
    Ok(shape)
}

impl LeafShape {
    /// Number of blocks.
    pub fn block_count(&self) -> usize {
        self.block_count as usize
    }

    /// Checks that the blocks are back to back, and that their first rows rise.
    fn check_entries(&self, bytes: &[u8]) -> Result<(), DecodeError> {
        let width = self.order.width();
        let (mut end, mut position) = (HEAD_LEN as u64, 0);
        let mut last: Option<[u64; 4]> = None;
        let mut entries =
            Reader::new(&bytes[self.directory_at as usize..], self.directory_at.into());
        for block in 0..self.block_count {
            let mut row = [0; 4];
            let at = entries.at();
            for id in &mut row[..width] {
                *id = entries.u64_le("first row of a block")?;
            }
            let is_after = last.is_none_or(|last| last < row);
            check("first row of a block is above that before", at, 1, is_after.into())?;
            last = Some(row);
            let at = entries.at();
            let (offset, first) =
                (entries.u32_le("offset of a block")?, entries.u32_le("position of a block")?);
            entries.u32_le("checksum of a block")?;
            let is_first = block == 0;
            check_max("offset of a block", at, self.directory_at.into(), offset.into())?;
            if is_first {
                check("offset of the first block", at, end, offset.into())?
            } else {
                check_max("offset of a block, the least", at, offset.into(), end + 1)?
            }
            let rows = u64::from(first).wrapping_sub(position);
            if is_first {
                check("position of the first block", at + 4, 0, first.into())?
            } else {
                check_max(
                    "rows of a block",
                    at + 4,
                    BLOCK_ROWS_MAX as u64 - 1,
                    rows.wrapping_sub(1),
                )?
            }
            (end, position) = (offset.into(), first.into());
        }
        let rows = u64::from(self.row_count).wrapping_sub(position);
        match self.block_count {
            0 => check("rows of no block", entries.at(), 0, self.row_count.into()),
            _ => check_max(
                "rows of the last block",
                entries.at(),
                BLOCK_ROWS_MAX as u64 - 1,
                rows.wrapping_sub(1),
            ),
        }
    }
}

/// Which blocks of a leaf were found to be whole: kept by who maps the file, so that each is
/// checked once. Two threads may both check a block; neither can see a wrong bit.
#[derive(Debug)]
pub struct BlockChecks(Box<[AtomicU64]>);

impl BlockChecks {
    /// None of the blocks is known to be whole.
    pub fn new(block_count: usize) -> Self {
        BlockChecks((0..block_count.div_ceil(64)).map(|_| AtomicU64::new(0)).collect())
    }

    /// Calls `check` unless it has found the block whole before.
    pub(super) fn once(
        &self,
        block: usize,
        check: impl FnOnce() -> Result<(), DecodeError>,
    ) -> Result<(), DecodeError> {
        let (word, bit) = (&self.0[block / 64], 1 << (block % 64));
        if word.load(Relaxed) & bit == 0 {
            check()?;
            word.fetch_or(bit, Relaxed);
        }
        Ok(())
    }
}

/// An error unless a block's bytes have the sum that the directory says.
pub(super) fn check_block(bytes: &[u8], at: u64, stored: u32) -> Result<(), DecodeError> {
    check_sum("block", at, stored, bytes)
}
