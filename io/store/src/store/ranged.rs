//! A file of which ranges are brought as they are wanted, and kept: for indexes and chunks, of
//! which a question touches little.
//!
//! In the folder of what was brought the file is as long as in its store, with holes, and mapped:
//! what is brought is written into it, and lies where decoders look for it. After its bytes it has
//! a sum for each granule, so that processes share what they brought without a lock, and what a
//! power cut has left half written is brought again.
//!
//! Bytes:   | bytes of the file, up to a multiple of 1,024 | a granule: 4 sum, or 0 |

use std::fmt;
use std::io;
use std::ops::{Deref, Range};
use std::os::unix::fs::FileExt;
use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use manicule_core::bytes::{DecodeError, FileBytes, mix};

use super::ask::{Answer, Ask};
use super::error::StoreError;
use super::kept::{Holed, Kept, REQUEST_LEN, ROUND_LEN};
use super::name::Name;
use super::read::{Access, Store};
use super::version::Version;
use crate::map::Mapped;
use crate::pages::{ByteSource, Part, ReadCounts, SystemCache};

/// What is known to be there is known by this length. Shorter than a page of memory: entries of
/// series that a question selects lie scattered, and each brings a granule or two.
const GRANULE: u64 = 1 << 10;

/// Granules between two that are wanted which are brought with them: a request costs more.
const JOINED: u64 = 4;

/// Granules that come with one that nobody has foreseen, at first and at most: twice as many each
/// time that the next one is asked for, so that a walk through a file takes few rounds.
const AHEAD: Range<u64> = 64..8192;

const SUM_LEN: u64 = size_of::<u32>() as u64;

/// Bytes of several files that are brought in one round, and held in memory meanwhile.
const ROUND_OF_ALL_LEN: u64 = 4 * ROUND_LEN;

/// Length of what file systems give files.
const PAGE_LEN: u64 = 4096;

/// The bytes of an immutable file: mapped where they lie, or brought by ranges.
pub struct RangedFile {
    map: Mapped,
    elsewhere: Option<Box<Elsewhere>>,
}

/// Where the bytes come from, and which of them are there.
struct Elsewhere {
    store: Arc<dyn Store>,
    name: Name,
    version: Version,
    kept: Arc<Kept>,
    /// The file with holes, and its name in the folder.
    file: std::fs::File,
    file_name: String,
    /// A bit a granule: its bytes are there.
    present: Box<[AtomicU64]>,
    bringing: Mutex<Bringing>,
    failures: Failures,
}

/// Why bytes of a file could not be brought; clones tell of the same file.
#[derive(Clone, Debug, Default)]
pub struct Failures(Arc<Mutex<Option<Failure>>>);

/// State of who brings: one at a time.
#[derive(Default)]
struct Bringing {
    source: Option<Box<dyn ByteSource>>,
    /// The granule after the last that was brought unforeseen, and how many came.
    next: u64,
    ahead: u64,
}

/// Why bytes could not be brought last.
#[derive(Clone, Debug)]
struct Failure {
    file: PathBuf,
    kind: io::ErrorKind,
    text: String,
}

impl From<Mapped> for RangedFile {
    fn from(map: Mapped) -> Self {
        RangedFile { map, elsewhere: None }
    }
}

impl Deref for RangedFile {
    type Target = [u8];

    #[inline]
    fn deref(&self) -> &[u8] {
        &self.map
    }
}

impl fmt::Debug for RangedFile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let from = self.elsewhere.as_ref().map(|elsewhere| &elsewhere.name);
        f.debug_struct("RangedFile").field("len", &self.map.len()).field("from", &from).finish()
    }
}

impl RangedFile {
    pub(super) fn of(
        store: Arc<dyn Store>,
        name: &Name,
        version: Version,
        kept: Arc<Kept>,
    ) -> Result<Self, StoreError> {
        let count = version.len().div_ceil(GRANULE);
        let Holed { file, name: file_name, map } =
            kept.holed(&version, count * (GRANULE + SUM_LEN))?;
        let present = (0..count.div_ceil(64)).map(|_| AtomicU64::new(0)).collect();
        let (bringing, failures) = (Mutex::default(), Failures::default());
        let name = name.clone();
        let elsewhere =
            Elsewhere { store, name, version, kept, file, file_name, present, bringing, failures };
        Ok(RangedFile { map, elsewhere: Some(Box::new(elsewhere)) })
    }

