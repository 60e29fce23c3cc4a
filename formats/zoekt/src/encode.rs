//! A shard's sections placed one after the other, and the bytes of those that are no texts.
//!
//! Who writes a shard asks [`Layout`] for the place of each section in the order of the file, and
//! may then write the sections from several threads.
//!
//! Bytes:   docs/formats/zoekt.md, section *Sections*

use std::fmt;

use manicule_core::bytes::put_uvarint;

use crate::layout::{
    Extent, FILE_ORDER, ITEM_LEN, SECTION_COUNT, SHARD_LEN_MAX, Section, Shape, Toc,
};
use crate::metadata::Repository;

/// The sections so far of a shard being written.
#[derive(Debug)]
pub struct Layout {
    at: u64,
    next: usize,
    extents: [Extent; SECTION_COUNT],
}

/// Offsets of a compound section that was placed.
#[derive(Debug)]
pub struct Placed {
    /// Offset of its items.
    pub at: u64,
    /// Offset of its index.
    pub index_at: u64,
    /// The bytes of the index.
    pub index: Vec<u8>,
}

/// A shard that would be longer than its offsets can express.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TooLong {
    /// The section that doesn't fit.
    pub section: Section,
    /// Length that the shard would have with it.
    pub len: u64,
}

impl fmt::Display for TooLong {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let TooLong { section, len } = self;
        write!(
            f,
            "the shard would have {len} bytes up to section {}; its offsets have 32 bits, so \
             {SHARD_LEN_MAX} is the most that a shard can have",
            section.tag()
        )
    }
}

impl std::error::Error for TooLong {}

impl Default for Layout {
    fn default() -> Self {
        Layout { at: 0, next: 0, extents: [Extent::default(); SECTION_COUNT] }
    }
}

impl Layout {
    /// Places a section of `len` bytes: its offset.
    ///
    /// # Panics
    /// If it isn't simple, or not the next one in the order of the file.
    pub fn simple(&mut self, section: Section, len: usize) -> Result<u64, TooLong> {
        assert_eq!(section.shape(), Shape::Simple, "{}", section.tag());
        let at = self.take(section, len as u64)?;
        self.extents[section as usize] =
            Extent { at: at as u32, len: len as u32, ..Extent::default() };
        Ok(at)
    }

    /// Places a section of items with these lengths, and its index.
    ///
    /// # Panics
    /// If it isn't compound, or not the next one in the order of the file.
    pub fn compound(
        &mut self,
        section: Section,
        lens: impl Iterator<Item = u32>,
    ) -> Result<Placed, TooLong> {
        assert_ne!(section.shape(), Shape::Simple, "{}", section.tag());
        let start = self.at;
        let mut index = Vec::with_capacity(lens.size_hint().0 * ITEM_LEN);
        let mut at = start;
        for len in lens {
            // Whether it fits is asked below, of the whole section.
            index.extend_from_slice(&(at as u32).to_be_bytes());
            at += u64::from(len);
        }
        let len = at - start;
        self.take(section, len + index.len() as u64)?;
        self.extents[section as usize] = Extent {
            at: start as u32,
            len: len as u32,
            index_at: at as u32,
            index_len: index.len() as u32,
        };
        Ok(Placed { at: start, index_at: at, index })
    }

    /// Leaves a section out, as those are that only shards of several repositories have.
    pub fn leave_out(&mut self, section: Section) {
        assert_eq!(FILE_ORDER[self.next], section, "sections come in the order of the file");
        self.next += 1;
    }

    fn take(&mut self, section: Section, len: u64) -> Result<u64, TooLong> {
        assert_eq!(FILE_ORDER[self.next], section, "sections come in the order of the file");
        let at = self.at;
        if at + len > SHARD_LEN_MAX {
            return Err(TooLong { section, len: at + len });
        }
        self.next += 1;
        self.at += len;
        Ok(at)
    }

