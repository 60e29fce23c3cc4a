//! A tree of real files that changes step by step, for restic to make snapshots of.

use std::fs;
use std::io;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};

use manicule_testkit::Rng;

/// Folders that a tree may have more of than this get no further ones below them.
const DEPTH_MAX: usize = 6;
/// Length from which restic cuts a file: its smallest chunk is 512 KiB.
const LARGE_LEN: usize = 3 << 20;
/// One file in this many is large, if large ones are wanted.
const LARGE_ONE_IN: usize = 2000;

/// A tree and its random numbers.
#[derive(Debug)]
pub(crate) struct GrowingTree {
    rng: Rng,
    /// The root is the first, and stays.
    folders: Vec<PathBuf>,
    files: Vec<PathBuf>,
    /// Number for the next name.
    next: u64,
}

impl GrowingTree {
    /// An empty tree at `root`, whose folder is made.
    pub(crate) fn plant(root: &Path, seed: u64) -> io::Result<GrowingTree> {
        fs::create_dir_all(root)?;
        Ok(GrowingTree {
            rng: Rng::new(seed),
            folders: vec![root.to_owned()],
            files: Vec::new(),
            next: 0,
        })
    }

    /// Adds files, and folders for about every twelfth of them.
    pub(crate) fn grow(&mut self, file_count: usize) -> io::Result<()> {
        (0..file_count).try_for_each(|_| {
            if self.rng.one_in(12) {
                self.add_folder()?;
            }
            self.add_file()
        })
    }

    /// Changes the tree that many times: contents, names, new and removed files and folders, links.
    pub(crate) fn change(&mut self, change_count: usize) -> io::Result<()> {
        (0..change_count).try_for_each(|_| match self.rng.below(20) {
            0..=6 => self.rewrite_file(),
            7..=11 => self.add_file(),
            12..=13 => self.append(),
            14 => self.remove_file(),
            15 => self.rename_file(),
            16 => self.copy_file(),
            17 => self.add_link(),
            18 => self.add_folder(),
            _ => self.rename_folder(),
        })
    }

    fn name(&mut self, kind: &str) -> String {
        self.next += 1;
        // Names that quoting and sorting have to deal with, now and then.
        let odd = if self.rng.one_in(16) {
            self.rng.pick(&[" ä", "\n", "\\", "\"", "<>", "."])
        } else {
            ""
        };
        format!("{kind}{odd}{:x}-{}", self.rng.below(256), self.next)
    }

    fn some_folder(&mut self) -> PathBuf {
        self.rng.choose(&self.folders).clone()
    }

    fn some_file(&mut self) -> Option<usize> {
        (!self.files.is_empty()).then(|| self.rng.below(self.files.len()))
    }

    fn add_folder(&mut self) -> io::Result<()> {
        let above = self.some_folder();
        if above.components().count() - self.folders[0].components().count() >= DEPTH_MAX {
            return Ok(());
        }
        let path = above.join(self.name("folder"));
        fs::create_dir(&path)?;
        self.folders.push(path);
        Ok(())
    }

    fn add_file(&mut self) -> io::Result<()> {
        let path = self.some_folder().join(self.name("file"));
        let bytes = self.bytes();
        fs::write(&path, bytes)?;
        self.files.push(path);
        Ok(())
    }

    fn rewrite_file(&mut self) -> io::Result<()> {
        let Some(at) = self.some_file() else { return self.add_file() };
        let bytes = self.bytes();
        fs::write(&self.files[at], bytes)
    }

    fn append(&mut self) -> io::Result<()> {
        let Some(at) = self.some_file() else { return self.add_file() };
        let mut bytes = fs::read(&self.files[at])?;
        bytes.extend_from_slice(b"one more line\n");
        fs::write(&self.files[at], bytes)
    }

    fn remove_file(&mut self) -> io::Result<()> {
        let Some(at) = self.some_file() else { return Ok(()) };
        fs::remove_file(self.files.swap_remove(at))
    }

    fn rename_file(&mut self) -> io::Result<()> {
        let Some(at) = self.some_file() else { return Ok(()) };
        let path = self.some_folder().join(self.name("file"));
        fs::rename(&self.files[at], &path)?;
        self.files[at] = path;
        Ok(())
    }

    fn copy_file(&mut self) -> io::Result<()> {
        let Some(at) = self.some_file() else { return Ok(()) };
        let path = self.some_folder().join(self.name("copy"));
        fs::copy(&self.files[at], &path)?;
        self.files.push(path);
        Ok(())
    }

    fn add_link(&mut self) -> io::Result<()> {
        let path = self.some_folder().join(self.name("link"));
        symlink("where/it leads", path)
    }

    /// Renames a folder, and with it all paths below it that are known here.
    fn rename_folder(&mut self) -> io::Result<()> {
        if self.folders.len() < 2 {
            return Ok(());
        }
        let from = self.folders[1 + self.rng.below(self.folders.len() - 1)].clone();
        let to = from.with_file_name(self.name("folder"));
        fs::rename(&from, &to)?;
        for path in self.folders.iter_mut().chain(&mut self.files) {
            if let Ok(below) = path.strip_prefix(&from) {
                *path = if below.as_os_str().is_empty() { to.clone() } else { to.join(below) };
            }
        }
        Ok(())
    }

    /// Contents: mostly some hundred bytes, a few empty, a few that are cut into several blobs.
    fn bytes(&mut self) -> Vec<u8> {
        if self.rng.one_in(40) {
            return Vec::new();
        }
        let len = if self.rng.one_in(LARGE_ONE_IN) {
            LARGE_LEN + self.rng.below(LARGE_LEN)
        } else {
            1 + self.rng.below(1200)
        };
        let mut bytes = Vec::with_capacity(len + 16);
        while bytes.len() < len {
            let number = self.rng.bits();
            match number % 3 {
                0 => bytes.extend_from_slice(b"the same words again "),
                _ => bytes.extend_from_slice(&number.to_le_bytes()),
            }
        }
        bytes.truncate(len);
        bytes
    }
}
