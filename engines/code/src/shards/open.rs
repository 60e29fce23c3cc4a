//! Files of shards: which there are in a folder, mapped, with their sidecars.

use std::ffi::OsStr;
use std::fmt;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

use manicule_core::ErrorClass;
use manicule_core::bytes::DecodeError;
use manicule_core::watch::Stopped;
use manicule_format_zoekt::{Error as FormatError, Shard};
use manicule_store::context::OverBudget;
use manicule_store::store::{
    Fetched, Listed, LocalStore, Name, RangedFile, Store, StoreError, Version, WholeFile,
};
use manicule_store::{EntryKind, Mapped, NamedEntry, reserve_handles, threads};

use super::decoded::Decoded;
use super::entries::{Entries, name_of};
use super::family::Family;
use super::listing::{FoundNames, shards_among, shards_of, sidecar_name};

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
    /// Other calls hold the memory that a call's matches need, or there are more than it may hold.
    Memory {
        /// The shard that it was at.
        path: PathBuf,
        /// The budget.
        source: OverBudget,
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
            ShardError::Memory { source, .. } => source.class(),
        }
    }

    /// The shard, sidecar or folder.
    pub fn path(&self) -> &Path {
        match self {
            ShardError::Damaged { path, .. }
            | ShardError::Sidecar { path, .. }
            | ShardError::None { path }
            | ShardError::Io { path, .. }
            | ShardError::Stopped { path }
            | ShardError::Memory { path, .. } => path,
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
            ShardError::Memory { source, .. } => source.to_string(),
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

impl From<StoreError> for ShardError {
    fn from(StoreError { file: path, source }: StoreError) -> Self {
        ShardError::Io { path, source }
    }
}

/// The shards directly in a folder, by name; or the one that `path` is.
pub fn list(path: &Path) -> Result<Vec<PathBuf>, ShardError> {
    if !is_folder(path)? {
        return Ok(vec![path.to_owned()]);
    }
    Ok(shards_of(path).map_err(ShardError::io(path))?.shards)
}

fn is_folder(path: &Path) -> Result<bool, ShardError> {
    Ok(LocalStore::at(path).look(&Name::root())?.kind == EntryKind::Folder)
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
    /// Its bytes, or those of them that were brought.
    pub bytes: Arc<RangedFile>,
    /// Its sidecar.
    pub sidecar: Option<Sidecar>,
    /// Of the file; the map keeps it from being given to another one.
    version: Version,
    /// What was decoded when it was first opened to be searched.
    decoded: Arc<OnceLock<Decoded>>,
}

/// How much of a shard in a store that is not local is taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Take {
    /// All of it, at once.
    Whole,
    /// What is asked for, when it is; of a shard whose version the listing has not told, all.
    Ranges,
}

/// Sidecar of a shard, `SHARD.meta`: its repositories as they are now.
#[derive(Debug, PartialEq, Eq)]
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
    map_shards_in(&Fetched::local(folder), Take::Whole)
}

/// As [`map_shards`], in a store's own folder.
pub(super) fn map_shards_in(
    files: &Fetched,
    take: Take,
) -> io::Result<Vec<Result<FoundShard, ShardError>>> {
    map_listed(files, None, take, listed(files, None)?, &[])
}

/// The same, of a folder that was listed already, and of all its shards or the `only` one: however
/// long ago, only what still stands is taken. The shards `before` that still stand stay mapped.
fn map_listed(
    files: &Fetched,
    only: Option<&str>,
    take: Take,
    mut names: FoundNames,
    before: &[FoundShard],
) -> io::Result<Vec<Result<FoundShard, ShardError>>> {
    for _ in 0..LOOKS_MAX {
        let open = |place: usize| open_listed(files, &names, take, &names.shards[place], before);
        let places = 0..names.shards.len();
        let opened: Vec<_> = if files.is_in_place() {
            places.map(open).collect()
        } else if take == Take::Ranges && names.is_all() {
            // Each holds a file open. Where that is refused, opening one says so.
            reserve_handles(names.shards.len());
            // Read in the versions of this listing, they are of its moment.
            return Ok(places.map(open).collect());
        } else {
            threads::map_waiting(places.len(), open)
        };
        // Had any of them been opened after a plan was made, and any before, the plan or its work
        // would show now.
        let now = listed(files, only)?;
        let is_same = names.is_same(&now)
            && now.shards.iter().zip(&opened).all(|(now, found)| is_still(files, now, found));
        if is_same {
            let unread = names.unread.into_iter();
            let unread = unread.map(|(path, source)| Err(ShardError::Io { path, source }));
            return Ok(opened.into_iter().chain(unread).collect());
        }
        names = now;
    }
    Err(io::Error::new(io::ErrorKind::ResourceBusy, "its shards are being replaced all the time"))
}

