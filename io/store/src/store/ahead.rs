//! A store of which ranges are brought before they are read: those of many files side by side, in
//! one round.
//!
//! Who knows what it will read says so ([`Store::bring`]). Who doesn't, as a search that learns
//! from each page where the next one is, runs beside others of its kind ([`side_by_side`]): a read
//! of what is not at hand ends it, all that the others lack comes in the same round, and it runs
//! again. So searches of a hundred files take as many rounds as the longest of them.

use std::cell::RefCell;
use std::collections::{HashMap, HashSet};
use std::fmt;
use std::io;
use std::ops::Range;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::ask::{Answer, Ask, Wanted};
use super::error::StoreError;
use super::listed::Listed;
use super::name::Name;
use super::read::{Access, Look, Store, WholeFile};
use super::version::Version;
use crate::pages::{ByteSource, Part, ReadCounts};

/// Bytes that a store has at hand at most, but for what came last.
const HELD_MAX: u64 = 64 << 20;

/// How often a job begins again at most; then it reads by itself.
const TRIES: u32 = 100;

thread_local! {
    /// What the job lacks that runs in this thread; `None` where reads go out by themselves.
    static LACKED: RefCell<Option<Vec<Wanted>>> = const { RefCell::new(None) };
}

/// A store, and what was brought of its files. Of a store where a round costs little it is of no
/// use.
pub struct Ahead {
    store: Arc<dyn Store>,
    held: Mutex<Held>,
}

/// What was brought.
#[derive(Default)]
struct Held {
    files: HashMap<Key, Arc<Pieces>>,
    bytes: u64,
}

type Key = (Name, Version);

/// Pieces of a file that are at hand.
#[derive(Default)]
struct Pieces(Mutex<Vec<(u64, Arc<[u8]>)>>);

impl fmt::Debug for Ahead {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Ahead").field(&self.store).finish()
    }
}

impl Pieces {
    fn lock(&self) -> MutexGuard<'_, Vec<(u64, Arc<[u8]>)>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The piece in which a range lies, and where it begins.
    fn with(&self, at: u64, len: u64) -> Option<(u64, Arc<[u8]>)> {
        let end = at.checked_add(len)?;
        let pieces = self.lock();
        let holds =
            |(start, bytes): &&(u64, Arc<[u8]>)| *start <= at && end <= start + bytes.len() as u64;
        pieces.iter().find(holds).cloned()
    }

    /// Whether it filled `out` with the bytes from an offset on.
    fn copy(&self, at: u64, out: &mut [u8]) -> bool {
        let Some((start, bytes)) = self.with(at, out.len() as u64) else { return false };
        let from = (at - start) as usize;
        out.copy_from_slice(&bytes[from..from + out.len()]);
        true
    }
}

impl Ahead {
    /// Over a store.
    pub fn over(store: Arc<dyn Store>) -> Arc<dyn Store> {
        Arc::new(Ahead { store, held: Mutex::default() })
    }

    fn held(&self) -> MutexGuard<'_, Held> {
        self.held.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn pieces(&self, file: &Name, version: Version) -> Arc<Pieces> {
        self.held().files.entry((file.clone(), version)).or_default().clone()
    }

    fn opened(&self, file: &Name, source: Box<dyn ByteSource>) -> Box<dyn ByteSource> {
        let pieces = self.pieces(file, source.version());
        Box::new(AheadFile { name: file.clone(), source, pieces })
    }

    /// Keeps what came; of others nothing where that is too much.
    fn keep(&self, came: Vec<(Wanted, Vec<u8>)>) {
        let mut held = self.held();
        if held.bytes > HELD_MAX {
            held.bytes = 0;
            held.files.values().for_each(|pieces| pieces.lock().clear());
            held.files.retain(|_, pieces| Arc::strong_count(pieces) > 1);
        }
        for (Wanted { file, version, range }, bytes) in came {
            held.bytes += bytes.len() as u64;
            let pieces = held.files.entry((file, version)).or_default();
            pieces.lock().push((range.start, bytes.into()));
        }
    }
}

impl Store for Ahead {
    fn is_far(&self) -> bool {
        true
    }

    /// What fails to come is asked for again by who reads it, and is its error.
    fn bring(&self, wanted: &[Wanted]) -> bool {
        let (mut lacking, mut seen) = (Vec::new(), HashSet::new());
        for Wanted { file, version, range } in wanted {
            let range = range.start..range.end.min(version.len());
            let one = Wanted { file: file.clone(), version: *version, range };
            let Range { start, end } = one.range;
            let is_there = start >= end
                || self.pieces(file, *version).with(start, end - start).is_some()
                || !seen.insert(one.clone());
            if !is_there {
                lacking.push(one);
            }
        }
        if lacking.is_empty() {
            return true;
        }
        let answers = self.store.ask_all(&lacking.iter().map(Ask::from).collect::<Vec<_>>());
        let count = lacking.len();
        let came = lacking.into_iter().zip(answers);
        let came = came.filter_map(|(wanted, answer)| Some((wanted, answer.ok()?.into_bytes())));
        let came: Vec<_> = came.collect();
        let has_all = came.len() == count;
        self.keep(came);
        has_all
    }

