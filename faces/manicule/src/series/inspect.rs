//! What blocks are made of, in local folders and at addresses.

use std::path::Path;

use manicule_core::findings::Verified;
use manicule_core::watch::Watch;
use manicule_series::{
    Block, BlockCounts, BlockError, BlockFile, BlockInspection, BlockSummary, inspect_in,
    summarise_in,
};
use manicule_store::store::Name;

use crate::place::{Remote, fetched, is_address, map, remote};

/// A block, or an index by itself, as what lies at an address was recognised.
pub(crate) fn inspect(path: &Path, is_file: bool) -> Result<BlockInspection, BlockError> {
    let Some(remote) = remote(path)? else { return manicule_series::inspect(path) };
    if is_file {
        let files = fetched(remote.parent())?;
        return inspect_in(&files, &Name::root(), &open_index(&remote)?);
    }
    let (files, root) = (fetched(remote.folder())?, Name::root());
    inspect_in(&files, &root, &Block::open_in(&files, &root)?)
}

/// An index by itself, at an address.
pub(super) fn open_index(remote: &Remote) -> Result<Block, BlockError> {
    Block::open_index_in(&fetched(remote.parent())?, &remote.own())
}

/// The blocks of a folder.
pub(crate) fn summarise(path: &Path) -> Result<Vec<BlockSummary>, BlockError> {
    match remote(path)? {
        None => manicule_series::summarise(path),
        Some(remote) => summarise_in(&fetched(remote.folder())?),
    }
}

/// A file of a block that is no index; `None` of one.
pub(crate) fn block_file(path: &Path) -> Result<Option<BlockFile>, BlockError> {
    if !is_address(path) {
        return BlockFile::open(path);
    }
    let bytes = map(path).map_err(|source| BlockError::Io { path: path.to_owned(), source })?;
    BlockFile::of(path, bytes)
}

/// Verifies a block, a file of one by itself, or the blocks of a folder, as what lies at an address
/// was recognised.
pub(crate) fn verify(
    path: &Path,
    is_file: bool,
    threads: usize,
    watch: &Watch<'_>,
) -> Result<Verified<BlockCounts>, BlockError> {
    let Some(remote) = remote(path)? else {
        return manicule_series::verify(path, threads, watch);
    };
    let only = is_file.then(|| remote.last());
    let folder = if only.is_some() { remote.parent() } else { remote.folder() };
    manicule_series::verify_in(&fetched(folder)?, only, threads, watch)
}
