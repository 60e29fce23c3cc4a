//! What a lock needs of the world: where it is put, by whom, a clock, random bytes.

use std::fmt;
use std::io;
use std::time::Duration;

use manicule_format_restic::{FileKind, IV_LEN, Id, Lock, Moment, Time, pack_unpacked};

use crate::error::RepoError;
use crate::repository::Repository;
use crate::storage::WriteStorage;

/// Time between putting a lock and looking for those of others.
pub(super) const LOOK_AFTER: Duration = Duration::from_millis(200);

/// The world around a lock: the clock, the system's random bytes, and the processes of this
/// machine.
pub trait Surroundings: fmt::Debug {
    /// The time.
    fn now(&self) -> Time;
    /// Waits. A second at most.
    fn wait(&self, time: Duration);
    /// Random bytes that nobody else gets.
    fn random(&self) -> io::Result<[u8; IV_LEN]>;
    /// Whether a process of this machine is running.
    fn is_running(&self, pid: i64) -> bool;
}

/// Whoever takes a lock, as others shall read it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Holder {
    /// The machine.
    pub hostname: String,
    /// The user.
    pub username: String,
    /// The user's number.
    pub uid: u32,
    /// The group's number.
    pub gid: u32,
    /// The process.
    pub pid: i64,
}

/// A repository, and what it takes to write into it.
#[derive(Clone, Copy, Debug)]
pub struct Writable<'w> {
    /// The repository.
    pub repository: &'w Repository,
    /// Where its files are put.
    pub storage: &'w dyn WriteStorage,
    /// Clock, random bytes, processes.
    pub surroundings: &'w dyn Surroundings,
    /// Who writes.
    pub holder: &'w Holder,
}

impl<'w> Writable<'w> {
    /// Seals a JSON and puts it under its name.
    pub(super) fn put(&self, kind: FileKind, json: &[u8]) -> Result<Id, RepoError> {
        let iv = self.surroundings.random().map_err(RepoError::Random)?;
        let mut sealed = Vec::new();
        let plain = pack_unpacked(self.repository.config().version, json);
        self.repository.key().seal(iv, &plain, &mut sealed);
        let id = Id::of(&sealed);
        self.storage.put(kind, &id, &sealed)?;
        Ok(id)
    }

    /// Puts a lock with the time of now.
    pub(super) fn put_lock(&self) -> Result<(Id, Moment), RepoError> {
        let (time, holder) = (self.surroundings.now(), self.holder);
        let lock = Lock {
            time,
            is_exclusive: true,
            hostname: holder.hostname.clone(),
            username: holder.username.clone(),
            pid: holder.pid,
            uid: holder.uid,
            gid: holder.gid,
        };
        Ok((self.put(FileKind::Lock, &lock.encode())?, time.moment))
    }
}

/// Time from one moment to another; nothing where the clock went back.
pub(super) fn age(from: Moment, to: Moment) -> Duration {
    let nanos =
        |moment: Moment| i128::from(moment.seconds) * 1_000_000_000 + i128::from(moment.nanos);
    let age = u64::try_from((nanos(to) - nanos(from)).max(0)).unwrap_or(u64::MAX);
    Duration::from_nanos(age)
}
