//! Blocks that others are made of, at paths and at addresses.

use std::path::Path;

use manicule_series::{Block, BlockError, LeftOut, Salvage, Why, open_named};
use manicule_store::store::Name;

use super::data::open_remote;
use super::error::Error;
use crate::place::{fetched, remote};

/// Opens a block, or an index by itself, at a path; or a block at an address.
pub fn open_block(path: &Path) -> Result<Block, Error> {
    match remote(path).map_err(BlockError::from)? {
        Some(remote) => {
            let files = fetched(remote.folder()).map_err(BlockError::from)?;
            Ok(Block::open_in(&files, &Name::root())?)
        }
        None => Ok(Block::open(path)?),
    }
}

/// Opens the blocks that a path or an address stands for, in the order of their names. Those of an
/// address that are marked for deletion are left out: something else has what they have.
///
/// # Errors
/// Among others a block that is damaged or lacks a file. With a salvage it is added to that, and
/// left out.
pub(super) fn open_blocks(
    path: &Path,
    salvage: Option<&Salvage>,
) -> Result<(Vec<Block>, Vec<LeftOut>), Error> {
    let Some(remote) = remote(path).map_err(BlockError::from)? else {
        return Ok((open_named(path, salvage)?, Vec::new()));
    };
    let opened = open_remote(&remote, None, salvage)?;
    let (mut blocks, mut left_out) = (opened.blocks, Vec::new());
    for out in opened.left_out {
        match (out.why, salvage) {
            (Why::Failed(error), None) => return Err(error.into()),
            (Why::Failed(error), Some(salvage)) => salvage.block(&out.path, &error),
            (why, _) => left_out.push(LeftOut { path: out.path, why }),
        }
    }
    blocks.sort_by(|one, other| one.path().cmp(other.path()));
    Ok((blocks, left_out))
}
