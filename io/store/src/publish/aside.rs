//! A file put whole: written beside its place under another name, synced, renamed. A name is bound
//! to nothing, to the old file or to the new one.

use std::io;
use std::path::{Path, PathBuf};

use crate::store::Version;
use crate::{OutFile, SharedFiles};

/// The mode of a file that only its owner may read.
pub const OWN: u32 = 0o600;
/// The mode of a file that everybody may read whom the process's mask does not keep out.
pub const SHARED: u32 = 0o666;

/// A file that has no name of its own yet. Unless it is published it goes when it is dropped.
#[derive(Debug)]
pub struct Aside {
    files: SharedFiles,
    path: PathBuf,
    out: OutFile,
    is_published: bool,
}

impl Aside {
    /// An empty file at `path`, in place of what an interrupted run has left there.
    pub fn create(files: &SharedFiles, path: &Path, mode: u32) -> io::Result<Self> {
        let out = OutFile::replace(files, path, mode)?;
        Ok(Aside { files: files.clone(), path: path.to_owned(), out, is_published: false })
    }

    /// The file, to be written.
    pub fn file(&mut self) -> &mut OutFile {
        &mut self.out
    }

    /// Gives it its name. After `Ok` the file outlives a power cut, and its name does when its
    /// folder has been synced.
    pub fn publish(self, name: &Path) -> io::Result<()> {
        self.out.sync()?;
        self.publish_as_is(name)
    }

    /// As [`Aside::publish`]; the version that the file has under its name.
    pub(crate) fn publish_with_version(mut self, name: &Path) -> io::Result<Version> {
        self.out.sync()?;
        self.rename(name)?;
        // A rename is a change.
        self.out.version()
    }

    /// Gives it its name without a sync: it was synced before, or is checked when it is read and
    /// may as well be missing.
    pub fn publish_as_is(mut self, name: &Path) -> io::Result<()> {
        self.rename(name)
    }

    fn rename(&mut self, name: &Path) -> io::Result<()> {
        self.files.rename(&self.path, name)?;
        self.is_published = true;
        Ok(())
    }
}

impl Drop for Aside {
    fn drop(&mut self) {
        if !self.is_published {
            // What can't be removed now the next run writes over, or sweeps.
            let _ = self.files.remove(&self.path);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Disk;
    use std::fs;
    use std::io::Write;

    #[test]
    fn a_name_is_bound_to_the_old_file_or_the_new_one() {
        let folder = tempfile::tempdir().unwrap();
        let (name, aside) = (folder.path().join("a"), folder.path().join("a.tmp"));
        fs::write(&name, "old").unwrap();
        fs::write(&aside, "what a killed run has left").unwrap();
        let mut dropped = Aside::create(&Disk::shared(), &aside, OWN).unwrap();
        dropped.file().write_all(b"half").unwrap();
        drop(dropped);
        assert!(!aside.exists());
        assert_eq!(fs::read(&name).unwrap(), b"old");
        let mut put = Aside::create(&Disk::shared(), &aside, OWN).unwrap();
        put.file().write_all(b"new").unwrap();
        put.publish(&name).unwrap();
        assert!(!aside.exists());
        assert_eq!(fs::read(&name).unwrap(), b"new");
    }
}
