//! A component that is held in memory whole, or mapped: statistics, filter, summary, places of chunks.
//!
//! Callers: sstable, chunks

use std::path::{Path, PathBuf};

use manicule_format_sstable::SstableError;
use manicule_store::pages::{Reading, SystemCache};

use super::file::{Access, OpenFile, TableOptions};
use crate::RowsError;

#[derive(Debug)]
pub(crate) struct Resident {
    path: PathBuf,
    kind: Kind,
}

#[derive(Debug)]
enum Kind {
    Mapped(OpenFile),
    Read(Vec<u8>),
}

/// Of a component up to this length one read costs less than the pages of it that a query touches. Longer ones are mapped
/// where the system's cache is used: filters of large tables, of which a query wants a few bytes.
const READ_LEN_MAX: u64 = 64 << 10;

impl Resident {
    /// Maps a component, of which nothing is read here.
    pub(crate) fn map(
        path: PathBuf,
        options: &TableOptions,
        reading: &mut Reading<'_>,
    ) -> Result<Self, RowsError> {
        Self::open(path, &TableOptions { access: Access::Mapped, ..options.clone() }, reading)
    }

    pub(crate) fn open(
        path: PathBuf,
        options: &TableOptions,
        reading: &mut Reading<'_>,
    ) -> Result<Self, RowsError> {
        let file = OpenFile::open(path.clone(), options)?;
        let is_cached = options.access == Access::Positioned(SystemCache::Used);
        if is_cached && file.len() > READ_LEN_MAX {
            return Self::map(path, options, reading);
        }
        let bytes = file.whole(options.component_bytes_max, reading)?;
        let read = file.paged().mapped().is_none().then(|| bytes.to_vec());
        drop(bytes);
        let kind = read.map_or(Kind::Mapped(file), Kind::Read);
        Ok(Resident { path, kind })
    }

    pub(crate) fn bytes(&self) -> &[u8] {
        match &self.kind {
            Kind::Mapped(file) => file.paged().mapped().unwrap_or_default(),
            Kind::Read(bytes) => bytes,
        }
    }

    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// An error of this file's bytes.
    pub(crate) fn damaged(&self, error: impl Into<SstableError>) -> RowsError {
        RowsError::damaged(&self.path, error)
    }
}