    /// Brings ranges of files that are going to be looked at, those of all files of a store in one
    /// round of bounded bytes. What can't be brought of a file is an error of that file.
    pub fn bring_all(wanted: &[(&RangedFile, Vec<Range<u64>>)]) -> Vec<Result<(), DecodeError>> {
        let mut brought: Vec<_> = wanted.iter().map(|_| Ok(())).collect();
        let mut missing = Vec::new();
        for (place, (file, ranges)) in wanted.iter().enumerate() {
            let Some(elsewhere) = &file.elsewhere else { continue };
            match elsewhere.missing(&file.map, ranges) {
                Ok(runs) => missing.extend(runs.into_iter().map(|run| (place, run))),
                Err(error) => brought[place] = Err(elsewhere.note(error, ranges)),
            }
        }
        let of = |place: usize| {
            let (file, ranges) = &wanted[place];
            (file.elsewhere.as_deref().expect("a part of it is missing"), ranges)
        };
        let mut fail = |place: usize, error: StoreError| {
            if brought[place].is_ok() {
                let (elsewhere, ranges) = of(place);
                brought[place] = Err(elsewhere.note(error, ranges));
            }
        };
        let store = |place: usize| Arc::as_ptr(&of(place).0.store).cast::<()>();
        missing.sort_by_key(|(place, _)| store(*place));
        for of_store in missing.chunk_by(|left, right| store(left.0) == store(right.0)) {
            let first = of_store[0].0;
            for round in rounds(of_store, ROUND_OF_ALL_LEN) {
                let asked: Vec<_> =
                    round.iter().map(|(place, run)| of(*place).0.ask(run)).collect();
                let read = of(first).0.store.ask_all(&asked);
                for ((place, run), read) in round.iter().zip(read) {
                    let elsewhere = of(*place).0;
                    let kept = read.map(Answer::into_bytes).and_then(|bytes| {
                        elsewhere.keep(run, &bytes).map_err(|source| elsewhere.here(source))
                    });
                    kept.unwrap_or_else(|error| fail(*place, error));
                }
            }
            // Files of a store are kept in one folder.
            let brought = of_store.iter().map(|(place, run)| space(of(*place).0.span(run))).sum();
            of(first).0.sweep(brought).unwrap_or_else(|error| fail(first, error));
        }
        brought
    }

    /// What tells why bytes could not be brought.
    pub fn failures(&self) -> Failures {
        self.elsewhere.as_ref().map_or_else(Failures::default, |own| own.failures.clone())
    }
}

impl Failures {
    /// The error with which bytes could not be brought last.
    pub fn last(&self) -> Option<StoreError> {
        let Failure { file, kind, text } = lock(&self.0).clone()?;
        Some(StoreError { file, source: io::Error::new(kind, text) })
    }

    /// Keeps an error, and says of which bytes it is.
    #[cold]
    fn note(&self, error: StoreError, range: &Range<u64>) -> DecodeError {
        let StoreError { file, source } = error;
        let failure = Failure { file, kind: source.kind(), text: source.to_string() };
        *lock(&self.0) = Some(failure);
        DecodeError::Unread { at: range.start, need: range.end - range.start }
    }
}

impl FileBytes for RangedFile {
    #[inline]
    fn is_whole(&self) -> bool {
        self.elsewhere.is_none()
    }

    fn bring(&self, ranges: &[Range<u64>]) -> Result<(), DecodeError> {
        let Some(elsewhere) = &self.elsewhere else { return Ok(()) };
        if ranges.iter().all(|range| elsewhere.has(&elsewhere.granules(range))) {
            return Ok(());
        }
        let mut bringing = lock(&elsewhere.bringing);
        let missing = elsewhere.missing(&self.map, ranges);
        let brought = missing.and_then(|missing| elsewhere.bring(&mut bringing, missing));
        brought.map_err(|error| elsewhere.note(error, ranges))
    }

    fn need(&self, range: Range<u64>) -> Result<(), DecodeError> {
        let Some(elsewhere) = &self.elsewhere else { return Ok(()) };
        let granules = elsewhere.granules(&range);
        if elsewhere.has(&granules) {
            return Ok(());
        }
        let brought = elsewhere.need(&self.map, granules);
        brought.map_err(|error| elsewhere.failures.note(error, &range))
    }
}

