//! Walk over the documents of a folder, in the order of zoekt-index: depth first, the entries of a
//! folder by the bytes of their names. Plain files and links only; a link's content is the path
//! that it holds, and it isn't followed.
//!
//! Each folder is opened once, by its path below the root, and closed before its subfolders are:
//! one handle at any time, and a path too long for the system ends the walk before the stack does.
//!
//! Bytes:   docs/formats/zoekt.md, "From a folder to documents"

use std::ffi::{CStr, CString, OsStr};
use std::fmt;
use std::fs::File;
use std::io;
use std::os::fd::{AsFd, BorrowedFd};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use manicule_store::{Entry, EntryKind, Handle, list_folder, look, open_file, open_folder};
use rustix::buffer::spare_capacity;
use rustix::fs::{CWD, Mode, OFlags, openat, readlinkat};
use rustix::io::Errno;

use super::ignore::{IGNORE_FILE, Ignore, IgnoreError};

/// The folders that zoekt-index leaves out if nobody says otherwise.
pub const IGNORE_DIRS: &str = ".git,.hg,.svn";

/// An ignore file longer than this is refused: somebody else's tree shall not fill the memory.
const IGNORE_FILE_LEN_MAX: u64 = 16 << 20;

/// A document of a folder.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Found {
    /// Its path below the root, with `/` in between.
    pub name: Vec<u8>,
    /// Its bytes when it was found: of the file, or of the path that a link holds.
    pub len: u64,
    /// It is a link, and its content is where it leads.
    pub is_link: bool,
    /// Its metadata when it was found.
    pub seen: Entry,
}

/// Error of walking a folder or reading a document.
#[derive(Debug)]
#[non_exhaustive]
pub enum WalkError {
    /// The root is no folder, or nothing at all. Name the folder that holds the files.
    NoFolder {
        /// The path as given.
        path: PathBuf,
    },
    /// The system refused. Make the path readable, or ignore it in `.sourcegraph/ignore`.
    Refused {
        /// Path that was being read.
        path: PathBuf,
        /// The system's error.
        source: io::Error,
    },
    /// The ignore file says something that nobody can follow. Mend the line.
    Ignore {
        /// Its path.
        path: PathBuf,
        /// The error.
        source: IgnoreError,
    },
}

impl fmt::Display for WalkError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            WalkError::NoFolder { path } => {
                write!(f, "{} is no folder: name the folder that holds the files", path.display())
            }
            WalkError::Refused { path, source } if source.kind() == io::ErrorKind::NotFound => {
                write!(f, "{} vanished while it was read: run again", path.display())
            }
            WalkError::Refused { path, .. } => write!(
                f,
                "can't read {}: make it readable, or name it in .sourcegraph/ignore",
                path.display()
            ),
            WalkError::Ignore { path, .. } => write!(f, "can't follow {}", path.display()),
        }
    }
}

impl std::error::Error for WalkError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            WalkError::NoFolder { .. } => None,
            WalkError::Refused { source, .. } => Some(source),
            WalkError::Ignore { source, .. } => Some(source),
        }
    }
}

/// Names of folders that are left out wherever they stand. A file of such a name is kept.
#[derive(Clone, Debug, Default)]
pub struct IgnoreDirs(Vec<Vec<u8>>);

impl IgnoreDirs {
    /// Names between commas, white space around them cut; empty ones don't count.
    pub fn parse(list: &str) -> IgnoreDirs {
        let names = list.split(',').map(str::trim).filter(|name| !name.is_empty());
        IgnoreDirs(names.map(|name| name.as_bytes().to_vec()).collect())
    }

    fn holds(&self, name: &[u8]) -> bool {
        self.0.iter().any(|ignored| ignored == name)
    }
}

/// Whether a document was as short as it had to be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Within {
    /// All of it was read.
    Yes,
    /// It is longer than allowed by now; the buffer holds its beginning.
    No,
}

/// A folder whose files become documents. Threads may read from it at the same time.
#[derive(Debug)]
pub struct Root {
    handle: Handle,
    path: PathBuf,
}

impl Root {
    /// Binds to the folder at `path`, through links.
    pub fn open(path: &Path) -> Result<Root, WalkError> {
        let flags = OFlags::PATH | OFlags::DIRECTORY | OFlags::CLOEXEC;
        match openat(CWD, path, flags, Mode::empty()) {
            Ok(handle) => Ok(Root { handle, path: path.to_owned() }),
            Err(Errno::NOTDIR | Errno::NOENT) => Err(WalkError::NoFolder { path: path.to_owned() }),
            Err(errno) => Err(WalkError::Refused { path: path.to_owned(), source: errno.into() }),
        }
    }

