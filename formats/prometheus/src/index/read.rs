//! An index, opened where its bytes lie: the tables of symbols and label pairs complete, everything
//! else when asked.
//!
//! Bytes:   docs/formats/prometheus.md

use std::ops::Range;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use manicule_core::bytes::{DecodeError, FileBytes};
use manicule_core::sorted::Strings;
use memchr::memmem::Finder;

use super::bring::{bring_tables, index_ends, need_entry, need_section};
use super::layout::{self, SERIES_ALIGN, Toc, Version};
use super::pairs::{Pair, PairIndex, Pairs};
use super::postings::{PostingList, Trust};
use super::series::Series;
use super::symbols::{SymbolIndex, Symbols};
use crate::SeriesRef;

/// An index over bytes that somebody holds: a slice, a mapped file.
///
/// Opening checks the table of contents, the symbols and the postings offset table, and costs a
/// walk through both: eight bytes of memory for a symbol, four and a bit for a pair, 1 to 2 ms for
/// 50,000 of each. A list or series is checked when it is read; of a list that is remembered.
#[derive(Debug)]
pub struct Index<B> {
    bytes: B,
    version: Version,
    toc: Toc,
    symbols: Symbols,
    pairs: Pairs,
    /// A bit a pair: its list has been checked.
    checked: Box<[AtomicU64]>,
}

impl<B: FileBytes> Index<B> {
    /// Opens an index of version 1, 2 or 3.
    pub fn open(bytes: B) -> Result<Self, DecodeError> {
        if !bytes.is_whole() {
            bytes.bring(&index_ends(bytes.len() as u64))?;
        }
        let version = layout::header(&bytes)?;
        let toc = Toc::decode(&bytes)?;
        if !bytes.is_whole() {
            bring_tables(&bytes, &toc)?;
        }
        let symbols = Symbols::open(&bytes, toc.symbols, version)?;
        let pairs = Pairs::open(&bytes, toc.postings_table, version)?;
        for place in 0..pairs.name_count() {
            let (name, range) = pairs.name(&bytes, place).expect("a place of the table");
            if symbols.find(&bytes, name).is_none() {
                let what = "label name that is a symbol";
                let (want, got) = (symbols.count().into(), range.start.into());
                return Err(DecodeError::Corrupt { what, at: toc.postings_table, want, got });
            }
        }
        let words = (pairs.count() as usize).div_ceil(64);
        let checked = (0..words).map(|_| AtomicU64::new(0)).collect();
        Ok(Index { bytes, version, toc, symbols, pairs, checked })
    }

    /// Its version.
    pub fn version(&self) -> Version {
        self.version
    }

    /// Offsets of its sections.
    pub fn toc(&self) -> &Toc {
        &self.toc
    }

    /// The whole file.
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// Who holds the file.
    #[inline]
    pub fn file(&self) -> &B {
        &self.bytes
    }

    /// Number of symbols.
    pub fn symbol_count(&self) -> u32 {
        self.symbols.count()
    }

    /// The bytes of a symbol; `None` if there is no such number.
    #[inline]
    pub fn symbol(&self, index: SymbolIndex) -> Option<&[u8]> {
        self.symbols.get(&self.bytes, index)
    }

    /// The symbol that a series means by a number.
    #[inline]
    pub(super) fn symbol_named(&self, number: u64) -> Option<SymbolIndex> {
        self.symbols.named(number)
    }

    /// End of the symbols: no series begins before.
    #[inline]
    pub(super) fn symbols_end(&self) -> u64 {
        self.symbols.end()
    }

    /// The number of the symbol with these bytes. Costs a binary search.
    pub fn find_symbol(&self, symbol: &[u8]) -> Option<SymbolIndex> {
        self.symbols.find(&self.bytes, symbol)
    }

    /// The label names in order, each with its pairs. The pair of all series is not among them.
    pub fn names(&self) -> impl ExactSizeIterator<Item = (&[u8], Range<u32>)> {
        let name = |place| self.pairs.name(&self.bytes, place).expect("a place of the table");
        (0..self.pairs.name_count()).map(name)
    }

    /// Offset of a pair's list.
    pub(super) fn list_at(&self, pair: PairIndex) -> Option<u64> {
        self.pairs.value(&self.bytes, pair).map(|(_, at)| at)
    }

    /// The pairs of a label name, in the order of values; an empty range if there is no such name.
    pub fn pairs_of(&self, name: &[u8]) -> Range<u32> {
        self.pairs.of_name(&self.bytes, name)
    }

    /// Number of label pairs, the one of all series included.
    pub fn pair_count(&self) -> u32 {
        self.pairs.count()
    }

