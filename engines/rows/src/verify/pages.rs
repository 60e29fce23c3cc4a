//! Pages of tries for the checks that walk over them, and errors of either.

use std::fmt::Display;
use std::ops::Deref;

use manicule_core::bytes::DecodeError;
use manicule_format_sstable::{Component, Pages};
use manicule_store::pages::Reading;

use super::notes::Notes;
use crate::RowsError;
use crate::lookup::trie_page;
use crate::table::OpenFile;

/// The files of the tries of a table.
#[derive(Clone, Copy, Debug)]
pub(super) struct TrieFiles<'t> {
    pub(super) partitions: &'t OpenFile,
    pub(super) rows: &'t OpenFile,
}

/// Pages of one of them.
pub(super) struct TriePages<'p, 'r> {
    pub(super) file: &'p OpenFile,
    pub(super) reading: &'p mut Reading<'r>,
}

impl Pages<TrieError> for TriePages<'_, '_> {
    fn page(&mut self, number: u64) -> Result<impl Deref<Target = [u8]>, TrieError> {
        trie_page(self.file, number, self.reading).map_err(TrieError::Rows)
    }
}

/// Bytes that contradict the format, or that can't be read.
#[derive(Debug)]
pub(super) enum TrieError {
    Decode(DecodeError),
    Rows(RowsError),
}

impl From<DecodeError> for TrieError {
    fn from(error: DecodeError) -> Self {
        TrieError::Decode(error)
    }
}

impl TrieError {
    /// The value, or nothing where the bytes contradict the format: that is noted. Other errors
    /// remain.
    pub(super) fn noted<T>(
        result: Result<T, TrieError>,
        component: &Component,
        section: &'static str,
        of: impl Display,
        notes: &mut Notes,
    ) -> Result<Option<T>, RowsError> {
        match result {
            Ok(value) => Ok(Some(value)),
            Err(TrieError::Decode(error)) => {
                notes.error(component, section, &error, of);
                Ok(None)
            }
            Err(TrieError::Rows(error)) => notes.taken(section, Err(error)),
        }
    }
}
