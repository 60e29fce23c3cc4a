//! An open component.

use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use manicule_core::bytes::DecodeError;
use manicule_format_sstable::{Component, SstableError};
use manicule_store::pages::{Bytes, Cache, Keep, PageError, Paged, Reading};
use manicule_store::store::{Access, Version};

use super::listed::Listed;
use crate::RowsError;

/// How a table is opened.
#[derive(Clone, Debug)]
pub struct TableOptions {
    /// How its files are read, pages of indexes by position through the cache.
    pub access: Access,
    /// The cache of the process.
    pub cache: Arc<Cache>,
    /// Length in bytes of the longest chunk that is decompressed. Writers make up to 64 KiB unless
    /// they are told more.
    pub chunk_bytes_max: u32,
    /// Length in bytes of the longest component that is held in memory whole: Statistics.db,
    /// TOC.txt and their like.
    pub component_bytes_max: u64,
}

/// Length of a page of an index: that of tries, and of a block of most disks.
const PAGE_LEN: u32 = 4096;

/// Bytes that are read before and after a page where a round is dear: a trie is written from its
/// leaves to its root, an index is read forward from a sample.
fn around(component: &Component) -> [u64; 2] {
    match component {
        Component::Partitions | Component::Rows => [28 << 10, 0],
        Component::Index => [0, 28 << 10],
        _ => [0; 2],
    }
}

/// A component: its name for messages, its bytes by range.
#[derive(Debug)]
pub(crate) struct OpenFile {
    path: PathBuf,
    paged: Paged,
    is_far: bool,
}

impl OpenFile {
    pub(crate) fn open(
        listed: &Listed,
        component: &Component,
        options: &TableOptions,
    ) -> Result<Self, RowsError> {
        let source = listed.open(component, options.access)?;
        let is_far = listed.store.is_far();
        let around = if is_far { around(component) } else { [0; 2] };
        let paged = Paged::new(source, PAGE_LEN, Arc::clone(&options.cache)).with_around(around);
        Ok(OpenFile { path: listed.path(component), paged, is_far })
    }

    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    pub(crate) fn len(&self) -> u64 {
        self.paged.len()
    }

    /// Identity of its contents.
    pub(super) fn version(&self) -> Version {
        self.paged.version()
    }

    /// Whether a round is dear, in the store that it lies in.
    pub(crate) fn is_far(&self) -> bool {
        self.is_far
    }

    pub(crate) fn paged(&self) -> &Paged {
        &self.paged
    }

    pub(crate) fn get(
        &self,
        range: Range<u64>,
        keep: Keep,
        reading: &mut Reading<'_>,
    ) -> Result<Bytes<'_>, RowsError> {
        let got = self.paged.get(range, keep, reading);
        got.map_err(|error: PageError| RowsError::paged(&self.path, error))
    }

    /// Has the pages of ranges in the cache that are going to be read, in one round.
    pub(crate) fn foresee(
        &self,
        ranges: &[Range<u64>],
        reading: &mut Reading<'_>,
    ) -> Result<(), RowsError> {
        let fetched = self.paged.prefetch(ranges, reading);
        fetched.map_err(|error| RowsError::paged(&self.path, error))
    }

    /// Fills a buffer that is charged already with the bytes from a place on; nothing enters the
    /// cache.
    pub(crate) fn read_passing(
        &self,
        at: u64,
        out: &mut [u8],
        reading: &mut Reading<'_>,
    ) -> Result<(), RowsError> {
        let read = self.paged.read(at, out, reading.counts);
        read.map_err(|error| RowsError::paged(&self.path, error))
    }

    /// An error of this file's bytes.
    pub(crate) fn damaged(&self, error: impl Into<SstableError>) -> RowsError {
        RowsError::damaged(&self.path, error)
    }

    /// The whole file, which is not longer than `len_max`.
    pub(crate) fn whole(
        &self,
        len_max: u64,
        reading: &mut Reading<'_>,
    ) -> Result<Bytes<'_>, RowsError> {
        if self.len() > len_max {
            let (what, want, got) = ("length of the file", len_max, self.len());
            return Err(self.damaged(DecodeError::Corrupt { what, at: 0, want, got }));
        }
        self.get(0..self.len(), Keep::Passing, reading)
    }
}
