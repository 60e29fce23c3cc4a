//! A clock that only waiting moves, random bytes that count, processes by a list; and calls under
//! them.

use std::cell::{Cell, RefCell};
use std::collections::BTreeSet;
use std::fmt;
use std::io;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use manicule_blobs::lock::{Exclusive, Holder, LockError, Surroundings, Writable};
use manicule_blobs::repair::{
    ReadPacks, RepairError, RepairOptions, RepairReport, plan_repair, repair_index,
};
use manicule_blobs::{KeyLimits, KeySearch, Repository, RepositoryFiles, RepositoryWriter};
use manicule_core::watch::Watch;
use manicule_format_restic::{IV_LEN, Moment, Time};
use manicule_repositories::PASSWORD;
use manicule_store::store::{MemoryStore, Store};
use manicule_store::{Disk, SharedFiles};

/// The world of a test.
pub(crate) struct World {
    pub(crate) now: Cell<Moment>,
    pub(crate) running: RefCell<BTreeSet<i64>>,
    /// Called at each wait, with the time since the start.
    pub(crate) at_wait: RefCell<Box<dyn FnMut(Duration)>>,
    pub(crate) waited: Cell<Duration>,
    drawn: Cell<u64>,
}

impl World {
    /// At a time in 2026, with no process.
    pub(crate) fn new() -> World {
        World {
            now: Cell::new(Moment { seconds: 1_780_000_000, nanos: 0 }),
            running: RefCell::default(),
            at_wait: RefCell::new(Box::new(|_| ())),
            waited: Cell::new(Duration::ZERO),
            drawn: Cell::new(0),
        }
    }

    /// Lets time go by.
    pub(crate) fn pass(&self, time: Duration) {
        let now = self.now.get();
        let nanos = u64::from(now.nanos) + u64::from(time.subsec_nanos());
        let seconds = now.seconds + time.as_secs() as i64 + (nanos / 1_000_000_000) as i64;
        self.now.set(Moment { seconds, nanos: (nanos % 1_000_000_000) as u32 });
    }
}

impl fmt::Debug for World {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "World at {:?}", self.now)
    }
}

impl Surroundings for World {
    fn now(&self) -> Time {
        Time { moment: self.now.get(), offset_minutes: 0 }
    }

    fn wait(&self, time: Duration) {
        self.pass(time);
        self.waited.set(self.waited.get() + time);
        (self.at_wait.borrow_mut())(self.waited.get());
    }

    fn random(&self) -> io::Result<[u8; IV_LEN]> {
        self.drawn.set(self.drawn.get() + 1);
        let mut bytes = [0x77; IV_LEN];
        bytes[..8].copy_from_slice(&self.drawn.get().to_le_bytes());
        // Not the bytes of another world either.
        bytes[8..].copy_from_slice(&self.now.get().seconds.to_le_bytes());
        Ok(bytes)
    }

    fn is_running(&self, pid: i64) -> bool {
        self.running.borrow().contains(&pid)
    }
}

/// Who takes locks in these tests.
pub(crate) fn holder() -> Holder {
    let (hostname, username) = ("here".to_owned(), "kim".to_owned());
    Holder { hostname, username, uid: 1000, gid: 100, pid: 4711 }
}

fn search() -> KeySearch {
    let limits = KeyLimits { memory_bytes_max: 1 << 30, work_max: 1 << 24 };
    KeySearch { hint: None, keys_max: 20, limits, threads: 1 }
}

pub(crate) fn open(folder: &Path) -> Repository {
    let storage = Arc::new(RepositoryFiles::local(folder));
    Repository::open(storage, PASSWORD.as_bytes(), &search()).expect("it opens").repository
}

/// Repairs a repository in memory, as whoever reads and writes it there does.
pub(crate) fn repair_in(store: &MemoryStore, read: ReadPacks) -> Result<RepairReport, String> {
    let shared: Arc<dyn Store> = Arc::new(store.clone());
    let storage = Arc::new(RepositoryFiles::new(Arc::clone(&shared)));
    let opened = Repository::open(storage, PASSWORD.as_bytes(), &search());
    let repository = opened.map_err(|error| error.to_string())?.repository;
    let writer = RepositoryWriter::new(shared).map_err(|error| error.to_string())?;
    let (world, holder) = (World::new(), holder());
    let to = Writable {
        repository: &repository,
        storage: &writer,
        surroundings: &world,
        holder: &holder,
    };
    let repair = || {
        let (mut lock, _) = Exclusive::take(to, Duration::ZERO, &Watch::none())?;
        let report = repair_index(&mut lock, &options(read), &Watch::none())?;
        lock.release()?;
        Ok::<_, RepairError>(report)
    };
    repair().map_err(|error| error.to_string())
}

/// Locks a repository and hands the lock to `act`; it is released then.
pub(crate) fn locked<R>(
    files: &SharedFiles,
    folder: &Path,
    world: &World,
    retry_for: Duration,
    act: impl FnOnce(&mut Exclusive<'_>) -> Result<R, RepairError>,
) -> Result<R, RepairError> {
    let (repository, holder) = (open(folder), holder());
    let storage = RepositoryWriter::local(folder, files.clone()).expect("a config");
    let to = Writable {
        repository: &repository,
        storage: &storage,
        surroundings: world,
        holder: &holder,
    };
    let (mut lock, _) = Exclusive::take(to, retry_for, &Watch::none())?;
    let done = act(&mut lock)?;
    lock.release()?;
    Ok(done)
}

pub(crate) fn options(read: ReadPacks) -> RepairOptions {
    RepairOptions { read, threads: 2 }
}

/// Repairs a repository through these files.
pub(crate) fn repair_through(
    files: &SharedFiles,
    folder: &Path,
    read: ReadPacks,
) -> Result<RepairReport, RepairError> {
    let world = World::new();
    locked(files, folder, &world, Duration::ZERO, |lock| {
        repair_index(lock, &options(read), &Watch::none())
    })
}

pub(crate) fn repair(folder: &Path, read: ReadPacks) -> RepairReport {
    repair_through(&Disk::shared(), folder, read).unwrap_or_else(|error| panic!("{error}"))
}

pub(crate) fn plan(folder: &Path, read: ReadPacks) -> RepairReport {
    let planned = plan_repair(&open(folder), &options(read), &Watch::none());
    planned.unwrap_or_else(|error| panic!("{error}"))
}

/// Takes and releases a lock.
pub(crate) fn take(folder: &Path, world: &World, retry_for: Duration) -> Result<(), LockError> {
    match locked(&Disk::shared(), folder, world, retry_for, |_| Ok(())) {
        Err(RepairError::Lock(error)) => Err(error),
        other => other.map_err(|error| panic!("{error}")),
    }
}
