//! Blocks of a promoted index that are recognised without the offset map, in a window that begins
//! anywhere.
//!
//! They lie back to back, and the rows of one begin where those of the one before end: three in a
//! row say of each other where they begin. Bytes of names could be made to look like that, so what
//! is seen here is believed of blocks alone whose places the offset map has, too.

use std::cmp::Ordering;
use std::ops::Range;

use manicule_format_sstable::{Block, Parsed, Prefix, Promoted, RowShape, Type};
use manicule_store::pages::Bytes;

/// Blocks in a row that have to say of each other where they begin.
const CHAIN: usize = 3;

/// Where a block was seen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Shown {
    /// Its offset in Index.db.
    pub(super) at: u64,
    /// Distance of its first unfiltered from the partition's first byte.
    pub(super) offset: u64,
}

/// The nearest blocks on both sides of a place that were seen.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Sides {
    /// The last that begins there or before.
    pub(super) low: Option<Shown>,
    /// The first that begins after it.
    pub(super) high: Option<Shown>,
}

impl Sides {
    /// What lies between them in Index.db.
    pub(super) fn range(&self, promoted: &Promoted) -> Range<u64> {
        let (low, high) = (self.low.map(|it| it.at), self.high.map(|it| it.at));
        low.unwrap_or(promoted.blocks_at)..high.unwrap_or(promoted.map_at)
    }

    /// These, or where there is none the others, which are farther.
    pub(super) fn or(self, other: Sides) -> Sides {
        Sides { low: self.low.or(other.low), high: self.high.or(other.high) }
    }
}

/// A place, and how blocks are compared with it.
#[derive(Clone, Copy)]
pub(super) struct Looking<'l> {
    pub(super) shape: &'l RowShape,
    pub(super) types: &'l [Type],
    pub(super) place: &'l Prefix<'l>,
}

impl Looking<'_> {
    /// What windows show: each with its offset in Index.db, in order.
    pub(super) fn look(&self, windows: &[(u64, Bytes<'_>)]) -> Sides {
        let (mut sides, mut last) = (Sides::default(), None);
        for (at, bytes) in windows {
            let Some(from) = first_block(bytes, *at, self.shape) else { continue };
            let (bytes, at) = (&bytes[from..], at + from as u64);
            let first = self.read(bytes, at);
            match first {
                Some((shown, _, Ordering::Greater)) => {
                    sides.high = Some(shown);
                    break;
                }
                _ => last = Some((bytes, at)),
            }
        }
        let Some((mut bytes, mut at)) = last else { return sides };
        while let Some((shown, len, order)) = self.read(bytes, at) {
            if order == Ordering::Greater {
                sides.high = Some(shown);
                break;
            }
            sides.low = Some(shown);
            (bytes, at) = (&bytes[len..], at + len as u64);
        }
        sides
    }

    /// The first block of some bytes, its length in them, and the order of its first name against
    /// the place.
    fn read(&self, bytes: &[u8], at: u64) -> Option<(Shown, usize, Ordering)> {
        let Ok(Parsed::Done(block)) = Block::read(bytes, at, self.shape) else { return None };
        let order = Prefix::compare(self.types, &block.first, self.place);
        Some((Shown { at, offset: block.offset }, block.len, order))
    }
}

/// Where the first block in a window begins that is recognised.
fn first_block(window: &[u8], at: u64, shape: &RowShape) -> Option<usize> {
    let is_chain = |start: &usize| {
        let (mut from, mut next) = (*start, None);
        (0..CHAIN).all(|_| match Block::read(&window[from..], at + from as u64, shape) {
            Ok(Parsed::Done(block)) if next.is_none_or(|next| next == block.offset) => {
                from += block.len;
                next = block.offset.checked_add(block.width);
                next.is_some()
            }
            _ => false,
        })
    };
    (0..window.len()).find(is_chain)
}
