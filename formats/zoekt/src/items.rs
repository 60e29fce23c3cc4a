//! Items of a compound section, and the positions that a posting list holds.
//!
//! Bytes:   docs/formats/zoekt.md

use std::ops::Range;

use manicule_core::bytes::{DecodeError, Reader};

use crate::layout::{Extent, ITEM_LEN};
use crate::source::Source;

/// The items of a compound section.
#[derive(Clone, Copy, Debug)]
pub struct Items<'a> {
    source: Source<'a>,
    /// Asked for an item at a time.
    index: &'a [u8],
    extent: Extent,
    what: &'static str,
}

impl<'a> Items<'a> {
    pub(crate) fn new(source: Source<'a>, extent: Extent, what: &'static str) -> Self {
        Items { source, index: source.asked(extent.index()), extent, what }
    }

    /// Number of items.
    pub fn len(&self) -> usize {
        self.index.len() / ITEM_LEN
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.index.is_empty()
    }

    /// Offset of item `index`, or, after the last one, of the section's end. Unchecked, and of a
    /// shard that is elsewhere not asked for.
    pub(crate) fn start(&self, index: usize) -> u32 {
        match self.index.get(index * ITEM_LEN..(index + 1) * ITEM_LEN) {
            Some(bytes) => u32::from_be_bytes(bytes.try_into().expect("four bytes")),
            None => self.extent.at + self.extent.len,
        }
    }

    /// Range of item `index` in the file: inside the section.
    ///
    /// # Panics
    /// If there is no such item.
    pub fn range(&self, index: usize) -> Result<Range<u32>, DecodeError> {
        assert!(index < self.len(), "item {index} of {}", self.len());
        if !self.source.is_whole() {
            self.need(index)?;
        }
        self.inside(index).ok_or_else(|| self.misplaced(index))
    }

    /// Range of item `index`, whose offsets were asked for, if it is inside the section.
    #[inline]
    fn inside(&self, index: usize) -> Option<Range<u32>> {
        let (start, end) = (self.start(index), self.start(index + 1));
        let (low, high) = (self.extent.at, self.extent.at + self.extent.len);
        (low <= start && start <= end && end <= high).then_some(start..end)
    }

    /// Error of an item that is not inside the section.
    #[cold]
    fn misplaced(&self, index: usize) -> DecodeError {
        let (start, end) = (self.start(index), self.start(index + 1));
        let (low, high) = (self.extent.at, self.extent.at + self.extent.len);
        let at = u64::from(self.extent.index_at) + (index * ITEM_LEN) as u64;
        let want = if start < low { low } else { high.min(end) };
        let (what, want, got) = (self.what, want.into(), start.max(end.min(start)).into());
        DecodeError::Corrupt { what, at, want, got }
    }

    /// Asks for the offsets of item `index` and of the next one.
    #[cold]
    fn need(&self, index: usize) -> Result<(), DecodeError> {
        let (all, at) = (self.extent.index(), (index * ITEM_LEN) as u64);
        let first = all.start + at;
        self.source.need(first..all.end.min(first + 2 * ITEM_LEN as u64))
    }

    /// The bytes of item `index`.
    ///
    /// # Panics
    /// If there is no such item.
    pub fn get(&self, index: usize) -> Result<&'a [u8], DecodeError> {
        // An error is long, so the usual way makes none.
        if self.source.is_whole()
            && index < self.len()
            && let Some(Range { start, end }) = self.inside(index)
        {
            return Ok(self.source.asked(start.into()..end.into()));
        }
        let range = self.range(index)?;
        self.source.get(range.start.into()..range.end.into())
    }

    /// The same, with its offset.
    pub(crate) fn reader(&self, index: usize) -> Result<Reader<'a>, DecodeError> {
        let range = self.range(index)?;
        self.source.reader(range.start.into()..range.end.into())
    }
}

/// Positions of a trigram: the rune offsets in the corpus of its first rune, increasing.
///
/// Stops at the first number that can't be read; [`Positions::finish`] returns whether that was the
/// end.
#[derive(Clone, Debug)]
pub struct Positions<'a> {
    rest: &'a [u8],
    at: u64,
    last: u32,
    is_damaged: bool,
}

impl<'a> Positions<'a> {
    pub(crate) fn new(bytes: &'a [u8], at: u64) -> Self {
        Positions { rest: bytes, at, last: 0, is_damaged: false }
    }

    /// Whether all of the list was read, or why not.
    pub fn finish(&self) -> Result<(), DecodeError> {
        if !self.is_damaged {
            Ok(())
        } else {
            let (what, got) = ("position of a trigram", u64::from(self.last));
            Err(DecodeError::Corrupt { what, at: self.at, want: u32::MAX.into(), got })
        }
    }

    /// The offset in the file after what was read.
    pub(crate) fn at(&self) -> u64 {
        self.at
    }

    #[cold]
    fn wide(&mut self) -> Option<u32> {
        let mut reader = Reader::new(self.rest, self.at);
        let Ok(gap) = reader.varint_u32("position of a trigram") else {
            self.is_damaged = true;
            self.rest = &[];
            return None;
        };
        self.at = reader.at();
        self.rest = reader.rest();
        Some(gap)
    }
}

impl Iterator for Positions<'_> {
    type Item = u32;

    #[inline]
    fn next(&mut self) -> Option<u32> {
        let gap = match self.rest {
            [] => return None,
            [low @ ..0x80, rest @ ..] => {
                self.rest = rest;
                self.at += 1;
                u32::from(*low)
            }
            [low, high @ ..0x80, rest @ ..] => {
                self.rest = rest;
                self.at += 2;
                u32::from(*low & 0x7f) | u32::from(*high) << 7
            }
            _ => self.wide()?,
        };
        match self.last.checked_add(gap) {
            Some(position) => self.last = position,
            None => {
                self.is_damaged = true;
                self.rest = &[];
                return None;
            }
        }
        Some(self.last)
    }
}
