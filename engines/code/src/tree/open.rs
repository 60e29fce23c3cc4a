//! Location of a tree's index, and the files kept there.
//!
//! ```text
//! CACHE/trees/HASH/manifest     the folders and files; names its segments
//!                  segment-N    posting lists
//!                  checked      what the last check found, for calls with --max-age
//!                  lock         the lease of whoever writes; its time says when the index was last used, its bytes
//!                               which tree it is of
//! ```
//! `HASH` is made from the tree's path. The manifest is put last, so it always names segments that
//! are there; a segment goes when no manifest names it.

use std::ffi::{OsStr, OsString};
use std::io;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use manicule_core::bytes::{DecodeError, mix};
use manicule_format_tree::manifest::Manifest;
use manicule_format_tree::segment::Segment;
use manicule_store::{CacheDir, Disk, Mapped, SharedFiles};

/// Name of the file that says what an index holds.
pub const MANIFEST: &str = "manifest";
pub(super) const CHECKED: &str = "checked";
/// Says that the tree can't have an index, so that not every call tries to build one.
pub(super) const REFUSED: &str = "refused";

/// The name of a segment's file.
pub(super) fn segment_name(number: u64) -> String {
    format!("segment-{number}")
}

/// The cache directory of the tree at `root`.
pub(super) fn cache_dir_of(cache: &Path, root: &Path) -> CacheDir {
    let words = root.as_os_str().as_bytes().chunks(8).map(|chunk| {
        let mut word = [0; 8];
        word[..chunk.len()].copy_from_slice(chunk);
        u64::from_le_bytes(word)
    });
    let hash = words.fold(root.as_os_str().len() as u64, mix);
    CacheDir::at(cache_dirs(cache).join(format!("{hash:016x}")))
}

/// The folder that holds the cache directories of all trees.
pub(super) fn cache_dirs(cache: &Path) -> PathBuf {
    cache.join("trees")
}

/// The mapped files of an index. They stay readable when a newer index takes their names.
pub(super) struct IndexFiles {
    /// The tree that it was looked up for.
    pub root: PathBuf,
    pub dir: CacheDir,
    pub manifest: Mapped,
    pub segments: Vec<Mapped>,
}

/// An index, opened in place.
pub(super) struct Index<'a> {
    pub manifest: Manifest<'a>,
    pub segments: Vec<Segment<'a>>,
}

impl IndexFiles {
    /// Maps the index of the tree at `root`, if there is one.
    ///
    /// A writer may replace the manifest and remove its segments between two of our calls; then the
    /// new manifest names others, so one more try succeeds.
    pub(super) fn open(cache: &Path, root: &Path) -> io::Result<Self> {
        let dir = cache_dir_of(cache, root);
        let mut files = Self::map(&dir).or_else(|error| match error.kind() {
            io::ErrorKind::NotFound if !dir.path().join(MANIFEST).exists() => Err(error),
            _ => Self::map(&dir),
        })?;
        files.root = root.to_owned();
        Ok(files)
    }

    /// Maps the index on a cache directory. One whose manifest can't be read has no segments;
    /// [`IndexFiles::index`] says why.
    pub(super) fn map(dir: &CacheDir) -> io::Result<Self> {
        let manifest = dir.map(MANIFEST)?;
        let numbers: Vec<u64> = match Manifest::open(&manifest) {
            Ok(manifest) => manifest.segments().map(|row| row.number).collect(),
            Err(_) => Vec::new(),
        };
        let map = |number: &u64| dir.map(&segment_name(*number));
        let segments = numbers.iter().map(map).collect::<io::Result<_>>()?;
        Ok(IndexFiles { root: PathBuf::new(), dir: dir.clone(), manifest, segments })
    }

    /// Notes that the index was used, at most once in a while: the limit of the cache spares what
    /// was used last.
    pub(super) fn mark_used(&self, now_ns: u64) {
        const WHILE: Duration = Duration::from_secs(60);
        let now = UNIX_EPOCH + Duration::from_nanos(now_ns);
        let is_recent = |used: SystemTime| now.duration_since(used).is_ok_and(|age| age < WHILE);
        if !self.dir.last_used().is_ok_and(is_recent) {
            // A cache that can't be written to has no limit to keep either.
            let _ = self.dir.mark_used(now);
        }
    }

    /// Opens manifest and segments, which must agree with each other.
    pub(super) fn index(&self) -> Result<Index<'_>, DecodeError> {
        let manifest = Manifest::open(&self.manifest)?;
        let mut segments = Vec::with_capacity(self.segments.len());
        for (row, bytes) in manifest.segments().zip(&self.segments) {
            let segment = Segment::open(bytes)?;
            for (what, want, got) in [
                ("segment number", row.number, segment.number()),
                ("segment file len", row.file_len, bytes.len() as u64),
                ("segment piece count", row.piece_count.into(), segment.piece_count().into()),
            ] {
                if want != got {
                    return Err(DecodeError::Corrupt { what, at: 0, want, got });
                }
            }
            segments.push(segment);
        }
        Ok(Index { manifest, segments })
    }
}

