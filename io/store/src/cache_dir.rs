//! A cache directory: one folder of immutable files, in a place where only its owner writes.
//!
//! A file is written aside, synced and renamed, so a name is bound to nothing or to a whole file,
//! also after a power cut. One process at a time holds the lease to write; readers need none, since
//! a mapped file outlives its name.

use std::fs::{self, DirBuilder, File, OpenOptions, Permissions};
use std::io::{self, BufWriter, Read, Write};
use std::os::unix::fs::{DirBuilderExt, MetadataExt, OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use crate::publish::{Aside, Attempt, Lock, OWN, SHARED, is_locked, sweep};
use crate::{Files, Mapped, OutFile, SharedFiles, open_plain};

const ASIDE: &str = ".aside";
const LOCK: &str = "lock";

/// A note is no longer: the longest path that the kernel takes.
const NOTE_LEN_MAX: u64 = 4096;

/// A folder of immutable files.
#[derive(Clone, Debug)]
pub struct CacheDir {
    path: PathBuf,
}

/// The right to write to a cache directory; ends when it is dropped, or with the process.
#[derive(Debug)]
pub struct Lease {
    dir: CacheDir,
    files: SharedFiles,
    lock: Lock,
}

impl CacheDir {
    /// The cache directory at `path`, which need not exist.
    pub fn at(path: impl Into<PathBuf>) -> Self {
        CacheDir { path: path.into() }
    }

    /// Path of the cache directory.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Maps the file `name`.
    ///
    /// Refused, as not found, where the file or its folder belongs to another user, or others may
    /// write to the folder: what lies there is not ours to trust.
    pub fn map(&self, name: &str) -> io::Result<Mapped> {
        let file = open_plain(&self.path.join(name), OpenOptions::new().read(true))?;
        for owned in [file.metadata()?, fs::metadata(&self.path)?] {
            let own = owned.uid() == rustix::process::geteuid().as_raw();
            if !own || (owned.is_dir() && owned.mode() & 0o022 != 0) {
                return Err(io::Error::new(io::ErrorKind::NotFound, "the folder is not ours"));
            }
        }
        Mapped::of(&file)
    }

    /// The right to write through `files`, or `None` if somebody else has it. Makes the folder
    /// where it is missing.
    pub fn lease(&self, files: &SharedFiles) -> io::Result<Option<Lease>> {
        self.create()?;
        match Lock::of(self.open_lock(&**files)?, &self.path.join(LOCK))? {
            Attempt::Taken(lock) => {
                Ok(Some(Lease { dir: self.clone(), files: files.clone(), lock }))
            }
            // Lost: whoever removed the cache directory meanwhile took the lock's name with it.
            Attempt::Busy | Attempt::Lost => Ok(None),
        }
    }

    /// Makes the folder where it is missing, and closes it to others.
    pub(crate) fn create(&self) -> io::Result<()> {
        DirBuilder::new().recursive(true).mode(0o700).create(&self.path)?;
        self.close_to_others()
    }

    /// Nothing is put where [`CacheDir::map`] would not trust it: it would be written again in
    /// every call.
    fn close_to_others(&self) -> io::Result<()> {
        let folder = fs::metadata(&self.path)?;
        if folder.uid() != rustix::process::geteuid().as_raw() {
            return Err(io::Error::new(io::ErrorKind::PermissionDenied, "the folder is not ours"));
        }
        if folder.mode() & 0o022 != 0 {
            fs::set_permissions(&self.path, Permissions::from_mode(0o700))?;
        }
        Ok(())
    }

    fn open_lock(&self, files: &dyn Files) -> io::Result<File> {
        let path = self.path.join(LOCK);
        let mut options = OpenOptions::new();
        options.create(true).truncate(false).write(true).mode(OWN);
        files.open(&path, &options).or_else(|error| {
            // What is no plain file was put there by somebody else.
            if fs::symlink_metadata(&path).is_ok_and(|meta| !meta.is_file() && !meta.is_dir()) {
                files.remove(&path)?;
                return files.open(&path, &options);
            }
            Err(error)
        })
    }

    /// Whether somebody has the right to write just now.
    pub fn is_leased(&self) -> bool {
        let lock = open_plain(&self.path.join(LOCK), OpenOptions::new().read(true));
        lock.is_ok_and(|lock| is_locked(&lock))
    }

    /// Note of the last writer, empty if there is none: see [`Lease::note`].
    pub fn note(&self) -> io::Result<Vec<u8>> {
        let lock = open_plain(&self.path.join(LOCK), OpenOptions::new().read(true))?;
        let mut note = Vec::new();
        lock.take(NOTE_LEN_MAX).read_to_end(&mut note)?;
        Ok(note)
    }

    /// The names on the cache directory and the bytes of their files.
    pub fn list(&self) -> io::Result<Vec<(String, u64)>> {
        let mut files = Vec::new();
        for entry in fs::read_dir(&self.path)? {
            let entry = entry?;
            if let Ok(name) = entry.file_name().into_string() {
                files.push((name, entry.metadata()?.len()));
            }
        }
        files.sort();
        Ok(files)
    }

    /// The cache directories in a folder; none if there is no such folder.
    pub fn all(folder: &Path) -> io::Result<Vec<CacheDir>> {
        let entries = match fs::read_dir(folder) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
            entries => entries?,
        };
        entries.map(|entry| Ok(CacheDir::at(entry?.path()))).collect()
    }

    /// Removes the cache directory, unless somebody is writing it. Returns whether it was removed.
    pub fn clear(&self, files: &SharedFiles) -> io::Result<bool> {
        if !self.path.exists() {
            return Ok(false);
        }
        match self.lease(files)? {
            Some(lease) => lease.remove().map(|()| true),
            None => Ok(false),
        }
    }

    /// Puts a small file under `name` without the lease, and unsynced: for what is checked when it
    /// is read. Of several who put it at once, the last one wins.
    pub fn put_unleased(&self, files: &SharedFiles, name: &str, bytes: &[u8]) -> io::Result<()> {
        let path = self.path.join(format!("{name}-{}{ASIDE}", std::process::id()));
        let mut aside = Aside::create(files, &path, SHARED)?;
        aside.file().write_all(bytes)?;
        aside.publish_as_is(&self.path.join(name))
    }

    /// Time of the cache directory's last use, as recorded by [`CacheDir::mark_used`].
    pub fn last_used(&self) -> io::Result<SystemTime> {
        fs::metadata(self.path.join(LOCK))?.modified()
    }

    /// Notes that the cache directory was used at `now`.
    pub fn mark_used(&self, now: SystemTime) -> io::Result<()> {
        open_plain(&self.path.join(LOCK), File::options().write(true))?.set_modified(now)
    }
}

