//! A folder into which things of foreign names are put, and nothing outside of it: each name is one
//! name, looked up in its own folder, and no link is followed on the way.

use std::ffi::CString;
use std::fs::{self, File};
use std::io;
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::fs::DirBuilderExt;
use std::path::Path;

use rustix::fs::{
    AtFlags, CWD, Dir, FileType, Gid, Mode, OFlags, Stat, Timespec, Timestamps, Uid, XattrFlags,
};
use rustix::io::Errno;

/// A folder that is open. What is asked of it goes by names, each looked up in it alone.
#[derive(Debug)]
pub struct InsideFolder {
    handle: OwnedFd,
}

/// A file beside its place, under a name that is nobody's.
#[derive(Debug)]
pub struct InsideFile {
    file: File,
    aside: CString,
}

/// Owner, times and permissions of something.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct InsideMeta {
    /// Number of the owner.
    pub uid: u32,
    /// Number of the group.
    pub gid: u32,
    /// When it was last changed: seconds since 1970, and nanoseconds.
    pub mtime: [i64; 2],
    /// When it was last read.
    pub atime: [i64; 2],
    /// The lower twelve bits.
    pub mode: u32,
}

/// What is put that is neither file, folder nor link.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum InsideNode {
    /// A named pipe.
    Fifo,
    /// A device of blocks.
    Blocks(u64),
    /// A device of characters.
    Characters(u64),
}

/// What something of a name has now.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct InsideState {
    /// Whether it is a plain file.
    pub is_file: bool,
    /// Its length.
    pub len: u64,
    /// When it was last changed.
    pub mtime: [i64; 2],
}

/// Whether a name is one that something in a folder can have: not empty, no dots alone, no slash,
/// no NUL.
pub fn is_one_name(name: &[u8]) -> bool {
    !matches!(name, b"" | b"." | b"..") && !name.contains(&b'/') && !name.contains(&0)
}

fn one_name(name: &[u8]) -> io::Result<CString> {
    match CString::new(name) {
        Ok(text) if is_one_name(name) => Ok(text),
        _ => {
            let text = "its name is none that a file can have here";
            Err(io::Error::new(io::ErrorKind::InvalidInput, text))
        }
    }
}

impl InsideFolder {
    /// The folder at a path that the caller chose, made where it is missing, with those above it.
    pub fn create(path: &Path, mode: u32) -> io::Result<Self> {
        fs::DirBuilder::new().recursive(true).mode(mode).create(path)?;
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
        Ok(InsideFolder { handle: rustix::fs::openat(CWD, path, flags, Mode::empty())? })
    }

    /// A folder in it, made where it is missing. What else has the name is replaced.
    pub fn folder(&self, name: &[u8], mode: u32) -> io::Result<Self> {
        let name = one_name(name)?;
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let open = || rustix::fs::openat(&self.handle, &name, flags, Mode::empty());
        let make = || rustix::fs::mkdirat(&self.handle, &name, Mode::from_raw_mode(mode));
        let handle = match open() {
            Err(Errno::NOENT) => make().and_then(|()| open())?,
            Err(Errno::NOTDIR | Errno::LOOP) => {
                rustix::fs::unlinkat(&self.handle, &name, AtFlags::empty())?;
                make().and_then(|()| open())?
            }
            opened => opened?,
        };
        Ok(InsideFolder { handle })
    }

    /// The folder at a path, if there is one.
    pub fn open(path: &Path) -> io::Result<Option<Self>> {
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
        match rustix::fs::openat(CWD, path, flags, Mode::empty()) {
            Err(Errno::NOENT) => Ok(None),
            handle => Ok(Some(InsideFolder { handle: handle? })),
        }
    }

    /// A folder some names below it, all of which are there.
    pub fn below(&self, names: &[Vec<u8>]) -> io::Result<Self> {
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let mut handle = self.handle.try_clone()?;
        for name in names {
            handle = rustix::fs::openat(&handle, one_name(name)?, flags, Mode::empty())?;
        }
        Ok(InsideFolder { handle })
    }

    /// What the file, folder, link or other thing of a name has; `None` where there is none.
    pub fn state(&self, name: &[u8]) -> io::Result<Option<InsideState>> {
        let name = one_name(name)?;
        let stat: Stat = match rustix::fs::statat(&self.handle, &name, AtFlags::SYMLINK_NOFOLLOW) {
            Err(Errno::NOENT) => return Ok(None),
            stat => stat?,
        };
        let is_file = FileType::from_raw_mode(stat.st_mode) == FileType::RegularFile;
        let mtime = [stat.st_mtime, stat.st_mtime_nsec as i64];
        Ok(Some(InsideState { is_file, len: stat.st_size as u64, mtime }))
    }

    /// The plain file of a name, to be read; `None` where there is none, or something else.
    pub fn read(&self, name: &[u8]) -> io::Result<Option<File>> {
        if !self.state(name)?.is_some_and(|there| there.is_file) {
            return Ok(None);
        }
        let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
        let opened = rustix::fs::openat(&self.handle, one_name(name)?, flags, Mode::empty())?;
        let file = File::from(opened);
        Ok(file.metadata()?.is_file().then_some(file))
    }

