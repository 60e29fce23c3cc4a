//! Files of shards: which there are in a folder, mapped, with their sidecars.

use std::fmt;
use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use manicule_core::ErrorClass;
use manicule_core::bytes::DecodeError;
use manicule_core::watch::Stopped;
use manicule_format_zoekt::Error as FormatError;
use manicule_store::{FileId, Mapped, NamedEntry};

use super::family::Family;
use super::listing::{Listing, shards_among, shards_of};

/// Error of a shard that can't be opened.
#[derive(Debug)]
#[non_exhaustive]
pub enum ShardError {
    /// Its bytes contradict the format, or are of a version that can't be read. `manicule verify`
    /// lists what is wrong.
    Damaged {
        /// The file.
        path: PathBuf,
        /// The error, with its place.
        source: FormatError,
    },
    /// The sidecar of a shard is not JSON, or is of other repositories.
    Sidecar {
        /// The sidecar.
        path: PathBuf,
        /// The error.
        source: FormatError,
    },
    /// There is no shard in the folder: a finished one is named `*.zoekt`.
    None {
        /// The folder.
        path: PathBuf,
    },
    /// It can't be read.
    Io {
        /// The path.
        path: PathBuf,
        /// Cause, as the system says it.
        source: io::Error,
    },
    /// The watch of a call stopped it.
    Stopped {
        /// The shard that it was at.
        path: PathBuf,
    },
}

impl fmt::Display for ShardError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.path().display(), self.what())
    }
}

// What others say is part of the error's own words.
impl std::error::Error for ShardError {}

impl ShardError {
    /// Class of the error.
    pub fn class(&self) -> ErrorClass {
        match self {
            ShardError::Damaged { .. } | ShardError::Sidecar { .. } => ErrorClass::Damaged,
            ShardError::None { .. } => ErrorClass::Asked,
            ShardError::Io { source, .. } => ErrorClass::of_io(source),
            ShardError::Stopped { .. } => ErrorClass::Stopped,
        }
    }

    /// The shard, sidecar or folder.
    pub fn path(&self) -> &Path {
        match self {
            ShardError::Damaged { path, .. }
            | ShardError::Sidecar { path, .. }
            | ShardError::None { path }
            | ShardError::Io { path, .. }
            | ShardError::Stopped { path } => path,
        }
    }

    /// Description of the error, without its path.
    pub fn what(&self) -> String {
        match self {
            ShardError::Damaged { source: source @ FormatError::Version { .. }, .. } => {
                source.to_string()
            }
            ShardError::Damaged { source, .. } => format!(
                "{source}; the shard is damaged, `manicule verify` tells more, indexing again \
                 replaces it"
            ),
            ShardError::Sidecar { source, .. } => {
                format!("{source}; the sidecar is damaged: remove it, or index again")
            }
            ShardError::None { .. } => "there is no finished shard (*.zoekt) in it".to_owned(),
            ShardError::Io { source, .. } => source.to_string(),
            ShardError::Stopped { .. } => Stopped.to_string(),
        }
    }

    pub(super) fn io(path: &Path) -> impl FnOnce(io::Error) -> Self {
        move |source| ShardError::Io { path: path.to_owned(), source }
    }

    pub(super) fn damaged(path: &Path) -> impl FnOnce(FormatError) -> Self {
        move |source| ShardError::Damaged { path: path.to_owned(), source }
    }

    pub(super) fn sidecar(path: &Path) -> impl FnOnce(FormatError) -> Self {
        move |source| ShardError::Sidecar { path: path.to_owned(), source }
    }

    pub(super) fn decode(path: &Path) -> impl FnOnce(DecodeError) -> Self {
        move |source| ShardError::Damaged { path: path.to_owned(), source: source.into() }
    }
}

