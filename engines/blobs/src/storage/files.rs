//! A repository in a store: restic's names for its files.
//!
//! Bytes:   docs/formats/restic.md, "The folder"

use std::collections::BTreeSet;
use std::io;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use manicule_core::counts;
use manicule_format_restic::{FileKind, Id};
use manicule_store::EntryKind;
use manicule_store::pages::{ByteSource, SystemCache};
use manicule_store::store::{self, Access, LocalStore, Name, Store, StoreError, Version};

use super::far::Far;
use super::names::{folder_of, name_of};
use super::{FileName, Listed, Misplaced, Soon, Storage};

counts! {
    /// What a repository's files were asked for, whether or not it was brought before.
    pub struct FilesWork {
        /// Listings of a kind of files.
        listings,
        /// Whole files, and pieces of packs.
        reads,
        /// Their bytes.
        len = "read_bytes",
    }
}

/// The files of a repository that lies in a store's own folder.
#[derive(Debug)]
pub struct RepositoryFiles {
    store: Arc<dyn Store>,
    /// What was brought; of a store that is far.
    far: Option<Far>,
    asked: Asked,
}

/// [`FilesWork`] so far.
#[derive(Debug, Default)]
struct Asked {
    listings: AtomicU64,
    reads: AtomicU64,
    len: AtomicU64,
}

impl Asked {
    fn list(&self) {
        self.listings.fetch_add(1, Relaxed);
    }

    fn read(&self, len: usize) {
        self.reads.fetch_add(1, Relaxed);
        self.len.fetch_add(len as u64, Relaxed);
    }
}

impl RepositoryFiles {
    /// Of a store each of whose questions costs a round. Nothing is looked at yet.
    pub fn new(store: Arc<dyn Store>) -> Self {
        RepositoryFiles { store, far: Some(Far::default()), asked: Asked::default() }
    }

    /// Of the local folder at `path`.
    pub fn local(path: &Path) -> Self {
        RepositoryFiles {
            store: Arc::new(LocalStore::at(path)),
            far: None,
            asked: Asked::default(),
        }
    }

    /// Of the local folder at `path`, for others than who may read it: a link in the place of a
    /// file is none.
    pub fn without_links(path: &Path) -> Self {
        RepositoryFiles {
            store: Arc::new(LocalStore::at(path).without_links()),
            ..Self::local(path)
        }
    }

    /// Opens a file to be read by ranges: of a store that is far this costs a round, and each range
    /// another.
    pub fn open(&self, file: FileName) -> Result<Box<dyn ByteSource>, StoreError> {
        self.store.open(&name_of(file), Access::Positioned(SystemCache::Used))
    }

    /// The length of a file in bytes, by one look.
    pub fn len_of(&self, file: FileName) -> Result<u64, StoreError> {
        let name = name_of(file);
        let look = self.store.look(&name)?;
        if look.kind == EntryKind::File {
            return Ok(look.len);
        }
        let source = io::Error::new(io::ErrorKind::InvalidInput, "not a plain file");
        Err(StoreError { file: self.store.show(&name), source })
    }

    /// The versions of the folders that a listing of a kind reads: as long as they are the same no
    /// file was added, removed or renamed. `None` of a store that is far, where folders have none.
    pub fn folders_of(&self, kind: FileKind) -> Result<Option<Vec<Version>>, StoreError> {
        if self.is_far() {
            return Ok(None);
        }
        let folder = folder_of(kind);
        let mut versions = Vec::new();
        self.add_version(&folder, &mut versions)?;
        if kind == FileKind::Pack {
            let below = self.entries(&folder)?.into_iter();
            let mut names: Vec<_> = below
                .filter(|entry| entry.kind == EntryKind::Folder)
                .filter_map(|entry| folder.join(&entry.name))
                .collect();
            names.sort();
            names.iter().try_for_each(|name| self.add_version(name, &mut versions))?;
        }
        Ok(Some(versions))
    }

    /// Adds the version of a folder; nothing where it is missing.
    fn add_version(&self, folder: &Name, versions: &mut Vec<Version>) -> Result<(), StoreError> {
        match self.store.look(folder) {
            Err(error) if error.is_missing() => Ok(()),
            look => {
                versions.push(look?.version);
                Ok(())
            }
        }
    }

