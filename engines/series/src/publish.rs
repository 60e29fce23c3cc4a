//! A block made visible whole: written into a folder aside, synced, then renamed.
//!
//! A block called `ULID` is written into `ULID.tmp-for-creation`, which no reader takes for a block. Beside it lies
//! `ULID.manicule-lock`, locked by the process that writes: a run finds by it what a killed one has left, and leaves
//! alone what belongs to a living one, or to another program. `ULID.tmp-for-deletion` is what a killed run of any program
//! has begun to remove.
//!
//! Bytes:   docs/formats/prometheus.md
//! Callers: build, merge, rewrite, split

use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use manicule_format_prometheus::Ulid;
use manicule_store::Disk;
use manicule_store::publish::{Attempt, Lock, unless_gone};

const CREATION: &str = ".tmp-for-creation";
const DELETION: &str = ".tmp-for-deletion";
const LOCK: &str = ".manicule-lock";

/// How often a lock is tried again that a sweeping process holds for a moment.
const TRIES_MAX: usize = 100;
const TRY_PAUSE: Duration = Duration::from_millis(1);

/// A folder that blocks are put into.
#[derive(Clone, Debug)]
pub struct Target {
    folder: PathBuf,
}

impl Target {
    /// The folder at `folder`, made where it is missing. Removes what killed runs have left there.
    pub fn open(folder: &Path) -> io::Result<Self> {
        fs::create_dir_all(folder)?;
        let target = Target { folder: folder.to_owned() };
        target.sweep()?;
        Ok(target)
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.folder
    }

    /// A new block's folder aside. What is not published goes when the draft is dropped, or with the next
    /// [`Target::open`].
    pub fn draft(&self, ulid: Ulid) -> io::Result<Draft> {
        let lock = self.lock(ulid)?;
        let block = self.folder.join(ulid.to_string());
        let aside = self.folder.join(format!("{ulid}{CREATION}"));
        let made = if block.exists() { Err(exists(&block)) } else { fs::create_dir(&aside) };
        made.inspect_err(|_| drop(fs::remove_file(self.lock_path(ulid))))?;
        Ok(Draft { target: self.clone(), ulid, aside, _lock: lock })
    }

    fn lock_path(&self, ulid: Ulid) -> PathBuf {
        self.folder.join(format!("{ulid}{LOCK}"))
    }

    fn lock(&self, ulid: Ulid) -> io::Result<Lock> {
        let path = self.lock_path(ulid);
        for _ in 0..TRIES_MAX {
            if let Attempt::Taken(lock) = Lock::take(&Disk, &path)? {
                return Ok(lock);
            }
            std::thread::sleep(TRY_PAUSE);
        }
        Err(exists(&path))
    }

    /// Removes what killed runs have left: blocks aside that no living process writes, and such as were being removed.
    fn sweep(&self) -> io::Result<()> {
        for entry in fs::read_dir(&self.folder)? {
            let name = entry?.file_name();
            let Some(name) = name.to_str() else { continue };
            if ulid_of(name, DELETION).is_some() {
                unless_gone(fs::remove_dir_all(self.folder.join(name)))?;
            }
            if let Some(ulid) = ulid_of(name, LOCK) {
                self.sweep_draft(ulid)?;
            }
        }
        Ok(())
    }

    fn sweep_draft(&self, ulid: Ulid) -> io::Result<()> {
        let path = self.lock_path(ulid);
        if let Attempt::Taken(_lock) = Lock::find(&path)? {
            unless_gone(fs::remove_dir_all(self.folder.join(format!("{ulid}{CREATION}"))))?;
            unless_gone(fs::remove_file(&path))?;
        }
        Ok(())
    }
}

/// The block that a name with this ending is of.
fn ulid_of(name: &str, ending: &str) -> Option<Ulid> {
    name.strip_suffix(ending)?.parse().ok()
}

fn exists(path: &Path) -> io::Error {
    let what = format!("{} is there already; a block needs a name of its own", path.display());
    io::Error::new(io::ErrorKind::AlreadyExists, what)
}

/// A block that is being written, in its folder aside.
#[derive(Debug)]
pub struct Draft {
    target: Target,
    ulid: Ulid,
    aside: PathBuf,
    _lock: Lock,
}

impl Draft {
    /// The folder to write the block's files into.
    pub fn path(&self) -> &Path {
        &self.aside
    }

    /// The name that the block will have.
    pub fn ulid(&self) -> Ulid {
        self.ulid
    }

