//! The folder of a store: its lock, its folders, and reading it while its files are replaced.

use std::fs;
use std::io;
use std::path::Path;

use manicule_store::publish::{Attempt, Lock};
use manicule_store::store::{Fetched, Name};
use manicule_store::{SharedFiles, list_names};

use super::pins::PIN_FOLDER;
use super::publish::{CURRENT, current_text};
use crate::error::GraphError;
use crate::snapshot::generation::FILE_FOLDERS;

/// Folder of the log.
pub const LOG_FOLDER: &str = "log";
/// The folder of the log in a store.
pub(super) fn logs() -> Name {
    Name::new(LOG_FOLDER).expect("a name")
}

const LOCK: &str = "lock";
/// The lock of who merges, be it beside a writer.
const MERGING_LOCK: &str = "merging";
/// How often a store is looked at again whose files are replaced while they are opened.
const TRIES: usize = 100;

fn folders() -> impl Iterator<Item = &'static str> {
    FILE_FOLDERS.into_iter().chain([LOG_FOLDER, PIN_FOLDER])
}

/// Takes the lock of a folder that isn't there or is empty, and makes the folders of a store in it.
/// What is left of a store that was being made is taken over.
pub(super) fn take_empty(folder: &Path, files: &SharedFiles) -> Result<Lock, GraphError> {
    let failed = |source| GraphError::Io { file: folder.to_owned(), source };
    fs::create_dir_all(folder).map_err(failed)?;
    let lock = lock(folder, files)?;
    for name in list_names(folder).map_err(failed)? {
        let name = name.name.to_string_lossy().into_owned();
        if !folders().any(|known| known == name)
            && name != LOCK
            && name != MERGING_LOCK
            && !name.starts_with("manifest-")
            && name != "CURRENT.aside"
        {
            let source = io::Error::new(io::ErrorKind::AlreadyExists, "the folder isn't empty");
            return Err(failed(source));
        }
    }
    make_folders(folder, files)?;
    Ok(lock)
}

/// Makes the folders that are missing.
pub(super) fn make_folders(folder: &Path, files: &SharedFiles) -> Result<(), GraphError> {
    let failed = |source| GraphError::Io { file: folder.to_owned(), source };
    let missing = folders().map(|name| folder.join(name)).filter(|path| !path.is_dir());
    let missing: Vec<_> = missing.collect();
    if missing.is_empty() {
        return Ok(());
    }
    missing.iter().try_for_each(|path| files.create_folder(path)).map_err(failed)?;
    files.sync_folder(folder).map_err(failed)
}

/// Removes what is left of another log in a folder: it would be read after the new one.
pub(super) fn remove_logs(folder: &Path, files: &SharedFiles) -> Result<(), GraphError> {
    let folder = folder.join(LOG_FOLDER);
    let remove = || {
        for name in list_names(&folder)? {
            files.remove(&folder.join(name.name))?;
        }
        Ok(())
    };
    remove().map_err(|source| GraphError::Io { file: folder.clone(), source })
}

/// Takes the lock of who writes.
pub(super) fn lock(folder: &Path, files: &SharedFiles) -> Result<Lock, GraphError> {
    let busy = || GraphError::Busy { store: folder.to_owned() };
    take(&folder.join(LOCK), files)?.ok_or_else(busy)
}

/// Takes the lock of who merges, or removes files that no manifest names.
pub(super) fn lock_merging(folder: &Path, files: &SharedFiles) -> Result<Lock, GraphError> {
    let merging = || GraphError::Merging { store: folder.to_owned() };
    take(&folder.join(MERGING_LOCK), files)?.ok_or_else(merging)
}

fn take(file: &Path, files: &SharedFiles) -> Result<Option<Lock>, GraphError> {
    match Lock::take(&**files, file) {
        Ok(Attempt::Taken(lock)) => Ok(Some(lock)),
        Ok(Attempt::Busy | Attempt::Lost) => Ok(None),
        Err(source) => Err(GraphError::Io { file: file.to_owned(), source }),
    }
}

/// Whether somebody has the right to merge the commits of a store.
pub fn is_merging(folder: &Path) -> bool {
    matches!(Lock::find(&folder.join(MERGING_LOCK)), Ok(Attempt::Busy))
}

/// An error unless there is a store.
pub(super) fn look_for(folder: &Path) -> Result<(), GraphError> {
    if folder.join(CURRENT).is_file() { Ok(()) } else { Err(missing(folder)) }
}

pub(super) fn missing(folder: &Path) -> GraphError {
    let why =
        "there is no graph store here, as CURRENT names none; `manicule graph load` makes one"
            .to_owned();
    GraphError::Missing { place: folder.to_owned(), why }
}

/// Calls `read` with the text of CURRENT, and again while generations are published meanwhile: a
/// merge may have removed what the old manifest names, and the log after it.
pub(super) fn settled<T>(
    files: &Fetched,
    read: impl Fn(Option<&str>) -> Result<T, GraphError>,
) -> Result<T, GraphError> {
    let mut tries = 0;
    let mut before = current_text(files.store())?;
    loop {
        let read = read(before.as_deref());
        tries += 1;
        let now = current_text(files.store())?;
        if before == now || tries == TRIES {
            return read;
        }
        before = now;
    }
}
