//! Bytes of a shard, all at hand or brought by ranges, and which of them who searches it reads.

use std::fmt;
use std::ops::Range;

use manicule_core::bytes::{DecodeError, FileBytes, Reader};

use crate::layout::{FILE_ORDER, Section, TRAILER_LEN, Toc};

/// Bytes of the end of a shard that are brought with the trailer: the table of contents, the JSON
/// of a usual repository and what is written before it of some hundred documents.
const TAIL_LEN: u64 = 16 << 10;

/// A shard's bytes, of which some may still be elsewhere.
#[derive(Clone, Copy)]
pub(crate) struct Source<'a> {
    bytes: &'a [u8],
    elsewhere: Option<&'a (dyn FileBytes + Sync)>,
}

impl fmt::Debug for Source<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let is_whole = self.elsewhere.is_none();
        f.debug_struct("Source")
            .field("len", &self.bytes.len())
            .field("is_whole", &is_whole)
            .finish()
    }
}

impl<'a> Source<'a> {
    pub(crate) fn whole(bytes: &'a [u8]) -> Self {
        Source { bytes, elsewhere: None }
    }

    pub(crate) fn of<B: FileBytes + Sync>(file: &'a B) -> Self {
        let elsewhere = (!file.is_whole()).then_some(file as &(dyn FileBytes + Sync));
        Source { bytes: file, elsewhere }
    }

    /// Length of the shard.
    pub(crate) fn len(self) -> usize {
        self.bytes.len()
    }

    /// Whether all bytes are at hand.
    #[inline]
    pub(crate) fn is_whole(self) -> bool {
        self.elsewhere.is_none()
    }

    /// Asks for a range that is about to be read.
    #[inline]
    pub(crate) fn need(self, range: Range<u64>) -> Result<(), DecodeError> {
        match self.elsewhere {
            None => Ok(()),
            Some(file) => file.need(range),
        }
    }

    /// Brings ranges in one round.
    pub(crate) fn bring(self, ranges: &[Range<u64>]) -> Result<(), DecodeError> {
        self.elsewhere.map_or(Ok(()), |file| file.bring(ranges))
    }

    /// The bytes of a range inside the file.
    #[inline]
    pub(crate) fn get(self, range: Range<u64>) -> Result<&'a [u8], DecodeError> {
        self.need(range.clone())?;
        Ok(slice(self.bytes, range))
    }

    /// The same, with their offset.
    pub(crate) fn reader(self, range: Range<u64>) -> Result<Reader<'a>, DecodeError> {
        self.need(range.clone())?;
        Ok(reader(self.bytes, range))
    }

    /// The bytes of a range that was asked for; of the others nobody may look at one.
    #[inline]
    pub(crate) fn asked(self, range: Range<u64>) -> &'a [u8] {
        slice(self.bytes, range)
    }

    /// The table of contents.
    pub(crate) fn toc(self) -> Result<Toc, DecodeError> {
        let len = self.len() as u64;
        self.bring(&[tail(len)])?;
        if let Some(trailer) = len.checked_sub(TRAILER_LEN as u64) {
            let mut words = self.reader(trailer..len)?;
            let at = words.u32_be("place of the table of contents")?;
            self.need(at.into()..len)?;
        }
        Toc::open(self.bytes)
    }
}

/// The end of a shard of a length, from which the table of contents is read.
pub(crate) fn tail(len: u64) -> Range<u64> {
    len.saturating_sub(TAIL_LEN)..len
}

/// What is going to be asked of a shard, and is brought when it is opened: each costs a round
/// later.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Foreseen {
    /// Its documents: their names, lengths, languages and branches.
    Documents,
    /// Texts in them: the trigrams too, and where the list of each is.
    Texts,
}

impl Toc {
    /// Reads the end of a shard that may be elsewhere, and the table of contents there.
    pub fn of_file<B: FileBytes + Sync>(file: &B) -> Result<Toc, DecodeError> {
        Source::of(file).toc()
    }

    /// The end of a shard of a length, which is brought to read its table of contents.
    pub fn tail(len: u64) -> Range<u64> {
        tail(len)
    }

    /// The ranges that opening a shard reads, in the order of the file.
    ///
    /// Cost: some 90 bytes a document, and 12 a trigram.
    pub fn opening(&self, foreseen: Foreseen) -> Vec<Range<u64>> {
        let mut ranges = Vec::new();
        for section in FILE_ORDER {
            let (extent, is_of_texts) = (self.extent(section), foreseen == Foreseen::Texts);
            let (data, index) = match section {
                Section::FileContents | Section::Newlines | Section::FileSections => (false, true),
                Section::FileEndSymbol | Section::NgramText => (is_of_texts, false),
                Section::SymbolMap | Section::SymbolKindMap => (is_of_texts, is_of_texts),
                Section::Postings => (false, is_of_texts),
                Section::SymbolMetaData
                | Section::RuneOffsets
                | Section::NameNgramText
                | Section::NamePostings
                | Section::NameRuneOffsets
                | Section::RuneDocSections
                | Section::ReposIdsBitmap => (false, false),
                _ => (true, true),
            };
            ranges.extend([(data, extent.data()), (index, extent.index())]);
        }
        ranges.retain(|(is_read, range)| *is_read && !range.is_empty());
        ranges.into_iter().map(|(_, range)| range).collect()
    }
}

/// A range that was checked when the table of contents was read.
#[inline]
pub(crate) fn slice(bytes: &[u8], range: Range<u64>) -> &[u8] {
    &bytes[range.start as usize..range.end as usize]
}

pub(crate) fn reader(bytes: &[u8], range: Range<impl Into<u64>>) -> Reader<'_> {
    let (start, end) = (range.start.into(), range.end.into());
    Reader::new(slice(bytes, start..end), start)
}
