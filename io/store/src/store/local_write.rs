//! A local folder that is written: files beside their place under another name, synced, renamed,
//! their folder synced.

use std::fs::{self, DirBuilder};
use std::io::{self, Write};
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};

use super::error::{StoreError, replaced};
use super::local::{failed, path_of};
use super::name::Name;
use super::version::Version;
use super::write::{Replace, WriteStore};
use crate::files::{SharedFiles, unless_gone};
use crate::publish::{Aside, FolderLock, sweep};

/// End of the name of a file that is being written.
const ASIDE: &str = "-tmp-manicule";

/// What owner, group and others may do with what is made, as far as the process's mask leaves it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Modes {
    /// With files.
    pub file: u32,
    /// With folders.
    pub folder: u32,
}

/// A writer into a local folder.
#[derive(Debug)]
pub struct LocalWriter {
    path: PathBuf,
    files: SharedFiles,
    modes: Modes,
}

impl LocalWriter {
    /// A writer into the folder at `path`.
    pub fn at(path: &Path, files: SharedFiles, modes: Modes) -> Self {
        LocalWriter { path: path.to_owned(), files, modes }
    }

    fn put_file(&self, path: &Path, bytes: &[u8], replace: Replace) -> io::Result<Version> {
        let folder = path.parent().expect("a file lies in the store's folder");
        let builder = &mut DirBuilder::new();
        builder.recursive(true).mode(self.modes.folder).create(folder)?;
        let _lock = match replace {
            Replace::Any => None,
            Replace::If(seen) => {
                let lock = FolderLock::wait(folder)?;
                if version_at(path)? != seen {
                    return Err(replaced());
                }
                Some(lock)
            }
        };
        let mut name = path.as_os_str().to_owned();
        name.push(ASIDE);
        let mut aside = Aside::create(&self.files, Path::new(&name), self.modes.file)?;
        aside.file().write_all(bytes)?;
        let version = aside.publish_with_version(path)?;
        self.files.sync_folder(folder)?;
        Ok(version)
    }
}

/// The version that a name has now.
fn version_at(path: &Path) -> io::Result<Option<Version>> {
    match fs::metadata(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        seen => seen.map(|seen| Some(Version::of_metadata(&seen))),
    }
}

impl WriteStore for LocalWriter {
    fn put(&self, file: &Name, bytes: &[u8], replace: Replace) -> Result<Version, StoreError> {
        let path = path_of(&self.path, file);
        self.put_file(&path, bytes, replace).map_err(failed(&path))
    }

    fn remove(&self, file: &Name) -> Result<(), StoreError> {
        let path = path_of(&self.path, file);
        unless_gone(self.files.remove(&path)).map_err(failed(&path))
    }

    fn sweep(&self, folder: &Name, is_own: &dyn Fn(&str) -> bool) -> Result<(), StoreError> {
        let path = path_of(&self.path, folder);
        let is_left = |name: &str| name.strip_suffix(ASIDE).is_some_and(is_own);
        unless_gone(sweep(&*self.files, &path, is_left)).map_err(failed(&path))
    }
}
