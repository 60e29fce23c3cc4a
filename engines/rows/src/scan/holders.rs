//! Which SSTables of a table have a partition.

use manicule_store::pages::Reading;

use crate::RowsError;
use crate::lookup::find;
use crate::table::{Listed, Sstable, TableOptions};

/// Those that have it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Holders {
    /// Their places in the list, each with the offset of the partition in the uncompressed data.
    pub list: Vec<(usize, u64)>,
    /// Number of those whose filter admits the key, rightly or not.
    pub admitted_count: u64,
}

/// Looks a partition up in each SSTable: by its filter, and by its index where that admits the key.
/// Each has the key itself.
pub fn holders(
    listed: &[Listed],
    key: &[u8],
    options: &TableOptions,
    reading: &mut Reading<'_>,
) -> Result<Holders, RowsError> {
    let mut holders = Holders::default();
    for (place, listed) in listed.iter().enumerate() {
        let opened = Sstable::open_if_it_may_have(listed, key, options, reading)?;
        let Some(sstable) = opened else { continue };
        holders.admitted_count += 1;
        if let Some(found) = find(&sstable, key, reading)? {
            holders.list.push((place, found.position));
        }
    }
    Ok(holders)
}
