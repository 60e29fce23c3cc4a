//! Files in memory: in tests a store that counts as a bucket would, and fails where a test says.

use std::collections::BTreeMap;
use std::io;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::ask::{Answer, Ask};
use super::error::{StoreError, replaced};
use super::listed::Listed;
use super::name::Name;
use super::read::{Access, Look, Store, too_long};
use super::version::Version;
use super::write::{Replace, WriteStore};
use crate::entry::EntryKind;
use crate::pages::{ByteSource, Part, ReadCounts};

/// Number of files below a folder that one request lists.
const PAGE_COUNT: usize = 1000;

manicule_core::counts! {
    /// What was asked of a store.
    pub struct StoreCounts {
        /// Operations: ranges that are read side by side are one.
        rounds,
        /// Requests that a bucket would have got: one for each range.
        requests,
        /// Bytes that were read.
        read_bytes,
    }
}

/// Operations of a store in memory that fail. They are counted from 0 on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Failing {
    /// This one.
    Once(u64),
    /// This one and all after it.
    From(u64),
}

/// Files in memory. It has no folders, only names that begin alike, and gives nothing in place.
/// Clones share the files.
#[derive(Clone, Debug)]
pub struct MemoryStore {
    id: u64,
    state: Arc<Mutex<State>>,
}

#[derive(Debug, Default)]
struct State {
    files: BTreeMap<Name, Kept>,
    /// Number of puts.
    changes: u64,
    counts: StoreCounts,
    failing: Option<Failing>,
}

#[derive(Clone, Debug)]
struct Kept {
    bytes: Arc<[u8]>,
    version: Version,
}

impl State {
    fn kept(&self, file: &Name) -> io::Result<Kept> {
        self.files.get(file).cloned().ok_or_else(|| io::ErrorKind::NotFound.into())
    }

    /// The files whose names begin with that of a folder, by the rest of their names, in order.
    fn below<'s>(&'s self, folder: &Name) -> impl Iterator<Item = (&'s str, &'s Kept)> {
        let prefix = match folder.as_str() {
            "" => String::new(),
            folder => format!("{folder}/"),
        };
        let first = Name::new(prefix.trim_end_matches('/')).unwrap_or_default();
        self.files
            .range(first..)
            .skip_while({
                let prefix = prefix.clone();
                move |(name, _)| !name.as_str().starts_with(&prefix) && name.as_str() < &*prefix
            })
            .map_while(move |(name, kept)| Some((name.as_str().strip_prefix(&*prefix)?, kept)))
    }

    /// The entries of a folder.
    fn list(&self, folder: &Name) -> Vec<Listed> {
        let mut listed: Vec<Listed> = Vec::new();
        for (below, kept) in self.below(folder) {
            let Some((name, _)) = below.split_once('/') else {
                listed.push(kept.listed(below));
                continue;
            };
            // Names that begin alike come after each other.
            if listed.last().is_none_or(|last| last.name != name || last.kind != EntryKind::Folder)
            {
                let (name, len) = (name.to_owned(), Some(0));
                listed.push(Listed { name, kind: EntryKind::Folder, len, version: None });
            }
        }
        listed
    }

    /// The files below a folder, as many as one request lists.
    fn page(&self, folder: &Name) -> Answer {
        let mut below = self.below(folder).map(|(name, kept)| kept.listed(name));
        let files = below.by_ref().take(PAGE_COUNT).collect();
        Answer::Below { files, is_whole: below.next().is_none() }
    }

    /// All files below a folder whose names in it begin so.
    fn beginning(&self, folder: &Name, beginning: &str) -> Vec<Listed> {
        let files = self.below(folder).filter(|(name, _)| name.starts_with(beginning));
        files.map(|(name, kept)| kept.listed(name)).collect()
    }
}

impl Kept {
    fn listed(&self, name: &str) -> Listed {
        let (len, version) = (Some(self.version.len()), Some(self.version));
        Listed { name: name.to_owned(), kind: EntryKind::File, len, version }
    }
}

impl MemoryStore {
    /// A store without files. No other that shares a cache with it has the same number.
    pub fn new(id: u64) -> Self {
        MemoryStore { id, state: Arc::default() }
    }

