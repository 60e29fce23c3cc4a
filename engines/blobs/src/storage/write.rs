//! Storage that is written: files put whole, and removed.
//!
//! Only who holds a lock gets at this ([`crate::lock`]); whoever only reads has [`super::Storage`].

use std::fmt;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::sync::Arc;

use manicule_format_restic::{CONFIG_NAME, FileKind, Id};
use manicule_store::SharedFiles;
use manicule_store::store::{
    LocalWriter, Modes, Name, Replace, Store, StoreError, WriteStore, writer_of,
};

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
    to: To,
}

#[derive(Debug)]
enum To {
    Folder(LocalWriter),
    Store(Arc<dyn Store>),
}

impl RepositoryWriter {
    /// A writer into a store, which puts files that are not there only.
    ///
    /// # Errors
    /// A store that is only read.
    pub fn new(store: Arc<dyn Store>) -> Result<Self, StoreError> {
        writer_of(&*store)?;
        Ok(RepositoryWriter { to: To::Store(store) })
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
        Ok(RepositoryWriter { to: To::Folder(LocalWriter::at(path, files, modes)) })
    }

    fn writer(&self) -> Result<&dyn WriteStore, StoreError> {
        match &self.to {
            To::Folder(folder) => Ok(folder),
            To::Store(store) => writer_of(&**store),
        }
    }
}

/// Puts a file that is not there. One of its name has its bytes, unless it is damaged: a put whose
/// answer was lost is made again.
fn put_new(store: &dyn Store, name: &Name, bytes: &[u8]) -> Result<(), StoreError> {
    match writer_of(store)?.put(name, bytes, Replace::If(None)) {
        Err(error) if error.is_replaced() => {
            let mut there = Vec::new();
            store.read(name, bytes.len() as u64, &mut there)?;
            if there == bytes { Ok(()) } else { Err(error) }
        }
        put => put.map(drop),
    }
}

impl WriteStorage for RepositoryWriter {
    fn put(&self, kind: FileKind, id: &Id, bytes: &[u8]) -> Result<(), StoreError> {
        let name = name_of(FileName::Of(kind, *id));
        match &self.to {
            To::Folder(folder) => folder.put(&name, bytes, Replace::Any).map(drop),
            To::Store(store) => put_new(&**store, &name, bytes),
        }
    }

    fn remove(&self, kind: FileKind, id: &Id) -> Result<(), StoreError> {
        self.writer()?.remove(&name_of(FileName::Of(kind, *id)))
    }

    fn sweep(&self, kind: FileKind) -> Result<(), StoreError> {
        self.writer()?.sweep(&folder_of(kind), &|name| Id::parse(name.as_bytes()).is_some())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use manicule_store::Disk;
    use manicule_store::store::MemoryStore;

    #[test]
    fn a_store_gets_files_that_it_has_not() {
        let store = MemoryStore::new(1);
        let writer = RepositoryWriter::new(Arc::new(store.clone())).unwrap();
        let id = Id([7; 32]);
        writer.put(FileKind::Index, &id, b"bytes").unwrap();
        // The same bytes are there already.
        writer.put(FileKind::Index, &id, b"bytes").unwrap();
        let error = writer.put(FileKind::Index, &id, b"other").unwrap_err();
        assert!(error.is_replaced(), "{error}");
        let mut there = Vec::new();
        store.read(&name_of(FileName::Of(FileKind::Index, id)), 10, &mut there).unwrap();
        assert_eq!(there, b"bytes");
        writer.sweep(FileKind::Index).unwrap();
        writer.remove(FileKind::Index, &id).unwrap();
        writer.remove(FileKind::Index, &id).unwrap();
        assert!(store.list(&folder_of(FileKind::Index)).unwrap().is_empty());
    }

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