impl Elsewhere {
    /// Number of granules of the file.
    fn count(&self) -> u64 {
        self.version.len().div_ceil(GRANULE)
    }

    /// Those that a range touches, as far as the file goes.
    fn granules(&self, range: &Range<u64>) -> Range<u64> {
        let end = range.end.min(self.version.len());
        if range.start < end { range.start / GRANULE..end.div_ceil(GRANULE) } else { 0..0 }
    }

    fn is_there(&self, granule: u64) -> bool {
        let word = self.present[(granule / 64) as usize].load(Ordering::Acquire);
        word & (1 << (granule % 64)) != 0
    }

    fn has(&self, granules: &Range<u64>) -> bool {
        granules.clone().all(|granule| self.is_there(granule))
    }

    fn set_there(&self, granule: u64) {
        let word = &self.present[(granule / 64) as usize];
        word.fetch_or(1 << (granule % 64), Ordering::Release);
    }

    fn need(&self, map: &[u8], granules: Range<u64>) -> Result<(), StoreError> {
        let mut bringing = lock(&self.bringing);
        let ahead =
            granules.start..granules.end.max(granules.start + AHEAD.start).min(self.count());
        self.recall(map, &ahead)?;
        if self.has(&granules) {
            return Ok(());
        }
        let reach = bringing.next.saturating_sub(bringing.ahead)..bringing.next + AHEAD.start;
        let is_next = bringing.ahead > 0 && reach.contains(&granules.start);
        let len = if is_next { bringing.ahead * 2 } else { AHEAD.start }.min(AHEAD.end);
        let end = granules.end.max(granules.start + len).min(self.count());
        (bringing.next, bringing.ahead) = (end, len);
        let foreseen = granules.start..end;
        let missing = self.missing_granules(map, vec![foreseen])?;
        self.bring(&mut bringing, missing)
    }

    /// The granules of ranges that are not there, near ones as one run.
    fn missing(&self, map: &[u8], ranges: &[Range<u64>]) -> Result<Vec<Range<u64>>, StoreError> {
        let mut wanted = Vec::with_capacity(ranges.len());
        wanted.extend(ranges.iter().map(|range| self.granules(range)));
        wanted.retain(|granules| !self.has(granules));
        self.missing_granules(map, wanted)
    }

    fn missing_granules(
        &self,
        map: &[u8],
        mut wanted: Vec<Range<u64>>,
    ) -> Result<Vec<Range<u64>>, StoreError> {
        wanted.sort_by_key(|granules| granules.start);
        let mut missing: Vec<Range<u64>> = Vec::new();
        for granules in wanted {
            self.recall(map, &granules)?;
            for granule in granules.filter(|granule| !self.is_there(*granule)) {
                match missing.last_mut() {
                    Some(last) if granule < last.end => {}
                    Some(last) if granule <= last.end + JOINED => last.end = granule + 1,
                    _ => missing.push(granule..granule + 1),
                }
            }
        }
        Ok(missing)
    }

    /// Brings runs of granules.
    fn bring(&self, bringing: &mut Bringing, missing: Vec<Range<u64>>) -> Result<(), StoreError> {
        if missing.is_empty() {
            return Ok(());
        }
        let brought = missing.iter().map(|run| space(self.span(run)));
        let brought = brought.sum();
        let failed = |source| StoreError { file: self.store.show(&self.name), source };
        if bringing.source.is_none() {
            let access = Access::Positioned(SystemCache::Used);
            bringing.source = Some(self.store.open_seen(&self.name, self.version, access)?);
        }
        let source = bringing.source.as_deref().expect("just opened");
        let missing: Vec<_> = missing.into_iter().map(|run| ((), run)).collect();
        for round in rounds(&missing, ROUND_LEN) {
            let spans = round.iter().map(|(_, run)| self.span(run));
            let mut buffers: Vec<_> =
                spans.map(|span| (span.start, vec![0; (span.end - span.start) as usize])).collect();
            let parts = buffers.iter_mut().flat_map(|(at, bytes)| {
                let offsets = (*at..).step_by(REQUEST_LEN);
                bytes.chunks_mut(REQUEST_LEN).zip(offsets).map(|(out, at)| Part { at, out })
            });
            let mut parts: Vec<_> = parts.collect();
            source.read_parts(&mut parts, &mut ReadCounts::default()).map_err(failed)?;
            for ((_, run), (_, bytes)) in round.iter().zip(&buffers) {
                self.keep(run, bytes).map_err(|source| self.here(source))?;
            }
        }
        self.sweep(brought)
    }

