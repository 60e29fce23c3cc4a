//! A log in a folder: bytes appended to the newest of several files, its segments, and synced.
//! Older segments go when what they hold is kept elsewhere.
//!
//! A segment is named by a number that its writer chooses, each greater than the one before. What
//! the bytes are, and where the last of them that are whole end, its owner knows.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::files::unless_gone;
use crate::publish::{SHARED, names};
use crate::range::read_rest;
use crate::store::{Name, Store, StoreError};
use crate::{OutFile, SharedFiles};

const ENDING: &str = ".log";
const DIGITS: usize = 20;

/// A file of a log.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Segment {
    /// Its number.
    pub number: u64,
    /// Where it is.
    pub path: PathBuf,
}

impl Segment {
    /// The segment of a number, be it there or not.
    pub fn in_folder(folder: &Path, number: u64) -> Self {
        Segment { number, path: folder.join(name_of(number)) }
    }

    /// The same, in a folder of a store.
    pub fn in_store(store: &dyn Store, folder: &Name, number: u64) -> Self {
        let name = folder.join(&name_of(number)).expect("digits and an ending are a name");
        Segment { number, path: store.show(&name) }
    }

    /// As [`Segment::read_from`], of a segment in a folder of a store.
    pub fn read_in(
        &self,
        store: &dyn Store,
        folder: &Name,
        at: u64,
    ) -> Result<Vec<u8>, StoreError> {
        let name = folder.join(&name_of(self.number)).expect("digits and an ending are a name");
        let mut bytes = Vec::new();
        store.read_rest(&name, at, &mut bytes)?;
        Ok(bytes)
    }

    /// The bytes from an offset on that are there now.
    pub fn read_from(&self, at: u64) -> io::Result<Vec<u8>> {
        let mut bytes = Vec::new();
        read_rest(&File::open(&self.path)?, at, &mut bytes)?;
        Ok(bytes)
    }
}

/// The segments in a folder, in order; none where there is no such folder.
pub fn segments(folder: &Path) -> io::Result<Vec<Segment>> {
    let names = match names(folder) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        names => names?,
    };
    let numbers = names.iter().filter_map(|name| number_of(name));
    Ok(numbers.map(|number| Segment::in_folder(folder, number)).collect())
}

/// The segments in a folder of a store, in order; none where there is no such folder.
pub fn segments_in(store: &dyn Store, folder: &Name) -> Result<Vec<Segment>, StoreError> {
    let listed = match store.list(folder) {
        Err(error) if error.is_missing() => return Ok(Vec::new()),
        listed => listed?,
    };
    let mut numbers: Vec<u64> = listed.iter().filter_map(|entry| number_of(&entry.name)).collect();
    numbers.sort_unstable();
    Ok(numbers.into_iter().map(|number| Segment::in_store(store, folder, number)).collect())
}

fn name_of(number: u64) -> String {
    format!("{number:0DIGITS$}{ENDING}")
}

fn number_of(name: &str) -> Option<u64> {
    let digits = name.strip_suffix(ENDING).filter(|digits| digits.len() == DIGITS)?;
    digits.bytes().all(|byte| byte.is_ascii_digit()).then(|| digits.parse().ok())?
}

/// A log, to be appended to. Who has it sees to it that nobody else has.
#[derive(Debug)]
pub struct Log {
    files: SharedFiles,
    folder: PathBuf,
    out: Arc<OutFile>,
    number: u64,
    len: u64,
}

impl Log {
    /// Goes on after the first `len` bytes of a segment. What comes after them is cut off.
    pub fn resume(files: &SharedFiles, segment: &Segment, len: u64) -> io::Result<Self> {
        let out = OutFile::open(files, &segment.path, OpenOptions::new().write(true))?;
        let folder = segment.path.parent().unwrap_or(Path::new("")).to_owned();
        let log =
            Log { files: files.clone(), folder, out: Arc::new(out), number: segment.number, len };
        if fs::metadata(&segment.path)?.len() > len {
            log.out.cut(len)?;
            log.out.sync()?;
        }
        Ok(log)
    }

    /// A new segment in a folder, which is there; in place of one that has the same number. It
    /// begins with `head`, which is synced.
    pub fn begin(files: &SharedFiles, folder: &Path, number: u64, head: &[u8]) -> io::Result<Self> {
        let out = Self::create(files, folder, number, head)?;
        let len = head.len() as u64;
        Ok(Log { files: files.clone(), folder: folder.to_owned(), out, number, len })
    }

