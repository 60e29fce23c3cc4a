//! Frame of both files of a tree's index: a magic, sections, a table of them, a checksum for each
//! page.
//!
//! ```text
//! | 4 magic "MANT" | 4 kind | 4 version | 4 zero |
//! | sections, each padded to 8 bytes |
//! | table: for each section | 4 id | 4 zero | 8 offset | 8 len | |
//! | page sums: 4 bytes CRC-32 for each 4096 bytes of all the above |
//! | footer: | 8 table offset | 8 sums offset | 4 section_count | 4 CRC-32 of sums and footer so far | |
//! ```
//! The table follows the sections, so a writer streams. All numbers are little-endian.
//!
//! Bytes:   docs/formats/tree.md, section *frame*

use std::io::{self, Write};
use std::ops::Range;

use manicule_core::bytes::{DecodeError, Outline, PAGE_LEN, PageSums, Reader};

/// The version that is written, and the only one that is read: an index of another one is built
/// from scratch.
pub const VERSION: u32 = 1;

const MAGIC: [u8; 4] = *b"MANT";
const HEADER_LEN: usize = 16;
const TABLE_ROW_LEN: usize = 24;
const FOOTER_LEN: usize = 24;
const SECTION_ALIGN: u64 = 8;

/// Kind of the file, one of two.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Folders, files and their fingerprints.
    Manifest,
    /// Posting lists of grams.
    Segment,
}

impl Kind {
    fn tag(self) -> [u8; 4] {
        match self {
            Kind::Manifest => *b"MANI",
            Kind::Segment => *b"GRAM",
        }
    }
}

/// Kind of a file of a tree's index, by its first bytes; `None` if it is no such file.
pub fn kind_of(head: &[u8]) -> Option<Kind> {
    let tag = head.strip_prefix(&MAGIC)?.first_chunk::<4>()?;
    [Kind::Manifest, Kind::Segment].into_iter().find(|kind| kind.tag() == *tag)
}

/// Writes a file of the index front to back.
pub(crate) struct FrameWriter<W> {
    out: W,
    at: u64,
    sums: Vec<u8>,
    page: crc32fast::Hasher,
    rows: Vec<(u32, Range<u64>)>,
}

impl<W: Write> FrameWriter<W> {
    pub(crate) fn new(out: W, kind: Kind) -> io::Result<Self> {
        let page = crc32fast::Hasher::new();
        let mut frame = FrameWriter { out, at: 0, sums: Vec::new(), page, rows: Vec::new() };
        frame.write(&MAGIC)?;
        frame.write(&kind.tag())?;
        frame.write(&VERSION.to_le_bytes())?;
        frame.write(&[0; 4])?;
        Ok(frame)
    }

    /// Begins the section `id`; what is written next belongs to it.
    pub(crate) fn section(&mut self, id: u32) -> io::Result<()> {
        self.end_section()?;
        self.rows.push((id, self.at..self.at));
        Ok(())
    }

    pub(crate) fn write(&mut self, mut bytes: &[u8]) -> io::Result<()> {
        self.out.write_all(bytes)?;
        while !bytes.is_empty() {
            let room = PAGE_LEN - (self.at % PAGE_LEN as u64) as usize;
            let (now, rest) = bytes.split_at(room.min(bytes.len()));
            self.page.update(now);
            self.at += now.len() as u64;
            if self.at.is_multiple_of(PAGE_LEN as u64) {
                self.end_page();
            }
            bytes = rest;
        }
        Ok(())
    }

    /// Writes table, sums and footer. Returns the sink and how many bytes it was given.
    pub(crate) fn finish(mut self) -> io::Result<(W, u64)> {
        self.end_section()?;
        let table_at = self.at;
        for (id, range) in std::mem::take(&mut self.rows) {
            self.write(&id.to_le_bytes())?;
            self.write(&[0; 4])?;
            self.write(&range.start.to_le_bytes())?;
            self.write(&(range.end - range.start).to_le_bytes())?;
        }
        let sums_at = self.at;
        let section_count = ((sums_at - table_at) / TABLE_ROW_LEN as u64) as u32;
        if !self.at.is_multiple_of(PAGE_LEN as u64) {
            self.end_page();
        }
        let mut tail = std::mem::take(&mut self.sums);
        tail.extend_from_slice(&table_at.to_le_bytes());
        tail.extend_from_slice(&sums_at.to_le_bytes());
        tail.extend_from_slice(&section_count.to_le_bytes());
        let sum = crc32fast::hash(&tail);
        tail.extend_from_slice(&sum.to_le_bytes());
        self.out.write_all(&tail)?;
        Ok((self.out, sums_at + tail.len() as u64))
    }

