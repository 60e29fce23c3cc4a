//! Entries of Index.db in their order, beside the samples of Summary.db.
//!
//! Bytes:   docs/formats/sstable.md, "Index.db", "Summary.db"

use manicule_core::bytes::DecodeError;
use manicule_format_sstable::{Component, IndexEntry, Summary};
use manicule_store::pages::{Keep, Reading};

use super::notes::{Notes, Spot};
use crate::RowsError;
use crate::table::{OpenFile, Window};

/// Section of findings about an entry.
pub(super) const ENTRIES: &str = "entries";

/// Section of findings about samples, and where their offsets begin.
const SAMPLES: &str = "samples";
const SAMPLES_AT: u64 = 24;

/// An entry.
#[derive(Clone, Debug)]
pub(super) struct Entry {
    /// Offset in Index.db.
    pub(super) at: u64,
    pub(super) key: Vec<u8>,
    /// Offset of the partition in the uncompressed data.
    pub(super) position: u64,
    pub(super) promoted_at: u64,
    pub(super) promoted_len: u64,
}

impl Entry {
    pub(super) fn as_entry(&self) -> IndexEntry<'_> {
        let Entry { at, ref key, position, promoted_at, promoted_len } = *self;
        IndexEntry { at, key, position, promoted_at, promoted_len }
    }
}

/// Length in bytes of a read.
const READ_LEN: u64 = 256 << 10;

/// The entries, from the first on.
#[derive(Debug)]
pub(super) struct Entries<'t> {
    window: Window<'t, OpenFile>,
    at: u64,
    peeked: Option<Entry>,
    summary: Option<Summary<'t>>,
    /// Number of the next sample.
    sample: usize,
}

impl<'t> Entries<'t> {
    /// Before the first entry; `summary` are the bytes of Summary.db, if it is there.
    pub(super) fn new(index: &'t OpenFile, summary: Option<&'t [u8]>, notes: &mut Notes) -> Self {
        let summary = summary.map(Summary::open).transpose();
        let summary = summary.unwrap_or_else(|error| {
            notes.error(&Component::Summary, SAMPLES, &error, "");
            None
        });
        let window = Window::passing(index, READ_LEN);
        Entries { window, at: 0, peeked: None, summary, sample: 0 }
    }

    /// The next entry, which stays the next; none after one that can't be read.
    pub(super) fn peek(
        &mut self,
        notes: &mut Notes,
        reading: &mut Reading<'_>,
    ) -> Result<Option<&Entry>, RowsError> {
        let is_over = self.at >= self.window.stream().len();
        if self.peeked.is_none() && !is_over {
            let read = self.read(reading);
            match notes.taken(ENTRIES, read)? {
                Some(entry) => {
                    self.samples_at(&entry.as_entry(), notes);
                    self.at = entry.as_entry().end();
                    self.peeked = Some(entry);
                }
                None => (self.at, self.summary) = (u64::MAX, None),
            }
        }
        Ok(self.peeked.as_ref())
    }

    /// Goes on after the entry that was peeked at, which is returned.
    pub(super) fn pass(&mut self) -> Option<Entry> {
        self.peeked.take()
    }

    /// Whether an entry could not be read, so that those after it are unknown.
    pub(super) fn is_cut(&self) -> bool {
        self.at == u64::MAX
    }

    fn read(&mut self, reading: &mut Reading<'_>) -> Result<Entry, RowsError> {
        let at = self.at;
        let entry = self.window.parse("entry", at, reading, |window| {
            Ok(IndexEntry::read(window, at)?.map(|entry| Entry {
                at,
                key: entry.key.to_vec(),
                position: entry.position,
                promoted_at: entry.promoted_at,
                promoted_len: entry.promoted_len,
            }))
        })?;
        let (file, len) = (self.window.stream(), self.window.stream().len());
        if entry.as_entry().end() > len {
            let (what, at) = ("promoted index", entry.promoted_at);
            let (need, have) = (entry.promoted_len, len.saturating_sub(at));
            return Err(file.damaged(DecodeError::Short { what, at, need, have }));
        }
        Ok(entry)
    }

    /// The bytes of an entry's promoted index.
    pub(super) fn promoted(
        &self,
        entry: &Entry,
        reading: &mut Reading<'_>,
    ) -> Result<Vec<u8>, RowsError> {
        let range = entry.promoted_at..entry.as_entry().end();
        Ok(self.window.stream().get(range, Keep::Passing, reading)?.to_vec())
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
