//! Marks in a block's folder, of those that keep blocks in buckets.

use std::io::ErrorKind;
use std::path::PathBuf;

use manicule_format_prometheus::{Mark, MarkKind};

use super::parts::Folder;

/// A file of a mark that can't be read: its path, and why.
pub(crate) type Unread = (PathBuf, String);

/// The marks of a block.
pub(crate) fn marks_of(block: &Folder) -> Vec<Result<Mark, Unread>> {
    let read = |kind: MarkKind| {
        let file = block.part(kind.file_name());
        match file.read() {
            Err(error) if error.kind() == ErrorKind::NotFound => None,
            Err(error) => Some(Err((file.path(), error.to_string()))),
            Ok(json) => Some(Mark::decode(kind, &json).map_err(|error| (file.path(), error))),
        }
    };
    MarkKind::ALL.into_iter().filter_map(read).collect()
}

/// Whether a block is marked for deletion.
pub(crate) fn is_marked_for_deletion(block: &Folder) -> bool {
    let is_deletion = |mark: &Mark| mark.kind == MarkKind::Deletion;
    marks_of(block).iter().flatten().any(is_deletion)
}
