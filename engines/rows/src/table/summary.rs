//! Summary.db of an open SSTable: its samples are read where a search meets them.
//!
//! Bytes:   docs/formats/sstable.md, "Summary.db"

use std::path::Path;

use manicule_core::bytes::DecodeError;
use manicule_format_sstable::{Component, Sample, SummaryHead};
use manicule_store::pages::{Bytes, Reading};

use super::ends::FirstLast;
use super::file::TableOptions;
use super::listed::Listed;
use super::ranges::Ranges;
use crate::RowsError;

#[derive(Debug)]
pub(crate) struct SummaryFile {
    file: Ranges,
    head: SummaryHead,
    keys: FirstLast,
}

/// A sample that was read.
#[derive(Debug)]
pub(crate) struct FoundSample {
    pub(crate) key: Vec<u8>,
    /// Offset of its entry in Index.db.
    pub(crate) position: u64,
}

impl SummaryFile {
    /// Opens it where it is whole, as far as its header and its end say.
    pub(super) fn open(
        listed: &Listed,
        options: &TableOptions,
        reading: &mut Reading<'_>,
    ) -> Result<Option<Self>, RowsError> {
        let file = Ranges::open(listed, &Component::Summary, options, reading)?;
        let head = SummaryHead::read(&file.head(SummaryHead::LEN as u64, reading)?, file.len());
        let Ok(head) = head else { return Ok(None) };
        let keys_at = head.keys_at(file.len());
        if keys_at.end - keys_at.start > options.component_bytes_max {
            return Ok(None);
        }
        let keys = head.keys(&file.get(keys_at, reading)?).map(|keys| keys.map(<[u8]>::to_vec));
        Ok(keys.ok().map(|[first, last]| SummaryFile { file, head, keys: (first, last) }))
    }

    pub(crate) fn path(&self) -> &Path {
        self.file.path()
    }

    /// First and last key of the table.
    pub(crate) fn keys(&self) -> &FirstLast {
        &self.keys
    }

    /// The last sample that isn't after a place, of which `is_after` says whether a key is after
    /// it; `None` if all are.
    pub(crate) fn last_before(
        &self,
        is_after: impl Fn(&[u8]) -> bool,
        reading: &mut Reading<'_>,
    ) -> Result<Option<FoundSample>, RowsError> {
        self.file.hold(reading)?;
        let found = self
            .head
            .last_before(|index| self.with_sample(index, reading, |sample| is_after(sample.key)))?;
        found.map(|index| self.with_sample(index, reading, FoundSample::of)).transpose()
    }

    /// Offset in Index.db of the first sample after a place; those that can't be read are passed
    /// over.
    pub(crate) fn next_after(&self, at: u64, reading: &mut Reading<'_>) -> Option<u64> {
        let mut next = None;
        for index in 0..self.head.count() {
            let position = self.with_sample(index, reading, |sample| sample.position);
            let position = position.ok().filter(|position| *position > at);
            next = next.into_iter().chain(position).min();
        }
        next
    }

    fn with_sample<T>(
        &self,
        index: usize,
        reading: &mut Reading<'_>,
        job: impl FnOnce(&Sample<'_>) -> T,
    ) -> Result<T, RowsError> {
        let damaged = |error: DecodeError| self.file.damaged(error);
        let offsets: Bytes<'_> = self.file.get(self.head.offsets_at(index), reading)?;
        let at = self.head.sample_at(index, &offsets).map_err(damaged)?;
        let bytes = self.file.get(at.clone(), reading)?;
        Ok(job(&Sample::read(&bytes, at.start).map_err(damaged)?))
    }
}

impl FoundSample {
    fn of(sample: &Sample<'_>) -> Self {
        FoundSample { key: sample.key.to_vec(), position: sample.position }
    }
}