impl Index<'_> {
    /// The tree's absolute path.
    pub(super) fn root(&self) -> &Path {
        Path::new(OsStr::from_bytes(self.manifest.name(self.manifest.meta.root).to_bytes()))
    }
}

/// Removes the index of the tree at `root`, unless somebody is writing it. Returns whether there
/// was one.
pub fn clear(cache: &Path, root: &Path) -> io::Result<bool> {
    clear_cache_dir(cache_dir_of(cache, root).path())
}

/// Removes the index that lies in the folder `path`, as [`list`] gives it.
pub fn clear_cache_dir(path: &Path) -> io::Result<bool> {
    CacheDir::at(path).clear(&Disk::shared())
}

/// The index of a tree, as `manicule cache list` shows it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Kept {
    /// The tree; `None` where nothing that lies there says which.
    pub root: Option<PathBuf>,
    /// Whether it can be used.
    pub state: KeptState,
    /// Folder of the index.
    pub path: PathBuf,
    /// All its bytes.
    pub len: u64,
    /// Number of files of the tree that it knows.
    pub file_count: u64,
    /// Time of its making, in nanoseconds since 1970, if it has been made.
    pub made_at_ns: Option<u64>,
    /// Time of its last use.
    pub used_at: SystemTime,
}

/// Whether the index of a tree can be used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum KeptState {
    /// It can.
    Whole,
    /// It is being built for the first time, or again since it could not be read.
    Building,
    /// Its first build has been interrupted; the next call begins again.
    Unfinished,
    /// It can't be read; the next call has it built again.
    Damaged,
    /// The tree lies on a file system that keeps no times to rely on: it is searched as a whole.
    Refused,
}

impl KeptState {
    /// The state in a word or two.
    pub fn word(self) -> &'static str {
        match self {
            KeptState::Whole => "whole",
            KeptState::Building => "being built",
            KeptState::Unfinished => "unfinished",
            KeptState::Damaged => "damaged",
            KeptState::Refused => "refused",
        }
    }

    /// The state of a cache directory whose index can't be opened.
    pub(super) fn of_unopened(dir: &CacheDir) -> Self {
        let holds = |name: &str| dir.path().join(name).exists();
        if dir.is_leased() {
            KeptState::Building
        } else if holds(REFUSED) {
            KeptState::Refused
        } else if holds(MANIFEST) {
            KeptState::Damaged
        } else {
            KeptState::Unfinished
        }
    }
}

/// All indexes that are kept, last used first.
pub fn list(cache: &Path) -> io::Result<Vec<Kept>> {
    let mut kept = Vec::new();
    for dir in CacheDir::all(&cache_dirs(cache))? {
        // Somebody may be removing it right now.
        let Ok(files) = dir.list() else { continue };
        let mut row = Kept {
            root: None,
            state: KeptState::Whole,
            path: dir.path().to_owned(),
            len: files.iter().map(|file| file.1).sum(),
            file_count: 0,
            made_at_ns: None,
            used_at: dir.last_used().unwrap_or(SystemTime::UNIX_EPOCH),
        };
        let files = IndexFiles::map(&dir);
        match files.as_ref().ok().and_then(|files| files.index().ok()) {
            Some(index) => {
                row.root = Some(index.root().to_owned());
                row.file_count = index.manifest.file_count() as u64;
                row.made_at_ns = Some(index.manifest.meta.made_at_ns);
            }
            None => {
                let noted = dir.note().ok().filter(|note| !note.is_empty());
                row.root = noted.map(|note| OsString::from_vec(note).into());
                row.state = KeptState::of_unopened(&dir);
            }
        }
        kept.push(row);
    }
    kept.sort_by(|left, right| right.used_at.cmp(&left.used_at).then(left.path.cmp(&right.path)));
    Ok(kept)
}

/// Removes the indexes last used longest ago until all together take at most `len_max` bytes; never
/// that of `spare`.
pub(super) fn trim(
    files: &SharedFiles,
    cache: &Path,
    len_max: u64,
    spare: &CacheDir,
) -> io::Result<()> {
    let kept = list(cache)?;
    let mut len: u64 = kept.iter().map(|row| row.len).sum();
    for row in kept.iter().rev() {
        if len <= len_max {
            break;
        }
        if row.path != spare.path()
            && let Ok(Some(lease)) = CacheDir::at(&row.path).lease(files)
            && lease.remove().is_ok()
        {
            len -= row.len;
        }
    }
    Ok(())
}
