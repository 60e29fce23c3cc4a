//! The frame of an index: its header, its table of contents, and the sections in their order.

use std::ops::Range;

use manicule_core::bytes::{DecodeError, Reader};
use manicule_core::findings::Report;

use crate::index::{INDEX_MAGIC, TOC_LEN, Toc, Version};
use crate::{crc, sections};

/// An index whose sections can be found.
pub(super) struct Frame<'a> {
    pub bytes: &'a [u8],
    pub version: Version,
    pub toc: Toc,
}

/// Length of magic and version.
const HEADER_LEN: u64 = 5;

/// Reads header and table of contents. Without the table no section can be found.
pub(super) fn check<'a>(bytes: &'a [u8], report: &mut Report) -> Option<Frame<'a>> {
    let magic = bytes.get(..4).unwrap_or_default();
    if magic != INDEX_MAGIC {
        let got = format_args!("{magic:02x?}");
        report.find(sections::HEADER, 0, "magic", format_args!("{INDEX_MAGIC:02x?}"), got);
    }
    let version = match bytes.get(4) {
        Some(1) => Version::V1,
        Some(2) => Version::V2,
        Some(3) => {
            report.warn(sections::HEADER, 4, "version that nobody writes, read as 2", 2, 3);
            Version::V3
        }
        Some(other) => {
            report.find(sections::HEADER, 4, "version", "1, 2 or 3", other);
            Version::V2
        }
        None => {
            report.find(sections::HEADER, 4, "version", "one byte", "the end of the file");
            return None;
        }
    };
    let toc = report.ok(sections::TOC, Toc::decode(bytes))?;
    let frame = Frame { bytes, version, toc };
    frame.order(report);
    Some(frame)
}

impl<'a> Frame<'a> {
    /// Offset of the table of contents.
    pub(super) fn end(&self) -> u64 {
        (self.bytes.len() - TOC_LEN) as u64
    }

    /// Sections follow each other. That each begins where the one before it ends is reported by
    /// their own checks.
    fn order(&self, report: &mut Report) {
        let toc = &self.toc;
        let rows = [
            (sections::SYMBOLS, toc.symbols),
            (sections::SERIES, toc.series),
            (sections::LABEL_INDICES, toc.label_indices),
            (sections::POSTINGS, toc.postings),
            (sections::LABEL_INDEX_TABLE, toc.label_indices_table),
            (sections::POSTINGS_TABLE, toc.postings_table),
        ];
        // As they stand in the table of contents.
        let place = [0, 1, 2, 4, 3, 5];
        let mut before = ("the header", HEADER_LEN);
        for ((name, at), place) in rows.into_iter().zip(place) {
            let row_at = self.end() + 8 * place;
            if at < before.1 {
                let want = format_args!("{} or more, behind {}", before.1, before.0);
                report.find(sections::TOC, row_at, format_args!("offset of {name}"), want, at);
            } else if at > self.end() {
                let want = format_args!("{} at most", self.end());
                report.find(sections::TOC, row_at, format_args!("offset of {name}"), want, at);
            } else {
                before = (name, at);
            }
        }
        if toc.symbols != HEADER_LEN {
            let what = "offset of symbols";
            report.find(sections::TOC, self.end(), what, HEADER_LEN, toc.symbols);
        }
        let is_plain =
            (toc.label_indices == toc.postings, toc.label_indices_table == toc.postings_table);
        if is_plain.0 != is_plain.1 {
            let what = "label indices and their table";
            let word = |is_plain| if is_plain { "none" } else { "some" };
            let at = self.end() + 16;
            report.find(sections::TOC, at, what, word(is_plain.0), word(is_plain.1));
        }
    }

    /// Whether the sections of older writers are there.
    pub(super) fn has_label_indices(&self) -> bool {
        self.toc.label_indices != self.toc.postings
            && self.toc.label_indices_table != self.toc.postings_table
    }

    /// A section `| 4 len | len bytes | 4 CRC |`: a reader of its bytes, and where it ends.
    pub(super) fn section(
        &self,
        at: u64,
        what: &'static str,
    ) -> Result<(Reader<'a>, u64), DecodeError> {
        let mut reader = self.reader_at(at, what)?;
        let len = reader.u32_be(what)?;
        let start = reader.at();
        let covered = reader.take(what, len as usize)?;
        crc::check(what, covered, &mut reader)?;
        Ok((Reader::new(covered, start), reader.at()))
    }

    /// A reader of what lies between an offset and the table of contents.
    pub(super) fn reader_at(&self, at: u64, what: &'static str) -> Result<Reader<'a>, DecodeError> {
        if at > self.end() {
            return Err(DecodeError::Short { what, at, need: 1, have: 0 });
        }
        Ok(Reader::new(&self.bytes[at as usize..self.end() as usize], at))
    }

    /// Bytes that fill up to the next multiple are zero. Gives where that is, or the end if that
    /// comes first.
    pub(super) fn padding(
        &self,
        section: &'static str,
        at: u64,
        to: u64,
        report: &mut Report,
    ) -> u64 {
        let next = at.checked_next_multiple_of(to).unwrap_or(at).min(self.end()).max(at);
        self.zeros(section, at..next, report);
        next
    }

    /// Padding is zero.
    pub(super) fn zeros(&self, section: &'static str, range: Range<u64>, report: &mut Report) {
        let bytes = range.start as usize..range.end as usize;
        let filled = self.bytes.get(bytes).unwrap_or_default();
        if let Some(place) = filled.iter().position(|byte| *byte != 0) {
            report.find(section, range.start + place as u64, "padding", 0, filled[place]);
        }
    }
}