    /// Removes from the folder what came first, where it holds more than it may.
    fn sweep(&self, brought: u64) -> Result<(), StoreError> {
        self.kept.evict(&self.file_name, brought).map_err(|source| self.here(source))
    }

    /// An error of the folder.
    fn here(&self, source: io::Error) -> StoreError {
        StoreError { file: self.kept.dir.path().to_owned(), source }
    }

    /// Keeps why some of these ranges could not be brought.
    fn note(&self, error: StoreError, ranges: &[Range<u64>]) -> DecodeError {
        self.failures.note(error, &ranges.first().cloned().unwrap_or_default())
    }

    /// A run of granules, to be asked for among those of other files.
    fn ask(&self, run: &Range<u64>) -> Ask {
        let (file, version) = (self.name.clone(), Some(self.version));
        Ask::Range { file, version, range: self.span(run) }
    }

    /// The bytes of some granules in the file.
    fn span(&self, granules: &Range<u64>) -> Range<u64> {
        granules.start * GRANULE..(granules.end * GRANULE).min(self.version.len())
    }

    /// Where the sums of granules begin in the file with holes.
    fn sums_at(&self, granule: u64) -> u64 {
        self.count() * GRANULE + granule * SUM_LEN
    }

    /// Writes granules that were brought; those that are there already stay untouched.
    fn keep(&self, run: &Range<u64>, bytes: &[u8]) -> io::Result<()> {
        let granules = run.clone().zip(bytes.chunks(GRANULE as usize));
        let missing: Vec<_> = granules.filter(|(granule, _)| !self.is_there(*granule)).collect();
        for part in missing.chunk_by(|left, right| left.0 + 1 == right.0) {
            let (first, last) = (part[0].0, part[part.len() - 1].0);
            let from = ((first - run.start) * GRANULE) as usize;
            let len = part.iter().map(|(_, bytes)| bytes.len()).sum::<usize>();
            let files = &self.kept.files;
            files.write_at(&self.file, &bytes[from..from + len], first * GRANULE)?;
            let sums = part.iter().flat_map(|(granule, bytes)| sum(*granule, bytes).to_be_bytes());
            files.write_at(&self.file, &sums.collect::<Vec<_>>(), self.sums_at(first))?;
            (first..=last).for_each(|granule| self.set_there(granule));
        }
        Ok(())
    }

    /// Looks which of some granules the folder has, from this process or another.
    fn recall(&self, map: &[u8], granules: &Range<u64>) -> Result<(), StoreError> {
        if self.has(granules) {
            return Ok(());
        }
        let mut sums = vec![0; ((granules.end - granules.start) * SUM_LEN) as usize];
        let read = self.file.read_exact_at(&mut sums, self.sums_at(granules.start));
        read.map_err(|source| self.here(source))?;
        for (granule, kept) in granules.clone().zip(sums.as_chunks::<4>().0) {
            if *kept == [0; 4] || self.is_there(granule) {
                continue;
            }
            let span = self.span(&(granule..granule + 1));
            let bytes = &map[span.start as usize..span.end as usize];
            if sum(granule, bytes).to_be_bytes() == *kept {
                self.set_there(granule);
            }
        }
        Ok(())
    }
}

/// Bytes that a range takes on disk in whole pages, with the page of its sums.
fn space(range: Range<u64>) -> u64 {
    (range.end - range.start).next_multiple_of(PAGE_LEN) + PAGE_LEN
}

/// Runs of files in rounds of bounded bytes.
fn rounds<F: Copy>(runs: &[(F, Range<u64>)], len_max: u64) -> Vec<Vec<(F, Range<u64>)>> {
    let (mut rounds, mut round, mut left) = (Vec::new(), Vec::new(), len_max / GRANULE);
    for (file, run) in runs {
        let mut run = run.clone();
        while run.end - run.start > left {
            if left > 0 {
                round.push((*file, run.start..run.start + left));
            }
            run.start += left;
            rounds.push(std::mem::take(&mut round));
            left = len_max / GRANULE;
        }
        left -= run.end - run.start;
        round.push((*file, run));
    }
    rounds.push(round);
    rounds
}

