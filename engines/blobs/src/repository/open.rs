//! Opening a repository: the key file that a password opens, then the config.
//!
//! A derivation takes 0.3 to 0.6 s of a processor and 32 to 128 MiB, which is most of a small
//! command. Key files are tried on several threads, as many at once as the memory allows.
//!
//! Where a question costs a round, the config and all listings are one, and the key files and what
//! a call is going to read besides another.
//!
//! Bytes:   docs/formats/restic.md, "Keys"

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

use manicule_format_restic::{Config, FileKind, Id, IdPrefix, Key, KeyError, KeyFile, KeyLimits};
use manicule_store::threads;

use super::Repository;
use super::read::{KEY_FILE_LEN_MAX, whole};
use crate::error::RepoError;
use crate::storage::{FileName, Listed, Soon, Storage};

/// Maximum length of a config.
const CONFIG_LEN_MAX: u64 = 64 << 10;

/// Bytes of each kind of files that are read with the keys: lost where the password is wrong.
const AHEAD_LEN_MAX: u64 = 16 << 20;

/// How the key of a password is searched for.
#[derive(Clone, Copy, Debug)]
pub struct KeySearch {
    /// Keys whose ids begin so are tried first.
    pub hint: Option<IdPrefix>,
    /// Maximum number of key files that are tried.
    pub keys_max: usize,
    /// Limits of what a key file may ask for.
    pub limits: KeyLimits,
    /// Number of derivations at once.
    pub threads: usize,
}

/// What is brought with the key where each question costs a round: the first call sees it as it was
/// then. For who asks at once, and not for who keeps a repository open.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Ahead {
    /// Nothing.
    Nothing,
    /// All snapshots.
    Snapshots,
    /// These and the listing of index files, which are in a cache.
    Listings,
    /// Snapshots and index files.
    Index,
    /// These and the listing of packs.
    Packs,
}

impl Ahead {
    /// Kinds of files that are listed.
    fn listed(self) -> &'static [FileKind] {
        use FileKind::{Index, Pack, Snapshot};
        match self {
            Ahead::Nothing => &[],
            Ahead::Snapshots => &[Snapshot],
            Ahead::Listings | Ahead::Index => &[Snapshot, Index],
            Ahead::Packs => &[Snapshot, Index, Pack],
        }
    }

    /// Kinds of files that are read.
    fn read(self) -> &'static [FileKind] {
        use FileKind::{Index, Snapshot};
        match self {
            Ahead::Nothing | Ahead::Listings => &[],
            Ahead::Snapshots => &[Snapshot],
            Ahead::Index | Ahead::Packs => &[Snapshot, Index],
        }
    }
}

/// A repository, and the key files that were found to be broken on the way, as sentences.
#[derive(Debug)]
pub struct OpenedRepository {
    /// The repository.
    pub repository: Repository,
    /// Key files that could not be tried.
    pub broken_keys: Vec<String>,
}

/// What became of a key file.
enum Tried {
    Opened(Id, Box<Key>),
    WrongPassword,
    Broken(String),
    /// Another one was opened before.
    Skipped,
}

impl Repository {
    /// Opens a repository with a password. A broken key file doesn't end the search, as another may
    /// open.
    pub fn open(
        storage: Arc<dyn Storage>,
        password: &[u8],
        search: &KeySearch,
    ) -> Result<OpenedRepository, RepoError> {
        Repository::open_ahead(storage, password, search, Ahead::Nothing)
    }

    /// The same; where each question costs a round, what is going to be asked is brought with the
    /// key.
    pub fn open_ahead(
        storage: Arc<dyn Storage>,
        password: &[u8],
        search: &KeySearch,
        ahead: Ahead,
    ) -> Result<OpenedRepository, RepoError> {
        bring_listings(&*storage, ahead);
        let mut sealed_config = read_config(&*storage)?;
        let keys = keys_in_order(&*storage, search)?;
        bring_files(&*storage, &keys, ahead);
        let is_found = AtomicBool::new(false);
        let tried = threads::map(search.threads, keys.len(), |at| {
            if is_found.load(Relaxed) {
                return Tried::Skipped;
            }
            let tried = try_key(&*storage, &keys[at], password, &search.limits);
            if matches!(tried, Tried::Opened(..)) {
                is_found.store(true, Relaxed);
            }
            tried
        });
        let (mut opened, mut broken_keys) = (None, Vec::new());
        for tried in tried {
            match tried {
                Tried::Opened(id, key) => opened = opened.or(Some((id, key))),
                Tried::Broken(why) => broken_keys.push(why),
                Tried::WrongPassword | Tried::Skipped => {}
            }
        }
        let Some((key_id, key)) = opened else {
            let place = storage.place();
            return Err(RepoError::WrongPassword { place, keys: keys.len(), broken: broken_keys });
        };
        let config = open_config(&*storage, &key, &mut sealed_config)?;
        let (trees, roots, again) = (Arc::default(), Arc::default(), Arc::default());
        let key = Arc::from(key);
        let repository = Repository { storage, key, key_id, config, trees, roots, again };
        Ok(OpenedRepository { repository, broken_keys })
    }
}

