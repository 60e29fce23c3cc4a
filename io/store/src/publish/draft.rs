//! A folder put whole: written under another name beside its place, synced, renamed. Or its files,
//! one by one: those of which others know that they are whole as soon as the last is there.
//!
//! Beside a folder that is being written lies its lock: a run finds by it what a killed one has
//! left, and leaves alone what belongs to a living one, or to another program.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::time::Duration;

use super::{Attempt, Lock, names};
use crate::files::unless_gone;
use crate::{OutFile, SharedFiles};

/// The file of a draft that lists the files which get names of their own, in this order.
const MOVES: &str = "moves";

/// Number of further tries of a lock that a sweeping process holds for a moment.
const TRIES_MAX: usize = 100;
const TRY_PAUSE: Duration = Duration::from_millis(1);

/// Names of folders of one kind, and of what lies beside them.
#[derive(Clone, Copy, Debug)]
pub struct DraftNames {
    /// Noun for such a folder in messages: "a block".
    pub noun: &'static str,
    /// Whether a folder of this kind may have a name.
    pub is_name: fn(&str) -> bool,
    /// The ending of a folder that is being written.
    pub creation: &'static str,
    /// The ending of a folder that is being removed: a killed run of any program has begun to.
    pub deletion: &'static str,
    /// The ending of the lock of whoever writes.
    pub lock: &'static str,
}

/// A folder that folders are put into.
#[derive(Clone, Debug)]
pub struct Drafts {
    files: SharedFiles,
    folder: PathBuf,
    names: DraftNames,
}

impl Drafts {
    /// The folder at `folder`, made where it is missing. Removes what killed runs have left there.
    pub fn open(files: &SharedFiles, folder: &Path, names: DraftNames) -> io::Result<Self> {
        fs::create_dir_all(folder)?;
        let drafts = Drafts { files: files.clone(), folder: folder.to_owned(), names };
        drafts.sweep()?;
        Ok(drafts)
    }

    /// Path of the folder.
    pub fn path(&self) -> &Path {
        &self.folder
    }

    /// A new folder, to be called `name`. What is not published goes when the draft is dropped, or
    /// with the next [`Drafts::open`].
    pub fn draft(&self, name: &str) -> io::Result<Draft> {
        let lock = self.lock(name)?;
        let path = self.folder.join(name);
        let aside = self.named(name, self.names.creation);
        let made =
            if path.exists() { Err(self.exists(&path)) } else { self.files.create_folder(&aside) };
        made.inspect_err(|_| drop(self.files.remove(&self.named(name, self.names.lock))))?;
        Ok(Draft { drafts: self.clone(), name: name.to_owned(), aside, _lock: lock })
    }

    fn named(&self, name: &str, ending: &str) -> PathBuf {
        self.folder.join(format!("{name}{ending}"))
    }

    fn lock(&self, name: &str) -> io::Result<Lock> {
        let path = self.named(name, self.names.lock);
        for _ in 0..TRIES_MAX {
            if let Attempt::Taken(lock) = Lock::take(&*self.files, &path)? {
                return Ok(lock);
            }
            std::thread::sleep(TRY_PAUSE);
        }
        Err(self.exists(&path))
    }

    fn exists(&self, path: &Path) -> io::Error {
        let (path, noun) = (path.display(), self.names.noun);
        let what = format!("{path} is there already; {noun} needs a name of its own");
        io::Error::new(io::ErrorKind::AlreadyExists, what)
    }

    /// Removes what killed runs have left: folders that no living process writes, and such as were
    /// being removed.
    fn sweep(&self) -> io::Result<()> {
        let DraftNames { is_name, deletion, lock, .. } = self.names;
        for name in names(&self.folder)? {
            let of = |ending: &str| name.strip_suffix(ending).filter(|name| is_name(name));
            if of(deletion).is_some() {
                unless_gone(self.files.remove_folder(&self.folder.join(&name)))?;
            }
            if let Some(name) = of(lock) {
                self.sweep_draft(name)?;
            }
        }
        Ok(())
    }

