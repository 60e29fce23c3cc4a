//! Shards that others are written from: opened with their sidecars.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use manicule_format_zoekt::Shard;
use manicule_store::Mapped;

use super::super::open::{FoundShard, ShardError, Sidecar};
use super::error::CompoundError;

/// A shard, mapped.
pub(super) struct Input {
    pub(super) path: PathBuf,
    pub(super) bytes: Arc<Mapped>,
    sidecar: Option<Sidecar>,
}

impl Input {
    pub(super) fn open(path: &Path) -> Result<Input, CompoundError> {
        let FoundShard { path, bytes, sidecar } = FoundShard::open(path)?;
        Ok(Input { path, bytes: Arc::new(bytes), sidecar })
    }

    /// The shard, with what its sidecar says.
    pub(super) fn shard(&self) -> Result<Shard<'_>, ShardError> {
        let mut shard = Shard::open(&self.bytes).map_err(ShardError::damaged(&self.path))?;
        if let Some(Sidecar { path, bytes }) = &self.sidecar {
            shard.replace_repositories(bytes).map_err(ShardError::sidecar(path))?;
        }
        Ok(shard)
    }
}

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