    /// What they were asked for so far.
    pub fn work(&self) -> FilesWork {
        let Asked { listings, reads, len } = &self.asked;
        let now = |count: &AtomicU64| count.load(Relaxed);
        FilesWork { listings: now(listings), reads: now(reads), len: now(len) }
    }

    /// The files of a folder, and of the folders in it down to `depth`: a pack in the wrong one of
    /// the 256 is listed.
    fn list_into(
        &self,
        folder: &Name,
        depth: usize,
        listed: &mut Vec<Listed>,
    ) -> Result<(), StoreError> {
        for entry in self.entries(folder)? {
            let Some(name) = folder.join(&entry.name) else { continue };
            if let Some(id) = Id::parse(entry.name.as_bytes()) {
                listed.extend(self.look(&name, &entry, id)?);
            } else if depth > 0 && entry.kind == EntryKind::Folder {
                self.list_into(&name, depth - 1, listed)?;
            }
        }
        Ok(())
    }

    /// An entry of a listing; `None` for a file that has gone since. A folder, a pipe or a link to
    /// nothing has no bytes, and stays listed: in the place of a file it hides that one.
    fn look(
        &self,
        name: &Name,
        entry: &store::Listed,
        id: Id,
    ) -> Result<Option<Listed>, StoreError> {
        if let Some(len) = entry.len {
            return Ok(Some(Listed { id, len }));
        }
        match self.store.look(name) {
            Err(error) if error.is_missing() => Ok(None),
            look => Ok(Some(Listed { id, len: look?.len })),
        }
    }

    /// The entries of a folder; none where it is missing.
    fn entries(&self, folder: &Name) -> Result<Vec<store::Listed>, StoreError> {
        match self.store.list(folder) {
            Err(error) if error.is_missing() => Ok(Vec::new()),
            entries => entries,
        }
    }

    fn shown(&self, name: &Name) -> String {
        self.store.show(name).display().to_string()
    }
}

impl Storage for RepositoryFiles {
    fn list(&self, kind: FileKind) -> Result<Vec<Listed>, StoreError> {
        self.asked.list();
        if let Some(far) = &self.far {
            return far.list(&*self.store, kind);
        }
        let mut listed = Vec::new();
        let depth = usize::from(kind == FileKind::Pack);
        self.list_into(&folder_of(kind), depth, &mut listed)?;
        listed.sort_unstable();
        Ok(listed)
    }

    fn misplaced_packs(&self) -> Result<Vec<Misplaced>, StoreError> {
        self.asked.list();
        if let Some(far) = &self.far {
            if let Some(misplaced) = far.misplaced() {
                return Ok(misplaced);
            }
            far.list(&*self.store, FileKind::Pack)?;
            return Ok(far.misplaced().unwrap_or_default());
        }
        let data = folder_of(FileKind::Pack);
        let (mut in_place, mut misplaced) = (BTreeSet::new(), Vec::new());
        for entry in self.entries(&data)? {
            let Some(below) = data.join(&entry.name) else { continue };
            if let Some(id) = Id::parse(entry.name.as_bytes()) {
                misplaced.push(Misplaced { id, place: self.shown(&data) });
            } else if entry.kind == EntryKind::Folder {
                let ids = self.entries(&below)?.into_iter();
                for id in ids.filter_map(|entry| Id::parse(entry.name.as_bytes())) {
                    if name_of(FileName::Of(FileKind::Pack, id)).parent().as_ref() == Some(&below) {
                        in_place.insert(id);
                    } else {
                        misplaced.push(Misplaced { id, place: self.shown(&below) });
                    }
                }
            }
        }
        misplaced.retain(|pack| !in_place.contains(&pack.id));
        misplaced.sort_by_key(|pack| pack.id);
        Ok(misplaced)
    }

    fn is_far(&self) -> bool {
        self.far.is_some()
    }

    fn bring(&self, soon: &[Soon]) {
        if let Some(far) = &self.far {
            far.bring(&*self.store, soon);
        }
    }

    fn has_brought(&self, soon: &Soon) -> bool {
        self.far.as_ref().is_some_and(|far| far.has(soon))
    }

    fn brought(&self, kind: FileKind) -> Option<Vec<Listed>> {
        self.far.as_ref()?.listed(kind)
    }

