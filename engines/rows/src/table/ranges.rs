//! A component that is read by ranges: filter, summary, places of chunks. A query wants a few bytes
//! of each, wherever they are.
//!
//! Nothing is mapped: a map of a file that another process cuts meanwhile is a signal, where a read
//! is an error.

use std::ops::Range;
use std::path::Path;

use manicule_core::bytes::DecodeError;
use manicule_format_sstable::{Component, SstableError};
use manicule_store::pages::{Bytes, Keep, Reading};
use manicule_store::store::Access;

use super::file::{OpenFile, TableOptions};
use super::folder::Listed;
use super::resident::Resident;
use crate::RowsError;

/// Of a component up to this length one read costs less than the pages of it that a query touches.
const READ_LEN_MAX: u64 = 64 << 10;

#[derive(Debug)]
pub(super) enum Ranges {
    /// A short one.
    Read(Resident),
    /// A long one, whose pages go through the cache.
    Paged(OpenFile),
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
            Ok(Ranges::Paged(file))
        } else {
            Resident::read(&file, options, reading).map(Ranges::Read)
        }
    }

    pub(super) fn len(&self) -> u64 {
        match self {
            Ranges::Read(resident) => resident.bytes().len() as u64,
            Ranges::Paged(file) => file.len(),
        }
    }

    pub(super) fn path(&self) -> &Path {
        match self {
            Ranges::Read(resident) => resident.path(),
            Ranges::Paged(file) => file.path(),
        }
    }

    pub(super) fn get(
        &self,
        range: Range<u64>,
        reading: &mut Reading<'_>,
    ) -> Result<Bytes<'_>, RowsError> {
        match self {
            Ranges::Read(resident) => {
                let part = resident.bytes().get(range.start as usize..range.end as usize);
                part.map(Bytes::in_memory).ok_or_else(|| {
                    let (what, at) = ("bytes of the file", range.start);
                    let (need, have) =
                        (range.end.saturating_sub(at), self.len().saturating_sub(at));
                    resident.damaged(DecodeError::Short { what, at, need, have })
                })
            }
            Ranges::Paged(file) => file.get(range, Keep::Shared, reading),
        }
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
