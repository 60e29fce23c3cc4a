//! The parts of a component, by its file's name.

use std::path::Path;

use manicule_core::bytes::Outline;
use manicule_format_sstable::{Descriptor, UnreadVersion, outline as outline_of};

use crate::RowsError;

/// The parts of a component, whose bytes these are; `None` of one that the whole SSTable is asked
/// for.
pub fn outline(path: &Path, bytes: &[u8]) -> Result<Option<Outline>, RowsError> {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    if let Some(unread) = UnreadVersion::of_name(&name) {
        let (file, what) = (path.to_owned(), unread.to_string());
        return Err(RowsError::Unsupported { file, what });
    }
    let Some((descriptor, component)) = Descriptor::parse(&name) else { return Ok(None) };
    let outline = outline_of(&component, descriptor.version, bytes);
    outline.map_err(|error| RowsError::damaged(path, error))
}
