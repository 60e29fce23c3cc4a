//! Paths opened as shards.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use manicule::code::Shards;
use manicule::code::shards::ShardError;
use manicule::kinds::recognise;
use manicule::place::is_address;

use crate::below::{below_of_query, is_empty_folder};
use crate::messages::Messages;

/// Opens all that was given as shards. What can't be opened is told.
pub(super) fn open_all(paths: &[PathBuf], messages: &Messages) -> Shards {
    let mut failed = |error: ShardError| messages.failure(&error);
    let mut shards = Shards::default();
    for path in paths {
        if let Err(error) = add(&mut shards, path, &mut failed) {
            messages.failure(&format_args!("{error:#}"));
        }
    }
    shards
}

/// Adds what was given as shards: whoever asks a query says that it is one, or a folder that holds
/// some.
fn add(shards: &mut Shards, path: &Path, failed: &mut dyn FnMut(ShardError)) -> Result<()> {
    if is_address(path) {
        return Ok(shards.add(path, failed)?);
    }
    if path.is_dir() || path.extension() == Some(OsStr::new("zoekt")) {
        match shards.add(path, failed) {
            Err(ShardError::None { .. }) => {}
            added => return Ok(added?),
        }
    }
    let kind = recognise(path).with_context(|| path.display().to_string())?;
    if is_empty_folder(path) {
        bail!(
            "{} is an empty folder; a query wants a zoekt shard or a folder of them, which \
             `manicule code index` makes of a tree",
            path.display()
        );
    }
    let below = below_of_query(path).filter(|_| path.is_dir());
    bail!(
        "{} is {kind}; a query wants a zoekt shard or a folder of them, and `manicule find` searches the rest{}",
        path.display(),
        below.map_or(String::new(), |below| format!("; {below}"))
    )
}
