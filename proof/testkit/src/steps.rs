//! Publishers, stopped and failed at every step that they take.
//!
//! [`StepFiles`] takes the place of the file system of a publisher and counts its steps.
//! [`at_every_step`] runs a publisher again and again: killed at its first step, at its second, and
//! so on until it runs through; then with a full disk at each of them. A fault in a write leaves
//! half of it written, a fault in a removal half of a folder removed.

use std::collections::{HashMap, HashSet};
use std::fs::{self, File, OpenOptions};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard};

use manicule_store::{Disk, FileId, Files, SharedFiles};

use crate::folders::names;

/// Kind of fault at a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fault {
    /// The process is killed: this step and all after it leave no trace, and end in an error.
    Stop,
    /// The disk is full, for this step only.
    Fail,
}

/// The file system below a folder, with a fault at one step.
#[derive(Debug)]
pub struct StepFiles {
    root: PathBuf,
    fault: Option<(usize, Fault)>,
    log: Mutex<Log>,
}

/// Log of the steps, and the files with bytes that are not synced.
#[derive(Debug, Default)]
struct Log {
    steps: Vec<String>,
    paths: HashMap<FileId, PathBuf>,
    unsynced: HashSet<FileId>,
    renamed_unsynced: Vec<String>,
}

impl StepFiles {
    fn new(root: &Path, fault: Option<(usize, Fault)>) -> Arc<Self> {
        Arc::new(StepFiles { root: root.to_owned(), fault, log: Mutex::default() })
    }

    /// The file system below a folder, whose disk is full at one step.
    pub fn full_at(root: &Path, step: usize) -> SharedFiles {
        StepFiles::new(root, Some((step, Fault::Fail)))
    }

    fn log(&self) -> MutexGuard<'_, Log> {
        self.log.lock().expect("no holder panics")
    }

    fn shown(&self, path: &Path) -> String {
        path.strip_prefix(&self.root).unwrap_or(path).to_string_lossy().into_owned()
    }

    /// Takes the next step, unless the fault forbids it.
    fn step(&self, what: String) -> io::Result<()> {
        let mut log = self.log();
        let number = log.steps.len();
        log.steps.push(what);
        match self.fault {
            Some((at, Fault::Stop)) if number >= at => Err(io::Error::other("killed")),
            Some((at, Fault::Fail)) if number == at => Err(io::ErrorKind::StorageFull.into()),
            _ => Ok(()),
        }
    }

    /// The number of the step that comes next.
    fn is_struck_next(&self) -> bool {
        self.fault.is_some_and(|(at, _)| self.log().steps.len() == at)
    }

    fn path_of(&self, file: &File) -> io::Result<(FileId, String)> {
        let id = FileId::of(file)?;
        Ok((id, self.log().paths.get(&id).map_or("?".to_owned(), |path| self.shown(path))))
    }
}

impl Files for StepFiles {
    fn open(&self, path: &Path, options: &OpenOptions) -> io::Result<File> {
        self.step(format!("open {}", self.shown(path)))?;
        let file = Disk.open(path, options)?;
        let (id, mut log) = (FileId::of(&file)?, self.log());
        log.paths.insert(id, path.to_owned());
        if file.metadata()?.len() == 0 {
            log.unsynced.remove(&id);
        }
        Ok(file)
    }

    fn write_at(&self, file: &File, bytes: &[u8], at: u64) -> io::Result<()> {
        let (id, path) = self.path_of(file)?;
        let half = &bytes[..bytes.len() / 2];
        if self.is_struck_next() {
            Disk.write_at(file, half, at)?;
        }
        self.step(format!("write {path}"))?;
        self.log().unsynced.insert(id);
        Disk.write_at(file, bytes, at)
    }

    fn cut(&self, file: &File, len: u64) -> io::Result<()> {
        let (id, path) = self.path_of(file)?;
        self.step(format!("cut {path}"))?;
        self.log().unsynced.insert(id);
        Disk.cut(file, len)
    }

    fn sync(&self, file: &File) -> io::Result<()> {
        let (id, path) = self.path_of(file)?;
        self.step(format!("sync {path}"))?;
        self.log().unsynced.remove(&id);
        Disk.sync(file)
    }

    fn rename(&self, from: &Path, to: &Path) -> io::Result<()> {
        let step = format!("rename {} {}", self.shown(from), self.shown(to));
        self.step(step.clone())?;
        let mut log = self.log();
        if log
            .unsynced
            .iter()
            .any(|id| log.paths.get(id).is_some_and(|path| path.starts_with(from)))
        {
            log.renamed_unsynced.push(step);
        }
        Disk.rename(from, to)
    }

    fn link(&self, from: &Path, to: &Path) -> io::Result<()> {
        self.step(format!("link {} {}", self.shown(from), self.shown(to)))?;
        Disk.link(from, to)
    }

    fn remove(&self, path: &Path) -> io::Result<()> {
        self.step(format!("remove {}", self.shown(path)))?;
        Disk.remove(path)
    }

    fn create_folder(&self, path: &Path) -> io::Result<()> {
        self.step(format!("create folder {}", self.shown(path)))?;
        Disk.create_folder(path)
    }

