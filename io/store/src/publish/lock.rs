//! The right to write, held under a name: a file that is locked, and is still the one that others
//! find by that name.
//!
//! Who removes or renames a locked file takes its name with it: others make a file of that name and
//! lock it, too. So after locking one looks again whether the name still leads to the same file.

use std::fs::{File, OpenOptions};
use std::io;
use std::path::Path;

use rustix::fs::{FlockOperation, flock};
use rustix::io::Errno;

use crate::{FileId, Files, open_plain};

/// Result of an attempt to take a lock.
#[derive(Debug)]
pub enum Attempt {
    /// It is ours.
    Taken(Lock),
    /// Somebody else has it.
    Busy,
    /// The name leads to another file meanwhile, or to none. The next attempt may succeed.
    Lost,
}

/// A file that is locked; until it is dropped, or its process ends.
#[derive(Debug)]
pub struct Lock {
    file: File,
}

impl Lock {
    /// Tries to lock the file at `path`, made where it is missing.
    pub fn take(files: &dyn Files, path: &Path) -> io::Result<Attempt> {
        let mut options = OpenOptions::new();
        let file = files.open(path, options.create(true).truncate(false).write(true))?;
        Self::of(file, path)
    }

    /// Tries to lock the file at `path`; [`Attempt::Lost`] where there is none.
    pub fn find(path: &Path) -> io::Result<Attempt> {
        match open_plain(path, OpenOptions::new().write(true)) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(Attempt::Lost),
            file => Self::of(file?, path),
        }
    }

    /// Tries to lock a file that was opened at `path`.
    pub fn of(file: File, path: &Path) -> io::Result<Attempt> {
        match flock(&file, FlockOperation::NonBlockingLockExclusive) {
            Err(Errno::WOULDBLOCK) => return Ok(Attempt::Busy),
            held => held?,
        }
        if FileId::named(path)? == Some(FileId::of(&file)?) {
            Ok(Attempt::Taken(Lock { file }))
        } else {
            Ok(Attempt::Lost)
        }
    }

    /// The file.
    pub fn file(&self) -> &File {
        &self.file
    }
}

impl Drop for Lock {
    /// Closing it is not enough: a child that another thread forks just now has it open, too, until
    /// it runs its program.
    fn drop(&mut self) {
        let _ = flock(&self.file, FlockOperation::Unlock);
    }
}

/// Whether somebody has locked a file. It is held for a moment, and shared: a writer that comes
/// just then finds somebody at it and tries later.
pub(crate) fn is_locked(file: &File) -> bool {
    flock(file, FlockOperation::NonBlockingLockShared) == Err(Errno::WOULDBLOCK)
}

/// The names in a folder, held: others who ask for them wait.
#[derive(Debug)]
pub(crate) struct FolderLock {
    folder: File,
}

impl FolderLock {
    /// Waits for them. An error where folders can't be locked, as on some network file systems.
    pub(crate) fn wait(folder: &Path) -> io::Result<Self> {
        let folder = File::open(folder)?;
        flock(&folder, FlockOperation::LockExclusive)?;
        Ok(FolderLock { folder })
    }
}

impl Drop for FolderLock {
    /// As that of [`Lock`].
    fn drop(&mut self) {
        let _ = flock(&self.folder, FlockOperation::Unlock);
    }
}

/// Waits until nobody else works at the names in a folder. Where folders can't be locked, as on
/// some network file systems, nobody waits.
pub(super) fn wait_for_folder(folder: &File) {
    let _ = flock(folder, FlockOperation::LockExclusive);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Disk;
    use std::fs;
    use std::sync::atomic::{AtomicU32, Ordering::SeqCst};

    fn take(path: &Path) -> Attempt {
        Lock::take(&Disk, path).unwrap()
    }

    #[test]
    fn one_at_a_time_has_it() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("lock");
        assert!(matches!(Lock::find(&path).unwrap(), Attempt::Lost));
        let Attempt::Taken(lock) = take(&path) else { panic!("it is free") };
        assert!(matches!(take(&path), Attempt::Busy));
        assert!(is_locked(&File::open(&path).unwrap()));
        drop(lock);
        assert!(matches!(Lock::find(&path).unwrap(), Attempt::Taken(_)));
    }

    #[test]
    fn it_is_free_though_a_child_still_has_the_file_open() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("lock");
        let Attempt::Taken(lock) = take(&path) else { panic!("it is free") };
        let _inherited = lock.file().try_clone().unwrap();
        assert!(matches!(take(&path), Attempt::Busy));
        drop(lock);
        assert!(matches!(take(&path), Attempt::Taken(_)));
    }

    #[test]
    fn one_whose_name_has_gone_is_none() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("lock");
        let open = || OpenOptions::new().create(true).append(true).open(&path).unwrap();
        let held = open();
        fs::remove_file(&path).unwrap();
        assert!(matches!(Lock::of(held, &path).unwrap(), Attempt::Lost));
        let held = open();
        fs::remove_file(&path).unwrap();
        let _other = open();
        assert!(matches!(Lock::of(held, &path).unwrap(), Attempt::Lost));
    }

    /// The race that the second look is for: who has it removes its name, as whoever publishes the
    /// locked file does.
    #[test]
    fn nobody_shares_it_when_its_name_goes() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("lock");
        let (holders, taken) = (AtomicU32::new(0), AtomicU32::new(0));
        std::thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| {
                    while taken.load(SeqCst) < 400 {
                        let Attempt::Taken(lock) = take(&path) else { continue };
                        assert_eq!(holders.fetch_add(1, SeqCst), 0, "two have it");
                        taken.fetch_add(1, SeqCst);
                        holders.fetch_sub(1, SeqCst);
                        fs::remove_file(&path).unwrap();
                        drop(lock);
                    }
                });
            }
        });
    }
}
