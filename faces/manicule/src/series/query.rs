//! What is asked of blocks that are open: their series, labels and samples; [`Expression`]s over
//! them at steps of time, and chunks as they lie.

use std::path::{Path, PathBuf};

pub use manicule_series::expression::{
    At, Expression, ExpressionError, Steps, Timed, each_point, parse_duration,
};
pub use manicule_series::query::{
    Blocks, Choice, ChoiceError, Downsampled, HeadStats, Label, Largest, MergedRow, MergedSamples,
    MergedSeries, Occurrence, ShownChunk, ShownResolution, ShownValue, Work, head_stats,
    occurrences,
};
use manicule_series::{
    Block, BlockError, LeftOut, Why, open_sound, open_sound_among, signs, unread_log,
};

use super::data::{is_broken, open_remote};
use super::inspect::open_index;
use crate::kinds::Deal;
use crate::place::remote;

/// Opens the blocks of a path that was dealt out: its folder is not listed again. Those that can't
/// be opened are handed to `failed`, and those of an address that are left out to `left_out`.
pub fn open_dealt(
    deal: &Deal,
    path: &Path,
    failed: &mut dyn FnMut(BlockError),
    left_out: &mut dyn FnMut(&LeftOut),
) -> Result<Vec<Block>, BlockError> {
    if let Some(remote) = remote(path)? {
        if remote.last() == signs::INDEX_NAME {
            return open_index(&remote).map(|block| vec![block]);
        }
        let opened = open_remote(&remote, None, None)?;
        for out in opened.left_out {
            match out.why {
                Why::Failed(error) if is_broken(&error) => failed(error),
                _ => left_out(&out),
            }
        }
        return Ok(opened.blocks);
    }
    match deal.listed(path) {
        Some(entries) => open_sound_among(path, entries, failed),
        None => open_sound(path, failed),
    }
}

/// The write-ahead log of a data folder that a search leaves out as text, and whose labels nothing
/// reads.
pub fn log_left_out(path: &Path) -> Option<PathBuf> {
    let is_servers =
        |log: &PathBuf| log.file_name().is_some_and(|name| signs::is_servers_of_data(path, name));
    unread_log(path).filter(is_servers)
}