    fn list(&self, folder: &Name) -> Result<Vec<Listed>, StoreError> {
        self.store.list(folder)
    }

    fn look(&self, name: &Name) -> Result<Look, StoreError> {
        self.store.look(name)
    }

    fn open(&self, file: &Name, access: Access) -> Result<Box<dyn ByteSource>, StoreError> {
        Ok(self.opened(file, self.store.open(file, access)?))
    }

    fn open_seen(
        &self,
        file: &Name,
        seen: Version,
        access: Access,
    ) -> Result<Box<dyn ByteSource>, StoreError> {
        Ok(self.opened(file, self.store.open_seen(file, seen, access)?))
    }

    fn ask_all(&self, asked: &[Ask]) -> Vec<Result<Answer, StoreError>> {
        self.store.ask_all(asked)
    }

    fn map(&self, file: &Name) -> Result<Option<WholeFile>, StoreError> {
        self.store.map(file)
    }

    fn read_at(&self, file: &Name, at: u64, out: &mut [u8]) -> Result<(), StoreError> {
        self.store.read_at(file, at, out)
    }

    fn read(&self, file: &Name, len_max: u64, out: &mut Vec<u8>) -> Result<(), StoreError> {
        self.store.read(file, len_max, out)
    }

    fn read_rest(&self, file: &Name, at: u64, out: &mut Vec<u8>) -> Result<(), StoreError> {
        self.store.read_rest(file, at, out)
    }

    fn show(&self, name: &Name) -> PathBuf {
        self.store.show(name)
    }
}

/// An open file of which pieces are at hand.
struct AheadFile {
    name: Name,
    source: Box<dyn ByteSource>,
    pieces: Arc<Pieces>,
}

impl fmt::Debug for AheadFile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("AheadFile").field(&self.source).finish()
    }
}

impl AheadFile {
    /// Whether a job is to end here, as it runs beside others: notes what it lacks.
    fn lacks(&self, ranges: &[Range<u64>]) -> bool {
        LACKED.with_borrow_mut(|lacked| {
            let Some(lacked) = lacked else { return false };
            let (file, version) = (&self.name, self.source.version());
            let wanted = ranges.iter().map(|range| Wanted {
                file: file.clone(),
                version,
                range: range.clone(),
            });
            lacked.extend(wanted);
            true
        })
    }
}

impl ByteSource for AheadFile {
    fn version(&self) -> Version {
        self.source.version()
    }

    fn mapped(&self) -> Option<&[u8]> {
        None
    }

    fn is_at_hand(&self, range: Range<u64>) -> bool {
        self.pieces.with(range.start, range.end.saturating_sub(range.start)).is_some()
    }

    fn read_at(&self, at: u64, out: &mut [u8], counts: &mut ReadCounts) -> io::Result<()> {
        self.read_parts(&mut [Part { at, out }], counts)
    }

