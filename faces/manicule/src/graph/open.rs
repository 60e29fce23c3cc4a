//! The store of a folder.
//!
//! Callers: graph

use std::fs;
use std::path::Path;

use manicule_graph::{
    GraphError, LeafSizes, Snapshot, Store, StoreOptions, read_snapshot, read_store,
};
use manicule_store::Disk;

use super::error::Error;

/// The store as it is now, beside whoever writes it; or as a named snapshot has it.
pub(super) fn open_to_read(folder: &Path, at: Option<&str>) -> Result<Snapshot, Error> {
    Ok(match at {
        Some(name) => read_snapshot(folder, name, random()?)?,
        None => read_store(folder, random()?)?,
    })
}

/// The store for writing.
pub(super) fn open_to_write(folder: &Path) -> Result<Store, Error> {
    Ok(Store::open(folder, &options()?)?)
}

/// The store for writing; where nothing is, or an empty folder, an empty one is made.
pub(super) fn open_or_create(folder: &Path) -> Result<Store, Error> {
    let options = options()?;
    match Store::open(folder, &options) {
        Err(GraphError::Missing { .. }) if is_vacant(folder) => {
            Ok(Store::create(folder, &options)?)
        }
        Err(GraphError::Missing { place, .. }) => {
            let why = match folder.is_dir() {
                true => "the folder holds other files, and no graph store; name a new or empty one",
                false => "this is no folder, which a store is",
            };
            Err(GraphError::Missing { place, why: why.to_owned() }.into())
        }
        opened => Ok(opened?),
    }
}

fn is_vacant(folder: &Path) -> bool {
    match fs::read_dir(folder) {
        Ok(mut entries) => entries.next().is_none(),
        Err(error) => error.kind() == std::io::ErrorKind::NotFound,
    }
}

fn options() -> Result<StoreOptions, Error> {
    Ok(StoreOptions { files: Disk::shared(), random: random()?, leaves: LeafSizes::STANDARD })
}

/// A random number that nobody else knows.
pub(super) fn random() -> Result<u64, Error> {
    manicule_store::random().map(u64::from_ne_bytes).map_err(Error::Random)
}
