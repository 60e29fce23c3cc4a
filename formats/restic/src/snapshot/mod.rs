//! Snapshots: what was backed up when, and the tree that holds it.
//!
//! Bytes:   docs/formats/restic.md, section Snapshots

mod filter;
mod read;
mod summary;
mod write;

pub use filter::{SnapshotFilter, newest, read_tags};
pub use summary::Summary;

use crate::Id;
use crate::time::Time;

/// A snapshot. A field that the text lacks has Go's zero: 0, the empty text, no list,
/// [`Time::ZERO`].
///
/// Fields of other writers, such as rustic's `label` and `delete`, are skipped.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Snapshot {
    /// When it was made. Snapshots are ordered by this moment, then by their ids.
    pub time: Time,
    /// The snapshot that its unchanged files were taken from.
    pub parent: Option<Id>,
    /// Its root. No sound snapshot lacks it.
    pub tree: Option<Id>,
    /// What was backed up, as absolute paths; `None` where the text has `null` or nothing.
    pub paths: Option<Vec<String>>,
    /// Where.
    pub hostname: String,
    /// By whom.
    pub username: String,
    /// That user's number.
    pub uid: u32,
    /// The number of the user's group.
    pub gid: u32,
    /// Patterns of paths that were left out.
    pub excludes: Vec<String>,
    /// Tags.
    pub tags: Vec<String>,
    /// The snapshot that this one was changed from.
    pub original: Option<Id>,
    /// The program that wrote it.
    pub program_version: String,
    /// Counts of the backup, since restic 0.17.
    pub summary: Option<Summary>,
}

impl Snapshot {
    /// A snapshot without any field.
    fn empty() -> Self {
        Snapshot {
            time: Time::ZERO,
            parent: None,
            tree: None,
            paths: None,
            hostname: String::new(),
            username: String::new(),
            uid: 0,
            gid: 0,
            excludes: Vec::new(),
            tags: Vec::new(),
            original: None,
            program_version: String::new(),
            summary: None,
        }
    }

    /// What was backed up, as absolute paths.
    pub fn paths(&self) -> &[String] {
        self.paths.as_deref().unwrap_or_default()
    }
}
