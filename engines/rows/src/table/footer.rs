//! The end of Partitions.db, with the first and the last key.
//!
//! Bytes:   docs/formats/sstable.md, "Tries"

use manicule_format_sstable::{FOOTER_LEN, Footer};
use manicule_store::pages::{Keep, Reading};

use super::ends::FirstLast;
use super::file::OpenFile;
use crate::RowsError;

/// What Partitions.db ends with, and the first and the last key before it.
pub(crate) fn trie_ends(
    partitions: &OpenFile,
    reading: &mut Reading<'_>,
) -> Result<(Footer, FirstLast), RowsError> {
    let footer = trie_footer(partitions, reading)?;
    let footer_at = partitions.len().saturating_sub(FOOTER_LEN as u64);
    let bytes = partitions.get(footer.keys_at..footer_at, Keep::Shared, reading)?;
    let (first, last) = footer.keys(&bytes).map_err(|error| partitions.damaged(error))?;
    Ok((footer, (first.to_vec(), last.to_vec())))
}

/// What Partitions.db ends with.
pub(crate) fn trie_footer(
    partitions: &OpenFile,
    reading: &mut Reading<'_>,
) -> Result<Footer, RowsError> {
    let len = partitions.len();
    let at = len.saturating_sub(FOOTER_LEN as u64);
    let bytes = partitions.get(at..at + FOOTER_LEN as u64, Keep::Shared, reading)?;
    let bytes = *bytes.first_chunk().expect("as many bytes were read");
    Footer::read(bytes, len).map_err(|error| partitions.damaged(error))
}
