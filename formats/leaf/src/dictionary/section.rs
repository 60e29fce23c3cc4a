//! The terms of one tag in a dictionary segment: found by their bytes, read by their numbers.
//!
//! Bytes:   docs/formats/leaf.md, section *dictionary*

use std::ops::Range;

use manicule_core::bytes::{DecodeError, Pages};

use super::GROUP_TERMS;
use super::footer::{Part, SectionShape};
use super::group::Group;
use super::symbols::Symbols;
use crate::head::check_max;
use crate::id::Tag;
use crate::pack::{Packed, packed_len};

/// Where a text is among the terms of a section.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Place {
    /// Number of terms below it.
    pub rank: u64,
    /// Whether it is one of them.
    pub is_there: bool,
}

/// Packed numbers, and where they lie in the file.
#[derive(Clone, Copy, Debug)]
struct Table<'a> {
    numbers: Packed<'a>,
    at: usize,
}

impl Table<'_> {
    #[inline]
    fn get(&self, pages: Option<Pages<'_>>, index: usize) -> Result<u64, DecodeError> {
        touch(pages, self.at, self.numbers.bytes_of(index))?;
        Ok(self.numbers.get(index))
    }
}

/// Checks the pages of bytes of a part that begins at an offset, where pages are checked.
#[inline]
fn touch(pages: Option<Pages<'_>>, at: usize, bytes: Range<usize>) -> Result<(), DecodeError> {
    pages.map_or(Ok(()), |pages| pages.touch(at + bytes.start..at + bytes.end))
}

/// The terms of a tag. A *number* is that of an id; a *rank* is the index of a term in the order of
/// the texts.
#[derive(Clone, Copy, Debug)]
pub struct Section<'a> {
    tag: Tag,
    first: u64,
    count: u64,
    groups: &'a [u8],
    groups_at: u64,
    group_ends: Table<'a>,
    heads: &'a [u8],
    heads_at: u64,
    head_ends: Table<'a>,
    permutation: Option<(Table<'a>, Table<'a>)>,
    symbols: Option<Symbols<'a>>,
    /// Those of the file, where they are checked.
    pages: Option<Pages<'a>>,
}

impl<'a> Section<'a> {
    pub(super) fn bind(
        shape: &SectionShape,
        bytes: &'a [u8],
        pages: Option<Pages<'a>>,
    ) -> Result<Self, DecodeError> {
        let part = |part| &bytes[shape.part(part)];
        let packed = |of, width, count| {
            let at = shape.part(of).start as u64;
            let (need, have) = (packed_len(width, count) as u64, part(of).len() as u64);
            let short = DecodeError::Short { what: "packed numbers", at, need, have };
            let numbers = Packed::new(part(of), width, count).ok_or(short)?;
            Ok(Table { numbers, at: at as usize })
        };
        let group_count = shape.group_count();
        let symbols = part(Part::Symbols);
        let symbols_at = shape.part(Part::Symbols).start as u64;
        touch(pages, symbols_at as usize, 0..symbols.len())?;
        let (width, count) = (shape.number_width(), shape.count as usize);
        Ok(Section {
            tag: shape.tag,
            first: shape.first,
            count: shape.count,
            groups: part(Part::Groups),
            groups_at: shape.part(Part::Groups).start as u64,
            group_ends: packed(Part::GroupEnds, shape.end_width(Part::Groups), group_count)?,
            heads: part(Part::Heads),
            heads_at: shape.part(Part::Heads).start as u64,
            head_ends: packed(Part::HeadEnds, shape.end_width(Part::Heads), group_count)?,
            permutation: if shape.is_permuted() {
                Some((packed(Part::Numbers, width, count)?, packed(Part::Ranks, width, count)?))
            } else {
                None
            },
            symbols: if symbols.is_empty() {
                None
            } else {
                Some(Symbols::read(symbols, symbols_at)?)
            },
            pages,
        })
    }

    /// Checks what binding leaves out.
    pub(super) fn check(&self) -> Result<(), DecodeError> {
        self.symbols.map_or(Ok(()), |symbols| symbols.check(self.heads_at))
    }

    /// The tag of the terms.
    pub fn tag(&self) -> Tag {
        self.tag
    }

    /// Offset of the heads in the file.
    pub(super) fn at(&self) -> u64 {
        self.heads_at
    }

    /// The numbers of the terms.
    pub fn numbers(&self) -> Range<u64> {
        self.first..self.first + self.count
    }

    /// Number of terms, at least one.
    pub fn count(&self) -> u64 {
        self.count
    }

