//! A segment: for each gram, the pieces of files that hold it.
//!
//! A *piece* is a run of whole lines of one file, about 16 or 32 KiB: a match within a line lies in
//! one piece. Pieces are numbered through the segment, those of a file one after the other.
//!
//! | section | bytes |
//! |---|---|
//! | 1 lists | the posting lists of pieces, by increasing gram (manicule_core::postings) |
//! | 2 present | 4096 words of 64 bits: which grams have a list |
//! | 3 ranks | 4096 times 4 bytes: how many grams have one before the word |
//! | 4 offsets | 4 bytes a list and one more: where it begins in *lists*; the last is their end |
//! | 5 pieces | 4 bytes a piece: where it begins in its file |
//! | 6 meta | 8 number, 4 piece_len, 4 piece_count |
//!
//! Bytes:   docs/formats/tree.md, section *segment*

use std::io::{self, Write};
use std::ops::Range;

use manicule_core::bytes::{DecodeError, Outline, Reader};
use manicule_core::postings::{DocSet, decode_list, encode_list};

use crate::frame::{Frame, FrameWriter, Kind, check};
use crate::grams::{self, GRAM_COUNT};

const LISTS: u32 = 1;
const PRESENT: u32 = 2;
const RANKS: u32 = 3;
const OFFSETS: u32 = 4;
const PIECES: u32 = 5;
const META: u32 = 6;

const WORD_COUNT: usize = GRAM_COUNT / 64;

/// The most bytes that the lists of one segment may take: their offsets have 32 bits.
pub const LISTS_LEN_MAX: u64 = u32::MAX as u64;

/// Posting lists being written, by increasing gram: a share of a segment that one thread encodes.
pub struct Lists {
    piece_count: u32,
    bytes: Vec<u8>,
    ends: Vec<(u32, u32)>,
}

impl Lists {
    /// No list yet, of a segment of `piece_count` pieces.
    pub fn new(piece_count: u32) -> Self {
        Lists { piece_count, bytes: Vec::new(), ends: Vec::new() }
    }

    /// Appends the list of a gram. Grams without pieces have none.
    ///
    /// # Panics
    /// If the gram does not come after the last one.
    pub fn push(&mut self, gram: u32, count: u32, pieces: impl IntoIterator<Item = u32>) {
        assert!(self.ends.last().is_none_or(|last| last.0 < gram), "grams rise");
        if count > 0 {
            encode_list(count, self.piece_count, pieces, &mut self.bytes);
            let end = u32::try_from(self.bytes.len()).expect("lists below LISTS_LEN_MAX");
            self.ends.push((gram, end));
        }
    }

    /// Length of the lists so far, in bytes.
    pub fn len(&self) -> usize {
        self.bytes.len()
    }

    /// Whether there is no list yet.
    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }
}

/// Writes the segment `number`: shares of lists, their grams increasing from share to share, and
/// where each piece begins.
///
/// Returns how many bytes it has. Fails where the sink fails, or where the lists exceed
/// [`LISTS_LEN_MAX`].
pub fn write(
    out: impl Write,
    number: u64,
    piece_len: u32,
    pieces: &[u32],
    shares: impl IntoIterator<Item = Lists>,
) -> io::Result<u64> {
    let mut frame = FrameWriter::new(out, Kind::Segment)?;
    let mut present = vec![0u64; WORD_COUNT];
    let mut offsets = Vec::new();
    let mut start = 0u64;
    frame.section(LISTS)?;
    for share in shares {
        frame.write(&share.bytes)?;
        let mut list_start = 0;
        for (gram, end) in share.ends {
            present[gram as usize / 64] |= 1 << (gram % 64);
            offsets.extend_from_slice(&((start + list_start) as u32).to_le_bytes());
            list_start = u64::from(end);
        }
        start += share.bytes.len() as u64;
        if start > LISTS_LEN_MAX {
            return Err(io::Error::other("the posting lists of one segment exceed 4 GiB"));
        }
    }
    offsets.extend_from_slice(&(start as u32).to_le_bytes());
    frame.section(PRESENT)?;
    present.iter().try_for_each(|word| frame.write(&word.to_le_bytes()))?;
    frame.section(RANKS)?;
    let mut rank = 0u32;
    for word in &present {
        frame.write(&rank.to_le_bytes())?;
        rank += word.count_ones();
    }
    frame.section(OFFSETS)?;
    frame.write(&offsets)?;
    frame.section(PIECES)?;
    pieces.iter().try_for_each(|piece| frame.write(&piece.to_le_bytes()))?;
    frame.section(META)?;
    frame.write(&number.to_le_bytes())?;
    frame.write(&piece_len.to_le_bytes())?;
    frame.write(&(pieces.len() as u32).to_le_bytes())?;
    let (mut out, len) = frame.finish()?;
    out.flush()?;
    Ok(len)
}

