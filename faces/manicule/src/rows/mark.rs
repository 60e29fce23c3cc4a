//! Level and time of repair, changed where the SSTables lie.

use std::fs;
use std::path::PathBuf;
use std::time::UNIX_EPOCH;

use manicule_rows::table::{Listed, list_some};
use manicule_rows::write;
use manicule_rows::{Component, Marks, RowsError};
use manicule_store::Disk;

use super::error::Error;
use super::open::{reading_within, reads};
use super::write::MEMORY_BYTES;
use crate::place::local;

pub use manicule_rows::write::Marked;

/// When an SSTable was repaired, as it is to say.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Repaired {
    /// Never.
    Never,
    /// At a time, in milliseconds since 1970.
    At(i64),
    /// When its Data.db was written last: as Cassandra's own tool has it.
    WhenWritten,
}

/// Arguments of marking.
#[derive(Clone, Debug)]
pub struct MarkCall {
    /// Folders of tables, and files of single SSTables.
    pub paths: Vec<PathBuf>,
    /// Level of leveled compaction; `None`: it stays.
    pub level: Option<i32>,
    /// When they were repaired; `None`: it stays.
    pub repaired: Option<Repaired>,
    /// Whether nothing is written.
    pub is_dry: bool,
}

/// Marks the SSTables of each path: Statistics.db is replaced, whole or not at all. No node may
/// have them open. `take` receives the path of each one's Data.db, and what it was and is.
///
/// # Errors
/// The first SSTable that can't be marked: those before it are.
pub fn mark<E: From<Error>>(
    call: &MarkCall,
    mut take: impl FnMut(PathBuf, &Marked) -> Result<(), E>,
) -> Result<(), E> {
    let options = reads()?;
    let files = (!call.is_dry).then(Disk::shared);
    for path in &call.paths {
        local(path).map_err(RowsError::from).map_err(Error::Rows)?;
        let (listed, _) = list_some(path).map_err(Error::Rows)?;
        for listed in &listed {
            let marks = Marks { level: call.level, repaired_at: repaired_at(call, listed)? };
            let marked = reading_within(MEMORY_BYTES, |reading| {
                write::mark(listed, &marks, files.as_ref(), &options, reading)
            });
            take(listed.path(&Component::Data), &marked.map_err(Error::Rows)?)?;
        }
    }
    Ok(())
}

/// The time in milliseconds since 1970 that an SSTable is to have.
fn repaired_at(call: &MarkCall, listed: &Listed) -> Result<Option<i64>, Error> {
    Ok(match call.repaired {
        None => None,
        Some(Repaired::Never) => Some(0),
        Some(Repaired::At(ms)) => Some(ms),
        Some(Repaired::WhenWritten) => {
            let file = listed.path(&Component::Data);
            let modified = fs::metadata(&file).and_then(|metadata| metadata.modified());
            let modified = modified.map_err(|source| RowsError::Io { file, source })?;
            let since = modified.duration_since(UNIX_EPOCH).unwrap_or_default();
            Some(i64::try_from(since.as_millis()).unwrap_or(i64::MAX))
        }
    })
}
