//! A yard to play in: a tree with folders above it, a home, a cache and an attic; and everything
//! that can happen to a tree.

use std::ffi::OsString;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::os::unix::ffi::OsStringExt;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use manicule_testkit::{Rng, plant, tree_folder, trees};

use super::judge::Place;

/// Size of ripgrep's first read of a file.
const SEARCH_BUFFER: usize = 64 << 10;

pub(super) struct Yard {
    sandbox: tempfile::TempDir,
    /// The folder above the folder above the tree.
    pub(super) outer: PathBuf,
    pub(super) tree: PathBuf,
    pub(super) home: PathBuf,
    pub(super) cache: PathBuf,
    /// Files moved out of the tree.
    attic: PathBuf,
    /// Whether lines of files may be longer than ripgrep's buffer. If not, files may show beyond it
    /// that they are binary; with both in one tree, ripgrep's output depends on which file it reads
    /// first.
    long_lines: bool,
}

impl Yard {
    pub(super) fn new(rng: &mut Rng) -> Yard {
        let sandbox = tree_folder();
        let path = sandbox.path().canonicalize().expect("a path");
        let outer = path.join("outer");
        let yard = Yard {
            tree: outer.join("above/tree"),
            home: path.join("home"),
            cache: path.join("cache"),
            attic: path.join("attic"),
            long_lines: rng.one_in(2),
            outer,
            sandbox,
        };
        for folder in [&yard.tree, &yard.home, &yard.attic] {
            fs::create_dir_all(folder).expect("a folder");
        }
        plant(&yard.tree, rng).expect("a tree");
        for path in yard.files() {
            let bytes = fs::read(&path).expect("a file");
            if !yard.is_fit(&bytes) {
                fs::write(&path, yard.contents(rng)).expect("a file");
            }
        }
        symlink(&yard.tree, yard.outer.join("link")).expect("a link");
        yard
    }

    pub(super) fn place<'a>(&'a self, current_dir: &'a Path) -> Place<'a> {
        Place { current_dir, home: &self.home, cache: &self.cache }
    }

    /// Keeps everything on disk, and reports where.
    pub(super) fn keep(&mut self) -> PathBuf {
        self.sandbox.disable_cleanup(true);
        self.sandbox.path().to_owned()
    }

    /// Whether ripgrep's output for these bytes depends on nothing else.
    pub(super) fn is_fit(&self, bytes: &[u8]) -> bool {
        let has_long_line = bytes.split(|byte| *byte == b'\n').any(|line| line.len() > 60_000);
        let has_late_nul = bytes.len() > SEARCH_BUFFER && bytes[SEARCH_BUFFER..].contains(&0);
        if self.long_lines { !has_late_nul } else { !has_long_line }
    }

    fn contents(&self, rng: &mut Rng) -> Vec<u8> {
        loop {
            let bytes = trees::contents(rng);
            if self.is_fit(&bytes) {
                return bytes;
            }
        }
    }

    /// Every folder of the tree, itself first; not through links.
    pub(super) fn folders(&self) -> Vec<PathBuf> {
        let mut folders = vec![self.tree.clone()];
        let mut at = 0;
        while at < folders.len() {
            folders.extend(entries(&folders[at]).into_iter().filter(|path| is_folder(path)));
            at += 1;
        }
        folders
    }

    /// Every plain file of the tree.
    pub(super) fn files(&self) -> Vec<PathBuf> {
        let all = self.folders().into_iter().flat_map(|folder| entries(&folder));
        all.filter(|path| path.symlink_metadata().is_ok_and(|meta| meta.is_file())).collect()
    }

    fn folder(&self, rng: &mut Rng) -> PathBuf {
        rng.choose(&self.folders()).clone()
    }

    /// A folder below the tree's own.
    fn inner_folder(&self, rng: &mut Rng) -> io::Result<PathBuf> {
        let folders = self.folders();
        match folders.len() {
            1 => Err(io::ErrorKind::NotFound.into()),
            len => Ok(folders[1 + rng.below(len - 1)].clone()),
        }
    }

    fn file(&self, rng: &mut Rng) -> io::Result<PathBuf> {
        let files = self.files();
        if files.is_empty() {
            return Err(io::ErrorKind::NotFound.into());
        }
        Ok(rng.choose(&files).clone())
    }

    /// A file that no rules are read from: ripgrep would wait for a pipe in its place.
    fn unruly_file(&self, rng: &mut Rng) -> io::Result<PathBuf> {
        let path = self.file(rng)?;
        let below = path.strip_prefix(&self.tree).expect("below the tree");
        let is_hidden = below.iter().any(|name| name.as_encoded_bytes().starts_with(b"."));
        let is_named = below.ends_with("c.txt");
        if is_hidden || is_named { Err(io::ErrorKind::NotFound.into()) } else { Ok(path) }
    }

