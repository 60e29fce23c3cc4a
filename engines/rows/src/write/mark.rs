//! Level and time of repair of an SSTable that stays as it is: Statistics.db is rewritten and
//! takes the old one's place.

use std::fs::{self, Permissions};
use std::io::{self, Write};
use std::os::unix::fs::{MetadataExt, PermissionsExt, chown};
use std::path::Path;

use manicule_format_sstable::{
    Component, Marks, ScyllaFile, Statistics, StatisticsFile, Version, put_marks,
};
use manicule_store::SharedFiles;
use manicule_store::pages::Reading;
use manicule_store::publish::{Aside, OWN};

use crate::RowsError;
use crate::table::{Listed, TableOptions, read_component};

/// Number of Statistics.db in the checksums of Scylla.db.
const STATISTICS_NUMBER: u32 = 8;

/// Statistics of an SSTable before and after it was marked.
#[derive(Clone, Debug)]
pub struct Marked {
    /// What they were.
    pub before: Statistics,
    /// What they are.
    pub after: Statistics,
    /// Whether a byte changed: where none did, nothing is written.
    pub is_changed: bool,
}

/// Changes level or time of repair of an SSTable, which no node may have open. With `files` the new
/// Statistics.db takes the place of the old one, which is there until then; without nothing is
/// written.
pub fn mark(
    listed: &Listed,
    marks: &Marks,
    files: Option<&SharedFiles>,
    table: &TableOptions,
    reading: &mut Reading<'_>,
) -> Result<Marked, RowsError> {
    check_scylla(listed, table, reading)?;
    let (path, version) = (listed.path(&Component::Statistics), listed.descriptor.version);
    let old = read_component(listed, &Component::Statistics, table, reading)?;
    let new = put_marks(&old, version, marks).map_err(|error| RowsError::damaged(&path, error))?;
    let marked = Marked {
        before: statistics(&path, &old, version)?,
        after: statistics(&path, &new, version)?,
        is_changed: old != new,
    };
    if let Some(files) = files.filter(|_| marked.is_changed) {
        let replaced = replace(files, &listed.folder, &path, &new);
        replaced.map_err(|source| RowsError::Io { file: path, source })?;
    }
    Ok(marked)
}

fn statistics(path: &Path, bytes: &[u8], version: Version) -> Result<Statistics, RowsError> {
    let file = StatisticsFile::open(bytes, version);
    let file = file.map_err(|error| RowsError::damaged(path, error))?;
    file.statistics().map_err(|error| RowsError::damaged(path, error))
}

/// Refuses an SSTable whose Scylla.db has a checksum of the statistics.
fn check_scylla(
    listed: &Listed,
    table: &TableOptions,
    reading: &mut Reading<'_>,
) -> Result<(), RowsError> {
    if !listed.components.contains(&Component::Scylla) {
        return Ok(());
    }
    let file = listed.path(&Component::Scylla);
    let bytes = read_component(listed, &Component::Scylla, table, reading)?;
    let scylla = ScyllaFile::open(&bytes).map_err(|error| RowsError::damaged(&file, error))?;
    let digests = scylla.digests().map_err(|error| RowsError::damaged(&file, error))?;
    if digests.iter().any(|(number, _)| *number == STATISTICS_NUMBER) {
        let what = "it has a checksum of Statistics.db, which would no longer hold".to_owned();
        return Err(RowsError::Unsupported { file, what });
    }
    Ok(())
}

/// Writes a file beside its place, with the rights of the one that is there, and gives it the name.
/// A node removes what a killed run has left: its name ends as those of its own.
fn replace(files: &SharedFiles, folder: &Path, path: &Path, bytes: &[u8]) -> io::Result<()> {
    let old = fs::metadata(path)?;
    let mut name = path.file_name().unwrap_or_default().to_owned();
    name.push(".tmp");
    let beside = path.with_file_name(name);
    let mut aside = Aside::create(files, &beside, OWN)?;
    aside.file().write_all(bytes)?;
    // Only root may give a file away: of others the owner is the same, or may read it by its group.
    match chown(&beside, Some(old.uid()), Some(old.gid())) {
        Err(error) if error.kind() != io::ErrorKind::PermissionDenied => return Err(error),
        _ => {}
    }
    fs::set_permissions(&beside, Permissions::from_mode(old.mode() & 0o7777))?;
    aside.publish(path)?;
    files.sync_folder(folder)
}