    /// All documents of the folder, but for folders named in `ignore_dirs` and what its ignore file
    /// names. An entry that can't be read ends the walk, as it does for zoekt-index.
    pub fn walk(&self, ignore_dirs: &IgnoreDirs) -> Result<Vec<Found>, WalkError> {
        let ignore = self.ignore()?;
        let mut walk =
            Walk { root: self, ignore_dirs, ignore, path: Vec::new(), found: Vec::new() };
        walk.folder()?;
        Ok(walk.found)
    }

    /// Whether a walk passes over the folder at `within`, below this one, or over all that it may
    /// hold.
    pub(super) fn leaves_out(
        &self,
        within: &Path,
        ignore_dirs: &IgnoreDirs,
    ) -> Result<bool, WalkError> {
        let ignore = self.ignore()?;
        let mut path = Vec::new();
        for name in within.components() {
            let name = name.as_os_str().as_bytes();
            path.extend_from_slice(name);
            let is_held = ignore_dirs.holds(name) || ignore.holds(&path);
            path.push(b'/');
            // `folder/**` and `folder/` hold what is in it and not itself.
            if is_held || ignore.holds(&path) {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Reads a document into `buffer`, which is emptied first, and gives up after more than
    /// `len_max` bytes. The file is read as it is now: it may have another length than when it was
    /// found.
    pub fn read(
        &self,
        document: &Found,
        len_max: u64,
        buffer: &mut Vec<u8>,
    ) -> Result<Within, WalkError> {
        self.read_opened(document, len_max, buffer, &|_| {})
    }

    /// As [`Root::read`]; a file is shown to `opened` before it is read.
    pub(super) fn read_opened(
        &self,
        document: &Found,
        len_max: u64,
        buffer: &mut Vec<u8>,
        opened: &dyn Fn(&File),
    ) -> Result<Within, WalkError> {
        buffer.clear();
        let read =
            CString::new(document.name.as_slice()).map_err(io::Error::from).and_then(|name| {
                if document.is_link {
                    self.read_link(&name, len_max, buffer)
                } else {
                    let file = open_file(self.handle.as_fd(), &name)?;
                    opened(&file);
                    read_file(&file, document.len, len_max, buffer)
                }
            });
        read.map_err(|source| WalkError::Refused { path: self.below(&document.name), source })
    }

    fn read_link(&self, name: &CStr, len_max: u64, buffer: &mut Vec<u8>) -> io::Result<Within> {
        let target = readlinkat(&self.handle, name, std::mem::take(buffer))?;
        *buffer = target.into_bytes();
        Ok(if buffer.len() as u64 > len_max { Within::No } else { Within::Yes })
    }

    /// The ignore file of the root: neither its folder nor itself may be a link.
    fn ignore(&self) -> Result<Ignore, WalkError> {
        let (folder_name, file_name) = IGNORE_FILE;
        let path = [folder_name.to_bytes(), b"/", file_name.to_bytes()].concat();
        let refused =
            |errno: Errno| WalkError::Refused { path: self.below(&path), source: errno.into() };
        let is = |folder: BorrowedFd<'_>, name: &CStr, kind| match look(folder, name) {
            Ok(entry) => Ok((entry.kind == kind).then_some(entry)),
            Err(Errno::NOENT) => Ok(None),
            Err(errno) => Err(refused(errno)),
        };
        if is(self.handle.as_fd(), folder_name, EntryKind::Folder)?.is_none() {
            return Ok(Ignore::default());
        }
        let folder = open_folder(self.handle.as_fd(), folder_name).map_err(refused)?;
        let Some(seen) = is(folder.as_fd(), file_name, EntryKind::File)? else {
            return Ok(Ignore::default());
        };
        let mut lines = Vec::new();
        let file = Found { name: path.clone(), len: seen.size, is_link: false, seen };
        let parsed = match self.read(&file, IGNORE_FILE_LEN_MAX, &mut lines)? {
            Within::Yes => Ignore::parse(&lines),
            Within::No => Err(IgnoreError::TooLong { len_max: IGNORE_FILE_LEN_MAX }),
        };
        parsed.map_err(|source| WalkError::Ignore { path: self.below(&path), source })
    }

    /// Binds to the folder that a document lies in.
    pub(super) fn folder_of(&self, document: &Found) -> io::Result<Handle> {
        let slash = memchr::memrchr(b'/', &document.name);
        let folder = slash.map_or(&b"."[..], |slash| &document.name[..slash]);
        Ok(open_folder(self.handle.as_fd(), &CString::new(folder)?)?)
    }

    pub(super) fn handle(&self) -> &Handle {
        &self.handle
    }

    fn below(&self, name: &[u8]) -> PathBuf {
        if name.is_empty() { self.path.clone() } else { self.path.join(OsStr::from_bytes(name)) }
    }
}

fn read_file(file: &File, len: u64, len_max: u64, buffer: &mut Vec<u8>) -> io::Result<Within> {
    // One byte more than expected: the read that finds the end needs room to find none.
    buffer.reserve(usize::try_from(len.min(len_max)).unwrap_or(usize::MAX).saturating_add(1));
    loop {
        if buffer.len() as u64 > len_max {
            return Ok(Within::No);
        }
        if buffer.len() == buffer.capacity() {
            buffer.reserve(buffer.len().max(4096));
        }
        match rustix::io::read(file, spare_capacity(buffer)) {
            Ok(0) => return Ok(Within::Yes),
            Ok(_) | Err(Errno::INTR) => {}
            Err(errno) => return Err(errno.into()),
        }
    }
}

/// An entry of the folder at hand that may be a document or hold some.
struct Child {
    name: CString,
    kind: EntryKind,
    /// Metadata of what is no folder.
    seen: Option<Entry>,
}

struct Walk<'w> {
    root: &'w Root,
    ignore_dirs: &'w IgnoreDirs,
    ignore: Ignore,
    /// Current path of the walk, below the root.
    path: Vec<u8>,
    found: Vec<Found>,
}

impl Walk<'_> {
    /// Adds the documents of the folder at `path`.
    fn folder(&mut self) -> Result<(), WalkError> {
        let mut children = Vec::new();
        self.list(&mut children).map_err(|source| self.refused(source))?;
        let path_len = self.path.len();
        for child in children {
            if path_len > 0 {
                self.path.push(b'/');
            }
            self.path.extend_from_slice(child.name.to_bytes());
            if !self.ignore.holds(&self.path) {
                self.child(&child)?;
            }
            self.path.truncate(path_len);
        }
        Ok(())
    }

