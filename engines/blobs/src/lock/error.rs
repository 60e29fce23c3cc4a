//! Errors of locks.

use std::fmt;
use std::time::Duration;

use manicule_core::ErrorClass;
use manicule_core::watch::Stopped;
use manicule_format_restic::{Id, Lock};

use crate::error::RepoError;

/// A lock that is in the way.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Locked {
    /// The repository.
    pub place: String,
    /// Its file.
    pub id: Id,
    /// The lock.
    pub lock: Lock,
    /// Time since it was taken or refreshed.
    pub age: Duration,
}

/// Reason why a repository was not locked, or not for long enough.
#[derive(Debug)]
#[non_exhaustive]
pub enum LockError {
    /// Somebody else has locked it.
    Locked(Box<Locked>),
    /// A lock can't be read, so that nobody knows whether its holder is at work.
    Unreadable(RepoError),
    /// Our lock was removed while it was held.
    Lost {
        /// The repository.
        place: String,
    },
    /// The repository can't be read or written.
    Repo(RepoError),
}

impl LockError {
    /// Class of the error.
    pub fn class(&self) -> ErrorClass {
        match self {
            LockError::Locked(_) => ErrorClass::Busy,
            LockError::Unreadable(error) | LockError::Repo(error) => error.class(),
            LockError::Lost { .. } => ErrorClass::Failed,
        }
    }
}

impl fmt::Display for LockError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            LockError::Locked(locked) => locked.fmt(f),
            LockError::Unreadable(error) => write!(
                f,
                "invalid lock file: {error}; `restic unlock --remove-all` removes it, once nobody is at work there"
            ),
            LockError::Lost { place } => write!(
                f,
                "{place}: our lock was removed while it was held, so that somebody else may be writing; nothing more was done"
            ),
            LockError::Repo(error) => error.fmt(f),
        }
    }
}

impl fmt::Display for Locked {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Locked { place, id, lock, age } = self;
        let how = if lock.is_exclusive { "exclusively " } else { "" };
        let Lock { pid, hostname, username, uid, gid, time, .. } = lock;
        write!(
            f,
            "{place}: already locked {how}by process {pid} on {hostname}, user {username} ({uid}, group {gid}), since {time} ({} s), lock {}",
            age.as_secs(),
            id.short()
        )
    }
}

// Causes are part of the error's own words.
impl std::error::Error for LockError {}

impl From<RepoError> for LockError {
    fn from(error: RepoError) -> Self {
        LockError::Repo(error)
    }
}

impl From<Stopped> for LockError {
    fn from(stopped: Stopped) -> Self {
        LockError::Repo(stopped.into())
    }
}