/// The shards directly in a folder, by name; or the one that `path` is.
pub fn list(path: &Path) -> Result<Vec<PathBuf>, ShardError> {
    if !fs::metadata(path).map_err(ShardError::io(path))?.is_dir() {
        return Ok(vec![path.to_owned()]);
    }
    Ok(shards_of(path).map_err(ShardError::io(path))?.shards)
}

/// The bytes of a shard. Writers rename shards into place, so they may be mapped.
pub fn map(path: &Path) -> Result<Mapped, ShardError> {
    Mapped::open(path).map_err(ShardError::io(path))
}

/// A shard's bytes, and what lies beside it.
#[derive(Debug)]
pub struct FoundShard {
    /// The file.
    pub path: PathBuf,
    /// Its bytes.
    pub bytes: Arc<Mapped>,
    /// Its sidecar.
    pub sidecar: Option<Sidecar>,
    /// Of the file; the map keeps it from being given to another one.
    id: FileId,
}

/// Sidecar of a shard, `SHARD.meta`: its repositories as they are now.
#[derive(Debug)]
pub struct Sidecar {
    /// The file.
    pub path: PathBuf,
    /// Its bytes.
    pub bytes: Vec<u8>,
}

/// Number of times that a reader looks again when it finds an index being published.
const LOOKS_MAX: usize = 1000;

/// The shards that [`shards_of`] names, mapped as they were at one moment: all of an index, or all
/// of the next one.
/// What can't be read is reported one by one; only the folder itself fails the call.
pub fn map_shards(folder: &Path) -> io::Result<Vec<Result<FoundShard, ShardError>>> {
    map_listed(folder, shards_of(folder)?, &[])
}

/// The same, of a folder that was listed already: however long ago, only what still stands is
/// taken. The shards `before` that still stand stay mapped.
fn map_listed(
    folder: &Path,
    mut listing: Listing,
    before: &[FoundShard],
) -> io::Result<Vec<Result<FoundShard, ShardError>>> {
    for _ in 0..LOOKS_MAX {
        let opened: Vec<Opened> =
            listing.shards.into_iter().map(|path| Opened::new(path, before)).collect();
        // Had any of them been opened after a plan was made, and any before, the plan or its work
        // would show now.
        let named = shards_of(folder)?;
        let is_same = named.shards.len() == opened.len()
            && named.shards.iter().zip(&opened).all(|(path, opened)| opened.is_still(path))
            && named.unread.len() == listing.unread.len();
        if is_same {
            let unread = listing.unread.into_iter();
            let unread = unread.map(|(path, source)| Err(ShardError::Io { path, source }));
            return Ok(opened.into_iter().map(|opened| opened.found).chain(unread).collect());
        }
        listing = named;
    }
    Err(io::Error::new(io::ErrorKind::ResourceBusy, "its shards are being replaced all the time"))
}

/// A shard under the name that it had.
struct Opened {
    path: PathBuf,
    found: Result<FoundShard, ShardError>,
}

impl Opened {
    fn new(path: PathBuf, before: &[FoundShard]) -> Self {
        let found = open(&path, before);
        Opened { path, found }
    }

    fn is_still(&self, path: &Path) -> bool {
        let is_link = || fs::symlink_metadata(path).is_ok_and(|meta| meta.is_symlink());
        let is_same = match &self.found {
            // It was renamed or removed meanwhile; but for a link that leads nowhere.
            Err(ShardError::Io { source, .. }) if source.kind() == io::ErrorKind::NotFound => {
                is_link()
            }
            Err(_) => true,
            Ok(found) => FileId::named(path).map_or(true, |id| id == Some(found.id)),
        };
        self.path == path && is_same
    }
}

impl FoundShard {
    /// Maps a shard, and reads its sidecar.
    pub(super) fn open(path: &Path) -> Result<Self, ShardError> {
        open(path, &[])
    }
}