    /// Whether numbers are in the order of the texts.
    pub fn is_sorted(&self) -> bool {
        self.permutation.is_none()
    }

    /// The rank of a number of the section.
    pub fn rank_of(&self, number: u64) -> Result<u64, DecodeError> {
        assert!(self.numbers().contains(&number), "a number of the section");
        let index = number - self.first;
        let Some((_, ranks)) = &self.permutation else { return Ok(index) };
        let rank = ranks.get(self.pages, index as usize)?;
        check_max("rank of a number", self.heads_at, self.count - 1, rank)?;
        Ok(rank)
    }

    /// The number of the term at a rank.
    pub fn number_at(&self, rank: u64) -> Result<u64, DecodeError> {
        assert!(rank < self.count, "a rank of the section");
        let Some((numbers, _)) = &self.permutation else { return Ok(self.first + rank) };
        let index = numbers.get(self.pages, rank as usize)?;
        check_max("number of a rank", self.heads_at, self.count - 1, index)?;
        Ok(self.first + index)
    }

    fn slice(
        &self,
        what: &'static str,
        bytes: &'a [u8],
        at: u64,
        ends: &Table<'_>,
        index: usize,
    ) -> Result<(&'a [u8], u64), DecodeError> {
        let start = index.checked_sub(1).map_or(Ok(0), |before| ends.get(self.pages, before))?;
        let end = ends.get(self.pages, index)?;
        let slice = bytes.get(start as usize..end as usize);
        let (want, got) = (bytes.len() as u64, end.max(start));
        let slice = slice.ok_or(DecodeError::Corrupt { what, at, want, got })?;
        touch(self.pages, at as usize, start as usize..end as usize)?;
        Ok((slice, at + start))
    }

    /// The first term of a group.
    fn head(&self, group: usize) -> Result<&'a [u8], DecodeError> {
        let head = self.slice("end of a head", self.heads, self.heads_at, &self.head_ends, group);
        Ok(head?.0)
    }

    pub(super) fn group(&self, group: usize) -> Result<Group<'a>, DecodeError> {
        let count = (self.count as usize - group * GROUP_TERMS).min(GROUP_TERMS);
        let ends = &self.group_ends;
        let (bytes, at) = self.slice("end of a group", self.groups, self.groups_at, ends, group)?;
        Group::read(self.head(group)?, bytes, at, count, self.symbols)
    }

    /// Where a text is, or would be.
    pub fn place_of(&self, text: &[u8]) -> Result<Place, DecodeError> {
        let (mut low, mut high) = (0, self.group_ends.numbers.count());
        while low < high {
            let middle = low.midpoint(high);
            match self.head(middle)?.cmp(text) {
                std::cmp::Ordering::Less => low = middle + 1,
                std::cmp::Ordering::Equal => {
                    return Ok(Place { rank: (middle * GROUP_TERMS) as u64, is_there: true });
                }
                std::cmp::Ordering::Greater => high = middle,
            }
        }
        let Some(group) = low.checked_sub(1) else {
            return Ok(Place { rank: 0, is_there: false });
        };
        let (term, is_there) = self.group(group)?.lower_bound(text, &mut Vec::new());
        Ok(Place { rank: (group * GROUP_TERMS + term) as u64, is_there })
    }

    /// The number of a text, or `None` if it is no term of the section.
    pub fn find(&self, text: &[u8]) -> Result<Option<u64>, DecodeError> {
        match self.place_of(text)? {
            Place { rank, is_there: true } => self.number_at(rank).map(Some),
            _ => Ok(None),
        }
    }

    /// The ranks of all terms that begin with `prefix`.
    pub fn ranks_of_prefix(&self, prefix: &[u8]) -> Result<Range<u64>, DecodeError> {
        let start = self.place_of(prefix)?.rank;
        // The least text above all that begin so: without the bytes 255 at the end, and the last
        // one before them raised.
        let kept = prefix.iter().rposition(|byte| *byte != 255);
        let Some(last) = kept else { return Ok(start..self.count) };
        let mut above = prefix[..=last].to_vec();
        above[last] += 1;
        Ok(start..self.place_of(&above)?.rank.max(start))
    }

    /// Appends the text of a number of the section.
    pub fn read(&self, number: u64, out: &mut Vec<u8>) -> Result<(), DecodeError> {
        let rank = self.rank_of(number)? as usize;
        self.group(rank / GROUP_TERMS)?.put(rank % GROUP_TERMS, out)
    }
}
