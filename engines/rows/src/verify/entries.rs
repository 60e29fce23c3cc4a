//! Entries of Index.db in their order, beside the samples of Summary.db.
//!
//! Bytes:   docs/formats/sstable.md, "Index.db", "Summary.db"
//! Callers: index

use manicule_core::bytes::DecodeError;
use manicule_format_sstable::{Component, IndexEntry, Summary};

use super::notes::{Notes, Spot};

/// Section of findings about an entry.
pub(super) const ENTRIES: &str = "entries";

/// Section of findings about samples, and where their offsets begin.
const SAMPLES: &str = "samples";
const SAMPLES_AT: u64 = 24;

/// The entries, from the first on.
#[derive(Debug)]
pub(super) struct Entries<'t> {
    bytes: &'t [u8],
    at: u64,
    peeked: Option<IndexEntry<'t>>,
    summary: Option<Summary<'t>>,
    /// Number of the next sample.
    sample: usize,
}

impl<'t> Entries<'t> {
    /// Before the first entry; `summary` are the bytes of Summary.db, if it is there.
    pub(super) fn new(bytes: &'t [u8], summary: Option<&'t [u8]>, notes: &mut Notes) -> Self {
        let summary = summary.map(Summary::open).transpose();
        let summary = summary.unwrap_or_else(|error| {
            notes.error(&Component::Summary, SAMPLES, &error, "");
            None
        });
        Entries { bytes, at: 0, peeked: None, summary, sample: 0 }
    }

    /// The next entry, which stays the next; none after one that can't be read.
    pub(super) fn peek(&mut self, notes: &mut Notes) -> Option<IndexEntry<'t>> {
        let is_over = self.at >= self.bytes.len() as u64;
        if self.peeked.is_none() && !is_over {
            match self.read() {
                Ok(entry) => {
                    self.samples_at(&entry, notes);
                    self.at = entry.end();
                    self.peeked = Some(entry);
                }
                Err(error) => {
                    notes.error(&Component::Index, ENTRIES, &error, "");
                    (self.at, self.summary) = (u64::MAX, None);
                }
            }
        }
        self.peeked
    }

    /// Goes on after the entry that was peeked at.
    pub(super) fn pass(&mut self) {
        self.peeked = None;
    }

    /// Whether an entry could not be read, so that those after it are unknown.
    pub(super) fn is_cut(&self) -> bool {
        self.at == u64::MAX
    }

    fn read(&self) -> Result<IndexEntry<'t>, DecodeError> {
        let at = self.at;
        let window = &self.bytes[at as usize..];
        let entry = IndexEntry::read(window, at)?.last("entry", at, window)?;
        let len = self.bytes.len() as u64;
        if entry.end() > len {
            let (what, at) = ("promoted index", entry.promoted_at);
            let (need, have) = (entry.promoted_len, len - at);
            return Err(DecodeError::Short { what, at, need, have });
        }
        Ok(entry)
    }

    /// The bytes of an entry's promoted index.
    pub(super) fn promoted(&self, entry: &IndexEntry<'_>) -> &'t [u8] {
        &self.bytes[entry.promoted_at as usize..entry.end() as usize]
    }

    /// Compares the samples up to an entry: each is of one.
    fn samples_at(&mut self, entry: &IndexEntry<'_>, notes: &mut Notes) {
        let Some(summary) = self.summary else { return };
        while self.sample < summary.count() {
            let spot = sample_spot(self.sample);
            let sample = match summary.sample(self.sample) {
                Ok(sample) if sample.position > entry.at => break,
                Ok(sample) => sample,
                Err(error) => {
                    notes.error(&Component::Summary, SAMPLES, &error, "");
                    self.sample += 1;
                    continue;
                }
            };
            self.sample += 1;
            if sample.position < entry.at {
                notes.wrong(
                    spot,
                    format_args!("sample of offset {}, where no entry begins", sample.position),
                );
            } else if sample.key != entry.key {
                notes.wrong(spot, format_args!("sample with another key than entry {}", entry.at));
            }
        }
        // A reader takes what is before the first sample for absent.
        if entry.at == 0 && summary.count() > 0 && self.sample == 0 {
            notes.wrong(sample_spot(0), "the first sample is not of the first entry");
        }
    }

    /// All entries were passed: no sample is left, and first and last key are the table's.
    pub(super) fn end(&self, first: &[u8], last: &[u8], notes: &mut Notes) {
        let Some(summary) = self.summary else { return };
        if self.sample < summary.count() {
            let left = summary.count() - self.sample;
            let spot = sample_spot(self.sample);
            notes.wrong(spot, format_args!("{left} samples are of no entry, or out of order"));
        }
        let spot = Spot::whole(&Component::Summary, SAMPLES);
        for (what, is_same) in
            [("first key", summary.first_key == first), ("last key", summary.last_key == last)]
        {
            if !is_same {
                notes.wrong(spot, format_args!("{what}: is not that of the table"));
            }
        }
    }
}

fn sample_spot(number: usize) -> Spot<'static> {
    Spot::at(&Component::Summary, SAMPLES, SAMPLES_AT + 4 * number as u64)
}