    fn sync_folder(&self, path: &Path) -> io::Result<()> {
        self.step(format!("sync folder {}", self.shown(path)))?;
        Disk.sync_folder(path)
    }

    /// A step for everything in it, so that it can be stopped in between.
    fn remove_folder(&self, path: &Path) -> io::Result<()> {
        for entry in fs::read_dir(path)? {
            let entry = entry?;
            if entry.file_type()?.is_dir() {
                self.remove_folder(&entry.path())?
            } else {
                self.remove(&entry.path())?
            }
        }
        self.step(format!("remove folder {}", self.shown(path)))?;
        fs::remove_dir(path)
    }
}

/// State that a reader sees.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Seen {
    /// The old state, whole.
    Old,
    /// The new state, whole.
    New,
}

/// Something that publishes below a folder.
pub trait Publisher {
    /// The folder.
    fn root(&self) -> &Path;
    /// Restores the state before the first run.
    fn reset(&self);
    /// Publishes.
    fn publish(&self, files: &SharedFiles) -> Result<(), String>;
    /// State that a reader sees; an error if it is neither the old nor the new, or not whole.
    fn seen(&self) -> Result<Seen, String>;
    /// Files in the folder that are of no use.
    fn litter(&self) -> Vec<String>;
    /// Whether files get their names with all their bytes synced.
    fn is_synced(&self) -> bool {
        true
    }
}

/// States seen after all the faults.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tally {
    /// The steps of a run without a fault.
    pub steps: Vec<String>,
    /// Number of runs with a fault after which a reader saw the old state.
    pub old: usize,
    /// Number of runs after which it saw the new one; two of these have gone through.
    pub new: usize,
}

impl Tally {
    /// The steps, with one line for all that follow each other and are the same.
    pub fn shown(&self) -> Vec<&str> {
        let mut shown: Vec<&str> = self.steps.iter().map(String::as_str).collect();
        shown.dedup();
        shown
    }
}

/// Runs a publisher with each fault at each of its steps. After every one of them a reader sees the
/// old or the new, whole; and the next run publishes, and leaves no litter.
///
/// # Panics
/// If one of that does not hold; if a file gets its name with bytes that are not synced; or if not
/// both, the old and the new, were seen after each kind of fault.
pub fn at_every_step(publisher: &impl Publisher) -> Tally {
    let whole = StepFiles::new(publisher.root(), None);
    publisher.reset();
    assert_eq!(publisher.seen(), Ok(Seen::Old), "before the first run");
    publish(publisher, whole.clone()).expect("nothing fails");
    assert_eq!(publisher.seen(), Ok(Seen::New), "after a whole run");
    assert_eq!(publisher.litter(), Vec::<String>::new(), "after a whole run");
    let log = whole.log();
    let is_synced = log.renamed_unsynced.is_empty();
    assert_eq!(is_synced, publisher.is_synced(), "{:?}", log.renamed_unsynced);
    let mut tally = Tally { steps: log.steps.clone(), old: 0, new: 0 };
    assert!(!tally.steps.is_empty());
    for fault in [Fault::Stop, Fault::Fail] {
        // The last of these faults comes after all steps: that run goes through.
        let seen: Vec<Seen> =
            (0..=tally.steps.len()).map(|step| after(publisher, step, fault)).collect();
        let new = seen.iter().filter(|seen| **seen == Seen::New).count();
        assert!(new > 0 && new < seen.len(), "{fault:?}: {seen:?}");
        // There is one moment before which it is the old, and from which on it is the new.
        let is_at_once = seen.is_sorted_by_key(|seen| *seen == Seen::New);
        assert!(is_at_once || fault == Fault::Fail, "{fault:?}: {seen:?}");
        tally.new += new;
        tally.old += seen.len() - new;
    }
    tally
}

fn publish(publisher: &impl Publisher, files: Arc<StepFiles>) -> Result<(), String> {
    publisher.publish(&(files as SharedFiles))
}

/// State that a reader sees after a fault at a step.
fn after(publisher: &impl Publisher, step: usize, fault: Fault) -> Seen {
    publisher.reset();
    let files = StepFiles::new(publisher.root(), Some((step, fault)));
    let published = publish(publisher, files.clone());
    let steps = files.log().steps.clone();
    let what = || format!("{fault:?} at step {step}: {:?}, {published:?}", steps.get(step));
    assert!(steps.len() >= step, "{}: it was not reached", what());
    assert!(steps.len() > step || published.is_ok(), "{}: no fault", what());
    let left = || format!("{}, then {:?}", what(), names(publisher.root()));
    let seen = publisher.seen().unwrap_or_else(|error| panic!("{error}: after {}", left()));
    assert!(published.is_err() || seen == Seen::New, "{}", left());
    let next = publisher.publish(&Disk::shared());
    assert_eq!(next, Ok(()), "the next run after {}", left());
    assert_eq!(publisher.seen(), Ok(Seen::New), "the next run after {}", left());
    assert_eq!(publisher.litter(), Vec::<String>::new(), "the next run after {}", left());
    seen
}
