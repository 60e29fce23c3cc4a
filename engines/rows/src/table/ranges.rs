//! A component that is read by ranges: filter, summary, places of chunks. A query wants a few bytes
//! of each, wherever they are.
//!
//! Nothing is mapped: a map of a file that another process cuts meanwhile is a signal, where a read
//! is an error.

use std::ops::Range;
use std::path::Path;
use std::sync::OnceLock;

use manicule_core::bytes::DecodeError;
use manicule_format_sstable::{Component, SstableError};
use manicule_store::pages::{Bytes, Keep, Reading};
use manicule_store::store::Access;

use super::file::{OpenFile, TableOptions};
use super::listed::Listed;
use super::resident::Resident;
use crate::RowsError;

/// Of a component up to this length one read costs less than the pages of it that a query touches.
const READ_LEN_MAX: u64 = 64 << 10;

/// At an address reading so much takes less time than the rounds of a bisection.
const HELD_MAX: u64 = 16 << 20;

#[derive(Debug)]
pub(super) enum Ranges {
    /// A short one.
    Read(Resident),
    /// A long one, whose pages go through the cache, and all of it where it was worth reading.
    Paged(OpenFile, OnceLock<Resident>),
}

impl Ranges {
    pub(super) fn open(
        listed: &Listed,
        component: &Component,
        options: &TableOptions,
        reading: &mut Reading<'_>,
    ) -> Result<Self, RowsError> {
        let file = OpenFile::open(listed, component, options)?;
        if file.len() > READ_LEN_MAX || options.access == Access::Mapped {
            Ok(Ranges::Paged(file, OnceLock::new()))
        } else {
            Resident::read(&file, options, reading).map(Ranges::Read)
        }
    }

    pub(super) fn len(&self) -> u64 {
        match self {
            Ranges::Read(resident) => resident.bytes().len() as u64,
            Ranges::Paged(file, _) => file.len(),
        }
    }

    pub(super) fn path(&self) -> &Path {
        match self {
            Ranges::Read(resident) => resident.path(),
            Ranges::Paged(file, _) => file.path(),
        }
    }

    pub(super) fn get(
        &self,
        range: Range<u64>,
        reading: &mut Reading<'_>,
    ) -> Result<Bytes<'_>, RowsError> {
        let resident = match self {
            Ranges::Read(resident) => resident,
            Ranges::Paged(file, whole) => match whole.get() {
                Some(resident) => resident,
                None => return file.get(range, Keep::Shared, reading),
            },
        };
        let part = resident.bytes().get(range.start as usize..range.end as usize);
        part.map(Bytes::in_memory).ok_or_else(|| {
            let (what, at) = ("bytes of the file", range.start);
            let (need, have) = (range.end.saturating_sub(at), self.len().saturating_sub(at));
            resident.damaged(DecodeError::Short { what, at, need, have })
        })
    }

    /// Has ranges at hand that are going to be read, in one round, where a round is dear.
    pub(super) fn foresee(
        &self,
        ranges: impl FnOnce() -> Vec<Range<u64>>,
        reading: &mut Reading<'_>,
    ) -> Result<(), RowsError> {
        match self {
            Ranges::Paged(file, _) if file.is_far() => file.foresee(&ranges(), reading),
            Ranges::Paged(..) | Ranges::Read(_) => Ok(()),
        }
    }

    /// Reads all of it where that takes less time than the rounds of a search through it.
    pub(super) fn hold(&self, reading: &mut Reading<'_>) -> Result<(), RowsError> {
        let Ranges::Paged(file, whole) = self else { return Ok(()) };
        if file.is_far() && file.len() <= HELD_MAX && whole.get().is_none() {
            let read = Resident::read_up_to(file, HELD_MAX, reading)?;
            whole.get_or_init(|| read);
        }
        Ok(())
    }

    /// The first bytes, or all of a shorter one.
    pub(super) fn head(&self, len: u64, reading: &mut Reading<'_>) -> Result<Bytes<'_>, RowsError> {
        self.get(0..len.min(self.len()), reading)
    }

    /// An error of this file's bytes.
    pub(super) fn damaged(&self, error: impl Into<SstableError>) -> RowsError {
        RowsError::damaged(self.path(), error)
    }
}