    fn free_name(&self, rng: &mut Rng) -> PathBuf {
        self.folder(rng).join(new_name(rng))
    }

    /// A folder that rules may lie in: of the tree or above it.
    fn ruled_folder(&self, rng: &mut Rng) -> PathBuf {
        match rng.below(6) {
            0 => self.outer.clone(),
            1 => self.outer.join("above"),
            2 => self.tree.clone(),
            _ => self.folder(rng),
        }
    }
}

fn entries(folder: &Path) -> Vec<PathBuf> {
    let listed = fs::read_dir(folder).into_iter().flatten().flatten();
    let mut paths: Vec<PathBuf> = listed.map(|entry| entry.path()).collect();
    // The same tree gives the same list, whatever its file system.
    paths.sort();
    paths
}

fn is_folder(path: &Path) -> bool {
    path.symlink_metadata().is_ok_and(|meta| meta.is_dir())
}

fn new_name(rng: &mut Rng) -> OsString {
    let names: [&[u8]; 14] = [
        b"new.rs",
        b"new.txt",
        b"a",
        b"b.rs",
        b"src",
        b"build",
        b".hid",
        b"\xFF\xFE.c",
        b"x y",
        b"target",
        b"ignored",
        b"log.log",
        b"deep",
        b"-n",
    ];
    OsString::from_vec(rng.choose(&names).to_vec())
}

