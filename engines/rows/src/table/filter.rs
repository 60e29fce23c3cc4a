//! Filter.db of an open SSTable: a key's bits are read where they are.
//!
//! Bytes:   docs/formats/sstable.md, "Filter.db"

use manicule_format_sstable::{Component, FilterHead, KeyHash};
use manicule_store::pages::Reading;

use super::file::TableOptions;
use super::listed::Listed;
use super::ranges::Ranges;
use crate::RowsError;

/// Number of bits that are read at once: more than any filter's hash functions.
const FORESEEN_MAX: usize = 64;

#[derive(Debug)]
pub(super) struct FilterFile {
    file: Ranges,
    head: FilterHead,
}

impl FilterFile {
    /// Opens it where it is there and whole.
    pub(super) fn open(
        listed: &Listed,
        options: &TableOptions,
        reading: &mut Reading<'_>,
    ) -> Result<Option<Self>, RowsError> {
        if !listed.components.contains(&Component::Filter) {
            return Ok(None);
        }
        let file = Ranges::open(listed, &Component::Filter, options, reading)?;
        let head = file.head(FilterHead::LEN as u64, reading)?;
        let head = FilterHead::read(&head, file.len(), listed.descriptor.version);
        Ok(head.ok().map(|head| FilterFile { file, head }))
    }

    /// Whether a partition can be in the table.
    pub(super) fn may_contain(
        &self,
        hash: KeyHash,
        reading: &mut Reading<'_>,
    ) -> Result<bool, RowsError> {
        let bits = self.head.bits(hash);
        self.file
            .foresee(|| bits.take(FORESEEN_MAX).map(|(at, _)| at..at + 1).collect(), reading)?;
        for (at, bit) in self.head.bits(hash) {
            if self.file.get(at..at + 1, reading)?[0] & bit == 0 {
                return Ok(false);
            }
        }
        Ok(true)
    }
}