    fn create(
        files: &SharedFiles,
        folder: &Path,
        number: u64,
        head: &[u8],
    ) -> io::Result<Arc<OutFile>> {
        let mut out = OutFile::replace(files, &Segment::in_folder(folder, number).path, SHARED)?;
        out.write_all(head)?;
        out.sync()?;
        files.sync_folder(folder)?;
        Ok(Arc::new(out))
    }

    /// Appends bytes. They outlive a power cut when the file has been synced.
    ///
    /// After an error none of them are there, unless they can't be cut off again either: then
    /// [`Log::len`] tells less than there is, and the log must not be appended to.
    pub fn append(&mut self, bytes: &[u8]) -> Result<(), AppendError> {
        match self.out.write_all_at(bytes, self.len) {
            Ok(()) => {
                self.len += bytes.len() as u64;
                Ok(())
            }
            Err(source) => {
                let is_clean = self.out.cut(self.len).is_ok();
                Err(AppendError { source, is_clean })
            }
        }
    }

    /// The file that is appended to, to be synced by any thread.
    pub fn file(&self) -> Arc<OutFile> {
        self.out.clone()
    }

    /// The segment that is appended to.
    pub fn segment(&self) -> Segment {
        Segment::in_folder(&self.folder, self.number)
    }

    /// Bytes of the segment that is appended to.
    pub fn len(&self) -> u64 {
        self.len
    }

    /// Whether the segment has no byte.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Begins a new segment with a head, when the present one has been synced.
    pub fn roll(&mut self, number: u64, head: &[u8]) -> io::Result<()> {
        assert!(number > self.number, "numbers of segments increase");
        self.out.sync()?;
        self.out = Self::create(&self.files, &self.folder, number, head)?;
        (self.number, self.len) = (number, head.len() as u64);
        Ok(())
    }

    /// Removes the segments before `number`, the present one never.
    pub fn remove_before(&self, number: u64) -> io::Result<()> {
        remove_segments_before(&self.files, &self.folder, number.min(self.number))
    }
}

/// Removes the segments before `number` in a folder.
pub fn remove_segments_before(files: &SharedFiles, folder: &Path, number: u64) -> io::Result<()> {
    for segment in segments(folder)?.into_iter().filter(|segment| segment.number < number) {
        unless_gone(files.remove(&segment.path))?;
    }
    Ok(())
}

/// Error of an append.
#[derive(Debug)]
pub struct AppendError {
    /// Cause.
    pub source: io::Error,
    /// Whether nothing of the bytes is left.
    pub is_clean: bool,
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Disk;

    #[test]
    fn bytes_go_to_the_newest_segment_and_old_ones_are_removed() {
        let folder = tempfile::tempdir().unwrap();
        assert_eq!(segments(&folder.path().join("none")).unwrap(), []);
        fs::write(folder.path().join("7.log"), "of another").unwrap();
        let files = Disk::shared();
        let mut log = Log::begin(&files, folder.path(), 1, b"").unwrap();
        log.append(b"one").unwrap();
        log.append(b"two").unwrap();
        log.roll(5, b"t").unwrap();
        assert_eq!((log.len(), log.is_empty()), (1, false));
        log.append(b"hree").unwrap();
        let all = segments(folder.path()).unwrap();
        assert_eq!(all.iter().map(|one| one.number).collect::<Vec<_>>(), [1, 5]);
        assert_eq!(all[0].read_from(2).unwrap(), b"etwo");
        assert_eq!(all[1].read_from(4).unwrap(), b"e");
        log.remove_before(9).unwrap();
        assert_eq!(segments(folder.path()).unwrap(), [log.segment()]);
    }

    #[test]
    fn what_comes_after_the_end_is_cut_off() {
        let folder = tempfile::tempdir().unwrap();
        let files = Disk::shared();
        Log::begin(&files, folder.path(), 3, b"whole, ").unwrap().append(b"and torn").unwrap();
        let segment = segments(folder.path()).unwrap().remove(0);
        let mut log = Log::resume(&files, &segment, 5).unwrap();
        assert_eq!(segment.read_from(0).unwrap(), b"whole");
        log.append(b"!").unwrap();
        assert_eq!((log.len(), segment.read_from(0).unwrap()), (6, b"whole!".to_vec()));
    }
}
