//! A lock that is held: files are put and removed under it, and it is refreshed.

use std::time::Duration;

use manicule_format_restic::{FileKind, Id, Moment};

use super::error::LockError;
use super::look::has;
use super::world::{LOOK_AFTER, Writable, age};
use crate::error::RepoError;
use crate::repository::Repository;

/// Time after which a lock is refreshed.
const REFRESH_AFTER: Duration = Duration::from_secs(5 * 60);
/// Age from which our own lock may have been taken for stale, and removed: work goes on only if it
/// is still there. Below that of stale locks, as clocks differ.
const DOUBTFUL_AFTER: Duration = Duration::from_secs(22 * 60 + 30);

/// A repository that nobody else writes into. The lock goes with the value.
#[derive(Debug)]
pub struct Exclusive<'w> {
    pub(super) to: Writable<'w>,
    /// The lock file; `None` once it is removed.
    pub(super) id: Option<Id>,
    /// When it was put.
    pub(super) since: Moment,
}

impl<'w> Exclusive<'w> {
    /// The repository.
    pub fn repository(&self) -> &'w Repository {
        self.to.repository
    }

    /// Puts a file of a JSON; its id comes back. After `Ok` it outlives a power cut.
    pub(crate) fn put(&mut self, kind: FileKind, json: &[u8]) -> Result<Id, LockError> {
        self.keep()?;
        Ok(self.to.put(kind, json)?)
    }

    /// Removes a file.
    pub(crate) fn remove(&mut self, kind: FileKind, id: &Id) -> Result<(), LockError> {
        self.keep()?;
        Ok(self.to.storage.remove(kind, id).map_err(RepoError::Storage)?)
    }

    /// Removes what interrupted puts have left.
    pub(crate) fn sweep(&mut self, kind: FileKind) -> Result<(), LockError> {
        Ok(self.to.storage.sweep(kind).map_err(RepoError::Storage)?)
    }

    /// Refreshes the lock where it is time to. To be called every few minutes at least.
    pub fn keep(&mut self) -> Result<(), LockError> {
        let age = age(self.since, self.to.surroundings.now().moment);
        let Some(old) = self.id.filter(|_| age >= REFRESH_AFTER) else { return Ok(()) };
        let is_doubtful = age >= DOUBTFUL_AFTER;
        let storage = self.to.repository.storage();
        if is_doubtful && !has(storage, &old)? {
            self.id = None;
            return Err(LockError::Lost { place: storage.place() });
        }
        let (new, since) = self.to.put_lock()?;
        (self.id, self.since) = (Some(new), since);
        if is_doubtful {
            self.to.surroundings.wait(LOOK_AFTER);
            if !has(storage, &old)? {
                return Err(LockError::Lost { place: storage.place() });
            }
        }
        Ok(self.to.storage.remove(FileKind::Lock, &old).map_err(RepoError::Storage)?)
    }

    /// Removes the lock.
    pub fn release(mut self) -> Result<(), LockError> {
        let Some(id) = self.id.take() else { return Ok(()) };
        Ok(self.to.storage.remove(FileKind::Lock, &id).map_err(RepoError::Storage)?)
    }
}

impl Drop for Exclusive<'_> {
    fn drop(&mut self) {
        if let Some(id) = self.id.take() {
            // What can't be removed now is stale in 30 minutes, or once this process is gone.
            let _ = self.to.storage.remove(FileKind::Lock, &id);
        }
    }
}