/// A segment, opened where it lies.
#[derive(Debug)]
pub struct Segment<'a> {
    frame: Frame<'a>,
    lists: Range<u64>,
    present: Range<u64>,
    ranks: Range<u64>,
    offsets: Range<u64>,
    pieces: Range<u64>,
    number: u64,
    piece_len: u32,
    piece_count: u32,
}

impl<'a> Segment<'a> {
    /// Binds to a segment's bytes. Costs the checksums of three pages.
    pub fn open(bytes: &'a [u8]) -> Result<Self, DecodeError> {
        let frame = Frame::open(bytes, Kind::Segment)?;
        let (meta, meta_at) = frame.section("meta", META)?;
        let mut meta = Reader::new(meta, meta_at);
        let number = meta.u64_le("number")?;
        let piece_len = meta.u32_le("piece len")?;
        let piece_count = meta.u32_le("piece count")?;
        let segment = Segment {
            lists: frame.range("lists", LISTS)?,
            present: frame.range("present", PRESENT)?,
            ranks: frame.range("ranks", RANKS)?,
            offsets: frame.range("offsets", OFFSETS)?,
            pieces: frame.range("pieces", PIECES)?,
            frame,
            number,
            piece_len,
            piece_count,
        };
        let len = |range: &Range<u64>| range.end - range.start;
        check("present len", segment.present.start, WORD_COUNT * 8, len(&segment.present))?;
        check("ranks len", segment.ranks.start, WORD_COUNT * 4, len(&segment.ranks))?;
        check("pieces len", meta_at, u64::from(piece_count) * 4, len(&segment.pieces))?;
        Ok(segment)
    }

    /// The number that the manifest names it by.
    pub fn number(&self) -> u64 {
        self.number
    }

    /// Approximate length of pieces, in bytes.
    pub fn piece_len(&self) -> u32 {
        self.piece_len
    }

    /// Number of pieces: the universe of the lists.
    pub fn piece_count(&self) -> u32 {
        self.piece_count
    }

    /// Length of a gram's list in bytes; 0 if no piece holds it. Longer lists hold more pieces, by
    /// and large.
    pub fn list_len(&self, gram: u32) -> Result<u64, DecodeError> {
        Ok(self.list(gram)?.map_or(0, |range| range.end - range.start))
    }

    /// Adds the pieces that hold a gram. Returns how many there are.
    pub fn decode(&self, gram: u32, into: &mut DocSet) -> Result<u32, DecodeError> {
        check("universe", 0, self.piece_count, into.universe())?;
        let Some(range) = self.list(gram)? else { return Ok(0) };
        let at = range.start;
        decode_list(self.frame.pages.get("posting list", range)?, at, into)
    }

    /// Offset of a piece in its file.
    ///
    /// # Panics
    /// If there is no such piece.
    pub fn piece_start(&self, piece: u32) -> Result<u32, DecodeError> {
        assert!(piece < self.piece_count, "piece {piece} of {}", self.piece_count);
        self.u32_at("piece start", self.pages_at(&self.pieces, piece, 4))
    }