    /// The pair ("", ""), whose list is all series.
    pub fn all_series(&self) -> Option<PairIndex> {
        self.pairs.all()
    }

    /// A pair with its name; `None` if there is no such number.
    pub fn pair(&self, index: PairIndex) -> Option<Pair<'_>> {
        self.pairs.get(&self.bytes, index)
    }

    /// The value of a pair.
    ///
    /// # Panics
    /// If there is no such pair.
    #[inline]
    pub fn value(&self, index: PairIndex) -> &[u8] {
        self.pairs.value(&self.bytes, index).expect("a pair of this index").0
    }

    /// The first of the pairs whose value isn't smaller than `value`; the end of the range if there
    /// is none.
    #[inline]
    pub fn seek_value(&self, pairs: Range<u32>, value: &[u8]) -> u32 {
        let (mut low, mut high) = (pairs.start, pairs.end);
        while low < high {
            let middle = low + (high - low) / 2;
            if self.value(PairIndex(middle)) < value { low = middle + 1 } else { high = middle }
        }
        low
    }

    /// Hands out the pairs of a range whose values may hold a text: all that do, and few that
    /// don't. The whole table is searched at once rather than value by value.
    pub fn pairs_holding<E>(
        &self,
        pairs: Range<u32>,
        text: &[u8],
        each: &mut dyn FnMut(PairIndex) -> Result<(), E>,
    ) -> Result<(), E> {
        self.pairs.holding(&self.bytes, pairs, &Finder::new(text), each)
    }

    /// The pair of a name and a value.
    pub fn find_pair(&self, name: &[u8], value: &[u8]) -> Option<PairIndex> {
        let pairs = self.pairs_of(name);
        let place = self.seek_value(pairs.clone(), value);
        (place < pairs.end && self.value(PairIndex(place)) == value).then_some(PairIndex(place))
    }

    /// The series that have a label pair. The first reading of a list checks its sum and that it
    /// rises.
    pub fn postings(&self, pair: PairIndex) -> Result<PostingList<'_>, DecodeError> {
        let Some((_, at)) = self.pairs.value(&self.bytes, pair) else {
            return Ok(PostingList::EMPTY);
        };
        if !self.bytes.is_whole() {
            need_section(&self.bytes, at)?;
        }
        let (word, bit) = (&self.checked[pair.0 as usize / 64], 1 << (pair.0 % 64));
        if word.load(Relaxed) & bit != 0 {
            return PostingList::open(&self.bytes, at, Trust::Checked);
        }
        let list = PostingList::open(&self.bytes, at, Trust::Nothing)?;
        word.fetch_or(bit, Relaxed);
        Ok(list)
    }

    /// Number of series, by the length of the list of all of them: its checksum is not compared.
    /// `None` where the list contradicts itself; what is wrong with it shows when it is read.
    pub fn series_count(&self) -> Option<u64> {
        let list = self.all_series().and_then(|pair| self.pairs.value(&self.bytes, pair));
        let Some((_, at)) = list else { return Some(0) };
        self.bytes.need(at..at + 2 * size_of::<u32>() as u64).ok()?;
        let mut reader = layout::reader_at(&self.bytes, at, "posting list").ok()?;
        let len = u64::from(reader.u32_be("posting list").ok()?);
        let count = u64::from(reader.u32_be("posting count").ok()?);
        (len == (count + 1) * size_of::<u32>() as u64).then_some(count)
    }

    /// All series, increasing: in the order of their labels. Empty if the index has no such list.
    pub fn all_postings(&self) -> Result<PostingList<'_>, DecodeError> {
        let Some(pair) = self.all_series() else { return Ok(PostingList::EMPTY) };
        self.bring_lists(&[pair])?;
        self.postings(pair)
    }

    /// Offset of a series in the file.
    #[inline]
    pub fn series_at(&self, series: SeriesRef) -> u64 {
        match self.version {
            Version::V1 => series.0.into(),
            Version::V2 | Version::V3 => u64::from(series.0) * SERIES_ALIGN,
        }
    }

    /// A series; its checksum is compared.
    #[inline]
    pub fn series(&self, series: SeriesRef) -> Result<Series<'_>, DecodeError> {
        let at = self.series_at(series);
        if !self.bytes.is_whole() {
            need_entry(&self.bytes, at)?;
        }
        Series::open(&self.bytes, at, &self.symbols)
    }
}

/// The symbols, by their numbers.
impl<B: FileBytes> Strings for Index<B> {
    fn count(&self) -> u32 {
        self.symbol_count()
    }

    #[inline]
    fn get(&self, number: u32) -> &[u8] {
        self.symbol(SymbolIndex(number)).expect("the number of a symbol")
    }
}