    /// The end of the shard: its offset, and its bytes. The shard is as long as both together.
    ///
    /// # Panics
    /// If a section is missing.
    pub fn finish(self) -> Result<(u64, Vec<u8>), TooLong> {
        assert_eq!(self.next, FILE_ORDER.len(), "all sections are there");
        let mut end = Toc::encode(&self.extents);
        let toc_len = end.len() as u32;
        let len = self.at + end.len() as u64 + crate::layout::TRAILER_LEN as u64;
        if len > SHARD_LEN_MAX {
            return Err(TooLong { section: Section::RepoMetaData, len });
        }
        end.extend_from_slice(&(self.at as u32).to_be_bytes());
        end.extend_from_slice(&toc_len.to_be_bytes());
        Ok((self.at, end))
    }
}

/// Number of runes from one stored byte offset to the next.
pub const RUNES_A_SAMPLE: u32 = 100;

/// Collects the byte offset of each hundredth rune of a corpus, text by text.
#[derive(Debug, Default)]
pub struct RuneSamples {
    offsets: Vec<u32>,
    rune: u32,
    byte: u32,
}

impl RuneSamples {
    /// Begins in the middle of a corpus, at rune number `rune` and byte number `byte`.
    pub fn starting_at(rune: u32, byte: u32) -> Self {
        RuneSamples { offsets: Vec::new(), rune, byte }
    }

    /// Adds a text of `rune_count` runes.
    pub fn add(&mut self, text: &[u8], rune_count: u32) {
        let start = self.rune;
        let mut next = start.next_multiple_of(RUNES_A_SAMPLE);
        if rune_count as usize == text.len() {
            while next < start + rune_count {
                self.offsets.push(self.byte + (next - start));
                next += RUNES_A_SAMPLE;
            }
        } else {
            for (rune, (offset, _)) in (start..).zip(crate::runes::runes(text)) {
                if rune == next {
                    self.offsets.push(self.byte + offset as u32);
                    next += RUNES_A_SAMPLE;
                }
            }
        }
        self.rune += rune_count;
        self.byte += text.len() as u32;
    }

    /// The offsets so far.
    pub fn offsets(&self) -> &[u32] {
        &self.offsets
    }
}

/// A list of numbers as sized deltas.
pub fn sized_deltas(numbers: impl ExactSizeIterator<Item = u32>) -> Vec<u8> {
    let mut out = Vec::with_capacity(numbers.len() * 2 + 2);
    crate::deltas::encode(numbers, &mut out);
    out
}

/// A list of numbers of 16 bits as sized deltas.
pub fn short_deltas(numbers: impl ExactSizeIterator<Item = u16>) -> Vec<u8> {
    let mut out = Vec::with_capacity(numbers.len() + 2);
    put_uvarint(numbers.len() as u64, &mut out);
    let mut last = 0u16;
    for number in numbers {
        put_uvarint(number.wrapping_sub(last).into(), &mut out);
        last = number;
    }
    out
}

/// The bytes of section *reposIDsBitmap*: the ids of the repositories, if each has one.
pub fn ids_bitmap(repositories: &[Repository]) -> Option<Vec<u8>> {
    let mut ids: Vec<u32> = repositories.iter().map(|repository| repository.id).collect();
    ids.sort_unstable();
    ids.dedup();
    let has_ids = ids.first().is_some_and(|first| *first != 0);
    has_ids.then(|| crate::roaring::encode(&ids))
}

/// Line ends of a text, as an item of section *newlines*.
pub fn newlines(text: &[u8]) -> Vec<u8> {
    let offsets: Vec<u32> = memchr::memchr_iter(b'\n', text).map(|at| at as u32).collect();
    sized_deltas(offsets.into_iter())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn samples_are_those_of_a_walk_over_all_runes() {
        let texts =
            ["a".repeat(250), "é".repeat(99), String::new(), "日a".repeat(130), "x".repeat(101)];
        let mut samples = RuneSamples::default();
        texts.iter().for_each(|text| samples.add(text.as_bytes(), text.chars().count() as u32));
        let whole = texts.concat();
        let want: Vec<u32> = whole.char_indices().step_by(100).map(|(at, _)| at as u32).collect();
        assert_eq!(samples.offsets(), want);
    }

    #[test]
    fn a_shard_that_is_too_long_is_refused() {
        let mut layout = Layout::default();
        let refused = layout.compound(Section::FileContents, [u32::MAX - 2].into_iter());
        assert_eq!(refused.unwrap_err().section, Section::FileContents);
    }
}