fn open(path: &Path, before: &[FoundShard]) -> Result<FoundShard, ShardError> {
    let file = File::open(path).map_err(ShardError::io(path))?;
    let id = FileId::of(&file).map_err(ShardError::io(path))?;
    let bytes = match before.iter().find(|shard| shard.id == id) {
        Some(shard) => Arc::clone(&shard.bytes),
        None => Arc::new(Mapped::of(&file).map_err(ShardError::io(path))?),
    };
    let sidecar = sidecar(path)?;
    Ok(FoundShard { path: path.to_owned(), bytes, sidecar, id })
}

/// The shards directly in a folder, as of one moment; or the one that `path` is. What can't be read
/// is handed to `failed`. The shards `before` that still stand stay mapped.
pub(super) fn find(
    path: &Path,
    before: &[FoundShard],
    failed: &mut dyn FnMut(ShardError),
) -> Result<Vec<FoundShard>, ShardError> {
    if !fs::metadata(path).map_err(ShardError::io(path))?.is_dir() {
        return Ok(vec![open(path, before)?]);
    }
    let found = shards_of(path).and_then(|listing| map_listed(path, listing, before));
    some(path, found, failed)
}

/// The shards of a folder by the entries that it was listed with, as of one moment.
pub(super) fn find_among(
    folder: &Path,
    entries: &[NamedEntry],
    failed: &mut dyn FnMut(ShardError),
) -> Result<Vec<FoundShard>, ShardError> {
    some(folder, map_listed(folder, shards_among(folder, entries), &[]), failed)
}

/// The shards of a folder that could be read, if there are any.
fn some(
    path: &Path,
    found: io::Result<Vec<Result<FoundShard, ShardError>>>,
    failed: &mut dyn FnMut(ShardError),
) -> Result<Vec<FoundShard>, ShardError> {
    let found = found.map_err(ShardError::io(path))?;
    if found.is_empty() {
        return Err(ShardError::None { path: path.to_owned() });
    }
    Ok(found.into_iter().filter_map(|found| found.map_err(&mut *failed).ok()).collect())
}

/// A shard's sidecar, if there is one: the new one where a plan says so. An empty one is damaged:
/// it says nothing of the tombstones that it had.
pub(super) fn sidecar(shard: &Path) -> Result<Option<Sidecar>, ShardError> {
    let planned = planned_sidecar(shard);
    let mut name = shard.as_os_str().to_owned();
    name.push(".meta");
    for path in planned.into_iter().chain([PathBuf::from(name)]) {
        match fs::read(&path) {
            Ok(bytes) => return Ok(Some(Sidecar { path, bytes })),
            // It is renamed meanwhile, or there is none.
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            Err(error) => return Err(ShardError::io(&path)(error)),
        }
    }
    Ok(None)
}

/// The sidecar aside of a shard that stays in the index that is being published.
fn planned_sidecar(shard: &Path) -> Option<PathBuf> {
    let (family, number) = Family::of(shard)?;
    // Beside a plan that can't be read, shards are taken as they are.
    let planned = family.planned().ok()??;
    family.sidecars(planned).nth(number).map(|sidecar| sidecar.aside)
}

#[cfg(test)]
mod tests {
    use manicule_store::list_names;

    use super::*;

    #[test]
    fn a_folder_that_has_changed_since_it_was_listed_is_listed_again() {
        let folder = tempfile::tempdir().expect("a folder");
        let put = |name: &str| fs::write(folder.path().join(name), "x").expect("a file");
        ["a.zoekt", "b.zoekt"].into_iter().for_each(put);
        let entries = list_names(folder.path()).expect("entries");
        fs::remove_file(folder.path().join("a.zoekt")).expect("removed");
        put("c.zoekt");
        let found = find_among(folder.path(), &entries, &mut |error| panic!("{error}"));
        let paths = found.expect("shards").into_iter().map(|shard| shard.path);
        let want = ["b.zoekt", "c.zoekt"].map(|name| folder.path().join(name));
        assert!(paths.eq(want));
    }
}
