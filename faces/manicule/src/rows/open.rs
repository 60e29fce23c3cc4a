//! How SSTables are opened, and with how much memory.

use std::path::{Path, PathBuf};

use manicule_rows::table::{Access, Ahead, Listed, TableOptions, TablePlace, list_all_at};
use manicule_rows::{Component, RowsError};
use manicule_store::context::Context;
use manicule_store::pages::{ReadCounts, Reading, SystemCache};

use super::error::Error;
use crate::place::remote;

/// Longest chunk that is decompressed, and longest component that is held whole, in bytes.
const CHUNK_BYTES_MAX: u32 = 64 << 20;
const COMPONENT_BYTES_MAX: u64 = 1 << 30;

/// Arguments of opening.
#[derive(Clone, Debug)]
pub struct OpenCall {
    /// A folder of a table, or a file of one of its SSTables; or the address of one.
    pub path: PathBuf,
    /// Bytes that a query may hold beside the cache.
    pub memory: u64,
    /// What is brought with the listing of a table at an address.
    pub ahead: Ahead,
}

impl OpenCall {
    /// For any question, with as much memory as any slice needs.
    pub fn new(path: PathBuf) -> Self {
        OpenCall { path, memory: 256 << 20, ahead: Ahead::Everything }
    }
}

/// Where the SSTables of a path or an address are.
pub(super) fn place_of(path: &Path) -> Result<TablePlace, RowsError> {
    let Some(remote) = remote(path)? else { return TablePlace::local(path) };
    TablePlace::far(remote.store(), remote.name(), path, remote.listed())
}

/// How files are read, with the cache of the context: by position, so that what a pass over
/// gigabytes has behind it leaves its memory, where a map would keep it.
pub(super) fn reads() -> Result<TableOptions, Error> {
    Ok(TableOptions {
        access: Access::Positioned(SystemCache::Used),
        cache: Context::current().pages().map_err(Error::Random)?,
        chunk_bytes_max: CHUNK_BYTES_MAX,
        component_bytes_max: COMPONENT_BYTES_MAX,
    })
}

/// Does a job that may hold `bytes` beside the cache.
pub(super) fn reading_within<T>(bytes: u64, job: impl FnOnce(&mut Reading<'_>) -> T) -> T {
    let (mut counts, budget) = (ReadCounts::default(), Context::current().memory().share(bytes));
    job(&mut Reading { counts: &mut counts, budget: &budget })
}

/// The error of a job of one SSTable on a folder of none or several.
pub(super) fn several(folder: &Path, listed: &[Listed]) -> Error {
    let name = |listed: &Listed| listed.descriptor.file_name(&Component::Data);
    let first = listed.first().map_or_else(String::new, name);
    Error::Several { folder: folder.to_owned(), count: listed.len(), first }
}

/// The only SSTable of a path that has data, finished or not.
pub(super) fn only_with_data(path: &Path) -> Result<Listed, Error> {
    let mut listed = list_all_at(&place_of(path)?)?;
    listed.retain(|listed| listed.components.contains(&Component::Data));
    match listed.len() {
        1 => Ok(listed.remove(0)),
        _ => Err(several(path, &listed)),
    }
}
