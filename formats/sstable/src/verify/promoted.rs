//! A promoted index beside the rows of its partition.
//!
//! Bytes:   docs/formats/sstable.md, "Index.db"

use manicule_core::bytes::DecodeError;

use crate::data::RowShape;
use crate::deletion::Deletion;
use crate::index::{Block, IndexEntry, Promoted};
use crate::place::{Place, mark};
use crate::prefix::{Prefix, PrefixBuf};

/// Compares the blocks of a promoted index with the unfiltereds of the partition, as they are read.
#[derive(Clone, Debug)]
pub struct PromotedCheck<'a> {
    /// The promoted index, whole.
    bytes: Vec<u8>,
    bytes_at: u64,
    promoted: Promoted,
    shape: &'a RowShape,
    /// Number of the present block.
    current: u32,
    /// Place and offset of the next one, if there is one.
    next: Option<Next>,
    last: Option<Last>,
}

/// Where a block is in Index.db, and the distance of its first unfiltered from the partition's
/// first byte.
#[derive(Clone, Copy, Debug)]
struct Next {
    at: u64,
    offset: u64,
}

/// The unfiltered that was seen last.
#[derive(Clone, Debug)]
struct Last {
    prefix: PrefixBuf,
    end: u64,
    open: Option<Deletion>,
}

impl<'a> PromotedCheck<'a> {
    /// Begins with a partition's promoted index, all `entry.promoted_len` bytes of it.
    ///
    /// # Errors
    /// A head or a first block that can't be read.
    pub fn new(
        bytes: Vec<u8>,
        entry: &IndexEntry<'_>,
        shape: &'a RowShape,
    ) -> Result<PromotedCheck<'a>, DecodeError> {
        let bytes_at = entry.promoted_at;
        let promoted = Promoted::read(&bytes, entry, shape)?;
        let promoted = promoted.last("promoted index", bytes_at, &bytes)?;
        let (current, next, last) = (0, None, None);
        let mut check = PromotedCheck { bytes, bytes_at, promoted, shape, current, next, last };
        check.next = check.read_next()?;
        Ok(check)
    }

    /// Head of the promoted index.
    pub fn promoted(&self) -> &Promoted {
        &self.promoted
    }

    /// The block of a number.
    fn block(&self, number: u32) -> Result<Block<'_>, DecodeError> {
        read_block(&self.bytes, self.bytes_at, &self.promoted, number, self.shape)
    }

    /// Blocks are back to back.
    fn read_next(&self) -> Result<Option<Next>, DecodeError> {
        let current = self.block(self.current)?;
        let next = if self.current + 1 == self.promoted.block_count {
            None
        } else {
            Some(self.block(self.current + 1)?)
        };
        let next_at = next.as_ref().map_or(self.promoted.map_at, |next| next.at);
        equal("end of a block", current.at, next_at, current.at + current.len as u64)?;
        Ok(next.map(|next| Next { at: next.at, offset: next.offset }))
    }

    /// The partition's next row or marker.
    ///
    /// # Errors
    /// A block that begins elsewhere, or has another name, width or open deletion than the data.
    pub fn unfiltered(&mut self, place: &Place<'_>) -> Result<(), DecodeError> {
        if self.last.is_none() {
            self.begin(place)?;
        } else if let Some(next) = self.next.filter(|next| next.offset <= place.offset) {
            equal("offset of a block", next.at, place.offset, next.offset)?;
            self.end_block(place.offset, place.offset)?;
            self.current += 1;
            self.next = self.read_next()?;
            self.begin(place)?;
        }
        let (end, open) = (place.offset + place.len, place.open_after);
        match &mut self.last {
            Some(last) => {
                last.prefix.set(&place.prefix);
                (last.end, last.open) = (end, open);
            }
            None => {
                let prefix = PrefixBuf::of(&place.prefix);
                self.last = Some(Last { prefix, end, open });
            }
        }
        Ok(())
    }

    fn begin(&self, place: &Place<'_>) -> Result<(), DecodeError> {
        let block = self.block(self.current)?;
        equal("offset of a block", block.at, place.offset, block.offset)?;
        same(FIRST_NAME, block.at, &place.prefix, &block.first)
    }

    /// The present block ends before `next`; its width reaches to there, or to `or`.
    fn end_block(&self, next: u64, or: u64) -> Result<(), DecodeError> {
        let Some(last) = &self.last else { return Ok(()) };
        let block = self.block(self.current)?;
        same(LAST_NAME, block.at, &last.prefix.as_prefix(), &block.last)?;
        let end = block.offset.saturating_add(block.width);
        if end != or {
            equal("end of a block by its width", block.at, next, end)?;
        }
        if last.open == block.open {
            Ok(())
        } else {
            let (want, got) = (mark(last.open), mark(block.open));
            let what = "deletion that is open after a block";
            Err(DecodeError::Corrupt { what, at: block.at, want, got })
        }
    }

    /// The partition has ended.
    ///
    /// # Errors
    /// Blocks that are left, and what the last one says wrongly. Its width may have the partition's
    /// end byte in it.
    pub fn end(&self) -> Result<(), DecodeError> {
        if let Some(next) = self.next {
            let (want, got) = ((self.current + 1).into(), self.promoted.block_count.into());
            return Err(DecodeError::Corrupt { what: "number of blocks", at: next.at, want, got });
        }
        let end = self.last.as_ref().map_or(0, |last| last.end);
        self.end_block(end, end + 1)
    }
}

fn read_block<'a>(
    bytes: &'a [u8],
    bytes_at: u64,
    promoted: &Promoted,
    index: u32,
    shape: &RowShape,
) -> Result<Block<'a>, DecodeError> {
    let place = promoted.map_place(index);
    let rest = usize::try_from(place - bytes_at).ok().and_then(|start| bytes.get(start..));
    let Some(offset) = rest.and_then(|rest| rest.first_chunk::<4>()) else {
        let have = rest.map_or(0, <[u8]>::len) as u64;
        return Err(DecodeError::Short { what: "offset map", at: place, need: 4, have });
    };
    let at = promoted.block_at(index, *offset)?;
    let window = &bytes[(at - bytes_at) as usize..(promoted.map_at - bytes_at) as usize];
    Block::read(window, at, shape)?.last("block", at, window)
}

fn equal(what: &'static str, at: u64, want: u64, got: u64) -> Result<(), DecodeError> {
    if want == got { Ok(()) } else { Err(DecodeError::Corrupt { what, at, want, got }) }
}

/// Names are equal byte by byte: they are copies. Wanted and got are their kinds, their lengths, or
/// the first bytes that differ.
fn same(
    what: [&'static str; 3],
    at: u64,
    want: &Prefix<'_>,
    got: &Prefix<'_>,
) -> Result<(), DecodeError> {
    let [name, len, byte] = what;
    equal(name, at, want.kind.number().into(), got.kind.number().into())?;
    let (want, got) = (want.components.bytes(), got.components.bytes());
    equal(len, at, want.len() as u64, got.len() as u64)?;
    match want.iter().zip(got).find(|(want, got)| want != got) {
        None => Ok(()),
        Some((want, got)) => equal(byte, at, (*want).into(), (*got).into()),
    }
}

const FIRST_NAME: [&str; 3] = [
    "kind of the first name of a block",
    "length of the first name of a block",
    "byte of the first name of a block",
];
const LAST_NAME: [&str; 3] = [
    "kind of the last name of a block",
    "length of the last name of a block",
    "byte of the last name of a block",
];
