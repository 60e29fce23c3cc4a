//! Lists and series of an index that is elsewhere, brought many at once before they are read.
//!
//! Where a list ends the table says, by where the next one begins; where the entry of a series
//! ends, only its own first bytes do, so that its length is guessed from the mean.

use std::ops::Range;

use manicule_core::bytes::{DecodeError, FileBytes};

use super::bring::entry;
use super::layout::Version;
use super::pairs::PairIndex;
use super::read::Index;
use crate::SeriesRef;

/// Bounds of the guessed length of an entry.
const ENTRY_LEN: Range<u64> = 128..16 << 10;

impl<B: FileBytes> Index<B> {
    /// Brings the lists of pairs, which are going to be read.
    pub fn bring_lists(&self, pairs: &[PairIndex]) -> Result<(), DecodeError> {
        // A table of version 1 is in no order: nothing says where a list ends.
        if self.file().is_whole() || self.version() == Version::V1 {
            return Ok(());
        }
        self.file().bring(&pairs.iter().filter_map(|pair| self.list(*pair)).collect::<Vec<_>>())
    }

    /// Length in bytes of a pair's list, by the table alone.
    pub fn list_len(&self, pair: PairIndex) -> u64 {
        self.list(pair).map_or(0, |list| list.end - list.start)
    }

    /// The bytes of a pair's list: up to the next one.
    fn list(&self, pair: PairIndex) -> Option<Range<u64>> {
        let (toc, at) = (self.toc(), self.list_at(pair)?);
        let ends = [self.list_at(PairIndex(pair.0.checked_add(1)?)), Some(toc.label_indices_table)];
        let end = ends.into_iter().flatten().find(|end| *end > at);
        Some(at..end.unwrap_or(toc.postings_table).max(at))
    }

    /// Length in bytes of the entry of a series, in the mean and twice that.
    pub fn entry_len_guess(&self) -> u64 {
        let toc = self.toc();
        let count = self.series_count().unwrap_or(0).max(1);
        let mean = toc.label_indices.saturating_sub(toc.series) / count;
        (2 * mean).clamp(ENTRY_LEN.start, ENTRY_LEN.end)
    }

    /// Brings the entries of series, which are going to be read: one round, and one more where some
    /// are longer than was guessed.
    pub fn bring_series(&self, series: &[SeriesRef]) -> Result<(), DecodeError> {
        if self.file().is_whole() || series.is_empty() {
            return Ok(());
        }
        let len = self.entry_len_guess();
        let at = |series: &SeriesRef| self.series_at(*series);
        let guessed = series.iter().map(at).map(|at| at..at.saturating_add(len));
        self.file().bring(&guessed.collect::<Vec<_>>())?;
        let longer = series.iter().filter_map(|series| entry(self.bytes(), at(series)));
        let longer = longer.filter(|entry| entry.end - entry.start > len);
        self.file().bring(&longer.collect::<Vec<_>>())
    }
}
