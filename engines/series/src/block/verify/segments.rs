//! The files of a block's chunks, by their names.

use crate::block::error::BlockError;
use crate::block::parts::Folder;
use crate::block::segments::segment_number;

/// The names of the files of chunks, in the order of segments.
pub(super) fn segments_of(chunks: &Folder) -> Result<Vec<String>, BlockError> {
    let mut names = chunks.names()?;
    names.retain(|name| segment_number(name).is_some());
    names.sort();
    Ok(names)
}
