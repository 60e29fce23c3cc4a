//! Whether a snapshot was made of a path.
//!
//! A snapshot names its paths absolutely, and its tree has them so, unless restic was called with
//! relative ones: `restic backup src` in `/home/me` names `/home/me/src`, and its tree begins with
//! `/src`; with `.` it begins with what the folder holds. Nothing in a snapshot says which it is.
//! So each of its paths counts as the longest end of it that its tree has.

use std::collections::HashMap;

use manicule_format_restic::Id;

use super::entry::Entry;
use super::resolve::Resolver;
use crate::index::Index;
use crate::repository::Repository;
use crate::snapshots::Kept;

/// Answers for one path, and what was looked up for them.
pub(super) struct Within<'r> {
    repository: &'r Repository,
    index: &'r Index,
    path: &'r [u8],
    /// By path: the first name of the path, and paths of snapshots.
    resolvers: HashMap<&'r [u8], Resolver<'r>>,
}

impl<'r> Within<'r> {
    pub(super) fn new(repository: &'r Repository, index: &'r Index, path: &'r [u8]) -> Self {
        Within { repository, index, path, resolvers: HashMap::new() }
    }

    /// Whether the snapshot's paths say that it was.
    pub(super) fn is_named(&self, kept: &Kept) -> bool {
        kept.snapshot.paths().iter().any(|one| is_below(self.path, one.as_bytes()))
    }

    /// Whether a snapshot with this root tree was made of the path, or of one above it. Reads its
    /// root tree, and the ways to its paths, where its paths alone don't say so.
    pub(super) fn is_of(&mut self, kept: &'r Kept, root: Id) -> bool {
        if self.is_named(kept) {
            return true;
        }
        let first = first_name(self.path);
        let mut paths = kept.snapshot.paths().iter();
        if first.is_empty() {
            return false;
        }
        match self.entry(first, root) {
            Entry::Absent => false,
            Entry::Is(_) => {
                paths.any(|one| is_below(self.path, self.end_in_tree(one.as_bytes(), root)))
            }
            // It may be: what the path is there is unknown, too.
            Entry::Unknown { .. } => true,
        }
    }

    /// The longest end of a snapshot's path that its tree has: all of it, unless it was relative.
    fn end_in_tree(&mut self, path: &'r [u8], root: Id) -> &'r [u8] {
        let slashes = (0..path.len()).filter(|&at| path[at] == b'/');
        let mut ends = slashes.map(|at| &path[at..]);
        ends.find(|end| self.has(end, root)).unwrap_or_default()
    }

    fn has(&mut self, path: &'r [u8], root: Id) -> bool {
        matches!(self.entry(path, root), Entry::Is(_))
    }

    fn entry(&mut self, path: &'r [u8], root: Id) -> Entry {
        let new = || Resolver::new(self.repository, self.index, path);
        self.resolvers.entry(path).or_insert_with(new).resolve(root)
    }
}

/// Whether a path is another one, or lies below it.
fn is_below(path: &[u8], above: &[u8]) -> bool {
    let end = above.iter().rposition(|byte| *byte != b'/').map_or(0, |last| last + 1);
    let rest = path.strip_prefix(&above[..end]);
    rest.is_some_and(|rest| rest.is_empty() || rest[0] == b'/')
}

fn first_name(path: &[u8]) -> &[u8] {
    path.split(|byte| *byte == b'/').find(|name| !name.is_empty()).unwrap_or_default()
}
