//! Files of a store, mapped whole: in place where it is local, and else in a bounded local folder
//! that they are brought into once. For leaves and what is verified, of which all bytes are wanted;
//! of others ranges are brought.

use std::collections::HashMap;
use std::path::Path;
use std::sync::Arc;

use super::error::StoreError;
use super::kept::{FetchLimits, Kept};
use super::listed::Listed;
use super::local::LocalStore;
use super::name::Name;
use super::ranged::RangedFile;
use super::read::{Access, Store, WholeFile};
use crate::cache_dir::CacheDir;
use crate::files::SharedFiles;
use crate::pages::SystemCache;
use crate::threads;

/// How often a file is opened again that is replaced while it is brought.
const TRIES: usize = 10;

/// A store whose files are mapped. Clones share what is kept.
///
/// Of a store that is not local, files lie in a folder under their versions, so that a replaced one
/// is another file. Any number of processes share the folder: what one removes the others still
/// have mapped.
#[derive(Clone, Debug)]
pub struct Fetched {
    pub(super) store: Arc<dyn Store>,
    /// None where the store maps by itself.
    pub(super) kept: Option<Arc<Kept>>,
}

impl Fetched {
    /// Of a local folder.
    pub fn local(path: &Path) -> Self {
        Fetched { store: Arc::new(LocalStore::at(path)), kept: None }
    }

    /// Of a store, through a local folder that nothing else is kept in. That one is made, for the
    /// user alone, when something is brought.
    pub fn through(
        store: Arc<dyn Store>,
        folder: &Path,
        files: SharedFiles,
        limits: FetchLimits,
    ) -> Self {
        let kept = Kept::new(CacheDir::at(folder), files, limits);
        Fetched { store, kept: Some(Arc::new(kept)) }
    }

    /// The store.
    pub fn store(&self) -> &dyn Store {
        &*self.store
    }

    /// A whole file in the version that it has now.
    ///
    /// Cost of a store that is not local: a look, and what it takes to read the file if it is not
    /// in the folder.
    pub fn map(&self, file: &Name) -> Result<WholeFile, StoreError> {
        let Some(kept) = &self.kept else {
            let whole = self.store.map(file)?;
            return Ok(whole.expect("a local folder maps its files"));
        };
        if let Some(whole) = self.store.map(file)? {
            return Ok(whole);
        }
        let mut tries = 0;
        loop {
            let source = self.store.open(file, Access::Positioned(SystemCache::Used))?;
            let version = source.version();
            tries += 1;
            let bytes = match kept.map(&version) {
                Some(bytes) => bytes,
                None => match kept.bring(&*source, &|| self.store.show(file)) {
                    Err(error) if error.is_replaced() && tries < TRIES => continue,
                    bytes => bytes?,
                },
            };
            return Ok(WholeFile { bytes, version });
        }
    }

    /// The files of a folder, to be mapped by their names. It is listed first, but for a local one,
    /// which gives no versions.
    pub fn folder(&self, folder: &Name) -> Result<FetchedFolder<'_>, StoreError> {
        let listed = if self.kept.is_some() { self.store.list(folder)? } else { Vec::new() };
        let listed = listed.into_iter().map(|entry| (entry.name.clone(), entry)).collect();
        Ok(FetchedFolder { files: self, folder: folder.clone(), listed })
    }

    /// Whether files are mapped where they lie, so that no range has to be brought.
    pub fn is_in_place(&self) -> bool {
        self.kept.is_none()
    }

    /// A file of which ranges are brought as they are wanted; nothing is read yet. Cost of a store
    /// that is not local: a look, or none where a listing has told the version.
    pub fn ranged(&self, file: &Name, listed: Option<&Listed>) -> Result<RangedFile, StoreError> {
        let Some(kept) = &self.kept else { return Ok(self.map(file)?.bytes.into()) };
        if let Some(whole) = self.store.map(file)? {
            return Ok(whole.bytes.into());
        }
        let version = match listed.and_then(|listed| listed.version) {
            Some(version) => version,
            None => self.store.look(file)?.version,
        };
        match kept.map(&version) {
            Some(whole) => Ok(whole.into()),
            None => RangedFile::of(self.store.clone(), file, version, kept.clone()),
        }
    }

    /// A whole file as a listing of `folder` has it: where that tells its version, and the file was
    /// brought before, it costs no look.
    pub fn map_listed(&self, folder: &Name, listed: &Listed) -> Result<WholeFile, StoreError> {
        if let (Some(kept), Some(version)) = (&self.kept, listed.version)
            && let Some(bytes) = kept.map(&version)
        {
            return Ok(WholeFile { bytes, version });
        }
        self.map(&listed.file_in(folder))
    }
}