    /// The names in it, in their order.
    pub fn names(&self) -> io::Result<Vec<Vec<u8>>> {
        let mut names = Vec::new();
        for entry in Dir::read_from(&self.handle)? {
            let name = entry?.file_name().to_bytes().to_vec();
            if !matches!(&name[..], b"." | b"..") {
                names.push(name);
            }
        }
        names.sort_unstable();
        Ok(names)
    }

    /// A new file, beside the place that it is put at later. `salt` makes its name nobody's.
    pub fn file(&self, salt: u64) -> io::Result<InsideFile> {
        let aside = one_name(format!(".manicule-restore-{salt:016x}").as_bytes())?;
        let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW;
        let mode = Mode::from_raw_mode(0o600);
        let handle = rustix::fs::openat(&self.handle, &aside, flags | OFlags::CLOEXEC, mode)?;
        Ok(InsideFile { file: handle.into(), aside })
    }

    /// Puts a file at its name, in place of what is there: anything but a folder with something in
    /// it.
    pub fn put(&self, file: InsideFile, name: &[u8]) -> io::Result<()> {
        let put = one_name(name).and_then(|name| {
            let rename = || rustix::fs::renameat(&self.handle, &file.aside, &self.handle, &name);
            match rename() {
                Err(Errno::ISDIR) => {
                    rustix::fs::unlinkat(&self.handle, &name, AtFlags::REMOVEDIR)?;
                    Ok(rename()?)
                }
                put => Ok(put?),
            }
        });
        if put.is_err() {
            self.drop_file(file);
        }
        put
    }

    /// Removes a file that is not put.
    pub fn drop_file(&self, file: InsideFile) {
        // Nothing can be done about one that stays.
        let _ = rustix::fs::unlinkat(&self.handle, &file.aside, AtFlags::empty());
    }

    /// Puts a link, in place of what is there.
    pub fn symlink(&self, name: &[u8], target: &[u8], meta: &InsideMeta) -> io::Result<()> {
        let name = self.cleared(name)?;
        let target = CString::new(target)?;
        rustix::fs::symlinkat(&target, &self.handle, &name)?;
        self.meta_of(&name, meta)
    }

    /// Puts another name for a file that was put in a folder.
    pub fn link(&self, name: &[u8], of: &InsideFolder, of_name: &[u8]) -> io::Result<()> {
        let (name, of_name) = (self.cleared(name)?, one_name(of_name)?);
        let flags = AtFlags::empty();
        Ok(rustix::fs::linkat(&of.handle, &of_name, &self.handle, &name, flags)?)
    }

    /// Puts a pipe or a device, in place of what is there.
    pub fn node(&self, name: &[u8], node: InsideNode, meta: &InsideMeta) -> io::Result<()> {
        let name = self.cleared(name)?;
        let (kind, device) = match node {
            InsideNode::Fifo => (FileType::Fifo, 0),
            InsideNode::Blocks(device) => (FileType::BlockDevice, device),
            InsideNode::Characters(device) => (FileType::CharacterDevice, device),
        };
        let mode = Mode::from_raw_mode(0o600);
        rustix::fs::mknodat(&self.handle, &name, kind, mode, device)?;
        self.meta_of(&name, meta)?;
        let mode = Mode::from_raw_mode(meta.mode);
        Ok(rustix::fs::chmodat(&self.handle, &name, mode, AtFlags::empty())?)
    }

    /// The folder of a name; `None` where something else has it.
    pub(crate) fn folder_of(&self, name: &[u8]) -> io::Result<Option<Self>> {
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        match rustix::fs::openat(&self.handle, one_name(name)?, flags, Mode::empty()) {
            Err(Errno::NOTDIR | Errno::LOOP) => Ok(None),
            handle => Ok(Some(InsideFolder { handle: handle? })),
        }
    }

    /// Removes what has a name: an empty folder, or something else.
    pub(crate) fn unlink(&self, name: &[u8], is_folder: bool) -> io::Result<()> {
        let flags = if is_folder { AtFlags::REMOVEDIR } else { AtFlags::empty() };
        Ok(rustix::fs::unlinkat(&self.handle, one_name(name)?, flags)?)
    }

    /// Gives the folder itself what it has.
    pub fn set_meta(&self, meta: &InsideMeta) -> io::Result<()> {
        set_meta(&self.handle, meta)
    }

    /// Gives the folder itself an extended attribute; whether the file system takes any.
    pub fn set_attribute(&self, name: &str, value: &[u8]) -> io::Result<bool> {
        set_attribute(&self.handle, name, value)
    }

    /// The name, after what has it was removed: anything but a folder with something in it.
    fn cleared(&self, name: &[u8]) -> io::Result<CString> {
        let name = one_name(name)?;
        match rustix::fs::unlinkat(&self.handle, &name, AtFlags::empty()) {
            Err(Errno::ISDIR | Errno::PERM) => {
                rustix::fs::unlinkat(&self.handle, &name, AtFlags::REMOVEDIR)?;
            }
            Err(Errno::NOENT) => {}
            removed => removed?,
        }
        Ok(name)
    }