    /// Removes files of a draft that got their names without the last of them.
    fn take_back(&self, aside: &Path) -> io::Result<()> {
        let moves = match fs::read_to_string(aside.join(MOVES)) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
            moves => moves?,
        };
        // Half a list ends without a line break: then no file was moved.
        let Some(moves) = moves.strip_suffix('\n') else { return Ok(()) };
        let is_left = |name: &str| aside.join(name).exists();
        let is_published = moves.lines().next_back().is_none_or(|last| !is_left(last));
        for name in moves.lines().filter(|name| !is_published && !is_left(name)) {
            unless_gone(self.files.remove(&self.folder.join(name)))?;
        }
        Ok(())
    }

    fn sweep_draft(&self, name: &str) -> io::Result<()> {
        let path = self.named(name, self.names.lock);
        if let Attempt::Taken(_lock) = Lock::find(&path)? {
            let aside = self.named(name, self.names.creation);
            self.take_back(&aside)?;
            unless_gone(self.files.remove_folder(&aside))?;
            unless_gone(self.files.remove(&path))?;
        }
        Ok(())
    }
}

/// A folder that is being written, under its name aside.
#[derive(Debug)]
pub struct Draft {
    drafts: Drafts,
    name: String,
    aside: PathBuf,
    _lock: Lock,
}

impl Draft {
    /// Folder that its files are written to.
    pub fn path(&self) -> &Path {
        &self.aside
    }

    /// File system that its files are written through.
    pub fn files(&self) -> &SharedFiles {
        &self.drafts.files
    }

    /// A new file in it.
    pub fn create(&self, name: &str) -> io::Result<OutFile> {
        let mut options = OpenOptions::new();
        OutFile::open(self.files(), &self.aside.join(name), options.create_new(true).write(true))
    }

    /// A new file in it, of these bytes.
    pub fn write(&self, name: &str, bytes: &[u8]) -> io::Result<()> {
        self.create(name)?.write_all(bytes)
    }

    /// Makes the folder visible under its name: after `Ok` also after a power cut, after `Err` not
    /// at all, unless it was the last sync that failed. Returns where it is.
    pub fn publish(self) -> io::Result<PathBuf> {
        let Drafts { files, folder, .. } = &self.drafts;
        sync_all(files, &self.aside)?;
        let path = folder.join(&self.name);
        files.rename(&self.aside, &path)?;
        files.sync_folder(folder)?;
        Ok(path)
    }
}

impl Draft {
    /// Gives its files their names in the folder of the drafts, in this order: whoever finds the
    /// last finds all. After `Ok` they are there also after a power cut; after `Err` none is,
    /// unless it was the last sync that failed.
    ///
    /// # Errors
    /// Of the file system; a name that something has.
    pub fn publish_each(self, names: &[String]) -> io::Result<()> {
        let Drafts { files, folder, .. } = &self.drafts;
        let Some((last, others)) = names.split_last() else { return Ok(()) };
        if let Some(name) = names.iter().find(|name| folder.join(name).exists()) {
            return Err(self.drafts.exists(&folder.join(name)));
        }
        let moves: String = names.iter().flat_map(|name| [name, "\n"]).collect();
        self.write(MOVES, moves.as_bytes())?;
        sync_all(files, &self.aside)?;
        let publish = |name: &String| files.rename(&self.aside.join(name), &folder.join(name));
        others.iter().try_for_each(publish)?;
        files.sync_folder(folder)?;
        publish(last)?;
        files.sync_folder(folder)
    }
}

impl Drop for Draft {
    fn drop(&mut self) {
        // A published one is gone from here. What can't be removed now is swept by the next run:
        // the lock goes last.
        let Drafts { files, names, .. } = &self.drafts;
        if self.drafts.take_back(&self.aside).is_err() {
            return;
        }
        if unless_gone(files.remove_folder(&self.aside)).is_ok() {
            let _ = files.remove(&self.drafts.named(&self.name, names.lock));
        }
    }
}

