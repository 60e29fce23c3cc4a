//! Contents of an index, for people: sizes, posting statistics, and how far behind its tree it is.

use std::ffi::OsStr;
use std::fmt;
use std::fs::OpenOptions;
use std::io;
use std::os::fd::AsFd;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use manicule_core::ErrorClass;
use manicule_core::bytes::DecodeError;
use manicule_core::watch::Stopped;
use manicule_format_tree::grams;
use manicule_format_tree::manifest::{FLAG_BINARY, Manifest, NONE, UNSURE};
use manicule_format_tree::segment::{Segment, Statistics};
use manicule_store::threads::{self, Chunks};
use manicule_store::{CacheDir, Handle, Rights, look, open_folder, open_plain};

use crate::tree::find::check::{Checked, State, check};
use crate::tree::index::build::open_root;
use crate::tree::open::{IndexFiles, KeptState, MANIFEST, cache_dir_of, segment_name};

/// Error of an index that can't be inspected.
#[derive(Debug)]
#[non_exhaustive]
pub enum InspectError {
    /// Neither the path nor a folder above it has an index. `manicule cache build PATH` makes one.
    NoIndex(PathBuf),
    /// There is none yet: see the state.
    NotYet {
        /// The tree.
        path: PathBuf,
        /// Reason that there is none.
        state: KeptState,
    },
    /// A file of the index contradicts the format. The next `find` has it built from scratch.
    Damaged {
        /// The file.
        path: PathBuf,
        /// The error, with its place.
        source: DecodeError,
    },
    /// The path or the index can't be read.
    Io {
        /// Path that was to be read.
        path: PathBuf,
        /// Cause, as the system says it.
        source: io::Error,
    },
    /// The watch of a call stopped it.
    Stopped(PathBuf),
}

impl fmt::Display for InspectError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            InspectError::NoIndex(path) => write!(
                f,
                "{}: there is no index of this tree; `manicule cache build {0}` makes one",
                path.display()
            ),
            InspectError::NotYet { path, state: KeptState::Building } => write!(
                f,
                "{}: the index of this tree is being built; `manicule cache build {0}` waits for it",
                path.display()
            ),
            InspectError::NotYet { path, state: KeptState::Refused } => write!(
                f,
                "{}: this tree gets no index, since its file system does not say reliably when a file has \
                 changed; `find` searches all of it",
                path.display()
            ),
            InspectError::NotYet { path, .. } => write!(
                f,
                "{}: the index of this tree was begun and never finished; `manicule cache build {0}` makes it",
                path.display()
            ),
            InspectError::Damaged { path, source } => write!(
                f,
                "{}: {source}; the index is damaged, `manicule cache build --all` makes it again",
                path.display()
            ),
            InspectError::Io { path, source } => write!(f, "{}: {source}", path.display()),
            InspectError::Stopped(path) => write!(f, "{}: {Stopped}", path.display()),
        }
    }
}

impl std::error::Error for InspectError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            InspectError::NoIndex(_) | InspectError::NotYet { .. } | InspectError::Stopped(_) => {
                None
            }
            InspectError::Damaged { source, .. } => Some(source),
            InspectError::Io { source, .. } => Some(source),
        }
    }
}

impl InspectError {
    /// Class of the error.
    pub fn class(&self) -> ErrorClass {
        match self {
            InspectError::NoIndex(_) | InspectError::NotYet { .. } => ErrorClass::Missing,
            InspectError::Damaged { .. } => ErrorClass::Damaged,
            InspectError::Io { source, .. } => ErrorClass::of_io(source),
            InspectError::Stopped(_) => ErrorClass::Stopped,
        }
    }

    pub(super) fn io(path: &Path) -> impl FnOnce(io::Error) -> Self {
        move |source| InspectError::Io { path: path.to_owned(), source }
    }
}