/// The names in a store's own folder: those of all shards, or of the `only` one.
fn listed(files: &Fetched, only: Option<&str>) -> io::Result<FoundNames> {
    let mut names = shards_among(&Entries::list(files.store())?);
    names.shards.retain(|shard| only.is_none_or(|only| shard.name == only));
    Ok(names)
}

/// Whether a shard that was opened is the one that has the name now.
fn is_still(files: &Fetched, now: &Listed, found: &Result<FoundShard, ShardError>) -> bool {
    match found {
        // It was renamed or removed meanwhile; but for a link that leads nowhere.
        Err(ShardError::Io { source, .. }) if source.kind() == io::ErrorKind::NotFound => {
            now.kind == EntryKind::Rest
        }
        Err(_) => true,
        Ok(found) => match now.version {
            Some(version) => version == found.version,
            None => match files.store().look(&name_of(&now.name)) {
                Err(error) => !error.is_missing(),
                Ok(seen) => seen.version == found.version,
            },
        },
    }
}

impl FoundShard {
    /// Maps a local shard, and reads its sidecar.
    pub(super) fn open(path: &Path) -> Result<Self, ShardError> {
        let (files, name) = place_of(path)?;
        let WholeFile { bytes, version } =
            files.map(&name_of(&name)).map_err(|error| ShardError::io(path)(error.source))?;
        let sidecar = sidecar(path)?;
        let bytes = Arc::new(bytes.into());
        let decoded = Arc::default();
        Ok(FoundShard { path: path.to_owned(), bytes, sidecar, version, decoded })
    }

    /// The shard, and what was decoded of it.
    pub(super) fn opened(&self) -> Result<(Shard<'_>, &Decoded), ShardError> {
        let decoded = match self.decoded.get() {
            Some(decoded) => decoded,
            None => {
                let shard = self.decode()?;
                self.decoded.get_or_init(|| Decoded::of(&shard))
            }
        };
        let shard = Shard::open_again(&*self.bytes, &decoded.head);
        Ok((shard.map_err(|error| self.damaged(error))?, decoded))
    }

    /// The shard, opened for the first time, with what its sidecar says.
    fn decode(&self) -> Result<Shard<'_>, ShardError> {
        let mut shard = Shard::open_file(&*self.bytes).map_err(|error| self.damaged(error))?;
        if let Some(Sidecar { path, bytes }) = &self.sidecar {
            shard.replace_repositories(bytes).map_err(ShardError::sidecar(path))?;
        }
        Ok(shard)
    }

    /// Error of contradicting bytes, or of those that could not be brought.
    pub(super) fn damaged(&self, source: impl Into<FormatError>) -> ShardError {
        let source = source.into();
        let is_unread = matches!(&source, FormatError::Bytes(error) if error.is_unread());
        match self.bytes.failures().last().filter(|_| is_unread) {
            Some(failure) => failure.into(),
            None => ShardError::Damaged { path: self.path.clone(), source },
        }
    }
}

/// The folder of a local shard, and its name there.
fn place_of(path: &Path) -> Result<(Fetched, String), ShardError> {
    let (folder, name) = (path.parent(), path.file_name().and_then(OsStr::to_str));
    folder.zip(name).map(|(folder, name)| (Fetched::local(folder), name.to_owned())).ok_or_else(
        || {
            let what = "names of shards are valid UTF-8";
            ShardError::io(path)(io::Error::new(io::ErrorKind::InvalidFilename, what))
        },
    )
}

