//! Where a path leads: to a file or folder of this machine, or to an address in an object store.
//!
//! Whatever takes a path takes an address in its place: it keeps the text of it, and asks here,
//! once, when it is opened. An address is opened by the context's
//! [`Addresses`]; where the context has none, by those of the
//! environment, if the feature `buckets` is on.

#[cfg(feature = "buckets")]
mod buckets;
mod listing;
#[cfg(not(feature = "buckets"))]
mod no_buckets;
mod outgoing;
mod reach;

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use manicule_core::watch::Watch;
use manicule_store::context::{Addresses, Context, Cost};
use manicule_store::publish::Upload;
use manicule_store::store::{
    Below, FetchLimits, Fetched, Listed, Name, Replace, Seen, Store, StoreError, writer_of,
};
use manicule_store::{Disk, Mapped};

use crate::cache::Cache;

#[cfg(feature = "buckets")]
use buckets::opener;
pub(crate) use listing::Listing;
#[cfg(not(feature = "buckets"))]
use no_buckets::opener;
use outgoing::cache_for;
pub(crate) use outgoing::{scratch, scratch_of_call};
pub use reach::{Reach, Style};

/// What addresses begin with.
const SCHEMES: [&str; 7] =
    ["s3://", "s3:https://", "s3:http://", "gs://", "az://", "https://", "http://"];

/// Folder of the cache for whole files of object stores.
const FETCHED: &str = "fetched";

/// Whether a path is an address in an object store. A local folder of such a name is reached by
/// `./s3:/..`.
pub fn is_address(path: &Path) -> bool {
    let bytes = path.as_os_str().as_encoded_bytes();
    SCHEMES.iter().any(|scheme| bytes.starts_with(scheme.as_bytes()))
}

/// Has the process's addresses opened so, unless that was said before.
pub fn reach(how: Reach) -> Arc<dyn Addresses> {
    Context::of_process().open_addresses_by(opener(how))
}

/// What was asked of object stores within the context so far.
pub fn cost() -> Option<Cost> {
    Context::current().addresses()?.cost()
}

/// What an address leads to.
#[derive(Clone, Debug)]
pub(crate) struct Remote {
    pub(crate) store: Arc<dyn Store>,
    pub(crate) name: Name,
    /// What lies directly below it, where the call has listed that.
    listed: Option<Vec<Listed>>,
}

/// What a path leads to if it is an address; `None` of a local path. Nothing is asked of the store
/// yet.
pub(crate) fn remote(path: &Path) -> Result<Option<Remote>, StoreError> {
    if !is_address(path) {
        return Ok(None);
    }
    let Some(text) = path.to_str() else {
        let source = io::Error::new(io::ErrorKind::InvalidInput, "addresses are valid UTF-8");
        return Err(StoreError { file: path.to_owned(), source });
    };
    let addresses = Context::current().addresses();
    let addresses = addresses.unwrap_or_else(|| reach(Reach::default()));
    let (store, name) = addresses.resolve(text)?;
    Ok(Some(Remote { store, name, listed: Listing::take(path) }))
}

/// The bytes of a whole file at a local path or an address.
///
/// # Errors
/// A file that is not there or can't be read.
pub fn map(path: &Path) -> io::Result<Mapped> {
    let whole = |remote: Remote| fetched(remote.parent())?.map(&remote.own());
    match remote(path).map_err(|error| error.source)? {
        None => Mapped::open(path),
        Some(remote) => Ok(whole(remote).map_err(|error| error.source)?.bytes),
    }
}

/// Refuses an address, for what needs a local path.
pub(crate) fn local(path: &Path) -> Result<(), StoreError> {
    if !is_address(path) {
        return Ok(());
    }
    let what = "this needs a local path, and reads no address";
    let source = io::Error::new(io::ErrorKind::Unsupported, what);
    Err(StoreError { file: path.to_owned(), source })
}

impl Remote {
    /// What lies below it, as a store.
    pub(crate) fn folder(&self) -> Arc<dyn Store> {
        let below = Below::of(Arc::clone(&self.store), self.name.clone());
        match &self.listed {
            Some(listed) => Seen::of(below, listed.clone()),
            None => below,
        }
    }

    /// What lies directly below it, where the call has listed that.
    pub(crate) fn listed(&self) -> Option<Vec<Listed>> {
        self.listed.clone()
    }

    /// The parts of its name.
    pub(crate) fn names(&self) -> Vec<&str> {
        self.name.as_str().split('/').filter(|name| !name.is_empty()).collect()
    }

    /// The store that it is in.
    pub(crate) fn store(&self) -> &Arc<dyn Store> {
        &self.store
    }

    /// Its name there.
    pub(crate) fn name(&self) -> &Name {
        &self.name
    }

    /// The last part of its name; of a store's own folder it is empty.
    pub(crate) fn last(&self) -> &str {
        let name = self.name.as_str();
        name.rsplit_once('/').map_or(name, |(_, last)| last)
    }

    /// What puts new files there.
    ///
    /// # Errors
    /// A store that is only read.
    pub(crate) fn upload(&self) -> Result<Upload, StoreError> {
        Upload::into_store(self.folder())
            .map_err(|error| StoreError { file: self.store.show(&self.name), ..error })
    }

    /// Puts a local file there, in place of whatever is there: it is seen when all of it is there.
    pub(crate) fn put(&self, source: &Path) -> Result<(), StoreError> {
        let (writer, watch) = (writer_of(&*self.store)?, Watch::none());
        writer.put_file(&self.name, source, Replace::Any, &watch.silent()).map(drop)
    }

    /// Its name in the folder that it lies in.
    pub(crate) fn own(&self) -> Name {
        Name::new(self.last()).unwrap_or_default()
    }

    /// The folder that it lies in, as a store; of a store's own folder that one.
    pub(crate) fn parent(&self) -> Arc<dyn Store> {
        Below::of(Arc::clone(&self.store), self.name.parent().unwrap_or_default())
    }
}

/// The files of a store, each brought whole into the user's cache when it is first wanted.
pub(crate) fn fetched(store: Arc<dyn Store>) -> Result<Fetched, StoreError> {
    let Cache { folder, len_max } = cache_for(&store.show(&Name::root()))?;
    let limits = FetchLimits { file_bytes_max: len_max, kept_bytes_max: len_max };
    Ok(Fetched::through(store, &fetched_in(&folder), Disk::shared(), limits))
}

/// Where whole files of object stores are in a cache folder.
fn fetched_in(cache: &Path) -> PathBuf {
    cache.join(FETCHED)
}

/// Length in bytes of the whole files of object stores that a cache folder has.
pub fn fetched_len(cache: &Path) -> io::Result<u64> {
    each_fetched(cache, &|_| Ok(()))
}

/// Removes these files, and returns their length. Who has one mapped keeps it.
pub fn clear_fetched(cache: &Path) -> io::Result<u64> {
    each_fetched(cache, &|file| Disk::shared().remove(file))
}

/// Does something with each of these files; the length of all of them.
fn each_fetched(cache: &Path, job: &dyn Fn(&Path) -> io::Result<()>) -> io::Result<u64> {
    let entries = match fs::read_dir(fetched_in(cache)) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(0),
        entries => entries?,
    };
    let mut sum = 0;
    for entry in entries {
        let entry = entry?;
        // Another process may have removed it.
        if let Ok(seen) = entry.metadata()
            && job(&entry.path()).is_ok()
        {
            sum += seen.len();
        }
    }
    Ok(sum)
}
