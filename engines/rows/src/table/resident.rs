//! A component that is held in memory whole: statistics, and what is compared or shown whole.

use std::path::{Path, PathBuf};

use manicule_core::bytes::DecodeError;
use manicule_format_sstable::{Component, SstableError};
use manicule_store::pages::Reading;

use super::file::{OpenFile, TableOptions};
use super::listed::Listed;
use crate::RowsError;

#[derive(Debug)]
pub(crate) struct Resident {
    path: PathBuf,
    bytes: Vec<u8>,
}

impl Resident {
    pub(crate) fn open(
        listed: &Listed,
        component: &Component,
        options: &TableOptions,
        reading: &mut Reading<'_>,
    ) -> Result<Self, RowsError> {
        Self::read(&OpenFile::open(listed, component, options)?, options, reading)
    }

    /// Reads a file of which no more than its greatest length is believed.
    pub(super) fn read(
        file: &OpenFile,
        options: &TableOptions,
        reading: &mut Reading<'_>,
    ) -> Result<Self, RowsError> {
        Self::read_up_to(file, options.component_bytes_max, reading)
    }

    /// The same of a file that is no longer than `len_max`.
    pub(super) fn read_up_to(
        file: &OpenFile,
        len_max: u64,
        reading: &mut Reading<'_>,
    ) -> Result<Self, RowsError> {
        if file.len() > len_max {
            let (what, want, got) = ("length of the file", len_max, file.len());
            return Err(file.damaged(DecodeError::Corrupt { what, at: 0, want, got }));
        }
        let mut bytes = vec![0; file.len() as usize];
        file.read_passing(0, &mut bytes, reading)?;
        Ok(Resident { path: file.path().to_owned(), bytes })
    }

    /// A component with other bytes than its file.
    pub(super) fn of(path: PathBuf, bytes: Vec<u8>) -> Self {
        Resident { path, bytes }
    }

    pub(crate) fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    pub(crate) fn into_bytes(self) -> Vec<u8> {
        self.bytes
    }

    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// An error of this file's bytes.
    pub(crate) fn damaged(&self, error: impl Into<SstableError>) -> RowsError {
        RowsError::damaged(&self.path, error)
    }
}