impl Lease {
    /// The cache directory that may be written to.
    pub fn dir(&self) -> &CacheDir {
        &self.dir
    }

    /// Notes, in the lock's own file, what the cache directory is of: also where nothing has been
    /// put yet that says so.
    pub fn note(&self, text: &[u8]) -> io::Result<()> {
        if self.dir.note().is_ok_and(|noted| noted == text) {
            return Ok(());
        }
        self.lock.file().set_len(0)?;
        self.files.write_at(self.lock.file(), text, 0)
    }

    /// Puts a file under `name`, in place of the one that may be there: the old or the new one is
    /// seen, whole.
    ///
    /// `write` gives its bytes. What is left of an interrupted one is removed by the next
    /// [`Lease::sweep`].
    pub fn put<T>(
        &self,
        name: &str,
        write: impl FnOnce(&mut BufWriter<&mut OutFile>) -> io::Result<T>,
    ) -> io::Result<T> {
        let path = self.dir.path.join(format!("{name}{ASIDE}"));
        let mut aside = Aside::create(&self.files, &path, OWN)?;
        let mut out = BufWriter::with_capacity(1 << 18, aside.file());
        let value = write(&mut out)?;
        out.flush()?;
        drop(out);
        aside.publish(&self.dir.path.join(name))?;
        self.files.sync_folder(&self.dir.path)?;
        Ok(value)
    }

