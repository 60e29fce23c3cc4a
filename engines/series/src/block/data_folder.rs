//! The blocks of a data folder: found, opened, in the order of their times.
//!
//! Callers: faces/manicule, inspect, query, merge

use std::path::{Path, PathBuf};

use manicule_format_prometheus::{Interval, Meta};
use manicule_store::NamedEntry;

use super::error::BlockError;
use super::folder::{block_paths, blocks_among, has_meta};
use super::open::{Block, read_meta};
use crate::block::salvage::Salvage;

/// Opens all blocks that a path stands for, by the first time that is in them.
pub fn open_all(path: &Path) -> Result<Vec<Block>, BlockError> {
    open_within(path, None, None).map(|opened| opened.blocks)
}

/// Blocks of a path, as far as they are asked.
#[derive(Debug, Default)]
pub struct Opened {
    /// By the first time that is in them.
    pub blocks: Vec<Block>,
    /// The time after the last of all blocks, those that were left closed too.
    pub end: Option<i64>,
}

/// Opens the blocks that a path stands for, by the first time that is in them. Of a block whose meta file says that it
/// has nothing of `times` only that file is read. With a salvage, blocks that can't be opened are added to it and left
/// out.
pub fn open_within(
    path: &Path,
    times: Option<Interval>,
    salvage: Option<&Salvage>,
) -> Result<Opened, BlockError> {
    let mut opened = Opened::default();
    for path in block_paths(path)? {
        match (opened.add(&path, times), salvage) {
            (Err(error), Some(salvage)) => salvage.block(&path, &error),
            (added, _) => added?,
        }
    }
    opened.blocks = by_time(opened.blocks);
    Ok(opened)
}

impl Opened {
    fn add(&mut self, path: &Path, times: Option<Interval>) -> Result<(), BlockError> {
        if !path.is_dir() {
            self.blocks.push(Block::open(path)?);
            return Ok(());
        }
        let meta = read_meta(path)?;
        self.end = self.end.max(Some(meta.max_time));
        if times.is_none_or(|times| has_times(&meta, times)) {
            self.blocks.push(Block::open_folder(path, meta)?);
        }
        Ok(())
    }
}

/// Whether a block may have samples of these times: the end of its own is not in it.
pub(crate) fn has_times(meta: &Meta, times: Interval) -> bool {
    meta.min_time <= times.max_time && times.min_time < meta.max_time
}

/// Opens the newest block that a path stands for, and returns how many there are. Which is the newest the meta files
/// say, so that no other is opened. Errors of blocks whose meta file can't be read or that can't be opened are handed
/// out; the newest of the others is taken then.
pub fn open_newest(
    path: &Path,
    failed: &mut dyn FnMut(BlockError),
) -> Result<Option<(Block, usize)>, BlockError> {
    let paths = block_paths(path)?;
    let count = paths.len();
    if let [only] = &paths[..] {
        return Ok(Some((Block::open(only)?, count)));
    }
    let mut dated: Vec<(i64, PathBuf)> = Vec::with_capacity(count);
    for path in paths {
        match read_meta(&path) {
            Ok(meta) => dated.push((meta.min_time, path)),
            Err(error) => failed(error),
        }
    }
    dated.sort_unstable();
    let opened = dated.iter().rev().find_map(|(_, path)| match Block::open(path) {
        Ok(block) => Some((block, count)),
        Err(error) => {
            failed(error);
            None
        }
    });
    Ok(opened)
}

/// As [`open_all`], but hands out the errors of blocks that can't be opened, and goes on.
pub fn open_sound(
    path: &Path,
    failed: &mut dyn FnMut(BlockError),
) -> Result<Vec<Block>, BlockError> {
    Ok(open_each(&block_paths(path)?, failed))
}

/// As [`open_sound`], of a folder by the entries that it was listed with before.
pub fn open_sound_among(
    folder: &Path,
    entries: &[NamedEntry],
    failed: &mut dyn FnMut(BlockError),
) -> Result<Vec<Block>, BlockError> {
    let paths = match has_meta(folder)? {
        true => vec![folder.to_owned()],
        false => blocks_among(folder, entries)?,
    };
    Ok(open_each(&paths, failed))
}

fn open_each(paths: &[PathBuf], failed: &mut dyn FnMut(BlockError)) -> Vec<Block> {
    let opened = paths.iter().filter_map(|path| Block::open(path).map_err(&mut *failed).ok());
    by_time(opened.collect())
}

fn by_time(mut blocks: Vec<Block>) -> Vec<Block> {
    blocks.sort_by_key(|block| block.meta().map(|meta| (meta.min_time, meta.ulid.clone())));
    blocks
}
