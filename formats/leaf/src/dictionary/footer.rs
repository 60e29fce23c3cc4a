//! Table and footer of a dictionary segment: where the parts of each section end.
//!
//! Bytes:   docs/formats/leaf.md, section *dictionary*

use std::ops::Range;

use manicule_core::bytes::{DecodeError, PAGE_LEN, PageChecks, PageSums, Reader};

use super::GROUP_TERMS;
use crate::head::{FileKind, HEAD_LEN, check, check_max, check_sum, read_head};
use crate::id::{Id, Tag};
use crate::pack::{SLACK, packed_len, width_of};

/// Number of tags whose terms have texts.
pub(super) const SECTIONS_MAX: usize = 5;
pub(super) const PARTS: usize = 7;
pub(super) const ROW_LEN: usize = 2 * size_of::<u32>() + (2 + PARTS) * size_of::<u64>();
const FOOTER_LEN: usize = size_of::<u64>() + 2 * size_of::<u32>();

/// A part of a section.
#[derive(Clone, Copy, Debug)]
pub(super) enum Part {
    Groups,
    GroupEnds,
    Heads,
    HeadEnds,
    Numbers,
    Ranks,
    Symbols,
}

/// Where a section lies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct SectionShape {
    pub(super) tag: Tag,
    pub(super) first: u64,
    pub(super) count: u64,
    pub(super) start: u64,
    pub(super) ends: [u64; PARTS],
}

impl SectionShape {
    pub(super) fn part(&self, part: Part) -> Range<usize> {
        let before = (part as usize).checked_sub(1).map_or(self.start, |before| self.ends[before]);
        before as usize..self.ends[part as usize] as usize
    }

    pub(super) fn group_count(&self) -> usize {
        (self.count as usize).div_ceil(GROUP_TERMS)
    }

    /// Width of the ends of slices of a part.
    pub(super) fn end_width(&self, part: Part) -> u8 {
        width_of(self.part(part).len() as u64)
    }

    /// Width of numbers and ranks in the permutation.
    pub(super) fn number_width(&self) -> u8 {
        width_of(self.count - 1)
    }

    pub(super) fn is_permuted(&self) -> bool {
        !self.part(Part::Numbers).is_empty()
    }

    fn check(&self, at: u64) -> Result<(), DecodeError> {
        let len = |part: Part| self.part(part).len() as u64;
        let ends_len = |part| (packed_len(self.end_width(part), self.group_count()) + SLACK) as u64;
        check("length of the group ends", at, ends_len(Part::Groups), len(Part::GroupEnds))?;
        check("length of the head ends", at, ends_len(Part::Heads), len(Part::HeadEnds))?;
        if self.is_permuted() {
            let want = (packed_len(self.number_width(), self.count as usize) + SLACK) as u64;
            check("length of the numbers", at, want, len(Part::Numbers))?;
            return check("length of the ranks", at, want, len(Part::Ranks));
        }
        check("length of the ranks of none", at, 0, len(Part::Ranks))
    }
}

/// What opening a dictionary found: kept by who maps the file, so that it is bound again for
/// nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DictionaryShape {
    pub(super) sections: [Option<SectionShape>; SECTIONS_MAX],
    pub(super) table_at: u64,
    pub(super) sums_at: u64,
    pub(super) len: u64,
}

impl DictionaryShape {
    /// Checks of its pages, none of which was made yet.
    pub fn checks(&self) -> PageChecks {
        PageChecks::of_len(self.sums_at)
    }
}

pub(super) fn read_shape(bytes: &[u8]) -> Result<DictionaryShape, DecodeError> {
    let detail = read_head(bytes, FileKind::Dictionary)?;
    check("zeros in the head", 12, 0, u32::from_le_bytes(detail).into())?;
    let len = bytes.len() as u64;
    let Some(footer_at) = bytes.len().checked_sub(FOOTER_LEN).filter(|at| *at >= HEAD_LEN) else {
        let need = (HEAD_LEN + FOOTER_LEN) as u64;
        return Err(DecodeError::Short { what: "footer", at: 0, need, have: len });
    };
    let mut footer = Reader::new(&bytes[footer_at..], footer_at as u64);
    let table_at = footer.u64_le("table offset")?;
    let section_count = footer.u32_le("section count")?;
    let sum = footer.u32_le("footer checksum")?;
    check_max("section count", footer_at as u64 + 8, SECTIONS_MAX as u64, section_count.into())?;
    let sums_at = table_at.saturating_add(u64::from(section_count) * ROW_LEN as u64);
    let sums_len = sums_at.div_ceil(PAGE_LEN as u64).saturating_mul(4);
    check(
        "end of the page sums",
        footer_at as u64,
        footer_at as u64,
        sums_at.saturating_add(sums_len),
    )?;
    let tail = &bytes[sums_at as usize..];
    check_sum("footer", footer_at as u64, sum, &tail[..tail.len() - 4])?;
    let pages = PageSums::new(&bytes[..sums_at as usize], &tail[..sums_len as usize]);
    let table = pages.get("section table", table_at..sums_at)?;
    let mut shape = DictionaryShape { sections: [None; SECTIONS_MAX], table_at, sums_at, len };
    let (mut end, mut last) = (HEAD_LEN as u64, None);
    let mut rows = Reader::new(table, table_at);
    for section in &mut shape.sections[..section_count as usize] {
        let row = read_row(&mut rows, end, table_at)?;
        let is_after = last.is_none_or(|last| last < row.tag);
        check("tag of a section, above that before", table_at, 1, is_after.into())?;
        end = row.ends[PARTS - 1];
        last = Some(row.tag);
        *section = Some(row);
    }
    check("end of the sections", table_at, table_at, end)?;
    Ok(shape)
}

fn read_row(row: &mut Reader<'_>, start: u64, table_at: u64) -> Result<SectionShape, DecodeError> {
    let at = row.at();
    let tag = row.u32_le("tag of a section")?;
    let known = u8::try_from(tag).ok().map(Tag).filter(|tag| tag.has_text());
    let Some(tag) = known else {
        let (what, want, got) = ("tag of a section", Tag::TRIPLE.0.into(), tag.into());
        return Err(DecodeError::Corrupt { what, at, want, got });
    };
    check("zero of a section", at + 4, 0, row.u32_le("zero of a section")?.into())?;
    let (first, count) = (row.u64_le("first number")?, row.u64_le("count of a section")?);
    // Each term has bits of its own in the file, but for the sixteenth part of them: a head may be
    // empty.
    let count_max = table_at.saturating_mul(8);
    check_max("count of a section", at + 16, count_max - 1, count.wrapping_sub(1))?;
    check_max(
        "last number of a section",
        at + 8,
        Id::PAYLOAD_MAX,
        first.saturating_add(count - 1),
    )?;
    let mut ends = [0; PARTS];
    let mut last = start;
    for end in &mut ends {
        let at = row.at();
        *end = row.u64_le("end of a part")?;
        check_max("end of a part", at, table_at, *end)?;
        check_max("start of a part", at, *end, last)?;
        last = *end;
    }
    let shape = SectionShape { tag, first, count, start, ends };
    shape.check(at)?;
    Ok(shape)
}