    fn read_at(&self, file: FileName, at: u64, out: &mut [u8]) -> Result<(), StoreError> {
        self.asked.read(out.len());
        if self.far.as_ref().is_some_and(|far| far.copy(file, at, out)) {
            return Ok(());
        }
        self.store.read_at(&name_of(file), at, out)
    }

    fn read(&self, file: FileName, len_max: u64, out: &mut Vec<u8>) -> Result<(), StoreError> {
        match self.far.as_ref().and_then(|far| far.file(&name_of(file))) {
            Some(brought) => *out = brought?,
            None => self.store.read(&name_of(file), len_max, out)?,
        }
        self.asked.read(out.len());
        Ok(())
    }

    fn place(&self) -> String {
        self.shown(&Name::root())
    }

    fn name(&self, file: FileName) -> String {
        self.shown(&name_of(file))
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use manicule_store::store::{MemoryStore, Replace, WriteStore};

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
        let storage = RepositoryFiles::local(folder.path());
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

    /// A repository with these files, in a folder and in memory.
    fn each_store(files: &[(&str, &str)], check: impl Fn(&RepositoryFiles)) {
        let (folder, memory) = (tempfile::tempdir().unwrap(), MemoryStore::new(1));
        for (path, bytes) in files {
            put(folder.path(), path, bytes.as_bytes());
            memory.put(&Name::new(path).unwrap(), bytes.as_bytes(), Replace::Any).unwrap();
        }
        check(&RepositoryFiles::local(folder.path()));
        check(&RepositoryFiles::new(Arc::new(memory)));
    }

    #[test]
    fn packs_are_listed_in_whichever_folder_they_lie() {
        let path = |folder: &str, number| format!("data/{folder}{}", id(number));
        let [right, wrong] = [path("01/", 1), path("77/", 2)];
        each_store(&[(&right, "right"), (&wrong, "wrong")], |storage| {
            assert_eq!(storage.list(FileKind::Pack).unwrap().len(), 2);
            let mut range = [0; 3];
            storage.read_at(FileName::Of(FileKind::Pack, id(1)), 1, &mut range).unwrap();
            assert_eq!(&range, b"igh");
            let wrong = storage.read_at(FileName::Of(FileKind::Pack, id(2)), 1, &mut range);
            assert!(wrong.unwrap_err().is_missing());
        });
        let [above, twice] = [path("", 3), path("77/", 1)];
        let files =
            [(&right[..], "right"), (&wrong, "wrong"), (&above, "above"), (&twice, "twice")];
        each_store(&files, |storage| {
            let misplaced = storage.misplaced_packs().unwrap();
            let shown: Vec<_> = misplaced.iter().map(|pack| (pack.id, &pack.place[..])).collect();
            let place = |folder: &str| storage.shown(&Name::new(folder).unwrap());
            assert_eq!(shown, [(id(2), &place("data/77")[..]), (id(3), &place("data"))]);
        });
    }

    #[test]
    fn what_is_asked_is_counted_whether_or_not_it_was_brought() {
        let path = format!("data/01/{}", id(1));
        each_store(&[("config", "12345"), (&path, "right")], |storage| {
            let pack = FileName::Of(FileKind::Pack, id(1));
            storage.bring(&[Soon::Whole(FileName::Config, 9), Soon::Part(id(1), 1..4)]);
            assert_eq!(storage.work(), FilesWork::default());
            storage.list(FileKind::Pack).unwrap();
            storage.misplaced_packs().unwrap();
            storage.read(FileName::Config, 9, &mut Vec::new()).unwrap();
            storage.read_at(pack, 1, &mut [0; 3]).unwrap();
            assert_eq!(storage.work(), FilesWork { listings: 2, reads: 2, len: 8 });
        });
    }

    #[test]
    fn a_file_over_the_limit_is_refused_with_both_lengths() {
        each_store(&[("config", "12345")], |storage| {
            let mut bytes = Vec::new();
            storage.read(FileName::Config, 5, &mut bytes).unwrap();
            assert_eq!(bytes, b"12345");
            let error = storage.read(FileName::Config, 4, &mut bytes).unwrap_err().to_string();
            let says = "config: 5 bytes, more than the 4 that are read at once";
            assert!(error.ends_with(says), "{error}");
        });
    }
}