    fn meta_of(&self, name: &CString, meta: &InsideMeta) -> io::Result<()> {
        let flags = AtFlags::SYMLINK_NOFOLLOW;
        let (uid, gid) = (Uid::from_raw(meta.uid), Gid::from_raw(meta.gid));
        allowed(rustix::fs::chownat(&self.handle, name, Some(uid), Some(gid), flags))?;
        Ok(rustix::fs::utimensat(&self.handle, name, &times(meta), flags)?)
    }
}

impl InsideFile {
    /// The file, to be written.
    pub fn file(&mut self) -> &mut File {
        &mut self.file
    }
}

/// Gives a file what it has; after its content, whose writing changes the times.
pub fn set_file_meta(file: &File, meta: &InsideMeta) -> io::Result<()> {
    set_meta(file, meta)
}

/// Gives a file an extended attribute; whether the file system takes any.
pub fn set_file_attribute(file: &File, name: &str, value: &[u8]) -> io::Result<bool> {
    set_attribute(file, name, value)
}

fn set_meta(of: impl AsFd, meta: &InsideMeta) -> io::Result<()> {
    let (uid, gid) = (Uid::from_raw(meta.uid), Gid::from_raw(meta.gid));
    allowed(rustix::fs::fchown(&of, Some(uid), Some(gid)))?;
    rustix::fs::futimens(&of, &times(meta))?;
    // Last: a new owner takes setuid away, and nobody writes any more.
    Ok(rustix::fs::fchmod(&of, Mode::from_raw_mode(meta.mode))?)
}

fn set_attribute(of: impl AsFd, name: &str, value: &[u8]) -> io::Result<bool> {
    match rustix::fs::fsetxattr(of, name, value, XattrFlags::empty()) {
        Err(Errno::OPNOTSUPP) => Ok(false),
        set => Ok(set.map(|()| true)?),
    }
}

/// Only root gives files away; for others they stay theirs.
fn allowed(changed: Result<(), Errno>) -> Result<(), Errno> {
    match changed {
        Err(Errno::PERM) if !rustix::process::geteuid().is_root() => Ok(()),
        changed => changed,
    }
}

fn times(meta: &InsideMeta) -> Timestamps {
    let time = |[tv_sec, tv_nsec]: [i64; 2]| Timespec { tv_sec, tv_nsec };
    Timestamps { last_access: time(meta.atime), last_modification: time(meta.mtime) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write;
    use std::os::unix::fs::symlink;

    const META: InsideMeta =
        InsideMeta { uid: 0, gid: 0, mtime: [1_600_000_000, 5], atime: [1, 0], mode: 0o640 };

    #[test]
    fn names_that_lead_out_are_none() {
        let outer = tempfile::tempdir().unwrap();
        let folder = InsideFolder::create(&outer.path().join("a/in"), 0o700).unwrap();
        for name in [&b""[..], b".", b"..", b"../up", b"a/b", b"/etc", b"a\0b"] {
            assert!(folder.folder(name, 0o700).is_err(), "{name:?}");
            assert!(folder.symlink(name, b"x", &META).is_err(), "{name:?}");
            let file = folder.file(7).unwrap();
            assert!(folder.put(file, name).is_err(), "{name:?}");
        }
        assert_eq!(fs::read_dir(outer.path().join("a/in")).unwrap().count(), 0);
        assert_eq!(fs::read_dir(outer.path().join("a")).unwrap().count(), 1);
    }

    #[test]
    fn no_link_is_followed_on_the_way() {
        let outer = tempfile::tempdir().unwrap();
        let (inner, other) = (outer.path().join("in"), outer.path().join("other"));
        fs::create_dir(&other).unwrap();
        let folder = InsideFolder::create(&inner, 0o700).unwrap();
        symlink(&other, inner.join("way")).unwrap();
        symlink(other.join("file"), inner.join("file")).unwrap();
        assert!(folder.below(&[b"way".to_vec()]).is_err());
        let way = folder.folder(b"way", 0o700).unwrap();
        for place in [&folder, &way] {
            let mut file = place.file(1).unwrap();
            file.file().write_all(b"text").unwrap();
            set_file_meta(file.file(), &META).unwrap();
            place.put(file, b"file").unwrap();
        }
        assert_eq!(fs::read_dir(&other).unwrap().count(), 0);
        assert_eq!(fs::read(inner.join("way/file")).unwrap(), b"text");
        assert!(inner.join("file").symlink_metadata().unwrap().is_file());
        let state = folder.state(b"file").unwrap().unwrap();
        assert_eq!((state.is_file, state.len, state.mtime), (true, 4, META.mtime));
        folder.link(b"twice", &way, b"file").unwrap();
        folder.node(b"pipe", InsideNode::Fifo, &META).unwrap();
        assert!(!folder.state(b"pipe").unwrap().unwrap().is_file);
        assert!(folder.read(b"pipe").unwrap().is_none());
        assert_eq!(fs::read(inner.join("twice")).unwrap(), b"text");
    }
}
