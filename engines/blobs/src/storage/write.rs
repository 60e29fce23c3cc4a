//! Storage that is written: files put whole, and removed.
//!
//! Only who holds a lock gets at this ([`crate::lock`]); whoever only reads has [`super::Storage`].

use std::fmt;
use std::fs::{self, DirBuilder};
use std::io::{self, Write};
use std::os::unix::fs::{DirBuilderExt, PermissionsExt};
use std::path::{Path, PathBuf};

use manicule_format_restic::{CONFIG_NAME, FileKind, Id};
use manicule_store::SharedFiles;
use manicule_store::publish::{Aside, sweep};

use super::StorageError;
use super::folder::failed;

/// End of the name of a file that is being written: no id, so that nobody takes it for a file of
/// the repository.
const ASIDE: &str = "-tmp-manicule";

/// Files of a repository that are put and removed.
pub trait WriteStorage: fmt::Debug + Send + Sync {
    /// Puts a file whole: it is there with all its bytes, or not there. After `Ok` it outlives a
    /// power cut.
    fn put(&self, kind: FileKind, id: &Id, bytes: &[u8]) -> Result<(), StorageError>;

    /// Removes a file. One that is gone already is no error.
    fn remove(&self, kind: FileKind, id: &Id) -> Result<(), StorageError>;

    /// Removes what interrupted puts of this kind have left.
    fn sweep(&self, kind: FileKind) -> Result<(), StorageError>;
}

/// A local folder that is written as restic writes one: files beside their place under another
/// name, synced, renamed, their folder synced.
#[derive(Debug)]
pub struct FolderWriter {
    path: PathBuf,
    files: SharedFiles,
    file_mode: u32,
    folder_mode: u32,
}

impl FolderWriter {
    /// A writer into the repository at `path`. Modes are restic's: nobody but the owner may read,
    /// and nobody write; the group may read as well where it may read the config.
    pub fn new(path: &Path, files: SharedFiles) -> Result<Self, StorageError> {
        let config = path.join(CONFIG_NAME);
        let mode = fs::metadata(&config).map_err(failed(&config))?.permissions().mode();
        let (file_mode, folder_mode) =
            if mode & 0o040 == 0 { (0o400, 0o700) } else { (0o440, 0o770) };
        Ok(FolderWriter { path: path.to_owned(), files, file_mode, folder_mode })
    }

    fn put_file(&self, path: &Path, folder: &Path, bytes: &[u8]) -> io::Result<()> {
        let builder = &mut DirBuilder::new();
        builder.recursive(true).mode(self.folder_mode).create(folder)?;
        let mut name = path.as_os_str().to_owned();
        name.push(ASIDE);
        let mut aside = Aside::create(&self.files, Path::new(&name), self.file_mode)?;
        aside.file().write_all(bytes)?;
        aside.publish(path)?;
        self.files.sync_folder(folder)
    }
}

impl WriteStorage for FolderWriter {
    fn put(&self, kind: FileKind, id: &Id, bytes: &[u8]) -> Result<(), StorageError> {
        let path = self.path.join(kind.path(id));
        let folder = path.parent().expect("a file lies in the folder of its kind");
        self.put_file(&path, folder, bytes).map_err(failed(&path))
    }

    fn remove(&self, kind: FileKind, id: &Id) -> Result<(), StorageError> {
        let path = self.path.join(kind.path(id));
        match self.files.remove(&path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
            removed => removed.map_err(failed(&path)),
        }
    }

    fn sweep(&self, kind: FileKind) -> Result<(), StorageError> {
        let folder = self.path.join(kind.folder());
        let is_left = |name: &str| {
            name.strip_suffix(ASIDE).is_some_and(|id| Id::parse(id.as_bytes()).is_some())
        };
        match sweep(&*self.files, &folder, is_left) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
            swept => swept.map_err(failed(&folder)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use manicule_store::Disk;

    fn mode(path: &Path) -> u32 {
        fs::metadata(path).unwrap().permissions().mode() & 0o777
    }

    #[test]
    fn files_and_folders_have_the_modes_that_restic_gives_them() {
        for (config_mode, file_mode, folder_mode) in [(0o400, 0o400, 0o700), (0o440, 0o440, 0o770)]
        {
            let folder = tempfile::tempdir().unwrap();
            let config = folder.path().join("config");
            fs::write(&config, "").unwrap();
            fs::set_permissions(&config, fs::Permissions::from_mode(config_mode)).unwrap();
            let writer = FolderWriter::new(folder.path(), Disk::shared()).unwrap();
            let id = Id([7; 32]);
            for kind in [FileKind::Index, FileKind::Pack] {
                writer.put(kind, &id, b"bytes").unwrap();
                let path = folder.path().join(kind.path(&id));
                assert_eq!(fs::read(&path).unwrap(), b"bytes");
                assert_eq!(mode(&path), file_mode);
                // As far as the mask of the process leaves it.
                let parent = mode(path.parent().unwrap());
                assert!(parent & 0o700 == 0o700 && parent & !folder_mode == 0, "{parent:o}");
                writer.remove(kind, &id).unwrap();
                writer.remove(kind, &id).unwrap();
                assert!(!path.exists());
            }
        }
    }

    #[test]
    fn only_what_interrupted_puts_have_left_is_swept() {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("config"), "").unwrap();
        let writer = FolderWriter::new(folder.path(), Disk::shared()).unwrap();
        writer.sweep(FileKind::Index).unwrap();
        let index = folder.path().join("index");
        fs::create_dir(&index).unwrap();
        let id = Id([7; 32]);
        let others = [id.to_string(), format!("{id}-tmp-123"), "x-tmp-manicule".to_owned()];
        others.iter().for_each(|name| fs::write(index.join(name), "").unwrap());
        fs::write(index.join(format!("{id}-tmp-manicule")), "").unwrap();
        writer.sweep(FileKind::Index).unwrap();
        assert_eq!(fs::read_dir(&index).unwrap().count(), others.len());
        assert!(others.iter().all(|name| index.join(name).exists()));
    }
}