    /// The children of the folder at `path`, by name; all but folders are looked at.
    fn list(&self, children: &mut Vec<Child>) -> io::Result<()> {
        let path = CString::new(self.path.as_slice())?;
        let folder = open_folder(self.root.handle.as_fd(), &path)?;
        list_folder(folder.as_fd(), |listed| {
            let is_ignored =
                listed.kind == EntryKind::Folder && self.ignore_dirs.holds(listed.name.to_bytes());
            if !is_ignored {
                children.push(Child {
                    name: listed.name.to_owned(),
                    kind: listed.kind,
                    seen: None,
                });
            }
        })?;
        children.sort_unstable_by(|left, right| left.name.cmp(&right.name));
        for child in children.iter_mut().filter(|child| child.kind != EntryKind::Folder) {
            child.seen = Some(look(folder.as_fd(), &child.name)?);
        }
        Ok(())
    }

    fn child(&mut self, child: &Child) -> Result<(), WalkError> {
        let Some(seen) = child.seen else { return self.folder() };
        let (len, is_link) = match child.kind {
            EntryKind::Rest => match self.link_len().map_err(|source| self.refused(source))? {
                Some(len) => (len, true),
                None => return Ok(()),
            },
            _ => (seen.size, false),
        };
        self.found.push(Found { name: self.path.clone(), len, is_link, seen });
        Ok(())
    }

    /// Length of the path that the link at `path` holds; `None` for pipes, sockets and devices.
    fn link_len(&self) -> io::Result<Option<u64>> {
        let path = CString::new(self.path.as_slice())?;
        match readlinkat(&self.root.handle, &path, Vec::new()) {
            Ok(target) => Ok(Some(target.as_bytes().len() as u64)),
            Err(Errno::INVAL) => Ok(None),
            Err(errno) => Err(errno.into()),
        }
    }

    fn refused(&self, source: io::Error) -> WalkError {
        WalkError::Refused { path: self.root.below(&self.path), source }
    }
}
