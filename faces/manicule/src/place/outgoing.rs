//! Files on their way to an object store: local ones, in the cache folder, that go when they are
//! put.

use std::fs::DirBuilder;
use std::io;
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};
use std::process;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use manicule_store::Disk;
use manicule_store::publish::{Draft, DraftNames, Drafts};
use manicule_store::store::StoreError;

use crate::cache::Cache;

/// Folder of the cache for them.
const OUTGOING: &str = "outgoing";

/// Folder for files of calls.
const OF_CALLS: &str = "calls";

/// Folders of calls: the number of the process, and one in it.
const NAMES: DraftNames = DraftNames {
    noun: "a folder of a call",
    is_name: |name| name.split_once('-').is_some_and(|(process, _)| process.parse::<u32>().is_ok()),
    creation: ".new",
    deletion: ".old",
    lock: ".lock",
};

/// The user's cache, which the files of a place need.
pub(super) fn cache_for(place: &Path) -> Result<Cache, StoreError> {
    Cache::of_user().ok_or_else(|| {
        let what = "its files are kept in the cache folder while they are read or written, and \
                    there is none: MANICULE_CACHE_DIR names one";
        let source = io::Error::new(io::ErrorKind::Unsupported, what);
        StoreError { file: place.to_owned(), source }
    })
}

/// A local folder of a name for what is put to an address, made where it is missing. Who writes
/// there sweeps what killed runs have left.
pub(crate) fn scratch(name: &str, address: &Path) -> Result<PathBuf, StoreError> {
    let folder = cache_for(address)?.folder.join(OUTGOING).join(name);
    let made = DirBuilder::new().recursive(true).mode(0o700).create(&folder);
    made.map_err(|source| StoreError { file: folder.clone(), source })?;
    Ok(folder)
}

/// A local folder of a call for what is put to an address: it goes with the value. Those of killed
/// calls go now.
pub(crate) fn scratch_of_call(address: &Path) -> Result<Draft, StoreError> {
    static COUNT: AtomicU64 = AtomicU64::new(0);
    let folder = scratch(OF_CALLS, address)?;
    let name = format!("{}-{}", process::id(), COUNT.fetch_add(1, Relaxed));
    let draft = Drafts::open(&Disk::shared(), &folder, NAMES).and_then(|all| all.draft(&name));
    draft.map_err(|source| StoreError { file: folder, source })
}
