//! Where an SSTable has a partition.

use manicule_store::pages::Reading;

use crate::RowsError;
use crate::lookup::find;
use crate::table::{Sstable, together};

/// Offset of a partition in the uncompressed data of an SSTable, by its filter and its
/// index. The partition there has the key itself.
pub fn position(
    sstable: &Sstable,
    key: &[u8],
    reading: &mut Reading<'_>,
) -> Result<Option<u64>, RowsError> {
    Ok(find(sstable, key, reading)?.map(|found| found.position))
}

/// As [`position`], of SSTables of one folder: side by side where they are at an address.
pub fn positions(
    sstables: &[Sstable],
    key: &[u8],
    reading: &mut Reading<'_>,
) -> Vec<Result<Option<u64>, RowsError>> {
    let Some(first) = sstables.first() else { return Vec::new() };
    together(first.store(), sstables.len(), reading, |number, reading| {
        position(&sstables[number], key, reading)
    })
}
