//! A page of a trie.

use manicule_format_sstable::TRIE_PAGE_LEN;
use manicule_store::pages::{Bytes, Keep, Reading};

use crate::RowsError;
use crate::table::OpenFile;

/// A page of a trie; empty past the end of the file.
pub(crate) fn page<'f>(
    file: &'f OpenFile,
    number: u64,
    reading: &mut Reading<'_>,
) -> Result<Bytes<'f>, RowsError> {
    let start = number.saturating_mul(TRIE_PAGE_LEN).min(file.len());
    file.get(start..(start + TRIE_PAGE_LEN).min(file.len()), Keep::Shared, reading)
}