    /// Checks all there is: every page, the order of grams and offsets, every list.
    pub fn verify(&self) -> Result<Statistics, DecodeError> {
        self.frame.pages.check_all()?;
        let mut statistics = Statistics::default();
        let mut end = 0;
        for gram in 0..GRAM_COUNT as u32 {
            let Some(range) = self.list(gram)? else { continue };
            let at = self.offsets.start + u64::from(statistics.list_count) * 4;
            check("list begins where the last one ends", at, end, range.start - self.lists.start)?;
            end = range.end - self.lists.start;
            check("gram holds no control", self.present.start, true, grams::is_indexed(gram))?;
            let mut set = DocSet::empty(self.piece_count);
            let count = self.decode(gram, &mut set)?;
            check("posting count", range.start, count, set.count())?;
            statistics.add(gram, count, range.end - range.start);
        }
        check("lists end", self.offsets.start, self.lists.end - self.lists.start, end)?;
        let rows = (self.offsets.end - self.offsets.start) / 4;
        check("list count", self.offsets.start, u64::from(statistics.list_count) + 1, rows)?;
        statistics.finish();
        Ok(statistics)
    }

    /// The parts of the file.
    pub fn outline(&self) -> Outline {
        let list_count = ((self.offsets.end - self.offsets.start) / 4).saturating_sub(1);
        let Segment { number, piece_len, piece_count, .. } = *self;
        self.frame.outline(Kind::Segment, |id| {
            let value = match id {
                LISTS => format!("{list_count} posting lists"),
                PRESENT => format!("{GRAM_COUNT} grams"),
                RANKS => format!("{WORD_COUNT} words"),
                OFFSETS => format!("{} offsets", list_count + 1),
                PIECES => format!("{piece_count} pieces of about {piece_len} bytes"),
                META => {
                    format!("number {number}, piece_len {piece_len}, piece_count {piece_count}")
                }
                _ => format!("section {id}"),
            };
            (section_name(id).to_owned(), value)
        })
    }

    /// Offset of a piece's row in the file, for messages.
    pub fn piece_at(&self, piece: u32) -> u64 {
        self.pages_at(&self.pieces, piece, 4).start
    }

    /// Range of a gram's list in the file.
    pub fn list(&self, gram: u32) -> Result<Option<Range<u64>>, DecodeError> {
        let word_at = self.pages_at(&self.present, gram / 64, 8);
        let word = Reader::new(self.frame.pages.get("present", word_at.clone())?, word_at.start)
            .u64_le("present")?;
        if word >> (gram % 64) & 1 == 0 {
            return Ok(None);
        }
        let rank = self.u32_at("rank", self.pages_at(&self.ranks, gram / 64, 4))?;
        let before = (word & ((1 << (gram % 64)) - 1)).count_ones();
        let row = rank.saturating_add(before);
        let start_at = self.pages_at(&self.offsets, row, 4);
        let at = start_at.start;
        let rows = self.offsets.end;
        if at + 8 > rows {
            return Err(DecodeError::Corrupt {
                what: "rank",
                at: word_at.start,
                want: rows,
                got: at + 8,
            });
        }
        let start = u64::from(self.u32_at("list offset", start_at)?);
        let end = u64::from(self.u32_at("list end", at + 4..at + 8)?);
        let lists_len = self.lists.end - self.lists.start;
        if start > end || end > lists_len {
            return Err(DecodeError::Corrupt {
                what: "list end",
                at: at + 4,
                want: lists_len,
                got: end,
            });
        }
        Ok(Some(self.lists.start + start..self.lists.start + end))
    }

    fn pages_at(&self, section: &Range<u64>, row: u32, row_len: u64) -> Range<u64> {
        let start = section.start + u64::from(row) * row_len;
        start..start + row_len
    }

    fn u32_at(&self, what: &'static str, range: Range<u64>) -> Result<u32, DecodeError> {
        let at = range.start;
        Reader::new(self.frame.pages.get(what, range)?, at).u32_le(what)
    }
}

