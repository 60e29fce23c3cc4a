//! Looking for the locks of others.

use std::time::Duration;

use manicule_format_restic::{FileKind, Id, Lock};

use crate::error::RepoError;
use crate::repository::{LOCK_LIMITS, Repository, Unpacking, bring_whole};
use crate::storage::{FileName, Storage};

use super::error::{LockError, Locked};
use super::world::{Holder, Surroundings, age};

/// Age from which a lock of somebody else is stale.
const STALE_AFTER: Duration = Duration::from_secs(30 * 60);

/// Looks at every lock but `own`, and returns those that are stale. One of somebody who may be at
/// work is an error, as is one that can't be read.
pub(super) fn look(
    repository: &Repository,
    surroundings: &dyn Surroundings,
    holder: &Holder,
    own: Option<Id>,
) -> Result<Vec<Id>, LockError> {
    let mut stale = Vec::new();
    let (storage, now) = (repository.storage(), surroundings.now().moment);
    let locks = storage.list(FileKind::Lock).map_err(RepoError::Storage)?;
    bring_whole(storage, FileKind::Lock, &locks);
    for listed in locks {
        // As restic: a file without bytes is a lock that its writer didn't come to write.
        if own == Some(listed.id) || listed.len == 0 {
            continue;
        }
        let lock = match read(repository, &listed.id) {
            Err(RepoError::Storage(error)) if error.is_missing() => continue,
            Err(error) => return Err(LockError::Unreadable(error)),
            Ok(lock) => lock,
        };
        let age = age(lock.time.moment, now);
        let is_gone = lock.hostname == holder.hostname && !surroundings.is_running(lock.pid);
        if age > STALE_AFTER || is_gone {
            stale.push(listed.id);
            continue;
        }
        let place = storage.place();
        return Err(LockError::Locked(Box::new(Locked { place, id: listed.id, lock, age })));
    }
    Ok(stale)
}

fn read(repository: &Repository, id: &Id) -> Result<Lock, RepoError> {
    let mut buffers = Unpacking::default();
    let json = repository.read_unpacked(FileKind::Lock, id, LOCK_LIMITS, &mut buffers)?;
    Lock::parse(json).map_err(|source| {
        let file = repository.storage().name(FileName::Of(FileKind::Lock, *id));
        RepoError::Json { file, source }
    })
}

/// Whether a lock is there.
pub(super) fn has(storage: &dyn Storage, id: &Id) -> Result<bool, RepoError> {
    Ok(storage.list(FileKind::Lock)?.iter().any(|listed| listed.id == *id))
}
