//! The file that says how far the log was synced. It is read before the log, and written after a
//! sync: so whatever it says is true of the log that is read. It isn't synced itself, since an
//! older one refutes as well, if less.

use std::fs::OpenOptions;
use std::io;
use std::path::{Path, PathBuf};

use manicule_format_leaf::synced::Synced;
use manicule_store::store::Store;
use manicule_store::{OutFile, SharedFiles};

use super::folder::logs;
use crate::error::GraphError;

/// Its name in the folder of the log.
const NAME: &str = "synced";

/// What it says; none where it isn't there, or isn't whole: its writer may have been killed.
pub(super) fn read_synced(store: &dyn Store) -> Result<Option<Synced>, GraphError> {
    Ok(synced_file(store)?.and_then(|(_, bytes)| Synced::decode(&bytes).ok()))
}

/// The file, if there is one, and its bytes.
pub(crate) fn synced_file(store: &dyn Store) -> Result<Option<(PathBuf, Vec<u8>)>, GraphError> {
    let (file, mut bytes) = (logs().join(NAME).expect("a name"), Vec::new());
    match store.read(&file, u64::MAX, &mut bytes) {
        Err(error) if error.is_missing() => Ok(None),
        read => Ok(read.map(|()| Some((store.show(&file), bytes)))?),
    }
}

/// The file, to be written.
#[derive(Debug)]
pub(super) struct SyncedFile {
    files: SharedFiles,
    path: PathBuf,
    /// Opened when there is something to say.
    out: Option<OutFile>,
}

impl SyncedFile {
    /// The file in the folder of a log.
    pub(super) fn new(files: &SharedFiles, logs: &Path) -> Self {
        SyncedFile { files: files.clone(), path: logs.join(NAME), out: None }
    }

    /// Says how far the log is synced, in place of what was said before.
    pub(super) fn put(&mut self, synced: &Synced) -> Result<(), GraphError> {
        self.write(synced).map_err(|source| GraphError::Io { file: self.path.clone(), source })
    }

    fn write(&mut self, synced: &Synced) -> io::Result<()> {
        let out = match self.out.take() {
            Some(out) => out,
            None => {
                let mut options = OpenOptions::new();
                options.create(true).truncate(false).write(true);
                OutFile::open(&self.files, &self.path, &options)?
            }
        };
        out.write_all_at(&synced.encode(), 0)?;
        self.out = Some(out);
        Ok(())
    }
}