/// Name of a section in the format's document.
pub(crate) fn section_name(id: u32) -> &'static str {
    match id {
        LISTS => "lists",
        PRESENT => "present",
        RANKS => "ranks",
        OFFSETS => "offsets",
        PIECES => "pieces",
        META => "meta",
        _ => "unknown",
    }
}

/// Statistics of a segment's lists.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Statistics {
    /// Number of grams with a list.
    pub list_count: u32,
    /// Number of postings in all lists together.
    pub posting_count: u64,
    /// The lengths of the lists in pieces: median, 90th and 99th percentile, longest.
    pub lengths: [u32; 4],
    /// The grams with the longest lists, longest first, with their lengths in pieces and bytes.
    pub densest: Vec<(u32, u32, u64)>,
    counts: Vec<u32>,
}

impl Statistics {
    const DENSEST_COUNT: usize = 10;

    fn add(&mut self, gram: u32, count: u32, len: u64) {
        self.list_count += 1;
        self.posting_count += u64::from(count);
        self.counts.push(count);
        self.densest.push((gram, count, len));
        if self.densest.len() >= 64 * Self::DENSEST_COUNT {
            self.keep_densest();
        }
    }

    fn keep_densest(&mut self) {
        self.densest.sort_unstable_by_key(|row| (std::cmp::Reverse(row.1), row.0));
        self.densest.truncate(Self::DENSEST_COUNT);
    }

    fn finish(&mut self) {
        self.keep_densest();
        let mut counts = std::mem::take(&mut self.counts);
        counts.sort_unstable();
        if let Some(last) = counts.len().checked_sub(1) {
            self.lengths = [50, 90, 99, 100].map(|percent| counts[last * percent / 100]);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sample() -> Vec<u8> {
        let mut first = Lists::new(100);
        first.push(grams::gram(1, 1, 1), 3, [0, 50, 99]);
        first.push(grams::gram(1, 1, 2), 100, 0..100);
        let mut second = Lists::new(100);
        second.push(grams::gram(63, 63, 63), 1, [42]);
        let mut bytes = Vec::new();
        let pieces: Vec<u32> = (0..100).map(|piece| piece % 10 * 16384).collect();
        let len = write(&mut bytes, 7, 16384, &pieces, [first, second]).unwrap();
        assert_eq!(len, bytes.len() as u64);
        bytes
    }

    #[test]
    fn lists_read_back() {
        let bytes = sample();
        let segment = Segment::open(&bytes).unwrap();
        let read = |gram| {
            let mut set = DocSet::empty(100);
            segment.decode(gram, &mut set).unwrap();
            set.iter().collect::<Vec<_>>()
        };
        assert_eq!(read(grams::gram(1, 1, 1)), [0, 50, 99]);
        assert_eq!(read(grams::gram(1, 1, 2)).len(), 100);
        assert_eq!(read(grams::gram(63, 63, 63)), [42]);
        assert!(read(grams::gram(1, 1, 3)).is_empty());
        assert_eq!(segment.piece_start(13).unwrap(), 3 * 16384);
        let statistics = segment.verify().unwrap();
        assert_eq!((statistics.list_count, statistics.posting_count), (3, 104));
        assert_eq!(statistics.densest[0].0, grams::gram(1, 1, 2));
    }

    #[test]
    fn every_flipped_byte_is_an_error_or_the_same_answer() {
        let bytes = sample();
        for at in 0..bytes.len() {
            let mut flipped = bytes.clone();
            flipped[at] ^= 0x41;
            let Ok(segment) = Segment::open(&flipped) else { continue };
            assert!(segment.verify().is_err(), "flipped at {at}");
            let mut set = DocSet::empty(100);
            if let Ok(count) = segment.decode(grams::gram(1, 1, 1), &mut set) {
                assert_eq!(count, 3, "flipped at {at}");
            }
        }
    }
}