    /// Removes every file that `keep` does not want, leftovers of interrupted writes first among
    /// them.
    pub fn sweep(&self, keep: impl Fn(&str) -> bool) -> io::Result<()> {
        let is_left = |name: &str| name != LOCK && (name.ends_with(ASIDE) || !keep(name));
        sweep(&*self.files, &self.dir.path, is_left)
    }

    /// Removes the whole cache directory.
    pub fn remove(self) -> io::Result<()> {
        self.files.remove_folder(&self.dir.path)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Disk;

    fn names(dir: &CacheDir) -> Vec<String> {
        dir.list().unwrap().into_iter().map(|(name, _)| name).collect()
    }

    #[test]
    fn a_file_is_put_whole_or_not_at_all() {
        let folder = tempfile::tempdir().unwrap();
        let dir = CacheDir::at(folder.path().join("a/b"));
        let lease = dir.lease(&Disk::shared()).unwrap().unwrap();
        lease.put("one", |out| out.write_all(b"old")).unwrap();
        let failed = lease.put("one", |out| {
            out.write_all(b"half")?;
            Err::<(), _>(io::Error::other("disk full"))
        });
        assert!(failed.is_err());
        assert_eq!(&*dir.map("one").unwrap(), b"old");
        assert_eq!(names(&dir), ["lock", "one"]);
    }

    #[test]
    fn one_process_at_a_time_has_the_lease() {
        let folder = tempfile::tempdir().unwrap();
        let dir = CacheDir::at(folder.path());
        let lease = dir.lease(&Disk::shared()).unwrap();
        assert!(lease.is_some() && dir.lease(&Disk::shared()).unwrap().is_none());
        drop(lease);
        assert!(dir.lease(&Disk::shared()).unwrap().is_some());
    }

    #[test]
    fn a_note_stays_when_the_lease_has_ended() {
        let folder = tempfile::tempdir().unwrap();
        let dir = CacheDir::at(folder.path());
        let lease = dir.lease(&Disk::shared()).unwrap().unwrap();
        lease.note(b"a longer one").unwrap();
        lease.note(b"short").unwrap();
        assert!(dir.is_leased());
        drop(lease);
        assert!(!dir.is_leased());
        assert_eq!(dir.note().unwrap(), b"short");
    }

    #[test]
    fn pipes_in_the_place_of_files_are_not_waited_for() {
        let folder = tempfile::tempdir().unwrap();
        let dir = CacheDir::at(folder.path());
        let pipe = |name: &str| {
            let (path, mode) = (folder.path().join(name), rustix::fs::Mode::from_raw_mode(0o600));
            rustix::fs::mkfifoat(rustix::fs::CWD, path, mode).unwrap();
        };
        ["lock", "one", "one.aside"].into_iter().for_each(pipe);
        assert!(dir.map("one").is_err());
        assert!(dir.mark_used(SystemTime::now()).is_err());
        assert!(dir.note().is_err() && !dir.is_leased());
        let lease = dir.lease(&Disk::shared()).unwrap().unwrap();
        lease.put("one", |out| out.write_all(b"new")).unwrap();
        assert_eq!(&*dir.map("one").unwrap(), b"new");
    }

    #[test]
    fn sweeping_removes_what_nobody_wants() {
        let folder = tempfile::tempdir().unwrap();
        let dir = CacheDir::at(folder.path());
        let lease = dir.lease(&Disk::shared()).unwrap().unwrap();
        for name in ["keep", "drop", "keep.aside"] {
            fs::write(folder.path().join(name), name).unwrap();
        }
        lease.sweep(|name| name.starts_with("keep")).unwrap();
        assert_eq!(names(&dir), ["keep", "lock"]);
    }

    #[test]
    fn a_folder_that_others_may_write_to_is_not_trusted() {
        let folder = tempfile::tempdir().unwrap();
        let dir = CacheDir::at(folder.path());
        fs::write(folder.path().join("one"), "x").unwrap();
        assert!(dir.map("one").is_ok());
        fs::set_permissions(folder.path(), fs::Permissions::from_mode(0o777)).unwrap();
        assert!(dir.map("one").is_err());
        drop(dir.lease(&Disk::shared()).unwrap());
        assert!(dir.map("one").is_ok(), "who writes to it closes it first");
    }
}
