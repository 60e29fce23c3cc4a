//! A repository opened with a password.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use manicule_blobs::{
    Ahead, CacheUse, CachedIndex, FilesWork, IdPrefix, Index, Indexed, KeyLimits, KeySearch,
    RepoError, RepositoryFiles, Snapshots, keep_trees, load_cached, open_trees,
};
use manicule_core::watch::Watch;
use manicule_store::Disk;
use manicule_store::store::StoreError;

use super::error::Error;
use crate::place::{local, remote};

/// Maximum number of key files that are tried, as restic has it.
const KEYS_MAX: usize = 20;

/// Limits of what a key file may ask for: 1 GiB of memory, and some 7 s of a processor.
const KEY_LIMITS: KeyLimits = KeyLimits { memory_bytes_max: 1 << 30, work_max: 1 << 24 };

/// Arguments of opening a repository.
#[derive(Clone)]
pub struct OpenCall {
    /// Its folder, or its address.
    pub path: PathBuf,
    /// The password.
    pub password: Vec<u8>,
    /// Beginning of the id of the key that is tried first.
    pub key_hint: Option<IdPrefix>,
    /// Number of threads.
    pub threads: usize,
    /// Where the index is kept from call to call, if it is.
    pub index_cache: Option<IndexCache>,
    /// What is brought with the key of a repository at an address.
    pub ahead: Ahead,
}

/// A cache of the index, sealed with the repository's key.
#[derive(Clone, Debug)]
pub struct IndexCache {
    /// Folder of all caches.
    pub folder: PathBuf,
    /// Receives the error of a cache that can't be written. The call goes on without.
    pub failed: fn(&Error),
}

/// A repository that is open: what reads it is a method, of any number of threads at once.
///
/// It keeps what is dear, its key, and shows what is there: each verb that needs snapshots and
/// index reads them as they are when it begins, the index by way of a cache if there is one. So
/// there is nothing to look at again.
#[derive(Debug)]
pub struct Repository {
    pub(super) engine: manicule_blobs::Repository,
    /// Key files that could not be tried, as sentences.
    pub broken_keys: Vec<String>,
    files: Arc<RepositoryFiles>,
    path: PathBuf,
    threads: usize,
    index_cache: Option<IndexCache>,
}

impl Repository {
    /// Opens a repository. One derivation of a key takes 0.3 to 0.6 s and up to 128 MiB; several
    /// key files are tried at once.
    pub fn open(call: &OpenCall) -> Result<Self, Error> {
        let search = KeySearch {
            hint: call.key_hint,
            keys_max: KEYS_MAX,
            limits: KEY_LIMITS,
            threads: call.threads,
        };
        if let Some(IndexCache { folder, .. }) = &call.index_cache {
            local(folder)
                .map_err(|StoreError { file, source }| Error::Cache { folder: file, source })?;
        }
        let files = Arc::new(files_of(&call.path)?);
        // What a cache has is not read again.
        let ahead = match &call.index_cache {
            Some(_) if call.ahead == Ahead::Index => Ahead::Listings,
            _ => call.ahead,
        };
        let opened =
            manicule_blobs::Repository::open_ahead(files.clone(), &call.password, &search, ahead)?;
        Ok(Repository {
            engine: opened.repository,
            broken_keys: opened.broken_keys,
            files,
            path: call.path.clone(),
            threads: call.threads,
            index_cache: call.index_cache.clone(),
        })
    }

    /// What its files were asked for since it was opened, and to open it; what an index cache gave
    /// is not in it.
    pub fn work(&self) -> FilesWork {
        self.files.work()
    }

    /// Its folder, or its address.
    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    /// Number of threads that jobs on it use.
    pub fn threads(&self) -> usize {
        self.threads
    }

    /// Version of its format: 1, or 2, in which blobs may be compressed.
    pub fn version(&self) -> u32 {
        self.engine.config().version.number()
    }

    /// Reads all snapshots. Before the index: then every blob that a snapshot needs is in it.
    pub fn snapshots(&self, watch: &Watch<'_>) -> Result<Snapshots, Error> {
        if let Some(asked) = self.cache_use()?
            && let Some(snapshots) = open_trees(&self.engine, &asked)?
        {
            return Ok(snapshots);
        }
        Ok(Snapshots::load(&self.engine, self.threads, watch)?)
    }

    /// Loads the index, or opens it in the cache; a file of it that can't be read is an error.
    pub fn index(&self, watch: &Watch<'_>) -> Result<Index, Error> {
        self.index_of(Indexed::All, watch)
    }

    /// The same; unless it comes from the cache, it may be of trees alone.
    pub(super) fn index_of(&self, indexed: Indexed, watch: &Watch<'_>) -> Result<Index, Error> {
        let seed = seed()?;
        let (repository, threads) = (&self.engine, self.threads);
        let (Some(cache), Some(asked)) = (&self.index_cache, self.cache_use()?) else {
            return Ok(Index::load(repository, indexed, seed, threads, watch, &mut Err)?);
        };
        let CachedIndex { index, trouble, .. } =
            load_cached(repository, &asked, seed, threads, watch)?;
        let kept = keep_trees(repository, &index, &asked, threads, watch)?;
        if let Some(source) = trouble.or(kept.err()) {
            (cache.failed)(&Error::Cache { folder: asked.folder, source });
        }
        Ok(index)
    }

    fn cache_use(&self) -> Result<Option<CacheUse>, Error> {
        let Some(IndexCache { folder, .. }) = self.index_cache.clone() else { return Ok(None) };
        let salt = manicule_store::random().map_err(Error::Random)?;
        Ok(Some(CacheUse { folder, files: Disk::shared(), salt, threads: self.threads }))
    }
}

/// The files of a repository in a local folder, or at an address.
pub(super) fn files_of(path: &Path) -> Result<RepositoryFiles, RepoError> {
    Ok(match remote(path)? {
        None => RepositoryFiles::local(path),
        Some(remote) => RepositoryFiles::new(remote.folder()),
    })
}

/// A random number that nobody else knows.
pub(super) fn seed() -> Result<u64, Error> {
    Ok(u64::from_ne_bytes(manicule_store::random().map_err(Error::Random)?))
}
