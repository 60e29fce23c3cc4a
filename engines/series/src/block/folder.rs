//! Contents of a folder: the paths of its blocks, its log, and what is there where no block is.

use std::fs;
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};

use manicule_format_prometheus::{LOG_NAME, Ulid};
use manicule_store::{NamedEntry, list_names};

use super::error::BlockError;
use super::signs::has_block_parts;

/// The blocks that a path stands for: itself if it is a block or an index, else those directly in
/// the folder, by name and so by the time that they were made. What is half written or being
/// removed has another name.
pub fn block_paths(path: &Path) -> Result<Vec<PathBuf>, BlockError> {
    let is_folder = fs::metadata(path).map_err(BlockError::io(path))?.is_dir();
    if !is_folder || has_meta(path)? {
        return Ok(vec![path.to_owned()]);
    }
    blocks_among(path, &list_names(path).map_err(BlockError::io(path))?)
}

/// The blocks among the entries of a folder that is none.
pub(super) fn blocks_among(
    folder: &Path,
    entries: &[NamedEntry],
) -> Result<Vec<PathBuf>, BlockError> {
    let mut paths = Vec::new();
    for name in entries.iter().map(|entry| &entry.name) {
        let is_block = name.to_str().is_some_and(|name| name.parse::<Ulid>().is_ok());
        let path = folder.join(name);
        // One that has lost its meta file is not passed over either: opening it says so.
        if is_block && (has_meta(&path)? || has_block_parts(&path)) {
            paths.push(path);
        }
    }
    if paths.is_empty() {
        return Err(BlockError::no_block(folder));
    }
    paths.sort();
    Ok(paths)
}

/// Whether a folder has a meta file. Where that can't be determined the block is not passed over:
/// the answer would lack it.
pub(super) fn has_meta(folder: &Path) -> Result<bool, BlockError> {
    let path = folder.join("meta.json");
    match fs::metadata(&path) {
        Ok(_) => Ok(true),
        Err(error) if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => {
            Ok(false)
        }
        Err(source) => Err(BlockError::Io { path, source }),
    }
}

/// The write-ahead log of a data folder, if there is something in it. The samples that only it has
/// are in no block, and nothing here reads them.
pub fn unread_log(path: &Path) -> Option<PathBuf> {
    let log = path.join(LOG_NAME);
    let entries = fs::read_dir(&log).ok()?;
    let is_filled = |entry: io::Result<fs::DirEntry>| {
        entry.and_then(|entry| entry.metadata()).is_ok_and(|meta| meta.is_file() && meta.len() > 0)
    };
    let is_block = path.join("meta.json").exists();
    (!is_block && entries.into_iter().any(is_filled)).then_some(log)
}

impl BlockError {
    /// A folder in which there is no block.
    pub(crate) fn no_block(folder: &Path) -> Self {
        let path = folder.to_owned();
        if folder.join(LOG_NAME).is_dir() {
            BlockError::OnlyLog { path }
        } else {
            BlockError::Missing { path }
        }
    }

    /// A folder that is no block: one of blocks, or of nothing.
    pub(super) fn not_one_block(folder: &Path) -> Self {
        match block_paths(folder) {
            Ok(blocks) => BlockError::DataFolder { path: folder.to_owned(), blocks },
            Err(error) => error,
        }
    }
}
