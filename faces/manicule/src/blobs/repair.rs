//! A damaged index, repaired. The only verb that writes into a repository: under a lock, as restic
//! takes it.

use std::io;
use std::thread;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use manicule_blobs::lock::{Exclusive, Holder, Surroundings, Writable};
pub use manicule_blobs::repair::{ChangedPack, PackChange, ReadPacks, RemovedIndex, RepairReport};
use manicule_blobs::repair::{RepairOptions, plan_repair, repair_index as repair_locked};
use manicule_blobs::{Id, RepoError, RepositoryWriter, Time};
use manicule_core::watch::Watch;
use manicule_store::{Disk, hostname, is_running, random, user};

use super::error::Error;
use super::open::Repository;
use crate::place::remote;

/// Arguments of a repair.
#[derive(Clone, Copy, Debug)]
pub struct RepairCall {
    /// Which headers of packs are read.
    pub read: ReadPacks,
    /// Whether it is only shown what would be done: nothing is written then, not even a lock.
    pub effect: Effect,
}

/// Whether a repair is done.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Effect {
    /// It is shown what would be done.
    DryRun,
    /// It is done.
    Repair {
        /// Time for which a lock of somebody else is waited for.
        retry_for: Duration,
    },
}

/// A repair.
#[derive(Debug)]
pub struct Repaired {
    /// What was done, or would be.
    pub report: RepairReport,
    /// Stale locks that were removed.
    pub stale_locks: Vec<Id>,
}

/// The clock and the processes of this machine.
#[derive(Clone, Copy, Debug)]
struct Here;

impl Surroundings for Here {
    fn now(&self) -> Time {
        let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        Time::utc(since.as_secs() as i64, since.subsec_nanos())
    }

    fn wait(&self, time: Duration) {
        thread::sleep(time);
    }

    fn random(&self) -> io::Result<[u8; 16]> {
        random()
    }

    fn is_running(&self, pid: i64) -> bool {
        is_running(pid)
    }
}

impl Repository {
    /// Repairs the index of a repository: every pack in storage is listed as its header has it,
    /// and nothing else.
    pub fn repair_index(&self, call: &RepairCall, watch: &Watch<'_>) -> Result<Repaired, Error> {
        let options = RepairOptions { read: call.read, threads: self.threads() };
        let Effect::Repair { retry_for } = call.effect else {
            let report = plan_repair(&self.engine, &options, watch)?;
            return Ok(Repaired { report, stale_locks: Vec::new() });
        };
        let storage = match remote(self.path()).map_err(RepoError::Storage)? {
            None => RepositoryWriter::local(self.path(), Disk::shared()),
            Some(remote) => RepositoryWriter::new(remote.folder()),
        };
        let storage = storage.map_err(RepoError::Storage)?;
        let (user, pid) = (user(), std::process::id().into());
        // As restic, whose locks have an empty name then.
        let hostname = hostname().unwrap_or_default();
        let holder = Holder { hostname, username: user.name, uid: user.uid, gid: user.gid, pid };
        let to = Writable {
            repository: &self.engine,
            storage: &storage,
            surroundings: &Here,
            holder: &holder,
        };
        let (mut lock, stale_locks) = Exclusive::take(to, retry_for, watch)?;
        let report = repair_locked(&mut lock, &options, watch)?;
        lock.release()?;
        Ok(Repaired { report, stale_locks })
    }
}