/// The files of a folder.
#[derive(Debug)]
pub struct FetchedFolder<'f> {
    files: &'f Fetched,
    folder: Name,
    listed: HashMap<String, Listed>,
}

impl FetchedFolder<'_> {
    /// A whole file of the folder. What was brought before costs no look.
    ///
    /// # Panics
    /// If `entry` is no name of an entry.
    pub fn map(&self, entry: &str) -> Result<WholeFile, StoreError> {
        match self.listed.get(entry) {
            Some(listed) => self.files.map_listed(&self.folder, listed),
            None => self.files.map(&self.folder.join(entry).expect("a name")),
        }
    }

    /// Whole files of the folder, each as [`map`](Self::map) gives it. Those that have to be
    /// brought are brought side by side.
    ///
    /// # Panics
    /// If one of `entries` is no name of an entry.
    pub fn map_all(&self, entries: &[String]) -> Vec<Result<WholeFile, StoreError>> {
        if self.files.is_in_place() {
            return entries.iter().map(|entry| self.map(entry)).collect();
        }
        threads::map_waiting(entries.len(), |place| self.map(&entries[place]))
    }
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::time::{Duration, SystemTime};

    use super::*;
    use crate::Disk;
    use crate::store::kept::ROUND_LEN;
    use crate::store::{Failing, MemoryStore, Replace, StoreCounts, WriteStore};

    const LIMITS: FetchLimits = FetchLimits { file_bytes_max: 5000, kept_bytes_max: 10_000 };

    fn name(text: &str) -> Name {
        Name::new(text).expect("a name")
    }

    fn fetched(store: &MemoryStore, folder: &Path) -> Fetched {
        Fetched::through(Arc::new(store.clone()), folder, Disk::shared(), LIMITS)
    }

    fn put(store: &MemoryStore, file: &str, bytes: &[u8]) {
        store.put(&name(file), bytes, Replace::Any).unwrap();
    }

    /// The names in the folder, and their bytes together.
    fn kept(folder: &Path) -> (Vec<String>, u64) {
        let listed = CacheDir::at(folder).list().unwrap();
        let sum = listed.iter().map(|(_, len)| len).sum();
        (listed.into_iter().map(|(name, _)| name).collect(), sum)
    }

    #[test]
    fn a_file_is_brought_once_and_again_when_it_is_replaced_or_cut() {
        let (folder, store) = (tempfile::tempdir().unwrap(), MemoryStore::new(1));
        let fetched = fetched(&store, folder.path());
        let map = |want: &[u8], rounds: u64| {
            store.fail(None);
            let whole = fetched.map(&name("a")).unwrap();
            assert_eq!((&*whole.bytes, store.counts().rounds), (want, rounds));
            whole
        };
        put(&store, "a", b"old");
        let old = map(b"old", 2);
        map(b"old", 1);
        let listed = store.list(&Name::root()).unwrap();
        store.fail(None);
        assert_eq!(&*fetched.map_listed(&Name::root(), &listed[0]).unwrap().bytes, b"old");
        assert_eq!(store.counts(), StoreCounts::default());
        put(&store, "a", b"later");
        let later = map(b"later", 2);
        map(b"later", 1);
        assert!(old.version != later.version && *old.bytes == *b"old");
        assert_eq!(kept(folder.path()).0.len(), 2);
        for file in kept(folder.path()).0 {
            fs::write(folder.path().join(file), b"ol").unwrap();
        }
        map(b"later", 2);
        put(&store, "a", b"");
        map(b"", 1);
    }

    #[test]
    fn a_local_file_is_mapped_where_it_lies() {
        let (folder, kept) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        fs::write(folder.path().join("a"), "long".repeat(5000)).unwrap();
        let store = Arc::new(LocalStore::at(folder.path()));
        let none = kept.path().join("none");
        for fetched in
            [Fetched::local(folder.path()), Fetched::through(store, &none, Disk::shared(), LIMITS)]
        {
            let whole = fetched.map(&name("a")).unwrap();
            assert_eq!(whole.bytes.len(), 20_000, "whatever the limits");
            assert_eq!(whole.version, fetched.store().look(&name("a")).unwrap().version);
            assert!(fetched.map(&name("b")).unwrap_err().is_missing() && !none.exists());
        }
    }

    #[test]
    fn a_long_file_is_brought_in_rounds_of_many_requests() {
        let (folder, store) = (tempfile::tempdir().unwrap(), MemoryStore::new(1));
        let limits = FetchLimits { file_bytes_max: 1 << 30, kept_bytes_max: 1 << 30 };
        let shared = Arc::new(store.clone());
        let fetched = Fetched::through(shared, folder.path(), Disk::shared(), limits);
        let bytes: Vec<u8> = (0..ROUND_LEN + 5).map(|at| (at % 251) as u8).collect();
        put(&store, "a", &bytes);
        store.fail(None);
        assert!(*fetched.map(&name("a")).unwrap().bytes == *bytes);
        let requests = 1 + 16 + 1;
        let want = StoreCounts { rounds: 3, requests, read_bytes: bytes.len() as u64 };
        assert_eq!(store.counts(), want);
    }

    #[test]
    fn the_oldest_make_way_and_stay_mapped() {
        let (folder, store) = (tempfile::tempdir().unwrap(), MemoryStore::new(1));
        let fetched = fetched(&store, folder.path());
        // Left of a process that was killed an hour ago.
        let left = fs::File::create(folder.path().join("x.aside")).unwrap();
        left.set_len(3000).unwrap();
        left.set_modified(SystemTime::now() - Duration::from_secs(3600)).unwrap();
        let mut all = Vec::new();
        for number in 0..20_u8 {
            let file = number.to_string();
            put(&store, &file, &[number; 3000]);
            all.push(fetched.map(&name(&file)).unwrap().bytes);
            store.fail(None);
            fetched.map(&name(&file)).unwrap();
            assert_eq!(store.counts().read_bytes, 0, "the newest stays");
            let (names, sum) = kept(folder.path());
            assert!(sum <= LIMITS.kept_bytes_max, "{names:?}");
            assert!(number < 3 || !names.contains(&"x.aside".to_owned()), "{names:?}");
        }
        assert!((0..).zip(&all).all(|(number, mapped)| **mapped == [number; 3000]));
        put(&store, "long", &[0; 5001]);
        let error = fetched.map(&name("long")).unwrap_err();
        let says = "memory:long: 5001 bytes, more than the 5000 that are read at once";
        assert_eq!(error.to_string(), says);
    }

    #[test]
    fn the_folder_is_listed_again_after_a_share_of_its_limit() {
        let (folder, store) = (tempfile::tempdir().unwrap(), MemoryStore::new(1));
        let limits = FetchLimits { file_bytes_max: 1 << 20, kept_bytes_max: 160_000 };
        let shared = Arc::new(store.clone());
        let fetched = Fetched::through(shared, folder.path(), Disk::shared(), limits);
        let bring = |number: u8| {
            let file = number.to_string();
            put(&store, &file, &[number; 1000]);
            fetched.map(&name(&file)).unwrap();
        };
        bring(0);
        // Another process has brought a file that is older than ours.
        let other = fs::File::create(folder.path().join("other")).unwrap();
        other.set_len(159_000).unwrap();
        other.set_modified(SystemTime::now() - Duration::from_secs(60)).unwrap();
        let is_there = || folder.path().join("other").exists();
        (1..=10).for_each(bring);
        assert!(is_there(), "a sixteenth of the limit has not come yet");
        bring(11);
        assert!(!is_there() && kept(folder.path()).1 == 12_000);
    }

    #[test]
    fn a_failure_is_an_error_and_leaves_nothing() {
        let (folder, store) = (tempfile::tempdir().unwrap(), MemoryStore::new(1));
        let fetched = fetched(&store, folder.path());
        put(&store, "a", b"bytes");
        for n in 0..2 {
            store.fail(Some(Failing::Once(n)));
            let error = fetched.map(&name("a")).unwrap_err();
            assert!(error.to_string().contains("memory:a: operation"), "{error}");
            assert_eq!(kept(folder.path()).0, [""; 0]);
        }
        store.fail(None);
        assert_eq!(&*fetched.map(&name("a")).unwrap().bytes, b"bytes");
        assert!(fetched.map(&name("b")).unwrap_err().is_missing());
    }

    #[test]
    fn many_share_a_folder_that_is_too_small() {
        let (folder, store) = (tempfile::tempdir().unwrap(), MemoryStore::new(1));
        for number in 0..8_u8 {
            put(&store, &number.to_string(), &[number; 4000]);
        }
        std::thread::scope(|scope| {
            for thread in 0..4 {
                let fetched = fetched(&store, folder.path());
                scope.spawn(move || {
                    for round in 0..100 {
                        let number = (round * (thread + 1) % 8) as u8;
                        let whole = fetched.map(&name(&number.to_string())).unwrap();
                        assert_eq!(*whole.bytes, [number; 4000]);
                    }
                });
            }
        });
        // One that two brought at once is counted by both; the next to come removes what is over.
        fetched(&store, folder.path()).kept.unwrap().evict("", 0).unwrap();
        assert!(kept(folder.path()).1 <= LIMITS.kept_bytes_max);
    }
}