    /// What was asked of it, and of the files that were opened.
    pub fn counts(&self) -> StoreCounts {
        self.state().counts
    }

    /// Counts from nothing again, and lets operations fail; none for `None`.
    pub fn fail(&self, failing: Option<Failing>) {
        let mut state = self.state();
        (state.counts, state.failing) = (StoreCounts::default(), failing);
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Begins an operation that makes this number of requests.
    fn begin(&self, requests: u64) -> io::Result<MutexGuard<'_, State>> {
        let mut state = self.state();
        let number = state.counts.rounds;
        state.counts.rounds += 1;
        state.counts.requests += requests;
        let is_failing = match state.failing {
            None => false,
            Some(Failing::Once(at)) => number == at,
            Some(Failing::From(at)) => number >= at,
        };
        if is_failing {
            return Err(io::Error::other(format!("operation {number} fails, as it was told to")));
        }
        Ok(state)
    }

    fn kept(&self, file: &Name) -> Result<Kept, StoreError> {
        let kept = self.begin(1).and_then(|state| state.kept(file));
        self.failed(file, kept)
    }

    /// The bytes of a file that is read whole.
    fn counted(&self, file: &Name, kept: Kept, len_max: u64) -> Result<Vec<u8>, StoreError> {
        let len = kept.version.len();
        if len > len_max {
            return self.failed(file, Err(too_long(len, len_max)));
        }
        self.state().counts.read_bytes += len;
        Ok(kept.bytes.to_vec())
    }

    fn failed<T>(&self, name: &Name, done: io::Result<T>) -> Result<T, StoreError> {
        done.map_err(|source| StoreError { file: self.show(name), source })
    }
}

/// The outcome of a round, for each of its requests.
fn again(begun: &io::Result<()>) -> io::Result<()> {
    begun.as_ref().copied().map_err(|error| io::Error::new(error.kind(), error.to_string()))
}

/// Copies a range, which has to be there.
fn copy_range(bytes: &[u8], at: u64, out: &mut [u8]) -> io::Result<()> {
    let from = usize::try_from(at).ok().and_then(|at| bytes.get(at..)?.get(..out.len()));
    let Some(from) = from else {
        let (wanted, len) = (out.len(), bytes.len());
        let what = format!("{wanted} bytes wanted at offset {at}, and the file has {len}");
        return Err(io::Error::new(io::ErrorKind::UnexpectedEof, what));
    };
    out.copy_from_slice(from);
    Ok(())
}

impl Store for MemoryStore {
    fn list(&self, folder: &Name) -> Result<Vec<Listed>, StoreError> {
        Ok(self.failed(folder, self.begin(1))?.list(folder))
    }

    fn look(&self, name: &Name) -> Result<Look, StoreError> {
        let kept = self.kept(name)?;
        let version = kept.version;
        Ok(Look { kind: EntryKind::File, len: version.len(), version })
    }

    fn open(&self, file: &Name, _: Access) -> Result<Box<dyn ByteSource>, StoreError> {
        let Kept { version, .. } = self.kept(file)?;
        Ok(Box::new(MemoryFile { store: self.clone(), name: file.clone(), version }))
    }

    /// Asks nothing: reads see whether it is that version.
    fn open_seen(
        &self,
        file: &Name,
        version: Version,
        _: Access,
    ) -> Result<Box<dyn ByteSource>, StoreError> {
        Ok(Box::new(MemoryFile { store: self.clone(), name: file.clone(), version }))
    }

