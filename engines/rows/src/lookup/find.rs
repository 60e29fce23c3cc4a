//! A partition of a table by its key.

use manicule_format_sstable::KeyHash;
use manicule_store::pages::Reading;

use super::place::Place;
use super::{big, tries};
use crate::RowsError;
use crate::table::{IndexFiles, Sstable};

/// The place of a partition in one SSTable; `None` where it isn't in it.
pub(crate) fn find(
    sstable: &Sstable,
    key: &[u8],
    reading: &mut Reading<'_>,
) -> Result<Option<Place>, RowsError> {
    let hash = KeyHash::of(key);
    if !sstable.may_contain(hash, reading)? {
        return Ok(None);
    }
    match sstable.index() {
        IndexFiles::Big { index, summary } => {
            big::find(sstable, index, summary.as_ref(), key, reading)
        }
        IndexFiles::Tries { partitions, rows } => {
            tries::find(sstable, partitions, rows, key, hash, reading)
        }
        IndexFiles::Missing => Ok(None),
    }
}
