//! The blocks of a data folder: found, opened, in the order of their times.

use std::path::Path;

use manicule_format_prometheus::{Interval, Meta};
use manicule_store::NamedEntry;

use super::error::BlockError;
use super::folder::{block_paths, blocks_among, has_meta};
use super::listed::{Tried, try_blocks, try_listed};
use super::open::{Block, read_meta};
use super::opened::Opened;
use crate::block::salvage::Salvage;

/// Opens all blocks that a path stands for, by the first time that is in them.
pub fn open_all(path: &Path) -> Result<Vec<Block>, BlockError> {
    open_within(path, None, None).map(|opened| opened.blocks)
}

/// Opens the blocks that a path stands for, by the first time that is in them. Of a block whose
/// meta file says that it has nothing of `times` only that file is read. With a salvage, blocks
/// that can't be opened are added to it and left out.
pub fn open_within(
    path: &Path,
    times: Option<Interval>,
    salvage: Option<&Salvage>,
) -> Result<Opened, BlockError> {
    open_within_again(path, times, salvage, &mut |_| None)
}

/// As [`open_within`], of who has opened blocks of the same times before: `kept` is asked for each
/// path ahead of its opening.
pub fn open_within_again(
    path: &Path,
    times: Option<Interval>,
    salvage: Option<&Salvage>,
    kept: &mut dyn FnMut(&Path) -> Option<Block>,
) -> Result<Opened, BlockError> {
    let tried = try_blocks(path, |path| match kept(path) {
        Some(block) => Ok((block.meta().map(|meta| meta.max_time), Some(block))),
        None => open_of_times(path, times),
    })?;
    for (path, error) in tried.failed {
        match salvage {
            Some(salvage) => salvage.block(&path, &error),
            None => return Err(error),
        }
    }
    let mut opened = Opened::default();
    for (end, block) in tried.opened {
        opened.end = opened.end.max(end);
        opened.blocks.extend(block);
    }
    opened.blocks = by_time(opened.blocks);
    Ok(opened)
}

/// The end of a block's times, and the block if it has something of `times`.
fn open_of_times(
    path: &Path,
    times: Option<Interval>,
) -> Result<(Option<i64>, Option<Block>), BlockError> {
    if !path.is_dir() {
        return Ok((None, Some(Block::open(path)?)));
    }
    let meta = read_meta(path)?;
    let (end, is_wanted) = (meta.max_time, times.is_none_or(|times| has_times(&meta, times)));
    let block = is_wanted.then(|| Block::open_folder(path, meta)).transpose()?;
    Ok((Some(end), block))
}

/// Opens all blocks that a path stands for, in the order of their names. With a salvage, blocks
/// that can't be opened are added to it and left out.
pub fn open_named(path: &Path, salvage: Option<&Salvage>) -> Result<Vec<Block>, BlockError> {
    let tried = try_blocks(path, Block::open)?;
    match salvage {
        None => tried.all(),
        Some(salvage) => {
            tried.failed.iter().for_each(|(path, error)| salvage.block(path, error));
            Ok(tried.opened)
        }
    }
}

/// Whether a block may have samples of these times: the end of its own is not in it.
pub(crate) fn has_times(meta: &Meta, times: Interval) -> bool {
    meta.min_time <= times.max_time && times.min_time < meta.max_time
}

/// Opens the newest block that a path stands for, and returns how many there are. Which is the
/// newest the meta files say, so that no other is opened. Where one of them can't be read nobody
/// knows, and an older block would be another answer: that is an error.
pub fn open_newest(path: &Path) -> Result<(Block, usize), BlockError> {
    match newest_of(path) {
        // As of every listing: see listed.
        Err(error) if error.is_missing() => newest_of(path),
        newest => newest,
    }
}

fn newest_of(path: &Path) -> Result<(Block, usize), BlockError> {
    let paths = block_paths(path)?;
    let count = paths.len();
    if let [only] = &paths[..] {
        return Ok((Block::open(only)?, count));
    }
    let dated = paths.into_iter().map(|path| Ok((read_meta(&path)?.min_time, path)));
    let newest = dated.collect::<Result<Vec<_>, BlockError>>()?.into_iter().max();
    let (_, newest) = newest.ok_or_else(|| BlockError::no_block(path))?;
    Ok((Block::open(&newest)?, count))
}

/// As [`open_all`], but hands out the errors of blocks that can't be opened, and goes on.
pub fn open_sound(
    path: &Path,
    failed: &mut dyn FnMut(BlockError),
) -> Result<Vec<Block>, BlockError> {
    Ok(sound(try_blocks(path, Block::open)?, failed))
}

/// As [`open_sound`], of a folder by the entries that it was listed with before.
pub fn open_sound_among(
    folder: &Path,
    entries: &[NamedEntry],
    failed: &mut dyn FnMut(BlockError),
) -> Result<Vec<Block>, BlockError> {
    let paths =
        if has_meta(folder)? { vec![folder.to_owned()] } else { blocks_among(folder, entries)? };
    Ok(sound(try_listed(folder, paths, Block::open)?, failed))
}

fn sound(tried: Tried<Block>, failed: &mut dyn FnMut(BlockError)) -> Vec<Block> {
    tried.failed.into_iter().for_each(|(_, error)| failed(error));
    by_time(tried.opened)
}

pub(super) fn by_time(mut blocks: Vec<Block>) -> Vec<Block> {
    blocks.sort_by_key(|block| block.meta().map(|meta| (meta.min_time, meta.ulid.clone())));
    blocks
}