fn open_listed(
    files: &Fetched,
    names: &FoundNames,
    take: Take,
    shard: &Listed,
    before: &[FoundShard],
) -> Result<FoundShard, ShardError> {
    let name = name_of(&shard.name);
    let path = files.store().show(&name);
    let known = |version: Version| before.iter().find(|known| known.version == version);
    let (bytes, version) = match (shard.version.and_then(known), shard.version, take) {
        (Some(known), ..) => (Arc::clone(&known.bytes), known.version),
        (None, Some(version), Take::Ranges) => {
            (Arc::new(files.ranged(&name, Some(shard))?), version)
        }
        _ => {
            let WholeFile { bytes, version } = files.map_listed(&Name::root(), shard)?;
            let bytes = || Arc::new(bytes.into());
            (known(version).map_or_else(bytes, |known| Arc::clone(&known.bytes)), version)
        }
    };
    let sidecar = first_of(files.store(), &names.sidecars(&shard.name))?;
    let same = known(version).filter(|known| known.sidecar == sidecar);
    let decoded = same.map_or_else(Arc::default, |known| Arc::clone(&known.decoded));
    Ok(FoundShard { path, bytes, sidecar, version, decoded })
}

/// The shards directly in a local folder, as of one moment; or the one that `path` is. What can't
/// be read is handed to `failed`. The shards `before` that still stand stay mapped.
pub(super) fn find(
    path: &Path,
    before: &[FoundShard],
    failed: &mut dyn FnMut(ShardError),
) -> Result<Vec<FoundShard>, ShardError> {
    if !is_folder(path)? {
        let mut shard = FoundShard::open(path)?;
        if let Some(known) = before.iter().find(|known| known.version == shard.version) {
            shard.bytes = Arc::clone(&known.bytes);
            if shard.sidecar == known.sidecar {
                shard.decoded = Arc::clone(&known.decoded);
            }
        }
        return Ok(vec![shard]);
    }
    find_in(&Fetched::local(path), None, Take::Whole, before, failed)
}

/// The shards in a store's own folder, as [`find`] has those of a local one.
pub(super) fn find_in(
    files: &Fetched,
    only: Option<&str>,
    take: Take,
    before: &[FoundShard],
    failed: &mut dyn FnMut(ShardError),
) -> Result<Vec<FoundShard>, ShardError> {
    let names = listed(files, only);
    some(files, names.and_then(|names| map_listed(files, only, take, names, before)), failed)
}

/// The shards of a local folder by the entries that it was listed with, as of one moment.
pub(super) fn find_among(
    folder: &Path,
    entries: &[NamedEntry],
    failed: &mut dyn FnMut(ShardError),
) -> Result<Vec<FoundShard>, ShardError> {
    let (files, store) = (Fetched::local(folder), LocalStore::at(folder));
    let names = shards_among(&Entries::of(&store, store.listed(entries)));
    some(&files, map_listed(&files, None, Take::Whole, names, &[]), failed)
}

/// The shards of a folder that could be read, if there are any.
fn some(
    files: &Fetched,
    found: io::Result<Vec<Result<FoundShard, ShardError>>>,
    failed: &mut dyn FnMut(ShardError),
) -> Result<Vec<FoundShard>, ShardError> {
    let path = || files.store().show(&Name::root());
    let found = found.map_err(|source| ShardError::Io { path: path(), source })?;
    if found.is_empty() {
        return Err(ShardError::None { path: path() });
    }
    Ok(found.into_iter().filter_map(|found| found.map_err(&mut *failed).ok()).collect())
}

/// The sidecar of a local shard, if there is one: the new one where a plan says so. An empty one is
/// damaged: it says nothing of the tombstones that it had.
pub(super) fn sidecar(shard: &Path) -> Result<Option<Sidecar>, ShardError> {
    let (files, name) = place_of(shard)?;
    let planned = || {
        let (family, number) = Family::of(shard)?;
        // Beside a plan that can't be read, shards are taken as they are.
        family.planned().ok()??.sidecar_aside(&family.prefix, number)
    };
    let names: Vec<String> = planned().into_iter().chain([sidecar_name(&name)]).collect();
    first_of(files.store(), &names)
}

/// The first sidecar that is there.
fn first_of(store: &dyn Store, names: &[String]) -> Result<Option<Sidecar>, ShardError> {
    for name in names.iter().map(|name| name_of(name)) {
        let mut bytes = Vec::new();
        match store.read(&name, u64::MAX, &mut bytes) {
            Ok(()) => return Ok(Some(Sidecar { path: store.show(&name), bytes })),
            // It is renamed meanwhile, or there is none.
            Err(error) if error.is_missing() => {}
            Err(error) => return Err(ShardError::from(error)),
        }
    }
    Ok(None)
}

#[cfg(test)]
mod tests {
    use std::fs;

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