/// One thing that happens to a tree. Operations that are impossible just then are left out.
pub(super) type Deed = (&'static str, fn(&Yard, &mut Rng) -> io::Result<()>);

pub(super) const DEEDS: &[Deed] = &[
    ("append", |yard, rng| {
        let path = yard.file(rng)?;
        let more = yard.contents(rng);
        let bytes = [fs::read(&path)?, more.clone()].concat();
        if !yard.is_fit(&bytes) {
            return Ok(());
        }
        OpenOptions::new().append(true).open(path)?.write_all(&more)
    }),
    ("rewrite", |yard, rng| fs::write(yard.file(rng)?, yard.contents(rng))),
    ("rewrite with the same size", |yard, rng| write_same(&yard.file(rng)?)),
    ("rewrite with the same size and time", |yard, rng| {
        let path = yard.file(rng)?;
        let time = fs::metadata(&path)?.modified()?;
        write_same(&path)?;
        File::options().write(true).open(&path)?.set_modified(time)
    }),
    ("delete", |yard, rng| fs::remove_file(yard.file(rng)?)),
    ("create", |yard, rng| {
        let path = yard.free_name(rng);
        if path.exists() { Ok(()) } else { fs::write(path, yard.contents(rng)) }
    }),
    ("create a folder", |yard, rng| {
        let path = yard.free_name(rng);
        fs::create_dir(&path)?;
        for _ in 0..rng.below(4) {
            fs::write(path.join(new_name(rng)), yard.contents(rng))?;
        }
        Ok(())
    }),
    ("rename", |yard, rng| {
        let target = yard.free_name(rng);
        fs::rename(yard.file(rng)?, target)
    }),
    ("rename over", |yard, rng| fs::rename(yard.file(rng)?, yard.file(rng)?)),
    ("replace by a rename", |yard, rng| {
        let path = yard.file(rng)?;
        let aside = path.with_extension("swp~");
        fs::write(&aside, yard.contents(rng))?;
        fs::rename(aside, path)
    }),
    ("replace by a rename with the same size and time", |yard, rng| {
        let path = yard.file(rng)?;
        let time = fs::metadata(&path)?.modified()?;
        let aside = path.with_extension("swp~");
        fs::copy(&path, &aside)?;
        write_same(&aside)?;
        File::options().write(true).open(&aside)?.set_modified(time)?;
        fs::rename(aside, path)
    }),
    ("touch", |yard, rng| set_time(&yard.file(rng)?, SystemTime::now())),
    ("set back a time", |yard, rng| {
        let path = if rng.one_in(2) { yard.folder(rng) } else { yard.file(rng)? };
        set_time(&path, SystemTime::UNIX_EPOCH + Duration::from_secs(rng.bits() % 2_000_000_000))
    }),
    ("lock", |yard, rng| {
        // Nothing is locked to root.
        let path = if rng.one_in(2) { yard.inner_folder(rng)? } else { yard.file(rng)? };
        let mode = rng.pick(&[0o000, 0o111, 0o444, 0o200]);
        fs::set_permissions(path, fs::Permissions::from_mode(mode))
    }),
    ("unlock", |yard, _| {
        unlock(&yard.tree);
        Ok(())
    }),
    ("write rules", |yard, rng| {
        let name = rng.pick(&[".gitignore", ".ignore", ".rgignore"]);
        fs::write(yard.ruled_folder(rng).join(name), trees::rules(rng))
    }),
    ("delete rules", |yard, rng| {
        let folder = yard.ruled_folder(rng);
        let names = [".gitignore", ".ignore", ".rgignore"];
        names.iter().for_each(|name| drop(fs::remove_file(folder.join(name))));
        Ok(())
    }),
    ("rename rules", |yard, rng| {
        let names = [".gitignore", ".ignore", ".rgignore", "rules.txt"];
        let folder = yard.ruled_folder(rng);
        fs::rename(folder.join(rng.pick(&names)), folder.join(rng.pick(&names)))
    }),
    ("link to rules", |yard, rng| {
        fs::write(yard.outer.join("rules"), trees::rules(rng))?;
        let path = yard.ruled_folder(rng).join(rng.pick(&[".gitignore", ".ignore"]));
        let _ = fs::remove_file(&path);
        symlink(yard.outer.join("rules"), path)
    }),
    ("edit linked rules", |yard, rng| fs::write(yard.outer.join("rules"), trees::rules(rng))),
    ("make a repository", |yard, rng| {
        let name = if rng.one_in(4) { ".jj" } else { ".git" };
        let git = yard.ruled_folder(rng).join(name);
        fs::create_dir(&git)?;
        if rng.one_in(2) {
            fs::create_dir(git.join("info"))?;
            fs::write(git.join("info/exclude"), trees::rules(rng))?;
        }
        Ok(())
    }),
    ("unmake a repository", |yard, rng| {
        let folder = yard.ruled_folder(rng);
        let _ = fs::remove_dir_all(folder.join(".jj"));
        fs::remove_dir_all(folder.join(".git")).or_else(|_| fs::remove_file(folder.join(".git")))
    }),
    ("exclude", |yard, rng| {
        let info = yard.ruled_folder(rng).join(".git/info");
        fs::create_dir_all(&info)?;
        fs::write(info.join("exclude"), trees::rules(rng))
    }),
    ("make a worktree", |yard, rng| {
        let real = yard.outer.join("repository/worktrees/one");
        fs::create_dir_all(&real)?;
        fs::create_dir_all(yard.outer.join("repository/info"))?;
        fs::write(yard.outer.join("repository/info/exclude"), trees::rules(rng))?;
        let common =
            if rng.one_in(2) { PathBuf::from("../..\n") } else { yard.outer.join("repository") };
        fs::write(real.join("commondir"), common.into_os_string().into_encoded_bytes())?;
        let named = match rng.below(4) {
            0 => PathBuf::from("../repository/worktrees/one"),
            _ => real,
        };
        let folder = yard.ruled_folder(rng);
        fs::write(folder.join(".git"), format!("gitdir: {}\n", named.display()))
    }),
    ("edit a worktree's excludes", |yard, rng| {
        fs::write(yard.outer.join("repository/info/exclude"), trees::rules(rng))
    }),
    ("unmake a worktree", |yard, _| {
        fs::remove_file(yard.outer.join("repository/worktrees/one/commondir"))
    }),
    ("excludes for all of git", |yard, rng| {
        let path = yard.home.join("excludes");
        fs::write(&path, trees::rules(rng))?;
        let named = if rng.one_in(5) { PathBuf::from("c.txt") } else { path };
        fs::write(
            yard.home.join(".gitconfig"),
            format!("[core]\nexcludesFile = {}\n", named.display()),
        )
    }),
    ("edit the excludes for all of git", |yard, rng| {
        fs::create_dir_all(yard.home.join(".config/git"))?;
        fs::write(yard.home.join("excludes"), trees::rules(rng))?;
        fs::write(yard.home.join(".config/git/ignore"), trees::rules(rng))
    }),
    ("no excludes for all of git", |yard, _| fs::remove_file(yard.home.join(".gitconfig"))),
    ("swap two folders", |yard, rng| {
        let (left, right) = (yard.inner_folder(rng)?, yard.inner_folder(rng)?);
        if left.starts_with(&right) || right.starts_with(&left) {
            return Ok(());
        }
        let aside = yard.attic.join("aside");
        fs::rename(&left, &aside)?;
        fs::rename(&right, left)?;
        fs::rename(aside, right)
    }),
    ("swap two files", |yard, rng| {
        let (left, right) = (yard.file(rng)?, yard.file(rng)?);
        let aside = yard.attic.join("aside");
        fs::rename(&left, &aside)?;
        fs::rename(&right, left)?;
        fs::rename(aside, right)
    }),
    ("move out", |yard, rng| {
        let path = if rng.one_in(2) { yard.inner_folder(rng)? } else { yard.file(rng)? };
        fs::rename(path, yard.attic.join(format!("{}", rng.below(4))))
    }),
    ("move in", |yard, rng| {
        let target = yard.free_name(rng);
        if target.symlink_metadata().is_ok() {
            return Ok(());
        }
        fs::rename(yard.attic.join(format!("{}", rng.below(4))), target)
    }),
    ("a link in a folder's place", |yard, rng| {
        let path = yard.inner_folder(rng)?;
        let real = path.with_extension("real");
        fs::rename(&path, &real)?;
        symlink(real, path)
    }),
    ("a folder back in its place", |yard, _| {
        let moved =
            yard.folders().into_iter().find(|path| path.extension() == Some("real".as_ref()));
        let real = moved.ok_or(io::ErrorKind::NotFound)?;
        let _ = fs::remove_file(real.with_extension(""));
        fs::rename(&real, real.with_extension(""))
    }),
    ("a file in a folder's place", |yard, rng| {
        let path = yard.inner_folder(rng)?;
        fs::rename(&path, yard.attic.join("replaced"))?;
        fs::write(path, yard.contents(rng))
    }),
    ("a folder in a file's place", |yard, rng| {
        let path = yard.file(rng)?;
        fs::remove_file(&path)?;
        fs::create_dir(&path)?;
        fs::write(path.join("in.rs"), yard.contents(rng))
    }),
    ("a pipe in a file's place", |yard, rng| {
        let path = yard.unruly_file(rng)?;
        fs::remove_file(&path)?;
        let done = std::process::Command::new("mkfifo").arg(path).status()?;
        if done.success() { Ok(()) } else { Err(io::ErrorKind::Other.into()) }
    }),
    ("a link in a file's place", |yard, rng| {
        let (path, target) = (yard.unruly_file(rng)?, yard.file(rng)?);
        fs::remove_file(&path)?;
        symlink(target, path)
    }),
    ("hard link", |yard, rng| fs::hard_link(yard.file(rng)?, yard.free_name(rng))),
    ("a twin in a folder's place", |yard, rng| {
        // The same names, other contents.
        let path = yard.inner_folder(rng)?;
        twin(&path, &yard.attic.join("twin"))?;
        let _ = fs::remove_dir_all(yard.attic.join("old"));
        fs::rename(&path, yard.attic.join("old"))?;
        fs::rename(yard.attic.join("twin"), path)
    }),
    ("a twin in the tree's place", |yard, _| {
        twin(&yard.tree, &yard.attic.join("twin"))?;
        let _ = fs::remove_dir_all(yard.attic.join("old"));
        fs::rename(&yard.tree, yard.attic.join("old"))?;
        fs::rename(yard.attic.join("twin"), &yard.tree)
    }),
    ("delete a folder", |yard, rng| fs::remove_dir_all(yard.inner_folder(rng)?)),
];

/// Changes letters; the size stays, and so does the file that has the name.
fn write_same(path: &Path) -> io::Result<()> {
    let mut bytes = fs::read(path)?;
    for byte in bytes.iter_mut().filter(|byte| byte.is_ascii_alphabetic()) {
        *byte = if *byte == b'z' { b'a' } else { *byte + 1 };
    }
    OpenOptions::new().write(true).open(path)?.write_all(&bytes)
}

fn set_time(path: &Path, time: SystemTime) -> io::Result<()> {
    File::open(path)?.set_modified(time)
}

fn unlock(path: &Path) {
    let Ok(meta) = path.symlink_metadata() else { return };
    if meta.is_dir() {
        let _ = fs::set_permissions(path, fs::Permissions::from_mode(0o755));
        entries(path).iter().for_each(|path| unlock(path));
    } else if meta.is_file() {
        let _ = fs::set_permissions(path, fs::Permissions::from_mode(0o644));
    }
}

/// Copies a folder with all its names and times; some contents are replaced by others of the same
/// size.
fn twin(source: &Path, target: &Path) -> io::Result<()> {
    let _ = fs::remove_dir_all(target);
    let done = std::process::Command::new("cp").arg("-a").args([source, target]).status()?;
    if !done.success() {
        return Err(io::ErrorKind::Other.into());
    }
    for path in entries(target).into_iter().filter(|path| path.is_file()) {
        let time = fs::metadata(&path)?.modified()?;
        write_same(&path)?;
        set_time(&path, time)?;
    }
    Ok(())
}

impl Drop for Yard {
    fn drop(&mut self) {
        unlock(&self.tree);
        unlock(&self.attic);
    }
}
