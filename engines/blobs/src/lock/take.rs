//! Taking a lock: look, put, wait, look again; and waiting for others who have one.

use std::time::Duration;

use manicule_core::watch::Watch;
use manicule_format_restic::{FileKind, Id};

use crate::error::RepoError;

use super::error::LockError;
use super::held::Exclusive;
use super::look::look;
use super::world::{LOOK_AFTER, Surroundings, Writable};

/// Waits before a lock that can't be read is read again: its storage may need the time.
const UNREADABLE_WAITS: [Duration; 3] =
    [Duration::from_secs(5), Duration::from_secs(10), Duration::from_secs(20)];
/// First wait for the lock of somebody else; each further one is twice as long.
const RETRY_FIRST: Duration = Duration::from_secs(5);
/// Longest wait for it.
const RETRY_MAX: Duration = Duration::from_secs(60);
/// Time after which a wait looks up.
const WAIT_STEP: Duration = Duration::from_millis(100);

impl<'w> Exclusive<'w> {
    /// Locks a repository. Where somebody else has locked it, tries again until `retry_for` has
    /// passed. Stale locks are removed; their ids come back.
    pub fn take(
        to: Writable<'w>,
        retry_for: Duration,
        watch: &Watch<'_>,
    ) -> Result<(Exclusive<'w>, Vec<Id>), LockError> {
        let (mut wait, mut left) = (RETRY_FIRST, retry_for);
        loop {
            match take_once(to, watch) {
                Err(LockError::Locked(_)) if !left.is_zero() => {}
                done => return done,
            }
            let this_wait = wait.min(left);
            pause(to.surroundings, this_wait, watch)?;
            left -= this_wait;
            wait = (wait * 2).min(RETRY_MAX);
        }
    }
}

fn take_once<'w>(
    to: Writable<'w>,
    watch: &Watch<'_>,
) -> Result<(Exclusive<'w>, Vec<Id>), LockError> {
    look_patiently(to, None, watch)?;
    let (id, since) = to.put_lock()?;
    // From here on it goes if anything fails.
    let mut lock = Exclusive { to, id: Some(id), since };
    pause(to.surroundings, LOOK_AFTER, watch)?;
    let stale = look_patiently(to, Some(id), watch)?;
    for id in &stale {
        lock.remove(FileKind::Lock, id)?;
    }
    lock.sweep(FileKind::Lock)?;
    Ok((lock, stale))
}

/// Looks at the locks of others, again after a while where one can't be read.
fn look_patiently(
    to: Writable<'_>,
    own: Option<Id>,
    watch: &Watch<'_>,
) -> Result<Vec<Id>, LockError> {
    let mut waits = UNREADABLE_WAITS.iter();
    loop {
        match (look(to.repository, to.surroundings, to.holder, own), waits.next()) {
            (Err(LockError::Unreadable(_)), Some(wait)) => pause(to.surroundings, *wait, watch)?,
            (looked, _) => return looked,
        }
    }
}

/// Waits in steps, between which the watch may stop it.
fn pause(
    surroundings: &dyn Surroundings,
    time: Duration,
    watch: &Watch<'_>,
) -> Result<(), RepoError> {
    let mut left = time;
    while !left.is_zero() {
        watch.check()?;
        let step = left.min(WAIT_STEP);
        surroundings.wait(step);
        left -= step;
    }
    Ok(())
}