    fn read_parts(&self, parts: &mut [Part<'_>], counts: &mut ReadCounts) -> io::Result<()> {
        let (mut lacked, mut missing) = (Vec::new(), Vec::new());
        for Part { at, out } in parts {
            let end = at.checked_add(out.len() as u64).filter(|&end| end <= self.len());
            if end.is_some() && (out.is_empty() || self.pieces.copy(*at, out)) {
                continue;
            }
            if let Some(end) = end {
                lacked.push(*at..end);
            }
            missing.push(Part { at: *at, out });
        }
        if missing.is_empty() {
            return Ok(());
        }
        // A range that is not in the file never comes.
        if lacked.len() == missing.len() && self.lacks(&lacked) {
            return Err(io::Error::other("not at hand yet"));
        }
        self.source.read_parts(&mut missing, counts)
    }
}

/// Does a job for each number below `count`, in the order of these. Over a store where a round is
/// dear the jobs run side by side: one that reads what is not at hand is ended by an error of
/// reading, and begins again once that and what the others lack has come, in one round. So it does
/// nothing that may not be done twice.
pub fn side_by_side<T>(store: &dyn Store, count: usize, mut job: impl FnMut(usize) -> T) -> Vec<T> {
    if !store.is_far() {
        return (0..count).map(job).collect();
    }
    let mut results: Vec<Option<T>> = (0..count).map(|_| None).collect();
    for _ in 0..TRIES {
        let mut wanted = Vec::new();
        for (number, result) in results.iter_mut().enumerate().filter(|(_, it)| it.is_none()) {
            let (done, lacked) = lacking(|| job(number));
            if lacked.is_empty() {
                *result = Some(done);
            }
            wanted.extend(lacked);
        }
        if wanted.is_empty() || !store.bring(&wanted) {
            break;
        }
    }
    let all = results.into_iter().enumerate();
    all.map(|(number, result)| result.unwrap_or_else(|| job(number))).collect()
}

/// Does a job whose reads don't go out, and notes what it lacks.
fn lacking<T>(job: impl FnOnce() -> T) -> (T, Vec<Wanted>) {
    let before = LACKED.replace(Some(Vec::new()));
    let done = job();
    (done, LACKED.replace(before).unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pages::SystemCache;
    use crate::store::{Failing, MemoryStore, Replace, WriteStore};

    const ACCESS: Access = Access::Positioned(SystemCache::Used);

    fn name(text: &str) -> Name {
        Name::new(text).expect("a name")
    }

    /// Files of which each has the places in it of what is to be read next.
    fn chains(store: &MemoryStore, count: u8) -> Vec<(Name, Version)> {
        let put = |number: u8| {
            let file = name(&format!("f{number}"));
            let bytes = [number + 1, 9, 0, 0, 0, 0, 0, 0, 0, number, 0];
            let version = store.put(&file, &bytes[..], Replace::Any).expect("memory");
            (file, version)
        };
        (0..count).map(put).collect()
    }

    /// Reads a byte of each file, and one where that leads.
    fn search(store: &dyn Store, (file, version): &(Name, Version)) -> io::Result<u8> {
        let source = store.open_seen(file, *version, ACCESS).map_err(|error| error.source)?;
        let mut byte = [0];
        source.read_at(1, &mut byte, &mut ReadCounts::default())?;
        source.read_at(byte[0].into(), &mut byte, &mut ReadCounts::default())?;
        Ok(byte[0])
    }

    #[test]
    fn searches_side_by_side_take_the_rounds_of_one() {
        for count in [1, 30] {
            let memory = MemoryStore::new(1);
            let files = chains(&memory, count);
            let ahead = Ahead::over(Arc::new(memory.clone()));
            memory.fail(None);
            let ask =
                || side_by_side(&*ahead, files.len(), |number| search(&*ahead, &files[number]));
            let found: Vec<u8> = ask().into_iter().map(Result::unwrap).collect();
            assert_eq!(found, (0..count).collect::<Vec<u8>>());
            assert_eq!(memory.counts().rounds, 2);
            assert!(ask().into_iter().all(|found| found.is_ok()) && memory.counts().rounds == 2);
        }
    }

    #[test]
    fn what_fails_to_come_is_an_error_of_who_reads_it() {
        let memory = MemoryStore::new(1);
        let files = chains(&memory, 3);
        let ask = |failing| {
            let ahead = Ahead::over(Arc::new(memory.clone()));
            memory.fail(Some(failing));
            side_by_side(&*ahead, files.len(), |number| search(&*ahead, &files[number]))
        };
        assert!(ask(Failing::Once(0)).into_iter().all(|found| found.is_ok()));
        let failed = ask(Failing::From(1));
        assert!(failed.iter().all(|it| it.as_ref().unwrap_err().to_string().contains("told to")));
    }

    #[test]
    fn what_is_brought_is_read_without_a_request_unless_it_is_replaced() {
        let memory = MemoryStore::new(1);
        let files = chains(&memory, 2);
        let below: Arc<dyn Store> = Arc::new(memory.clone());
        let ahead = Ahead::over(below);
        let wanted = |(file, version): &(Name, Version)| Wanted {
            file: file.clone(),
            version: *version,
            range: 0..100,
        };
        let all: Vec<Wanted> = files.iter().chain(&files).map(wanted).collect();
        memory.fail(None);
        assert!(ahead.bring(&all) && ahead.bring(&all[..1]));
        assert_eq!((memory.counts().rounds, memory.counts().requests), (1, 2));
        assert_eq!(search(&*ahead, &files[1]).unwrap(), 1);
        let source = ahead.open_seen(&files[0].0, files[0].1, ACCESS).unwrap();
        assert!(source.is_at_hand(3..11) && !source.is_at_hand(3..12) && source.mapped().is_none());
        assert_eq!(memory.counts().rounds, 1);
        chains(&memory, 1);
        let other = Ahead::over(Arc::new(memory.clone()));
        assert!(!other.bring(&all[..1]) && search(&*other, &files[0]).is_err());
    }
}
