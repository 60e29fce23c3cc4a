//! The steps by which files become visible: opened, written, cut, synced, renamed, removed.
//! Whatever is published takes them through [`Files`], so that a test can stop or fail at each of
//! them.
//!
//! Reading, listing and locking are no steps: they leave nothing behind. Nor is making the folder
//! that something is to be published in.

use std::fmt;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Seek, SeekFrom, Write};
use std::os::unix::fs::{FileExt, OpenOptionsExt};
use std::path::Path;
use std::sync::Arc;

use rustix::fs::OFlags;
use rustix::io::Errno;

use crate::map::Mapped;
use crate::store::Version;

/// The operations of publishers on a file system. One call is one step: a process can be killed
/// between two of them, and in the midst of [`Files::write_at`] and [`Files::remove_folder`].
pub trait Files: fmt::Debug + Send + Sync {
    /// Opens a plain file, made where it is missing if the options say so.
    fn open(&self, path: &Path, options: &OpenOptions) -> io::Result<File>;
    /// Writes bytes at an offset.
    fn write_at(&self, file: &File, bytes: &[u8], at: u64) -> io::Result<()>;
    /// Cuts a file off.
    fn cut(&self, file: &File, len: u64) -> io::Result<()>;
    /// Has all that was written of a file outlive a power cut.
    fn sync(&self, file: &File) -> io::Result<()>;
    /// Gives a file or folder another name, in place of the file that has it.
    fn rename(&self, from: &Path, to: &Path) -> io::Result<()>;
    /// Gives a file another name beside the one that it has; an error where something has it.
    fn link(&self, from: &Path, to: &Path) -> io::Result<()>;
    /// Removes a file.
    fn remove(&self, path: &Path) -> io::Result<()>;
    /// Makes a folder, which is not there yet.
    fn create_folder(&self, path: &Path) -> io::Result<()>;
    /// Has the names in a folder outlive a power cut.
    fn sync_folder(&self, path: &Path) -> io::Result<()>;
    /// Removes a folder with all that is in it.
    fn remove_folder(&self, path: &Path) -> io::Result<()>;
}

/// Files that are shared by all who write into a folder, and by their threads.
pub type SharedFiles = Arc<dyn Files>;

/// The file system itself.
#[derive(Clone, Copy, Debug)]
pub struct Disk;

impl Disk {
    /// To be lent to publishers.
    pub fn shared() -> SharedFiles {
        Arc::new(Disk)
    }
}

impl Files for Disk {
    fn open(&self, path: &Path, options: &OpenOptions) -> io::Result<File> {
        open_plain(path, options)
    }

    fn write_at(&self, file: &File, bytes: &[u8], at: u64) -> io::Result<()> {
        file.write_all_at(bytes, at)
    }

    fn cut(&self, file: &File, len: u64) -> io::Result<()> {
        file.set_len(len)
    }

    fn sync(&self, file: &File) -> io::Result<()> {
        file.sync_all()
    }

    fn rename(&self, from: &Path, to: &Path) -> io::Result<()> {
        fs::rename(from, to)
    }

    fn link(&self, from: &Path, to: &Path) -> io::Result<()> {
        fs::hard_link(from, to)
    }

    fn remove(&self, path: &Path) -> io::Result<()> {
        fs::remove_file(path)
    }

    fn create_folder(&self, path: &Path) -> io::Result<()> {
        fs::create_dir(path)
    }

    fn sync_folder(&self, path: &Path) -> io::Result<()> {
        File::open(path)?.sync_all()
    }

    fn remove_folder(&self, path: &Path) -> io::Result<()> {
        fs::remove_dir_all(path)
    }
}

/// The file system, without syncs: for files that nobody wants after the process that writes them.
#[derive(Clone, Copy, Debug)]
pub struct Unsynced;

impl Unsynced {
    /// To be lent to publishers.
    pub fn shared() -> SharedFiles {
        Arc::new(Unsynced)
    }
}

impl Files for Unsynced {
    fn open(&self, path: &Path, options: &OpenOptions) -> io::Result<File> {
        Disk.open(path, options)
    }

    fn write_at(&self, file: &File, bytes: &[u8], at: u64) -> io::Result<()> {
        Disk.write_at(file, bytes, at)
    }

    fn cut(&self, file: &File, len: u64) -> io::Result<()> {
        Disk.cut(file, len)
    }

    fn sync(&self, _file: &File) -> io::Result<()> {
        Ok(())
    }

    fn rename(&self, from: &Path, to: &Path) -> io::Result<()> {
        Disk.rename(from, to)
    }

    fn link(&self, from: &Path, to: &Path) -> io::Result<()> {
        Disk.link(from, to)
    }

    fn remove(&self, path: &Path) -> io::Result<()> {
        Disk.remove(path)
    }

    fn create_folder(&self, path: &Path) -> io::Result<()> {
        Disk.create_folder(path)
    }

    fn sync_folder(&self, _path: &Path) -> io::Result<()> {
        Ok(())
    }

    fn remove_folder(&self, path: &Path) -> io::Result<()> {
        Disk.remove_folder(path)
    }
}

/// Opens a plain file. Anything else in its place is an error, and not waited for as a pipe would
/// be.
pub fn open_plain(path: &Path, options: &OpenOptions) -> io::Result<File> {
    open_with_len(path, options).map(|(file, _)| file)
}

/// As [`open_plain`], with the length that the file has.
pub(crate) fn open_with_len(path: &Path, options: &OpenOptions) -> io::Result<(File, u64)> {
    open_with(path, options, OFlags::empty())
}