/// Contents of an index.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Inspection {
    /// The tree.
    pub root: PathBuf,
    /// The folder that the index lies in.
    pub path: PathBuf,
    /// Time of its making, in nanoseconds since 1970.
    pub made_at_ns: u64,
    /// Time of its last use.
    pub used_at: Option<SystemTime>,
    /// The version of its format.
    pub version: u32,
    /// About how long pieces are, in bytes.
    pub piece_len: u32,
    /// Folders of the tree.
    pub folder_count: u64,
    /// Files of the tree.
    pub file_count: u64,
    /// Names that the rules leave out.
    pub other_count: u64,
    /// Files and names that the rules were read from.
    pub watched_count: u64,
    /// Files that hold a NUL.
    pub binary_count: u64,
    /// Files whose grams are not known: they are candidates always.
    pub unknown_count: u64,
    /// Files that had changed too shortly before they were indexed to be sure of: they are read in
    /// every call.
    pub unsure_count: u64,
    /// The bytes of all files together.
    pub text_len: u64,
    /// Files in the index's folder, with their lengths.
    pub files: Vec<(String, u64)>,
    /// The segments.
    pub segments: Vec<SegmentInspection>,
    /// Changes since; `None` where the tree can't be opened.
    pub staleness: Option<Staleness>,
}

impl Inspection {
    /// All bytes of the index.
    pub fn index_len(&self) -> u64 {
        self.files.iter().map(|file| file.1).sum()
    }
}

/// Contents of a segment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SegmentInspection {
    /// The name of its file.
    pub name: String,
    /// The bytes of its file.
    pub len: u64,
    /// Its pieces.
    pub piece_count: u32,
    /// Of those, how many a file still refers to.
    pub live_count: u32,
    /// Grams that have a list.
    pub list_count: u32,
    /// The pieces that all lists name together.
    pub posting_count: u64,
    /// The lengths of the lists in pieces: median, 90th and 99th percentile, longest.
    pub lengths: [u32; 4],
    /// The grams with the longest lists: as text, with their lengths in pieces and in bytes.
    pub densest: Vec<(String, u32, u64)>,
}

/// Changes of the tree since it was indexed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Staleness {
    /// Folders that have other names in them.
    pub folders_changed: u64,
    /// Folders that are gone, or lie below changed rules.
    pub folders_gone: u64,
    /// Folders below which other ignore rules hold.
    pub rules_changed: u64,
    /// Files that changed, or are gone.
    pub files_changed: u64,
    /// Duration of the check, in microseconds.
    pub check_us: u64,
}

/// Tells what the index of the tree at `path` holds, or of the tree above it, or that which lies in
/// the folder `path`.
///
/// Costs a read of the whole index and a look at every file of the tree.
pub fn inspect(
    cache: Option<&Path>,
    path: &Path,
    threads: usize,
    clock: &dyn Fn() -> u64,
) -> Result<Inspection, InspectError> {
    let dir = cache_dir_of_path(cache, path)?;
    let files = IndexFiles::map(&dir).map_err(InspectError::io(dir.path()))?;
    let at = |name: &str| dir.path().join(name);
    let damaged = |name: &str| {
        let path = at(name);
        move |source| InspectError::Damaged { path, source }
    };
    let manifest = Manifest::open(&files.manifest).map_err(damaged(MANIFEST))?;
    let mut segments = Vec::new();
    for (row, bytes) in manifest.segments().zip(&files.segments) {
        let name = segment_name(row.number);
        let segment = Segment::open(bytes).map_err(damaged(&name))?;
        let Statistics { list_count, posting_count, lengths, densest, .. } =
            segment.verify().map_err(damaged(&name))?;
        let show = |(gram, count, len)| (grams::show(gram), count, len);
        segments.push(SegmentInspection {
            name,
            len: bytes.len() as u64,
            piece_count: segment.piece_count(),
            live_count: row.live_count,
            list_count,
            posting_count,
            lengths,
            densest: densest.into_iter().map(show).collect(),
        });
    }
    let root = root_of(&manifest);
    let start = clock();
    let mut staleness = open_root(&root).ok().map(|handle| stale(&manifest, &handle, threads));
    if let Some(staleness) = &mut staleness {
        staleness.check_us = clock().saturating_sub(start) / 1000;
    }
    let rows = || (0..manifest.file_count() as u32).map(|row| manifest.file(row));
    let folders = || (0..manifest.folder_count() as u32).map(|row| manifest.folder(row));
    let files = dir.list().map_err(InspectError::io(dir.path()))?;
    Ok(Inspection {
        root,
        path: dir.path().to_owned(),
        made_at_ns: manifest.meta.made_at_ns,
        used_at: dir.last_used().ok(),
        version: manicule_format_tree::VERSION,
        piece_len: manifest.meta.piece_len,
        folder_count: manifest.folder_count() as u64,
        file_count: manifest.file_count() as u64,
        other_count: folders().map(|folder| u64::from(folder.other_count)).sum(),
        watched_count: manifest.watched().count() as u64,
        binary_count: rows().filter(|file| file.flags & FLAG_BINARY != 0).count() as u64,
        unknown_count: rows().filter(|file| file.first_piece == NONE).count() as u64,
        unsure_count: rows().filter(|file| file.fingerprint == UNSURE).count() as u64,
        text_len: manifest.meta.text_len,
        files,
        segments,
        staleness,
    })
}