/// Sum of a granule; never 0.
fn sum(granule: u64, bytes: &[u8]) -> u32 {
    let (words, rest) = bytes.as_chunks::<8>();
    let mut last = [0; 8];
    last[..rest.len()].copy_from_slice(rest);
    let mixed = words
        .iter()
        .chain([&last])
        .fold(granule, |state, word| mix(state, u64::from_le_bytes(*word)));
    (mixed as u32).max(1)
}

/// What a panic has left is no more than what was not brought.
fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::path::Path;

    use super::*;
    use crate::Disk;
    use crate::store::{
        Failing, FetchLimits, Fetched, MemoryStore, Replace, StoreCounts, WriteStore,
    };

    const LEN: usize = 1_000_007;

    fn contents() -> Vec<u8> {
        (0..LEN as u64).map(|at| mix(3, at) as u8 | 1).collect()
    }

    fn one(range: Range<u64>) -> [Range<u64>; 1] {
        [range]
    }

    fn put(store: &MemoryStore, bytes: &[u8]) -> Name {
        let name = Name::new("a").expect("a name");
        store.put(&name, bytes, Replace::Any).unwrap();
        name
    }

    fn open(store: &MemoryStore, folder: &Path, kept_bytes_max: u64) -> RangedFile {
        let limits = FetchLimits { file_bytes_max: 0, kept_bytes_max };
        let fetched = Fetched::through(Arc::new(store.clone()), folder, Disk::shared(), limits);
        let listed = store.list(&Name::root()).unwrap();
        fetched.ranged(&Name::new("a").expect("a name"), listed.first()).unwrap()
    }

    #[track_caller]
    fn check(file: &RangedFile, store: &MemoryStore, ranges: &[Range<u64>], want: StoreCounts) {
        store.fail(None);
        file.bring(ranges).unwrap();
        assert_eq!(store.counts(), want, "{ranges:?}");
        let bytes = contents();
        for range in ranges {
            let [start, end] = [range.start, range.end].map(|at| at.min(LEN as u64) as usize);
            assert!(file[start..end] == bytes[start..end]);
        }
    }

    #[test]
    fn ranges_of_several_files_are_one_round_and_a_failure_is_of_its_file() {
        let (folder, store) = (tempfile::tempdir().unwrap(), MemoryStore::new(1));
        let limits = FetchLimits { file_bytes_max: 0, kept_bytes_max: 1 << 30 };
        let fetched =
            Fetched::through(Arc::new(store.clone()), folder.path(), Disk::shared(), limits);
        let names = ["a", "b", "c"].map(|name| Name::new(name).expect("a name"));
        for name in &names {
            store.put(name, &contents(), Replace::Any).unwrap();
        }
        let listed = store.list(&Name::root()).unwrap();
        let open = |name: &Name| {
            let listed = listed.iter().find(|entry| entry.name == name.as_str());
            fetched.ranged(name, listed).unwrap()
        };
        let files = names.each_ref().map(open);
        let ranges = [one(0..5), one(500_000..500_001), one(999_999..LEN as u64)];
        let wanted: Vec<_> =
            files.iter().zip(&ranges).map(|(file, own)| (file, own.to_vec())).collect();
        store.fail(None);
        assert!(RangedFile::bring_all(&wanted[..2]).into_iter().all(|brought| brought.is_ok()));
        assert_eq!(store.counts().rounds, 1);
        // The first two are there, and of the third another version.
        store.put(&names[2], &contents(), Replace::Any).unwrap();
        store.fail(None);
        let brought = RangedFile::bring_all(&wanted);
        assert!(brought[0].is_ok() && brought[1].is_ok() && store.counts().rounds == 1);
        assert!(brought[2].as_ref().is_err_and(DecodeError::is_unread));
        let failed = files[2].failures().last().expect("an error").to_string();
        assert!(failed.contains("memory:c: replaced"), "{failed}");
        assert!(files[0].failures().last().is_none());
        for (file, range) in files.iter().zip(&ranges).take(2) {
            let range = range[0].start as usize..range[0].end as usize;
            assert!(file[range.clone()] == contents()[range]);
        }
    }

    fn counts(rounds: u64, requests: u64, granules: u64) -> StoreCounts {
        StoreCounts { rounds, requests, read_bytes: granules * GRANULE }
    }

    #[test]
    fn ranges_come_in_one_round_and_once() {
        let (folder, store) = (tempfile::tempdir().unwrap(), MemoryStore::new(1));
        put(&store, &contents());
        let file = open(&store, folder.path(), 1 << 30);
        assert!(!file.is_whole() && file.len() == LEN);
        check(&file, &store, &[5000..5001, 900_000..900_100, 5010..7000], counts(1, 2, 5));
        check(&file, &store, &[5000..7000, 900_000..900_001], counts(0, 0, 0));
        // A gap of three granules comes along.
        check(&file, &store, &[10_240..10_241, 14_336..14_337], counts(1, 1, 5));
        let end = StoreCounts { rounds: 1, requests: 1, read_bytes: LEN as u64 % GRANULE };
        check(&file, &store, &one(LEN as u64 - 1..LEN as u64 + 10), end);
        // Another process finds what was brought.
        let other = open(&store, folder.path(), 1 << 30);
        check(&other, &store, &[5000..7000, 900_000..900_100], counts(0, 0, 0));
        check(&other, &store, &one(5000..8200), counts(1, 1, 2));
        let past = LEN as u64 + 5;
        check(&other, &store, &[past..past + 10, 3..3, u64::MAX - 1..u64::MAX], counts(0, 0, 0));
    }

    #[test]
    fn a_walk_that_nobody_foresaw_takes_few_rounds() {
        let (folder, store) = (tempfile::tempdir().unwrap(), MemoryStore::new(1));
        put(&store, &contents());
        let file = open(&store, folder.path(), 1 << 30);
        store.fail(None);
        let bytes = contents();
        for at in (0..LEN).step_by(100) {
            let end = (at + 100).min(LEN);
            file.need(at as u64..end as u64).unwrap();
            assert!(file[at..end] == bytes[at..end]);
        }
        assert_eq!(store.counts().rounds, 5, "64, 128, 256, 512 KiB and the rest");
        assert_eq!(store.counts().read_bytes, LEN as u64);
    }

    #[test]
    fn what_fails_or_is_replaced_is_an_error_with_the_name() {
        let (folder, store) = (tempfile::tempdir().unwrap(), MemoryStore::new(1));
        put(&store, &contents());
        let file = open(&store, folder.path(), 1 << 30);
        let failures = file.failures();
        assert!(failures.last().is_none());
        store.fail(Some(Failing::Once(0)));
        assert_eq!(file.need(5..9), Err(DecodeError::Unread { at: 5, need: 4 }));
        assert!(failures.last().unwrap().to_string().starts_with("memory:a: operation 0"));
        assert_eq!(file.need(5..9), Ok(()));
        put(&store, &[7; LEN]);
        assert!(file.bring(&one(5..9)).is_ok() && file.bring(&one(800_000..800_001)).is_err());
        assert!(failures.last().unwrap().is_replaced());
        let later = open(&store, folder.path(), 1 << 30);
        later.need(5..9).unwrap();
        assert!(later[5..9] == [7; 4] && file[5..9] == contents()[5..9]);
    }

    #[test]
    fn what_is_kept_is_proven_and_bounded() {
        let (folder, store) = (tempfile::tempdir().unwrap(), MemoryStore::new(1));
        put(&store, &contents());
        let file = open(&store, folder.path(), 1 << 30);
        check(&file, &store, &one(0..200_000), counts(1, 1, 196));
        let kept = || fs::read_dir(folder.path()).unwrap().map(|entry| entry.unwrap().path());
        for path in kept() {
            let mut bytes = fs::read(&path).unwrap();
            bytes[5000] ^= 1;
            fs::write(&path, bytes).unwrap();
        }
        let again = open(&store, folder.path(), 1 << 30);
        check(&again, &store, &one(0..200_000), counts(1, 1, 1));
        // Another file takes its place; who has it open goes on.
        put(&store, &[7; LEN]);
        let small = open(&store, folder.path(), 1000);
        small.need(0..5).unwrap();
        assert_eq!(kept().count(), 1);
        assert!(again[0..200_000] == contents()[0..200_000]);
    }
}