    fn end_section(&mut self) -> io::Result<()> {
        if let Some((_, range)) = self.rows.last_mut() {
            range.end = self.at;
        }
        let over = self.at % SECTION_ALIGN;
        if over > 0 {
            self.write(&[0; SECTION_ALIGN as usize][over as usize..])?;
        }
        Ok(())
    }

    fn end_page(&mut self) {
        let page = std::mem::replace(&mut self.page, crc32fast::Hasher::new());
        self.sums.extend_from_slice(&page.finalize().to_le_bytes());
    }
}

/// A file of the index, opened: its sections by id, its pages checked as they are read.
#[derive(Debug)]
pub(crate) struct Frame<'a> {
    pub(crate) pages: PageSums<'a>,
    rows: Vec<(u32, Range<u64>)>,
    body_len: u64,
    file_len: u64,
}

impl<'a> Frame<'a> {
    /// Binds to the bytes of a whole file. Costs a checksum of the sums and of the pages of header
    /// and table.
    pub(crate) fn open(bytes: &'a [u8], kind: Kind) -> Result<Self, DecodeError> {
        let file_len = bytes.len() as u64;
        let Some(footer_at) = bytes.len().checked_sub(FOOTER_LEN) else {
            return Err(DecodeError::Short { what: "footer", at: 0, need: 24, have: file_len });
        };
        let mut footer = Reader::new(&bytes[footer_at..], footer_at as u64);
        let table_at = footer.u64_le("table offset")?;
        let sums_at = footer.u64_le("sums offset")?;
        let section_count = footer.u32_le("section count")?;
        let sum = footer.u32_le("footer checksum")?;
        let sums_len = sums_at.div_ceil(PAGE_LEN as u64).saturating_mul(4);
        let table_len = u64::from(section_count) * TABLE_ROW_LEN as u64;
        check("sums end at the footer", footer_at, footer_at, sums_at.saturating_add(sums_len))?;
        check("table ends at the sums", footer_at, sums_at, table_at.saturating_add(table_len))?;
        let (body, tail) = bytes.split_at(sums_at as usize);
        let computed = crc32fast::hash(&tail[..tail.len() - 4]);
        if sum != computed {
            let (what, at) = ("footer checksum", footer_at as u64);
            return Err(DecodeError::Checksum { what, at, stored: sum, computed });
        }
        let pages = PageSums::new(body, &tail[..sums_len as usize]);

        let mut header = Reader::new(pages.get("header", 0..HEADER_LEN as u64)?, 0);
        check("magic", 0, u32::from_le_bytes(MAGIC), header.u32_le("magic")?)?;
        check("kind", 4, u32::from_le_bytes(kind.tag()), header.u32_le("kind")?)?;
        check("version", 8, VERSION, header.u32_le("version")?)?;
        let table = pages.get("section table", table_at..sums_at)?;
        let rows = read_table(Reader::new(table, table_at), section_count, table_at)?;
        Ok(Frame { pages, rows, body_len: sums_at, file_len })
    }

    /// Whether there is such a section.
    pub(crate) fn has(&self, id: u32) -> bool {
        self.rows.iter().any(|row| row.0 == id)
    }

    /// Range of a section.
    pub(crate) fn range(&self, what: &'static str, id: u32) -> Result<Range<u64>, DecodeError> {
        let row = self.rows.iter().find(|row| row.0 == id);
        row.map(|row| row.1.clone()).ok_or(DecodeError::Short { what, at: 0, need: 1, have: 0 })
    }

    /// A section's bytes, all its pages checked; and its offset.
    pub(crate) fn section(
        &self,
        what: &'static str,
        id: u32,
    ) -> Result<(&'a [u8], u64), DecodeError> {
        let range = self.range(what, id)?;
        let at = range.start;
        Ok((self.pages.get(what, range)?, at))
    }