    fn ask_all(&self, asked: &[Ask]) -> Vec<Result<Answer, StoreError>> {
        let begun = self.begin(asked.len() as u64).map(drop);
        let answer = |asked: &Ask| {
            let name = asked.name();
            self.failed(name, again(&begun))?;
            match asked {
                Ask::Entries(folder) => Ok(Answer::Entries(self.state().list(folder))),
                Ask::Below(folder) => Ok(self.state().page(folder)),
                Ask::Beginning { folder, beginning } => {
                    let files = self.state().beginning(folder, beginning);
                    Ok(Answer::Below { files, is_whole: true })
                }
                Ask::Whole { len_max, .. } => {
                    let kept = self.failed(name, self.state().kept(name))?;
                    self.counted(name, kept, *len_max).map(Answer::Bytes)
                }
                Ask::Range { version, range, .. } => {
                    let kept = self.failed(name, self.state().kept(name))?;
                    if version.is_some_and(|seen| seen != kept.version) {
                        return self.failed(name, Err(replaced()));
                    }
                    let mut bytes = vec![0; (range.end - range.start) as usize];
                    self.failed(name, copy_range(&kept.bytes, range.start, &mut bytes))?;
                    self.state().counts.read_bytes += bytes.len() as u64;
                    Ok(Answer::Bytes(bytes))
                }
            }
        };
        asked.iter().map(answer).collect()
    }

    fn read_at(&self, file: &Name, at: u64, out: &mut [u8]) -> Result<(), StoreError> {
        let kept = self.kept(file)?;
        self.failed(file, copy_range(&kept.bytes, at, out))?;
        self.state().counts.read_bytes += out.len() as u64;
        Ok(())
    }

    fn read(&self, file: &Name, len_max: u64, out: &mut Vec<u8>) -> Result<(), StoreError> {
        let kept = self.kept(file)?;
        *out = self.counted(file, kept, len_max)?;
        Ok(())
    }

    fn read_rest(&self, file: &Name, at: u64, out: &mut Vec<u8>) -> Result<(), StoreError> {
        let kept = self.kept(file)?;
        out.clear();
        out.extend_from_slice(
            usize::try_from(at).ok().and_then(|at| kept.bytes.get(at..)).unwrap_or_default(),
        );
        self.state().counts.read_bytes += out.len() as u64;
        Ok(())
    }

    fn show(&self, name: &Name) -> PathBuf {
        PathBuf::from(format!("memory:{}", name.as_str()))
    }

    fn writer(&self) -> Option<&dyn WriteStore> {
        Some(self)
    }
}

impl WriteStore for MemoryStore {
    fn put(&self, file: &Name, bytes: &[u8], replace: Replace) -> Result<Version, StoreError> {
        let mut state = self.failed(file, self.begin(1))?;
        let now = state.files.get(file).map(|kept| kept.version);
        if matches!(replace, Replace::If(seen) if seen != now) {
            return self.failed(file, Err(replaced()));
        }
        state.changes += 1;
        let version = Version::in_memory(self.id, state.changes, bytes.len() as u64);
        state.files.insert(file.clone(), Kept { bytes: bytes.into(), version });
        Ok(version)
    }

    fn remove(&self, file: &Name) -> Result<(), StoreError> {
        self.failed(file, self.begin(1))?.files.remove(file);
        Ok(())
    }

    /// A put that is interrupted has put nothing.
    fn sweep(&self, _: &Name, _: &dyn Fn(&str) -> bool) -> Result<(), StoreError> {
        Ok(())
    }
}

/// An open file. Once it is replaced it can't be read, as in a bucket that keeps no old versions.
#[derive(Debug)]
struct MemoryFile {
    store: MemoryStore,
    name: Name,
    version: Version,
}

impl ByteSource for MemoryFile {
    fn version(&self) -> Version {
        self.version
    }

    fn mapped(&self) -> Option<&[u8]> {
        None
    }

    fn read_at(&self, at: u64, out: &mut [u8], counts: &mut ReadCounts) -> io::Result<()> {
        self.read_parts(&mut [Part { at, out }], counts)
    }

    fn read_parts(&self, parts: &mut [Part<'_>], counts: &mut ReadCounts) -> io::Result<()> {
        let mut state = self.store.begin(parts.len() as u64)?;
        let kept = state.kept(&self.name)?;
        if kept.version != self.version {
            return Err(replaced());
        }
        for Part { at, out } in parts {
            copy_range(&kept.bytes, *at, out)?;
            counts.reads += 1;
            counts.read_bytes += out.len() as u64;
            state.counts.read_bytes += out.len() as u64;
        }
        Ok(())
    }
}