/// The same, but a link at the end of the path is no plain file.
pub(crate) fn open_itself(path: &Path, options: &OpenOptions) -> io::Result<(File, u64)> {
    open_with(path, options, OFlags::NOFOLLOW).map_err(|error| {
        let is_link = Errno::from_io_error(&error) == Some(Errno::LOOP);
        if is_link { not_plain() } else { error }
    })
}

fn open_with(path: &Path, options: &OpenOptions, more: OFlags) -> io::Result<(File, u64)> {
    let flags = OFlags::NONBLOCK | OFlags::NOCTTY | more;
    let file = options.clone().custom_flags(flags.bits() as i32).open(path)?;
    let seen = file.metadata()?;
    if seen.is_file() { Ok((file, seen.len())) } else { Err(not_plain()) }
}

fn not_plain() -> io::Error {
    io::Error::new(io::ErrorKind::InvalidInput, "not a plain file")
}

/// A file that is being written. Each write is a step, and one call of the system: small ones
/// belong into a buffer.
#[derive(Debug)]
pub struct OutFile {
    files: SharedFiles,
    file: File,
    /// Offset of the next write.
    at: u64,
}

impl OutFile {
    /// A file as the options say.
    pub fn open(files: &SharedFiles, path: &Path, options: &OpenOptions) -> io::Result<Self> {
        let file = files.open(path, options)?;
        Ok(OutFile { files: files.clone(), file, at: 0 })
    }

    /// A new file to write and read, in place of whatever has its name: what is left of an
    /// interrupted run, or no file at all. `mode` is what its owner, its group and others may do
    /// with it, as far as the process's mask leaves it.
    pub fn replace(files: &SharedFiles, path: &Path, mode: u32) -> io::Result<Self> {
        if fs::symlink_metadata(path).is_ok() {
            unless_gone(files.remove(path))?;
        }
        let mut options = OpenOptions::new();
        Self::open(files, path, options.create_new(true).read(true).write(true).mode(mode))
    }

    /// A new file to write and read that has no name, in the folder for temporary files.
    pub fn unnamed(files: &SharedFiles) -> io::Result<Self> {
        Ok(OutFile { files: files.clone(), file: tempfile::tempfile()?, at: 0 })
    }

    /// Writes bytes at an offset, whatever was written before; from any thread.
    pub fn write_all_at(&self, bytes: &[u8], at: u64) -> io::Result<()> {
        self.files.write_at(&self.file, bytes, at)
    }

    /// Cuts the file off.
    pub fn cut(&self, len: u64) -> io::Result<()> {
        self.files.cut(&self.file, len)
    }

    /// Fills `buffer` with the bytes at an offset.
    pub fn read_exact_at(&self, buffer: &mut [u8], at: u64) -> io::Result<()> {
        self.file.read_exact_at(buffer, at)
    }

    /// Maps what was written so far.
    pub(crate) fn map(&self) -> io::Result<Mapped> {
        Mapped::of(&self.file)
    }

    /// The version that it has now.
    pub(crate) fn version(&self) -> io::Result<Version> {
        Version::of(&self.file)
    }

    /// Has all that was written outlive a power cut.
    pub fn sync(&self) -> io::Result<()> {
        self.files.sync(&self.file)
    }
}

impl Write for OutFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.write_all(bytes)?;
        Ok(bytes.len())
    }

    fn write_all(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.write_all_at(bytes, self.at)?;
        self.at += bytes.len() as u64;
        Ok(())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Seek for OutFile {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        let at = match to {
            SeekFrom::Start(at) => Some(at),
            SeekFrom::Current(by) => self.at.checked_add_signed(by),
            SeekFrom::End(by) => self.file.metadata()?.len().checked_add_signed(by),
        };
        self.at = at.ok_or_else(|| io::Error::from(io::ErrorKind::InvalidInput))?;
        Ok(self.at)
    }
}

/// Success where what was to be removed or renamed is gone: somebody else has done the same.
pub(crate) fn unless_gone(done: io::Result<()>) -> io::Result<()> {
    match done {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        done => done,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn writes_go_where_the_last_one_ended_or_where_they_are_sent() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a");
        let mut out = OutFile::replace(&Disk::shared(), &path, 0o600).unwrap();
        out.write_all(b"....end").unwrap();
        out.rewind().unwrap();
        out.write_all(b"fr").unwrap();
        out.seek(SeekFrom::Current(1)).unwrap();
        out.write_all(b"nt").unwrap();
        out.seek(SeekFrom::End(0)).unwrap();
        out.write_all(b"!").unwrap();
        out.write_all_at(b"o", 2).unwrap();
        assert_eq!(
            fs::read(&path).unwrap(),
            b"front".iter().chain(b"nd!").copied().collect::<Vec<_>>()
        );
        assert!(out.seek(SeekFrom::Current(-100)).is_err());
    }

    #[test]
    fn a_new_file_takes_the_place_of_whatever_has_its_name() {
        let folder = tempfile::tempdir().unwrap();
        let (path, other) = (folder.path().join("a"), folder.path().join("other"));
        fs::write(&other, "theirs").unwrap();
        std::os::unix::fs::symlink(&other, &path).unwrap();
        let mut out = OutFile::replace(&Disk::shared(), &path, 0o600).unwrap();
        out.write_all(b"ours").unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"ours");
        assert_eq!(fs::read(&other).unwrap(), b"theirs");
    }
}