fn bring_listings(storage: &dyn Storage, ahead: Ahead) {
    if storage.is_far() {
        let mut soon =
            vec![Soon::Whole(FileName::Config, CONFIG_LEN_MAX), Soon::List(FileKind::Key)];
        soon.extend(ahead.listed().iter().map(|kind| Soon::List(*kind)));
        storage.bring(&soon);
    }
}

/// Brings the key files, and the first of the kinds that are going to be read.
fn bring_files(storage: &dyn Storage, keys: &[Listed], ahead: Ahead) {
    if !storage.is_far() {
        return;
    }
    let mut soon: Vec<Soon> = keys.iter().map(|key| whole(FileKind::Key, key)).collect();
    for kind in ahead.read() {
        let listed = storage.brought(*kind).unwrap_or_default();
        let mut len = 0;
        let first = listed.iter().take_while(|file| {
            len += file.len;
            len <= AHEAD_LEN_MAX
        });
        soon.extend(first.map(|file| whole(*kind, file)));
    }
    storage.bring(&soon);
}

/// The config, sealed as it is.
pub(crate) fn read_config(storage: &dyn Storage) -> Result<Vec<u8>, RepoError> {
    let mut sealed = Vec::new();
    match storage.read(FileName::Config, CONFIG_LEN_MAX, &mut sealed) {
        Err(error) if error.is_missing() => Err(RepoError::Missing { place: storage.place() }),
        Err(error) => Err(RepoError::Storage(error)),
        Ok(()) => Ok(sealed),
    }
}

fn open_config(storage: &dyn Storage, key: &Key, sealed: &mut [u8]) -> Result<Config, RepoError> {
    let file = || storage.name(FileName::Config);
    let plain =
        key.open_in_place(sealed).map_err(|source| RepoError::Sealed { file: file(), source })?;
    Config::parse(plain).map_err(|source| RepoError::Config { file: file(), source })
}

/// The key files to try: those of the hint first.
fn keys_in_order(storage: &dyn Storage, search: &KeySearch) -> Result<Vec<Listed>, RepoError> {
    let mut keys = storage.list(FileKind::Key).map_err(RepoError::Storage)?;
    let is_meant = |key: &Listed| search.hint.is_some_and(|hint| hint.matches(&key.id));
    keys.sort_by_key(|key| (!is_meant(key), key.id));
    keys.truncate(search.keys_max);
    Ok(keys)
}

/// A key file, read and parsed; otherwise what is wrong with it, as a sentence.
pub(crate) fn read_key(storage: &dyn Storage, id: Id) -> Result<KeyFile, String> {
    let file = FileName::Of(FileKind::Key, id);
    let mut bytes = Vec::new();
    storage.read(file, KEY_FILE_LEN_MAX, &mut bytes).map_err(|error| error.to_string())?;
    let got = Id::of(&bytes);
    if got != id {
        return Err(RepoError::Damaged { file: storage.name(file), got }.to_string());
    }
    KeyFile::parse(&bytes).map_err(|error| format!("{}: {error}", storage.name(file)))
}

fn try_key(storage: &dyn Storage, key: &Listed, password: &[u8], limits: &KeyLimits) -> Tried {
    let parsed = match read_key(storage, key.id) {
        Ok(parsed) => parsed,
        Err(why) => return Tried::Broken(why),
    };
    match parsed.open(password, limits) {
        Ok(opened) => Tried::Opened(key.id, Box::new(opened)),
        Err(KeyError::WrongPassword) => Tried::WrongPassword,
        Err(error) => {
            let file = storage.name(FileName::Of(FileKind::Key, key.id));
            Tried::Broken(format!("{file}: {error}"))
        }
    }
}
