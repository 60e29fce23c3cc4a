//! What is asked of blocks that are open: their series, labels and samples.

use std::path::{Path, PathBuf};

pub use manicule_series::query::{
    Blocks, Choice, ChoiceError, Downsampled, MergedRow, Occurrence, ShownResolution, ShownValue,
    Work, occurrences,
};
use manicule_series::{Block, BlockError, open_sound, open_sound_among, signs, unread_log};

use crate::kinds::Deal;

/// Opens the blocks of a path that was dealt out: its folder is not listed again. Those that can't
/// be opened are handed to `failed`.
pub fn open_dealt(
    deal: &Deal,
    path: &Path,
    failed: &mut dyn FnMut(BlockError),
) -> Result<Vec<Block>, BlockError> {
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