    /// The parts that every file has, around rows for the sections that `describe` names.
    pub(crate) fn outline(
        &self,
        kind: Kind,
        describe: impl Fn(u32) -> (String, String),
    ) -> Outline {
        let mut outline = Outline::default();
        outline.push(0..4, "magic", "\"MANT\"");
        outline.push(4..8, "kind", format!("{:?}", kind).to_lowercase());
        outline.push(8..12, "version", VERSION);
        for (id, range) in &self.rows {
            let (name, value) = describe(*id);
            outline.push(range.clone(), name, value);
        }
        let table_at = self.body_len - self.rows.len() as u64 * TABLE_ROW_LEN as u64;
        let footer_at = self.file_len - FOOTER_LEN as u64;
        let page_count = (footer_at - self.body_len) / 4;
        outline.push(
            table_at..self.body_len,
            "section table",
            format!("{} sections", self.rows.len()),
        );
        outline.push(self.body_len..footer_at, "page sums", format!("{page_count} pages"));
        outline.push(footer_at..self.file_len, "footer", "");
        outline
    }
}

fn read_table(
    mut table: Reader<'_>,
    section_count: u32,
    table_at: u64,
) -> Result<Vec<(u32, Range<u64>)>, DecodeError> {
    // Bounded: the table's bytes are at hand, 24 for each section.
    let mut rows = Vec::with_capacity(section_count as usize);
    for _ in 0..section_count {
        let id = table.u32_le("section id")?;
        table.u32_le("zero")?;
        let at = table.at();
        let start = table.u64_le("section offset")?;
        let len = table.u64_le("section len")?;
        let end = start.saturating_add(len);
        if end > table_at {
            let (want, got) = (table_at, end);
            return Err(DecodeError::Corrupt { what: "section end", at, want, got });
        }
        rows.push((id, start..end));
    }
    Ok(rows)
}

/// An error unless the file says what the format wants.
pub(crate) fn check<T: TryInto<u64>, U: TryInto<u64>, V: TryInto<u64>>(
    what: &'static str,
    at: T,
    want: U,
    got: V,
) -> Result<(), DecodeError> {
    let number = |value: Result<u64, _>| value.unwrap_or(u64::MAX);
    let (want, got) = (number(want.try_into().map_err(drop)), number(got.try_into().map_err(drop)));
    if want == got {
        return Ok(());
    }
    Err(DecodeError::Corrupt { what, at: number(at.try_into().map_err(drop)), want, got })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sample() -> Vec<u8> {
        let mut frame = FrameWriter::new(Vec::new(), Kind::Segment).unwrap();
        frame.section(7).unwrap();
        frame.write(b"abc").unwrap();
        frame.section(9).unwrap();
        frame.write(&[5; 9000]).unwrap();
        let (bytes, len) = frame.finish().unwrap();
        assert_eq!(bytes.len() as u64, len);
        bytes
    }

    #[test]
    fn sections_read_back() {
        let bytes = sample();
        let frame = Frame::open(&bytes, Kind::Segment).unwrap();
        assert_eq!(frame.section("seven", 7).unwrap(), (&b"abc"[..], 16));
        assert_eq!(frame.section("nine", 9).unwrap().0, [5; 9000]);
        assert!(frame.section("eight", 8).is_err());
        frame.pages.check_all().unwrap();
    }

    #[test]
    fn another_kind_is_refused() {
        assert!(Frame::open(&sample(), Kind::Manifest).is_err());
        assert_eq!(kind_of(&sample()), Some(Kind::Segment));
        assert_eq!(kind_of(b"MANTxxxx"), None);
    }

    #[test]
    fn every_cut_and_every_flipped_bit_is_found() {
        let bytes = sample();
        let read = |bytes: &[u8]| Frame::open(bytes, Kind::Segment)?.pages.check_all();
        for len in 0..bytes.len() {
            assert!(read(&bytes[..len]).is_err(), "cut at {len}");
        }
        for at in 0..bytes.len() {
            let mut flipped = bytes.clone();
            flipped[at] ^= 1 << (at % 8);
            assert!(read(&flipped).is_err(), "flipped at {at}");
        }
    }
}
