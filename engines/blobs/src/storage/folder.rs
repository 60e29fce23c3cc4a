//! A repository in a local folder.
//!
//! Bytes:   docs/formats/restic.md, "The folder"

use std::collections::BTreeSet;
use std::fs::{self, File};
use std::io::{self, Read};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use manicule_format_restic::{FileKind, Id};
use manicule_store::{NamedEntry, list_names, open_plain, read_range};

use super::{FileName, Listed, Misplaced, Storage, StorageError};

/// A folder on a local disk, or one that is mounted.
#[derive(Debug)]
pub struct Folder {
    path: PathBuf,
}

impl Folder {
    /// The folder at `path`. Nothing is looked at yet.
    pub fn new(path: &Path) -> Self {
        Folder { path: path.to_owned() }
    }

    fn path(&self, file: FileName) -> PathBuf {
        let FileName::Of(kind, id) = file else { return self.path.join("config") };
        self.path.join(kind.path(&id))
    }

    fn open(&self, file: FileName) -> Result<(File, PathBuf), StorageError> {
        let path = self.path(file);
        let opened = open_plain(&path, fs::OpenOptions::new().read(true));
        opened.map(|opened| (opened, path.clone())).map_err(failed(&path))
    }

    /// The files of a folder, and of the folders in it down to `depth`: a pack in the wrong one of
    /// the 256 is listed.
    fn list_into(
        &self,
        folder: &Path,
        depth: usize,
        listed: &mut Vec<Listed>,
    ) -> Result<(), StorageError> {
        for entry in names_in(folder)? {
            if let Some(id) = Id::parse(entry.name.as_bytes()) {
                listed.extend(look(folder, &entry, id)?);
            } else if depth > 0 && entry.is_folder(folder) {
                self.list_into(&folder.join(&entry.name), depth - 1, listed)?;
            }
        }
        Ok(())
    }
}

/// An entry of a listing; `None` for a file that has gone since. A folder, a pipe or a link to
/// nothing has no bytes, and stays listed: in the place of a file it hides that one.
fn look(folder: &Path, entry: &NamedEntry, id: Id) -> Result<Option<Listed>, StorageError> {
    let path = folder.join(&entry.name);
    match fs::metadata(&path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            let is_link = fs::symlink_metadata(&path).is_ok();
            Ok(is_link.then_some(Listed { id, len: 0 }))
        }
        metadata => {
            let metadata = metadata.map_err(failed(&path))?;
            let len = if metadata.is_file() { metadata.len() } else { 0 };
            Ok(Some(Listed { id, len }))
        }
    }
}

/// The names of a folder; none where it is missing.
fn names_in(folder: &Path) -> Result<Vec<NamedEntry>, StorageError> {
    match list_names(folder) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(Vec::new()),
        names => names.map_err(failed(folder)),
    }
}

impl Storage for Folder {
    fn list(&self, kind: FileKind) -> Result<Vec<Listed>, StorageError> {
        let mut listed = Vec::new();
        let depth = usize::from(kind == FileKind::Pack);
        self.list_into(&self.path.join(kind.folder()), depth, &mut listed)?;
        listed.sort_unstable();
        Ok(listed)
    }

    fn misplaced_packs(&self) -> Result<Vec<Misplaced>, StorageError> {
        let data = self.path.join(FileKind::Pack.folder());
        let (mut in_place, mut misplaced) = (BTreeSet::new(), Vec::new());
        for entry in names_in(&data)? {
            let below = data.join(&entry.name);
            if let Some(id) = Id::parse(entry.name.as_bytes()) {
                misplaced.push(Misplaced { id, place: data.display().to_string() });
            } else if entry.is_folder(&data) {
                let ids = names_in(&below)?.into_iter();
                for id in ids.filter_map(|entry| Id::parse(entry.name.as_bytes())) {
                    if self.path(FileName::Of(FileKind::Pack, id)).parent() == Some(&below) {
                        in_place.insert(id);
                    } else {
                        misplaced.push(Misplaced { id, place: below.display().to_string() });
                    }
                }
            }
        }
        misplaced.retain(|pack| !in_place.contains(&pack.id));
        misplaced.sort_by_key(|pack| pack.id);
        Ok(misplaced)
    }

    fn read_at(&self, file: FileName, at: u64, out: &mut [u8]) -> Result<(), StorageError> {
        let (opened, path) = self.open(file)?;
        read_range(&opened, out, at).map_err(failed(&path))
    }

