//! The files of a repository as they are stored: what a server hands to restic.

use std::io;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use manicule_blobs::{FileKind, FileName, Listed, RepoError, RepositoryFiles, Storage};
use manicule_store::pages::{ByteSource, ReadCounts};
use manicule_store::store::{StoreError, Version};

use super::error::Error;
use crate::place::remote;

/// Time for which folders were the same before a listing of them is kept: clocks of file systems
/// tick every 2 s at worst, and what is added within a tick leaves no trace.
const SETTLED: Duration = Duration::from_secs(2);

/// The files of a repository in a local folder or at an address, as they are stored: without a
/// password, as nothing of them is opened. Any number of threads may ask.
///
/// Of a local folder a link in the place of a file is none: nothing outside of it is read.
#[derive(Debug)]
pub struct RawFiles {
    files: RepositoryFiles,
    /// The last listing of each kind.
    kept: [Mutex<Option<KeptListing>>; FileKind::ALL.len()],
}

/// A listing, and the folders that it was made of.
#[derive(Debug)]
struct KeptListing {
    folders: Vec<Version>,
    /// When the folders were first seen like that.
    first_seen: Instant,
    listed_at: Instant,
    listed: Arc<[Listed]>,
}

impl KeptListing {
    /// Whether nothing can have been added since that its folders don't show.
    fn is_settled(&self) -> bool {
        self.listed_at.duration_since(self.first_seen) >= SETTLED
    }
}

/// A file that is open to be read.
#[derive(Debug)]
pub struct RawFile(Box<dyn ByteSource>);

impl RawFiles {
    /// The files at a path or an address. Nothing is looked at yet.
    ///
    /// # Errors
    /// An address that can't be reached so.
    pub fn at(path: &Path) -> Result<Self, Error> {
        let files = match remote(path).map_err(RepoError::from)? {
            None => RepositoryFiles::without_links(path),
            Some(remote) => RepositoryFiles::new(remote.folder()),
        };
        Ok(RawFiles { files, kept: Default::default() })
    }

    /// The files of a kind with their lengths, ordered by id; a missing folder is an empty one.
    ///
    /// Of a local folder the last listing is given again as long as its folders are the same, for a
    /// look at each: 100,000 packs cost 257 looks. At an address each listing is one of the store.
    pub fn list(&self, kind: FileKind) -> Result<Arc<[Listed]>, Error> {
        let mut kept = self.kept[kind as usize].lock().unwrap_or_else(PoisonError::into_inner);
        let folders = self.files.folders_of(kind).map_err(RepoError::from)?;
        let Some(folders) = folders else { return self.listed(kind) };
        let first_seen = match &*kept {
            Some(known) if known.folders == folders && known.is_settled() => {
                return Ok(Arc::clone(&known.listed));
            }
            Some(known) if known.folders == folders => known.first_seen,
            _ => Instant::now(),
        };
        let (listed_at, listed) = (Instant::now(), self.listed(kind)?);
        let answer = Arc::clone(&listed);
        *kept = Some(KeptListing { folders, first_seen, listed_at, listed });
        Ok(answer)
    }

    fn listed(&self, kind: FileKind) -> Result<Arc<[Listed]>, Error> {
        Ok(self.files.list(kind).map_err(RepoError::from)?.into())
    }

    /// The length of a file in bytes: one look. What is no file, such as a folder of its name, is
    /// missing.
    pub fn len_of(&self, file: FileName) -> Result<u64, Error> {
        Ok(self.files.len_of(file).map_err(missing)?)
    }

    /// Opens a file, likewise.
    pub fn open(&self, file: FileName) -> Result<RawFile, Error> {
        Ok(RawFile(self.files.open(file).map_err(missing)?))
    }

    /// Whether each range that is read costs a request to a store elsewhere.
    pub fn is_far(&self) -> bool {
        self.files.is_far()
    }
}

/// The error of a file, that there is none if something else is in its place.
fn missing(error: StoreError) -> RepoError {
    use io::ErrorKind::{InvalidInput, IsADirectory, NotADirectory, NotFound};
    let StoreError { file, source } = error;
    let source = match source.kind() {
        InvalidInput | IsADirectory | NotADirectory => io::Error::new(NotFound, "not a plain file"),
        _ => source,
    };
    StoreError { file, source }.into()
}

impl RawFile {
    /// Its length in bytes.
    pub fn len(&self) -> u64 {
        self.0.len()
    }

    /// Whether it has no bytes.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Fills `out` with its bytes from an offset on.
    ///
    /// # Errors
    /// A range that is not in the file, and whatever keeps it from being read.
    pub fn read_at(&self, at: u64, out: &mut [u8]) -> io::Result<()> {
        self.0.read_at(at, out, &mut ReadCounts::default())
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use manicule_blobs::Id;
    use manicule_core::ErrorClass;

    use super::*;

    #[test]
    fn a_listing_is_kept_until_its_folders_change() {
        let folder = tempfile::tempdir().unwrap();
        let put = |number: u8| {
            let file = folder.path().join(FileKind::Pack.path(&Id([number; 32])));
            fs::create_dir_all(file.parent().unwrap()).unwrap();
            fs::write(file, "pack").unwrap();
        };
        put(1);
        let files = RawFiles::at(folder.path()).unwrap();
        let list = || files.list(FileKind::Pack).unwrap();
        let settle = || {
            let mut kept = files.kept[FileKind::Pack as usize].lock().unwrap();
            let known = kept.as_mut().unwrap();
            known.first_seen = known.listed_at.checked_sub(SETTLED).unwrap();
        };
        // A listing whose folders may still change unseen is made again.
        assert!(!Arc::ptr_eq(&list(), &list()));
        settle();
        assert!(Arc::ptr_eq(&list(), &list()));
        put(2);
        let now = list();
        assert_eq!(now.len(), 2);
        settle();
        assert!(Arc::ptr_eq(&now, &list()));
        fs::remove_file(folder.path().join(FileKind::Pack.path(&Id([1; 32])))).unwrap();
        assert_eq!(list().len(), 1);
    }

    #[test]
    fn what_lies_elsewhere_is_not_read() {
        let folder = tempfile::tempdir().unwrap();
        let secret = folder.path().join("secret");
        fs::write(&secret, "secret").unwrap();
        let repository = folder.path().join("repository");
        let id = Id([7; 32]);
        let file = repository.join(FileKind::Index.path(&id));
        fs::create_dir_all(file.parent().unwrap()).unwrap();
        std::os::unix::fs::symlink(&secret, &file).unwrap();
        let (files, name) = (RawFiles::at(&repository).unwrap(), FileName::Of(FileKind::Index, id));
        let class = |error: Error| error.class();
        assert_eq!(files.open(name).map_err(class).unwrap_err(), ErrorClass::Missing);
        assert_eq!(files.len_of(name).map_err(class).unwrap_err(), ErrorClass::Missing);
        // As restic's own listing of a repository has it: something is in the place of a file.
        assert_eq!(*files.list(FileKind::Index).unwrap(), [Listed { id, len: 0 }]);
        fs::remove_file(&file).unwrap();
        fs::write(&file, "index").unwrap();
        let (opened, mut out) = (files.open(name).unwrap(), [0; 3]);
        opened.read_at(2, &mut out).unwrap();
        assert_eq!((opened.len(), files.len_of(name).unwrap(), &out), (5, 5, b"dex"));
        assert!(opened.read_at(3, &mut out).is_err());
    }
}