/// The tree that a manifest is of.
pub(super) fn root_of(manifest: &Manifest<'_>) -> PathBuf {
    PathBuf::from(OsStr::from_bytes(manifest.name(manifest.meta.root).to_bytes()))
}

/// Cache directory that `path` means: that folder, or the one of the tree there or above.
pub(super) fn cache_dir_of_path(
    cache: Option<&Path>,
    path: &Path,
) -> Result<CacheDir, InspectError> {
    let path = path.canonicalize().map_err(InspectError::io(path))?;
    if is_index_folder(&path) {
        return Ok(CacheDir::at(path));
    }
    let dir = |root: &Path| Some(cache_dir_of(cache?, root));
    let cache_dirs = || path.ancestors().filter_map(dir);
    if let Some(found) = cache_dirs().find(|dir| dir.path().join(MANIFEST).exists()) {
        return Ok(found);
    }
    match path.ancestors().find(|root| dir(root).is_some_and(|dir| dir.path().exists())) {
        Some(root) => {
            let state = KeptState::of_unopened(&cache_dir_of(cache.unwrap_or(root), root));
            Err(InspectError::NotYet { path: root.to_owned(), state })
        }
        None => Err(InspectError::NoIndex(path)),
    }
}

/// Whether the cache has an index of the tree that a folder lies in.
pub fn is_indexed(cache: Option<&Path>, folder: &Path) -> bool {
    cache_dir_of_path(cache, folder).is_ok()
}

/// Whether the cache has an index of this very folder.
pub fn has_index(cache: &Path, folder: &Path) -> bool {
    let has = |folder: PathBuf| {
        crate::tree::open::cache_dir_of(cache, &folder).path().join(MANIFEST).exists()
    };
    folder.canonicalize().is_ok_and(has)
}

/// Whether a folder is one of the cache that holds an index.
pub fn is_index_folder(path: &Path) -> bool {
    let mut head = [0; 8];
    open_plain(&path.join(MANIFEST), OpenOptions::new().read(true))
        .and_then(|mut file| io::Read::read_exact(&mut file, &mut head))
        .is_ok_and(|()| manicule_format_tree::kind_of(&head).is_some())
}

fn stale(manifest: &Manifest<'_>, root: &Handle, threads: usize) -> Staleness {
    let (rows, rights) = (0..manifest.folder_count() as u32, Rights::of_process());
    let checked = check(manifest, root, rows, &rights, threads.max(1));
    let count = |wanted: &[State]| {
        let rows = checked.rows.clone();
        rows.filter(|row| wanted.contains(&checked.state(*row))).count() as u64
    };
    Staleness {
        folders_changed: count(&[State::Relist]),
        folders_gone: count(&[State::Gone]),
        rules_changed: count(&[State::Rewalk]),
        files_changed: files_changed(manifest, root, &checked, threads),
        check_us: 0,
    }
}

/// Number of files, of the folders that are still there, that look different now or are gone.
fn files_changed(manifest: &Manifest<'_>, root: &Handle, checked: &Checked, threads: usize) -> u64 {
    const CHUNK_LEN: usize = 16;
    let is_same = |folder: &Handle, row: u32| {
        let file = manifest.file(row);
        look(folder.as_fd(), manifest.name(file.name))
            .is_ok_and(|entry| entry.fingerprint(manifest.meta.key) == file.fingerprint)
    };
    let count_in = |row: u32| {
        let folder = manifest.folder(row);
        let files = manifest.files_of(&folder);
        if matches!(checked.state(row), State::Gone | State::Rewalk) {
            return 0;
        }
        match open_folder(root.as_fd(), manifest.name(folder.path)) {
            Ok(handle) => files.filter(|row| !is_same(&handle, *row)).count(),
            Err(_) => files.len(),
        }
    };
    let chunks = Chunks::new(0..checked.rows.end as usize, CHUNK_LEN);
    let count = || (&chunks).flatten().map(|row| count_in(row as u32)).sum::<usize>();
    threads::fold(threads, count, |sum, more| sum + more) as u64
}