    /// Makes the block visible under its name: after `Ok` also after a power cut, after `Err` not at all, unless it was
    /// the last sync that failed. Returns where it is.
    pub fn publish(self) -> io::Result<PathBuf> {
        sync_all(&self.aside)?;
        let block = self.target.folder.join(self.ulid.to_string());
        fs::rename(&self.aside, &block)?;
        File::open(&self.target.folder)?.sync_all()?;
        Ok(block)
    }
}

impl Drop for Draft {
    fn drop(&mut self) {
        // A published one is gone from here. What can't be removed now is swept by the next run: the lock goes last.
        if unless_gone(fs::remove_dir_all(&self.aside)).is_ok() {
            let _ = fs::remove_file(self.target.lock_path(self.ulid));
        }
    }
}

/// Syncs every file and folder below `folder`, and itself.
fn sync_all(folder: &Path) -> io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        if entry.file_type()?.is_dir() {
            sync_all(&entry.path())?;
        } else {
            File::open(entry.path())?.sync_all()?;
        }
    }
    File::open(folder)?.sync_all()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ulid(number: u8) -> Ulid {
        Ulid::new(1_700_000_000_000, [number; 10])
    }

    fn names(folder: &Path) -> Vec<String> {
        let entries = fs::read_dir(folder).unwrap();
        let mut names: Vec<String> =
            entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    }

    fn draft(target: &Target, number: u8) -> Draft {
        let draft = target.draft(ulid(number)).unwrap();
        fs::create_dir(draft.path().join("chunks")).unwrap();
        fs::write(draft.path().join("chunks/000001"), "chunks").unwrap();
        fs::write(draft.path().join("meta.json"), "{}").unwrap();
        draft
    }

    #[test]
    fn a_block_is_seen_whole_or_not_at_all() {
        let folder = tempfile::tempdir().unwrap();
        let target = Target::open(&folder.path().join("a/b")).unwrap();
        let block = ulid(1).to_string();
        let draft = draft(&target, 1);
        let aside = [format!("{block}.manicule-lock"), format!("{block}.tmp-for-creation")];
        assert_eq!(names(target.path()), aside);
        let path = draft.publish().unwrap();
        assert_eq!(path, target.path().join(&block));
        assert_eq!(names(target.path()), [block]);
        assert_eq!(names(&path), ["chunks", "meta.json"]);
        assert_eq!(names(&path.join("chunks")), ["000001"]);
    }

    #[test]
    fn what_is_not_published_leaves_nothing() {
        let folder = tempfile::tempdir().unwrap();
        let target = Target::open(folder.path()).unwrap();
        drop(draft(&target, 1));
        assert_eq!(names(target.path()), [""; 0]);
    }

    #[test]
    fn a_block_that_is_there_stays() {
        let folder = tempfile::tempdir().unwrap();
        let target = Target::open(folder.path()).unwrap();
        let block = draft(&target, 1).publish().unwrap();
        let error = target.draft(ulid(1)).unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::AlreadyExists);
        assert_eq!(names(target.path()), [ulid(1).to_string()]);
        assert_eq!(names(&block), ["chunks", "meta.json"]);
    }

    #[test]
    fn a_living_draft_is_nobody_elses() {
        let folder = tempfile::tempdir().unwrap();
        let target = Target::open(folder.path()).unwrap();
        let first = draft(&target, 1);
        let error = target.draft(ulid(1)).unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::AlreadyExists);
        Target::open(folder.path()).unwrap();
        first.publish().unwrap();
    }

    #[test]
    fn the_next_run_sweeps_what_a_killed_one_left() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: String| folder.path().join(name);
        // A killed run's, before and after its rename; a removal; what others write; and what only looks like any.
        let (left, done, removed, theirs) = (ulid(1), ulid(2), ulid(3), ulid(4));
        fs::create_dir_all(at(format!("{left}{CREATION}/chunks"))).unwrap();
        fs::write(at(format!("{left}{LOCK}")), "").unwrap();
        fs::create_dir(at(format!("{done}"))).unwrap();
        fs::write(at(format!("{done}{LOCK}")), "").unwrap();
        fs::create_dir_all(at(format!("{removed}{DELETION}/chunks"))).unwrap();
        fs::create_dir(at(format!("{theirs}{CREATION}"))).unwrap();
        fs::create_dir(at("wal.tmp-for-deletion".to_owned())).unwrap();
        Target::open(folder.path()).unwrap();
        let want = [done.to_string(), format!("{theirs}{CREATION}"), "wal.tmp-for-deletion".into()];
        assert_eq!(names(folder.path()), want);
    }
}
