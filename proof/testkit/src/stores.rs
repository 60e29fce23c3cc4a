//! Folders brought into memory, calls over them with every operation failing once, and stores whose
//! rounds are counted and take their time.

use std::fmt::Debug;
use std::fs;
use std::io;
use std::mem;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::{Duration, Instant};

use crate::env::number;
use manicule_store::pages::{ByteSource, Part, ReadCounts};
use manicule_store::rounds;
use manicule_store::store::{
    Access, Answer, Ask, Failing, Listed, Look, MemoryStore, Name, Replace, Store, StoreCounts,
    StoreError, Version, WriteStore,
};

/// The files of a folder and of those in it, in memory.
///
/// # Panics
/// If the folder can't be read.
pub fn in_memory(folder: &Path) -> MemoryStore {
    let store = MemoryStore::new(1);
    bring(folder, &Name::root(), &store);
    store
}

fn bring(folder: &Path, name: &Name, store: &MemoryStore) {
    for entry in fs::read_dir(folder).expect("a folder") {
        let path = entry.expect("an entry").path();
        let text = path.file_name().and_then(|name| name.to_str()).expect("UTF-8");
        let name = name.join(text).expect("a name");
        if path.is_dir() {
            bring(&path, &name, store);
        } else {
            let bytes = fs::read(&path).expect("a file");
            store.put(&name, &bytes, Replace::Any).expect("memory");
        }
    }
}

/// Asks once for the answer, and then again with each operation failing. If those after it fail as
/// well, an error has to come back; if they succeed, an error or, from a second try, the answer.
/// Returns the number of operations.
///
/// # Panics
/// If another answer comes back, or none when all succeed.
pub fn fail_at_every_operation<T: Debug + PartialEq>(
    store: &MemoryStore,
    ask: impl Fn(&MemoryStore) -> Result<T, String>,
) -> u64 {
    store.fail(None);
    let want = ask(store).expect("an answer where nothing fails");
    let operations = store.counts().rounds;
    assert!(operations > 0, "the store is asked");
    for n in 0..operations {
        store.fail(Some(Failing::From(n)));
        let error = ask(store).expect_err("no operation succeeds after it");
        check_error(&error, &format!("{n} of {operations}"));
        store.fail(Some(Failing::Once(n)));
        match ask(store) {
            Err(error) => check_error(&error, &format!("{n} of {operations} alone")),
            Ok(got) => assert_eq!(got, want, "{n} of {operations} fails"),
        }
    }
    store.fail(None);
    assert_eq!(ask(store).expect("an answer once nothing fails"), want);
    operations
}

/// The error says what failed, and of which file.
fn check_error(error: &str, operation: &str) {
    let is_right = error.contains("memory:") && error.contains("fails, as it was told to");
    assert!(is_right, "operation {operation}: {error}");
}

/// Numbers of rounds that calls take over a store, beside those that they are to take: a row for
/// each call.
#[derive(Debug)]
pub struct Rounds<'s> {
    store: &'s SlowStore,
    got: Vec<(&'static str, u64)>,
}

impl<'s> Rounds<'s> {
    /// Of calls over a store.
    pub fn over(store: &'s SlowStore) -> Self {
        store.take_counts();
        Rounds { store, got: Vec::new() }
    }

    /// Makes a call, and counts its rounds.
    pub fn call<T>(&mut self, name: &'static str, call: impl FnOnce() -> T) -> T {
        self.store.take_counts();
        let begun = Instant::now();
        let answer = call();
        let rounds = self.store.take_counts().rounds;
        println!("{rounds:4} rounds, {:.2} s: {name}", begun.elapsed().as_secs_f64());
        self.got.push((name, rounds));
        answer
    }

    /// Compares all calls with a table.
    ///
    /// # Panics
    /// If one takes another number of rounds.
    #[track_caller]
    pub fn check(self, want: &[(&str, u64)]) {
        assert_eq!(self.got, want);
    }
}

/// How long a round of a slow store takes: nothing, unless `MANICULE_ROUND_MS` says otherwise.
pub fn round_of_environment() -> Duration {
    Duration::from_millis(number("MANICULE_ROUND_MS").unwrap_or(0))
}

/// A store that waits before each round, and counts what it is asked; a round ends for the thread
/// too that asks. What it wraps is read as a
/// bucket is: nothing is mapped in place.
#[derive(Debug)]
pub struct SlowStore {
    asked: Asked,
    store: Arc<dyn Store>,
    /// What it calls itself, if not what the other does.
    address: Option<String>,
}

/// What was asked so far, and how long each round takes.
#[derive(Clone, Debug)]
struct Asked {
    counts: Arc<Mutex<StoreCounts>>,
    round: Duration,
}

impl Asked {
    fn round(&self, requests: usize, read_bytes: u64) {
        let mut counts = self.counts.lock().expect("no count panics");
        counts.rounds += 1;
        counts.requests += requests as u64;
        counts.read_bytes += read_bytes;
        drop(counts);
        rounds::reach(rounds::ended() + 1);
        if !self.round.is_zero() {
            thread::sleep(self.round);
        }
    }
}

