//! The folder of shards that others are written from.

use std::fs;
use std::path::{Path, PathBuf};

use super::error::CompoundError;

/// The folder that all of these paths lie in.
pub(super) fn folder_of(paths: &[PathBuf]) -> Result<PathBuf, CompoundError> {
    let mut folders = paths.iter().map(|path| {
        let is_shard = path.file_name().is_some();
        let folder = path.parent().filter(|_| is_shard);
        let folder = folder.ok_or_else(|| CompoundError::NoShard(path.clone()))?;
        Ok(if folder == Path::new("") { PathBuf::from(".") } else { folder.to_owned() })
    });
    let first = folders.next().unwrap_or(Err(CompoundError::Nothing))?;
    for other in folders {
        let other = other?;
        let real = |path: &Path| fs::canonicalize(path).ok();
        if other != first && real(&other) != real(&first) {
            return Err(CompoundError::Folders { first, second: other });
        }
    }
    Ok(first)
}