    fn read(&self, file: FileName, len_max: u64, out: &mut Vec<u8>) -> Result<(), StorageError> {
        let (opened, path) = self.open(file)?;
        out.clear();
        let len = opened.metadata().map_err(failed(&path))?.len();
        if len > len_max {
            return Err(failed(&path)(too_long(len, len_max)));
        }
        out.reserve(len as usize + 1);
        { opened }.take(len_max).read_to_end(out).map_err(failed(&path))?;
        Ok(())
    }

    fn place(&self) -> String {
        self.path.display().to_string()
    }

    fn name(&self, file: FileName) -> String {
        self.path(file).display().to_string()
    }
}

fn too_long(len: u64, len_max: u64) -> io::Error {
    let text = format!("{len} bytes, more than the {len_max} that are read at once");
    io::Error::new(io::ErrorKind::FileTooLarge, text)
}

pub(super) fn failed(path: &Path) -> impl FnOnce(io::Error) -> StorageError + '_ {
    |source| StorageError { file: path.display().to_string(), source }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn id(byte: u8) -> Id {
        Id([byte; 32])
    }

    fn put(folder: &Path, path: &str, bytes: &[u8]) {
        let path = folder.join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, bytes).unwrap();
    }

    #[test]
    fn names_that_are_no_ids_are_skipped_and_missing_folders_are_empty() {
        let folder = tempfile::tempdir().unwrap();
        put(folder.path(), &format!("index/{}", id(2)), b"two");
        put(folder.path(), &format!("index/{}", id(1)), b"1");
        put(folder.path(), &format!("index/{}-tmp-12", id(3)), b"");
        put(folder.path(), "index/README", b"");
        let storage = Folder::new(folder.path());
        let mut want = vec![Listed { id: id(1), len: 1 }, Listed { id: id(2), len: 3 }];
        assert_eq!(storage.list(FileKind::Index).unwrap(), want);
        // What hides a file is listed, and can't be read.
        let index = folder.path().join("index");
        fs::create_dir(index.join(id(4).to_string())).unwrap();
        std::os::unix::fs::symlink("nowhere", index.join(id(5).to_string())).unwrap();
        want.extend([Listed { id: id(4), len: 0 }, Listed { id: id(5), len: 0 }]);
        assert_eq!(storage.list(FileKind::Index).unwrap(), want);
        for (number, says) in [(4, "not a plain file"), (5, "No such file")] {
            let file = FileName::Of(FileKind::Index, id(number));
            let error = storage.read(file, 10, &mut Vec::new()).unwrap_err().to_string();
            assert!(error.contains(says) && error.contains(&id(number).to_string()), "{error}");
        }
        assert_eq!(storage.list(FileKind::Lock).unwrap(), []);
    }

    #[test]
    fn packs_are_listed_in_whichever_folder_they_lie() {
        let folder = tempfile::tempdir().unwrap();
        put(folder.path(), &format!("data/01/{}", id(1)), b"right");
        put(folder.path(), &format!("data/77/{}", id(2)), b"wrong");
        let storage = Folder::new(folder.path());
        assert_eq!(storage.list(FileKind::Pack).unwrap().len(), 2);
        let mut range = [0; 3];
        storage.read_at(FileName::Of(FileKind::Pack, id(1)), 1, &mut range).unwrap();
        assert_eq!(&range, b"igh");
        let wrong = storage.read_at(FileName::Of(FileKind::Pack, id(2)), 1, &mut range);
        assert!(wrong.unwrap_err().is_missing());
        put(folder.path(), &format!("data/{}", id(3)), b"above");
        put(folder.path(), &format!("data/77/{}", id(1)), b"twice");
        let misplaced = storage.misplaced_packs().unwrap();
        let ends: Vec<_> = misplaced.iter().map(|pack| (pack.id, &pack.place[..])).collect();
        let (wrong, above) = (folder.path().join("data/77"), folder.path().join("data"));
        let want = [(id(2), wrong.to_str().unwrap()), (id(3), above.to_str().unwrap())];
        assert_eq!(ends, want);
    }

    #[test]
    fn a_file_over_the_limit_is_refused_with_both_lengths() {
        let folder = tempfile::tempdir().unwrap();
        put(folder.path(), "config", b"12345");
        let (storage, mut bytes) = (Folder::new(folder.path()), Vec::new());
        storage.read(FileName::Config, 5, &mut bytes).unwrap();
        assert_eq!(bytes, b"12345");
        let error = storage.read(FileName::Config, 4, &mut bytes).unwrap_err();
        assert!(
            error.to_string().ends_with("config: 5 bytes, more than the 4 that are read at once")
        );
    }
}