impl SlowStore {
    /// A store each of whose rounds takes `round`.
    pub fn new(store: Arc<dyn Store>, round: Duration) -> Self {
        SlowStore { asked: Asked { counts: Arc::default(), round }, store, address: None }
    }

    /// The same, which calls itself by an address.
    #[must_use]
    pub fn at(self, address: &str) -> Self {
        SlowStore { address: Some(address.to_owned()), ..self }
    }

    /// What was asked since this was called last; of files that were opened, too.
    pub fn take_counts(&self) -> StoreCounts {
        mem::take(&mut *self.asked.counts.lock().expect("no count panics"))
    }
}

impl Store for SlowStore {
    fn list(&self, folder: &Name) -> Result<Vec<Listed>, StoreError> {
        self.asked.round(1, 0);
        self.store.list(folder)
    }

    fn look(&self, name: &Name) -> Result<Look, StoreError> {
        self.asked.round(1, 0);
        self.store.look(name)
    }

    fn open(&self, file: &Name, access: Access) -> Result<Box<dyn ByteSource>, StoreError> {
        self.asked.round(1, 0);
        let source = self.store.open(file, access)?;
        Ok(Box::new(SlowFile { asked: self.asked.clone(), source }))
    }

    fn open_seen(
        &self,
        file: &Name,
        seen: Version,
        access: Access,
    ) -> Result<Box<dyn ByteSource>, StoreError> {
        let source = self.store.open_seen(file, seen, access)?;
        Ok(Box::new(SlowFile { asked: self.asked.clone(), source }))
    }

    fn ask_all(&self, asked: &[Ask]) -> Vec<Result<Answer, StoreError>> {
        let answers = self.store.ask_all(asked);
        let bytes = |answer: &Result<Answer, _>| match answer {
            Ok(Answer::Bytes(bytes)) => bytes.len() as u64,
            _ => 0,
        };
        self.asked.round(asked.len(), answers.iter().map(bytes).sum());
        answers
    }

    fn read_at(&self, file: &Name, at: u64, out: &mut [u8]) -> Result<(), StoreError> {
        self.asked.round(1, out.len() as u64);
        self.store.read_at(file, at, out)
    }

    fn read(&self, file: &Name, len_max: u64, out: &mut Vec<u8>) -> Result<(), StoreError> {
        let read = self.store.read(file, len_max, out);
        self.asked.round(1, read.as_ref().map_or(0, |()| out.len() as u64));
        read
    }

    fn read_rest(&self, file: &Name, at: u64, out: &mut Vec<u8>) -> Result<(), StoreError> {
        let read = self.store.read_rest(file, at, out);
        self.asked.round(1, read.as_ref().map_or(0, |()| out.len() as u64));
        read
    }

    fn show(&self, name: &Name) -> PathBuf {
        match &self.address {
            Some(address) => PathBuf::from(format!("{address}/{}", name.as_str())),
            None => self.store.show(name),
        }
    }
}

/// A file of a slow store.
#[derive(Debug)]
struct SlowFile {
    asked: Asked,
    source: Box<dyn ByteSource>,
}

impl ByteSource for SlowFile {
    fn version(&self) -> Version {
        self.source.version()
    }

    fn mapped(&self) -> Option<&[u8]> {
        None
    }

    fn read_at(&self, at: u64, out: &mut [u8], counts: &mut ReadCounts) -> io::Result<()> {
        self.asked.round(1, out.len() as u64);
        self.source.read_at(at, out, counts)
    }

    fn read_parts(&self, parts: &mut [Part<'_>], counts: &mut ReadCounts) -> io::Result<()> {
        let read_bytes = parts.iter().map(|part| part.out.len() as u64).sum();
        self.asked.round(parts.len(), read_bytes);
        self.source.read_parts(parts, counts)
    }
}

#[cfg(test)]
mod tests {
    use manicule_store::pages::SystemCache;

    use super::*;

    #[test]
    fn each_round_is_counted_and_waited_for() {
        let memory = MemoryStore::new(1);
        let name = Name::new("a").expect("a name");
        memory.put(&name, b"0123456789", Replace::Any).expect("memory");
        let round = Duration::from_millis(5);
        let (slow, begun) = (SlowStore::new(Arc::new(memory), round), Instant::now());
        let file = slow.open(&name, Access::Positioned(SystemCache::Used)).expect("a file");
        let ([mut first, mut second], counts) = ([[0; 3]; 2], &mut ReadCounts::default());
        let parts = &mut [Part { at: 0, out: &mut first }, Part { at: 5, out: &mut second }];
        file.read_parts(parts, counts).expect("ranges");
        file.read_at(1, &mut first, counts).expect("a range");
        let mut whole = Vec::new();
        slow.read(&name, 10, &mut whole).expect("a file");
        assert!(slow.list(&Name::root()).is_ok() && slow.look(&name).is_ok());
        slow.read_at(&name, 9, &mut first[..1]).expect("a range");
        let want = StoreCounts { rounds: 7, requests: 8, read_bytes: 6 + 3 + 10 + 1 };
        assert_eq!(slow.take_counts(), want);
        assert_eq!(slow.take_counts(), StoreCounts::default());
        assert!(begun.elapsed() >= 7 * round);
        assert!(slow.map(&name).expect("no error").is_none() && file.mapped().is_none());
    }
}
