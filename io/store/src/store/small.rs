//! Small files of a store that are read again and again, each time all of them: kept together in
//! one local file, by their versions.
//!
//! Bytes:   | 8 sum of the rest | a file: 32 version, with its length; its bytes |, big-endian

use std::collections::HashMap;
use std::io::{self, Write};
use std::ops::Range;

use manicule_core::bytes::mix;

use super::ask::{Answer, Ask};
use super::error::StoreError;
use super::fetched::Fetched;
use super::kept::Kept;
use super::name::Name;
use super::read::Store;
use super::version::Version;
use crate::map::Mapped;

/// End of the name of the local file.
const SMALL: &str = ".small";

const SUM_LEN: usize = 8;

/// Share of the folder's limit that the files of one store may take.
const SHARE: u64 = 4;

/// What an earlier call has kept.
struct Together {
    bytes: Mapped,
    places: HashMap<Version, Range<usize>>,
}

impl Fetched {
    /// Reads small files as they were listed, side by side: those that were read in the same
    /// version before are at hand. What is kept are the files of the last call that had to ask for
    /// some. A file whose listing has no version, or that has another one by now, is read as it is.
    pub fn read_small(
        &self,
        files: &[(Name, Option<Version>)],
    ) -> Vec<Result<Vec<u8>, StoreError>> {
        let name = self.kept.as_ref().map(|_| name_of(&*self.store));
        let kept = self.kept.as_ref().zip(name);
        let together = kept.as_ref().and_then(|(kept, name)| Together::open(kept, name));
        let at_hand = |(_, version): &(Name, Option<Version>)| {
            together.as_ref()?.get(version.as_ref()?).map(<[u8]>::to_vec)
        };
        let mut read: Vec<Option<Result<Vec<u8>, StoreError>>> =
            files.iter().map(|file| at_hand(file).map(Ok)).collect();
        let is_asked = read.iter().any(Option::is_none);
        self.read_versions(files, &mut read);
        if let Some((kept, name)) = kept.filter(|_| is_asked) {
            // What can't be kept is asked for again the next time.
            let _ = keep(kept, &name, files, &read);
        }
        drop(together);
        let others: Vec<usize> = (0..files.len()).filter(|&place| read[place].is_none()).collect();
        if !others.is_empty() {
            let names: Vec<Name> = others.iter().map(|&place| files[place].0.clone()).collect();
            for (place, bytes) in others.into_iter().zip(self.store.read_all(&names, u64::MAX)) {
                read[place] = Some(bytes);
            }
        }
        read.into_iter().map(|bytes| bytes.expect("one way or the other")).collect()
    }

    /// Reads those files that are missing in `read` and have the version with which they were
    /// listed.
    fn read_versions(
        &self,
        files: &[(Name, Option<Version>)],
        read: &mut [Option<Result<Vec<u8>, StoreError>>],
    ) {
        let missing = files.iter().zip(&mut *read).filter(|(_, read)| read.is_none());
        let (asked, missing): (Vec<Ask>, Vec<_>) = missing
            .filter_map(|((file, version), read)| {
                let (file, range) = (file.clone(), 0..version.as_ref()?.len());
                Some((Ask::Range { file, version: *version, range }, read))
            })
            .unzip();
        if asked.is_empty() {
            return;
        }
        for (read, answer) in missing.into_iter().zip(self.store.ask_all(&asked)) {
            let bytes = answer.map(Answer::into_bytes);
            *read = Some(bytes).filter(|bytes| !bytes.as_ref().is_err_and(StoreError::is_replaced));
        }
    }
}

impl Together {
    fn open(kept: &Kept, name: &str) -> Option<Self> {
        let bytes = kept.dir.map(name).ok()?;
        let (sum, rest) = bytes.split_at_checked(SUM_LEN)?;
        if sum != sum_of(rest).to_be_bytes() {
            return None;
        }
        let (mut places, mut at) = (HashMap::new(), SUM_LEN);
        while at < bytes.len() {
            let version = bytes[at..].first_chunk()?;
            at += version.len();
            let version = Version::of_bytes(version);
            let end = at.checked_add(usize::try_from(version.len()).ok()?)?;
            bytes.get(at..end)?;
            places.insert(version, at..end);
            at = end;
        }
        Some(Together { bytes, places })
    }

    fn get(&self, version: &Version) -> Option<&[u8]> {
        self.places.get(version).map(|place| &self.bytes[place.clone()])
    }
}

/// Keeps what was read of files, unless that is too much.
fn keep(
    kept: &Kept,
    name: &str,
    files: &[(Name, Option<Version>)],
    read: &[Option<Result<Vec<u8>, StoreError>>],
) -> io::Result<()> {
    let mut bytes = vec![0; SUM_LEN];
    for ((_, version), read) in files.iter().zip(read) {
        if let (Some(version), Some(Ok(read))) = (version, read) {
            bytes.extend_from_slice(&version.bytes());
            bytes.extend_from_slice(read);
        }
    }
    if bytes.len() as u64 > kept.limits.kept_bytes_max / SHARE {
        return Ok(());
    }
    let sum = sum_of(&bytes[SUM_LEN..]).to_be_bytes();
    bytes[..SUM_LEN].copy_from_slice(&sum);
    kept.dir.create()?;
    let mut aside = kept.aside(name)?;
    aside.file().write_all(&bytes)?;
    kept.put(aside, name).map(drop)
}

