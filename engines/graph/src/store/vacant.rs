//! A place before a store is made in it, so that a call that fails leaves it as it was.

use std::fs;
use std::io;
use std::path::Path;

use manicule_store::SharedFiles;

use super::publish::CURRENT;

/// A place where a store may be made: nothing, or an empty folder.
#[derive(Clone, Copy, Debug)]
pub struct Vacant<'f> {
    folder: &'f Path,
    is_folder: bool,
}

impl<'f> Vacant<'f> {
    /// The place as it is now; `None` where something is.
    pub fn of(folder: &'f Path) -> Option<Vacant<'f>> {
        match fs::read_dir(folder) {
            Ok(mut entries) => {
                entries.next().is_none().then_some(Vacant { folder, is_folder: true })
            }
            Err(error) => (error.kind() == io::ErrorKind::NotFound)
                .then_some(Vacant { folder, is_folder: false }),
        }
    }

    /// Removes what a call has made here, under the lock of its store. What can't be removed stays,
    /// and is no store once its first file is gone.
    pub fn restore(self, files: &SharedFiles) {
        // The call has failed already, for a reason of its own.
        let _ = files.remove(&self.folder.join(CURRENT)).and_then(|()| empty(self.folder, files));
        if !self.is_folder {
            let _ = files.remove_folder(self.folder);
        }
    }
}

/// Removes all that is in a folder.
fn empty(folder: &Path, files: &SharedFiles) -> io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() {
            files.remove_folder(&path)?;
        } else {
            files.remove(&path)?;
        }
    }
    Ok(())
}
