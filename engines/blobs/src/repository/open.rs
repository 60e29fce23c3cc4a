//! Opening a repository: the key file that a password opens, then the config.
//!
//! A derivation takes 0.3 to 0.6 s of a processor and 32 to 128 MiB, which is most of a small
//! command. Key files are tried on several threads, as many at once as the memory allows.
//!
//! Bytes:   docs/formats/restic.md, "Keys"

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

use manicule_format_restic::{Config, FileKind, Id, IdPrefix, Key, KeyError, KeyFile, KeyLimits};
use manicule_store::threads;

use super::Repository;
use crate::error::RepoError;
use crate::storage::{FileName, Listed, Storage};

/// Maximum length of a config.
const CONFIG_LEN_MAX: u64 = 64 << 10;

/// Maximum length of a key file.
const KEY_FILE_LEN_MAX: u64 = 64 << 10;

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
        let mut sealed_config = read_config(&*storage)?;
        let keys = keys_in_order(&*storage, search)?;
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
        let (trees, again) = (Arc::default(), Arc::default());
        let repository = Repository { storage, key: Arc::from(key), key_id, config, trees, again };
        Ok(OpenedRepository { repository, broken_keys })
    }
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