/// Name of the local file of a store.
fn name_of(store: &dyn Store) -> String {
    let shown = store.show(&Name::root());
    format!("{:016x}{SMALL}", sum_of(shown.as_os_str().as_encoded_bytes()))
}

fn sum_of(bytes: &[u8]) -> u64 {
    let (words, rest) = bytes.as_chunks::<8>();
    let mut last = [0; 8];
    last[..rest.len()].copy_from_slice(rest);
    let all = words.iter().chain([&last]);
    all.fold(bytes.len() as u64, |state, word| mix(state, u64::from_le_bytes(*word)))
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::path::Path;
    use std::sync::Arc;

    use super::*;
    use crate::Disk;
    use crate::store::{FetchLimits, MemoryStore, Replace, WriteStore};

    fn fetched(store: &MemoryStore, folder: &Path) -> Fetched {
        let limits = FetchLimits { file_bytes_max: 1 << 20, kept_bytes_max: 1 << 20 };
        Fetched::through(Arc::new(store.clone()), folder, Disk::shared(), limits)
    }

    fn put(store: &MemoryStore, file: u8, bytes: &[u8]) {
        let name = Name::new(&format!("f{file}")).expect("a name");
        store.put(&name, bytes, Replace::Any).expect("memory");
    }

    fn listed(store: &MemoryStore) -> Vec<(Name, Option<Version>)> {
        let listed = store.list(&Name::root()).expect("memory").into_iter();
        listed.map(|entry| (entry.file_in(&Name::root()), entry.version)).collect()
    }

    /// What is read of files as they were listed, and how many requests that took.
    fn read(
        store: &MemoryStore,
        folder: &Path,
        files: &[(Name, Option<Version>)],
    ) -> (Vec<Vec<u8>>, u64) {
        store.fail(None);
        let read = fetched(store, folder).read_small(files).into_iter();
        (read.map(Result::unwrap).collect(), store.counts().requests)
    }

    #[test]
    fn what_was_read_in_its_version_is_not_asked_for_again() {
        let (folder, store) = (tempfile::tempdir().unwrap(), MemoryStore::new(1));
        (0..20).for_each(|file| put(&store, file, &[file; 9]));
        let mut files = listed(&store);
        let want: Vec<Vec<u8>> = files.iter().map(|(name, _)| vec![number(name); 9]).collect();
        assert_eq!(read(&store, folder.path(), &files), (want.clone(), 20));
        assert_eq!(read(&store, folder.path(), &files), (want, 0));
        // One is replaced, one new, one gone.
        put(&store, 3, b"other");
        put(&store, 20, b"");
        store.remove(&Name::new("f4").unwrap()).unwrap();
        files = listed(&store);
        let (now, requests) = read(&store, folder.path(), &files);
        assert_eq!((now.len(), requests), (20, 2));
        assert!(now.contains(&b"other".to_vec()) && !now.contains(&vec![4; 9]));
        assert_eq!(read(&store, folder.path(), &files), (now, 0));
        // Without a version nobody knows whether it is the same.
        files[0].1 = None;
        assert_eq!(read(&store, folder.path(), &files).1, 1);
    }

    fn number(name: &Name) -> u8 {
        name.as_str()[1..].parse().expect("a number")
    }

    #[test]
    fn what_is_replaced_meanwhile_is_read_and_not_kept_as_what_it_was() {
        let (folder, store) = (tempfile::tempdir().unwrap(), MemoryStore::new(1));
        (0..2).for_each(|file| put(&store, file, b"old"));
        let files = listed(&store);
        put(&store, 1, b"new");
        for requests in [3, 2] {
            let want = vec![b"old".to_vec(), b"new".to_vec()];
            assert_eq!(read(&store, folder.path(), &files), (want, requests));
        }
        store.remove(&files[1].0).unwrap();
        let gone = fetched(&store, folder.path()).read_small(&files).pop().unwrap();
        assert!(gone.unwrap_err().is_missing());
    }

    #[test]
    fn what_is_damaged_is_read_again() {
        let (folder, store) = (tempfile::tempdir().unwrap(), MemoryStore::new(1));
        (0..3).for_each(|file| put(&store, file, &[file; 40]));
        let files = listed(&store);
        let (want, _) = read(&store, folder.path(), &files);
        let kept = fs::read_dir(folder.path()).unwrap().next().unwrap().unwrap().path();
        let whole = fs::read(&kept).unwrap();
        for at in 0..whole.len() {
            let mut bytes = whole.clone();
            bytes[at] ^= 1;
            for bytes in [&bytes[..], &whole[..at]] {
                fs::write(&kept, bytes).unwrap();
                assert_eq!(read(&store, folder.path(), &files), (want.clone(), 3), "{at}");
            }
        }
    }
}
