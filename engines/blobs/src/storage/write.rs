//! Storage that is written: files put whole, and removed.
//!
//! Only who holds a lock gets at this ([`crate::lock`]); whoever only reads has [`super::Storage`].

use std::fmt;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use manicule_format_restic::{CONFIG_NAME, FileKind, Id};
use manicule_store::SharedFiles;
use manicule_store::store::{LocalWriter, Modes, Replace, StoreError, WriteStore};

use super::FileName;
use super::names::{folder_of, name_of};

/// Files of a repository that are put and removed.
pub trait WriteStorage: fmt::Debug + Send + Sync {
    /// Puts a file whole: it is there with all its bytes, or not there. After `Ok` it outlives a
    /// power cut.
    fn put(&self, kind: FileKind, id: &Id, bytes: &[u8]) -> Result<(), StoreError>;

    /// Removes a file. One that is gone already is no error.
    fn remove(&self, kind: FileKind, id: &Id) -> Result<(), StoreError>;

    /// Removes what interrupted puts of this kind have left.
    fn sweep(&self, kind: FileKind) -> Result<(), StoreError>;
}

/// A repository that is written in a store's own folder.
#[derive(Debug)]
pub struct RepositoryWriter {
    store: Box<dyn WriteStore>,
}

impl RepositoryWriter {
    /// A writer into a store.
    pub fn new(store: Box<dyn WriteStore>) -> Self {
        RepositoryWriter { store }
    }

    /// A writer into the repository in the local folder at `path`. Modes are restic's: nobody but
    /// the owner may read, and nobody write; the group may read as well where it may read the
    /// config.
    pub fn local(path: &Path, files: SharedFiles) -> Result<Self, StoreError> {
        let config = path.join(CONFIG_NAME);
        let seen = fs::metadata(&config);
        let seen = seen.map_err(|source| StoreError { file: config, source })?;
        let modes = if seen.permissions().mode() & 0o040 == 0 {
            Modes { file: 0o400, folder: 0o700 }
        } else {
            Modes { file: 0o440, folder: 0o770 }
        };
        Ok(Self::new(Box::new(LocalWriter::at(path, files, modes))))
    }
}

impl WriteStorage for RepositoryWriter {
    fn put(&self, kind: FileKind, id: &Id, bytes: &[u8]) -> Result<(), StoreError> {
        let name = name_of(FileName::Of(kind, *id));
        self.store.put(&name, bytes, Replace::Any).map(|_| ())
    }

    fn remove(&self, kind: FileKind, id: &Id) -> Result<(), StoreError> {
        self.store.remove(&name_of(FileName::Of(kind, *id)))
    }

    fn sweep(&self, kind: FileKind) -> Result<(), StoreError> {
        self.store.sweep(&folder_of(kind), &|name| Id::parse(name.as_bytes()).is_some())
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
            let writer = RepositoryWriter::local(folder.path(), Disk::shared()).unwrap();
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
        let writer = RepositoryWriter::local(folder.path(), Disk::shared()).unwrap();
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