/// Syncs every file and folder below `folder`, and itself.
fn sync_all(files: &SharedFiles, folder: &Path) -> io::Result<()> {
    let mut entries = fs::read_dir(folder)?.collect::<io::Result<Vec<_>>>()?;
    entries.sort_by_key(fs::DirEntry::file_name);
    for entry in entries {
        if entry.file_type()?.is_dir() {
            sync_all(files, &entry.path())?;
        } else {
            files.sync(&File::open(entry.path())?)?;
        }
    }
    files.sync_folder(folder)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Disk;

    const NAMES: DraftNames = DraftNames {
        noun: "a page",
        is_name: |name| name.starts_with("page"),
        creation: ".new",
        deletion: ".old",
        lock: ".lock",
    };

    fn open(folder: &Path) -> Drafts {
        Drafts::open(&Disk::shared(), folder, NAMES).unwrap()
    }

    fn draft(drafts: &Drafts, name: &str) -> Draft {
        let draft = drafts.draft(name).unwrap();
        draft.files().create_folder(&draft.path().join("inner")).unwrap();
        draft.write("inner/a", b"text").unwrap();
        draft.write("b", b"{}").unwrap();
        draft
    }

    #[test]
    fn a_folder_is_seen_whole_or_not_at_all() {
        let folder = tempfile::tempdir().unwrap();
        let drafts = open(&folder.path().join("a/b"));
        let draft = draft(&drafts, "page1");
        assert_eq!(names(drafts.path()).unwrap(), ["page1.lock", "page1.new"]);
        let path = draft.publish().unwrap();
        assert_eq!(path, drafts.path().join("page1"));
        assert_eq!(names(drafts.path()).unwrap(), ["page1"]);
        assert_eq!(names(&path).unwrap(), ["b", "inner"]);
        assert_eq!(fs::read(path.join("inner/a")).unwrap(), b"text");
    }

    #[test]
    fn files_get_their_names_one_by_one() {
        let folder = tempfile::tempdir().unwrap();
        let drafts = open(folder.path());
        let names_of = |names: &[&str]| -> Vec<String> {
            names.iter().map(|name| (*name).to_owned()).collect()
        };
        let write = |draft: &Draft| {
            ["a", "b", "spilled"].iter().for_each(|name| draft.write(name, b"text").unwrap());
        };
        let draft = drafts.draft("page1").unwrap();
        write(&draft);
        draft.publish_each(&names_of(&["b", "a"])).unwrap();
        assert_eq!(names(folder.path()).unwrap(), ["a", "b"]);
        // A name that is taken, by the last one only: none is left of the others.
        fs::remove_file(folder.path().join("a")).unwrap();
        let draft = drafts.draft("page2").unwrap();
        write(&draft);
        let error = draft.publish_each(&names_of(&["a", "b"])).unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::AlreadyExists);
        assert_eq!(names(folder.path()).unwrap(), ["b"]);
    }

    #[test]
    fn files_that_got_their_names_without_the_last_are_swept() {
        for (moved, want) in [(&["a"][..], &["other"][..]), (&["a", "b"], &["a", "b", "other"])] {
            let folder = tempfile::tempdir().unwrap();
            let at = |name: &str| folder.path().join(name);
            fs::create_dir(at("page1.new")).unwrap();
            for name in ["page1.lock", "other", "page1.new/a", "page1.new/b"] {
                fs::write(at(name), "").unwrap();
            }
            fs::write(at("page1.new/moves"), "a\nb\n").unwrap();
            for name in moved {
                fs::rename(at("page1.new").join(name), at(name)).unwrap();
            }
            open(folder.path());
            assert_eq!(names(folder.path()).unwrap(), want);
        }
    }

    #[test]
    fn what_is_not_published_leaves_nothing() {
        let folder = tempfile::tempdir().unwrap();
        drop(draft(&open(folder.path()), "page1"));
        assert_eq!(names(folder.path()).unwrap(), [""; 0]);
    }

    #[test]
    fn a_folder_that_is_there_stays() {
        let folder = tempfile::tempdir().unwrap();
        let drafts = open(folder.path());
        let path = draft(&drafts, "page1").publish().unwrap();
        let error = drafts.draft("page1").unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::AlreadyExists);
        assert_eq!(names(folder.path()).unwrap(), ["page1"]);
        assert_eq!(names(&path).unwrap(), ["b", "inner"]);
    }

    #[test]
    fn a_living_draft_is_nobody_elses() {
        let folder = tempfile::tempdir().unwrap();
        let drafts = open(folder.path());
        let first = draft(&drafts, "page1");
        let error = drafts.draft("page1").unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::AlreadyExists);
        open(folder.path());
        first.publish().unwrap();
    }

    #[test]
    fn only_what_a_killed_run_left_is_swept() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        let folders = ["page1.new/inner", "page2", "page3.old/inner", "page4.new", "other.old"];
        folders.iter().for_each(|name| fs::create_dir_all(at(name)).unwrap());
        ["page1.lock", "page2.lock", "other.lock"]
            .iter()
            .for_each(|name| fs::write(at(name), "").unwrap());
        open(folder.path());
        let want = ["other.lock", "other.old", "page2", "page4.new"];
        assert_eq!(names(folder.path()).unwrap(), want);
    }
}
