//! The finished SSTables of a path that has to have some.

use std::path::Path;

use super::bring::Ahead;
use super::folder::{LeftOut, list_for};
use super::listed::Listed;
use super::table_place::TablePlace;
use crate::RowsError;

/// Why a folder without an SSTable can't be read.
pub const NO_SSTABLE: &str =
    "no SSTable here; a table's folder holds files such as me-1-big-Data.db";

/// The finished SSTables of a local path as [`list_some_at`] has them.
pub fn list_some(path: &Path) -> Result<(Vec<Listed>, Vec<LeftOut>), RowsError> {
    list_some_at(&TablePlace::local(path)?, Ahead::Everything)
}

/// The finished SSTables of a place as [`super::list_at`] has them, listed for some questions: at
/// least one.
///
/// # Errors
/// [`RowsError::Missing`] where there is none, with the reason why the first was left out.
pub fn list_some_at(
    place: &TablePlace,
    ahead: Ahead,
) -> Result<(Vec<Listed>, Vec<LeftOut>), RowsError> {
    let (listed, left_out) = list_for(place, ahead)?;
    if listed.is_empty() {
        let why = match left_out.first() {
            None => NO_SSTABLE.to_owned(),
            Some(LeftOut { path, why, .. }) => {
                format!("no SSTable is there that is whole: {}: {why}", path.display())
            }
        };
        return Err(RowsError::Missing { place: place.shown(), why });
    }
    Ok((listed, left_out))
}
