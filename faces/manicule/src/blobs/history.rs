//! Every version of a path over all snapshots.

use std::collections::HashMap;

use manicule_blobs::cost::Reached;
pub use manicule_blobs::history::{Entry, EntryNode, Row, State, Version};
use manicule_blobs::history::{rows, versions};
use manicule_blobs::{BlobKind, Id, Index, Indexed, NodeKind, Snapshots, hash_content};
use manicule_core::go::clean;
use manicule_core::watch::Watch;

use super::dump::{DumpError, put_content};
use super::error::Error;
use super::open::Repository;

/// Arguments of a history.
#[derive(Clone, Debug)]
pub struct HistoryCall {
    /// The path, absolute as snapshots have it.
    pub path: Vec<u8>,
    /// What is dear.
    pub asked: HistoryAsked,
}

/// What of a history is found out only where it is asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HistoryAsked {
    /// Whether blobs are looked for that were new to the whole repository: that walks all trees.
    pub new_to_repository: bool,
    /// Whether the contents of files are read and hashed.
    pub sha256: bool,
}

/// A history of a path.
#[derive(Debug)]
pub struct HistoryReport {
    /// What the path is in each snapshot, by time.
    pub rows: Vec<Row>,
    /// Runs of equal rows of a host.
    pub versions: Vec<VersionRow>,
}

/// A version, and what it added to the repository.
#[derive(Debug)]
pub struct VersionRow {
    /// The version.
    pub version: Version,
    /// Blobs of it that no earlier snapshot reaches, and their stored bytes, if that was asked.
    pub new_to_repository: Option<(Vec<Id>, u64)>,
    /// SHA-256 of a file's whole content, or why it can't be read, if that was asked.
    pub sha256: Option<Result<Id, String>>,
}

impl Repository {
    /// Writes the content of a version, which is a file.
    pub fn write_version(
        &self,
        version: &Version,
        watch: &Watch<'_>,
        out: &mut dyn std::io::Write,
    ) -> Result<(), DumpError> {
        let node = match &version.entry {
            Entry::Is(node) if node.kind == NodeKind::File => node,
            Entry::Is(node) => {
                let (path, kind) = ("of this version".to_owned(), node.kind_word.clone());
                return Err(Error::NoFile { path, kind }.into());
            }
            Entry::Unknown { why } => return Err(Error::Unreadable(why.clone()).into()),
            Entry::Absent => {
                let why = "the path was absent then: choose another version";
                return Err(Error::Unreadable(why.to_owned()).into());
            }
        };
        let index = self.index(watch)?;
        put_content(self, &index, &node.content, node.size, watch, out)?;
        Ok(index.check_cache().map_err(Error::Repo)?)
    }
}

impl Repository {
    /// Looks a path up in every snapshot.
    pub fn history(
        &self,
        snapshots: &Snapshots,
        call: &HistoryCall,
        watch: &Watch<'_>,
    ) -> Result<HistoryReport, Error> {
        self.histories(snapshots, call.asked, watch)?.of(&call.path, watch)
    }

    /// Loads what histories of any number of paths need.
    pub fn histories<'h>(
        &'h self,
        snapshots: &'h Snapshots,
        asked: HistoryAsked,
        watch: &Watch<'_>,
    ) -> Result<Histories<'h>, Error> {
        let HistoryAsked { new_to_repository, sha256 } = asked;
        let indexed = if new_to_repository || sha256 { Indexed::All } else { Indexed::Trees };
        let index = self.index_of(indexed, watch)?;
        let kept = &snapshots.kept;
        let reach = || Reached::of(&self.engine, &index, kept, self.threads(), watch);
        let reached = if new_to_repository { Some(reach()?) } else { None };
        Ok(Histories { repository: self, snapshots, asked, reached, index })
    }
}

/// Histories of paths, which share an index, and what the snapshots reach.
#[derive(Debug)]
pub struct Histories<'h> {
    repository: &'h Repository,
    snapshots: &'h Snapshots,
    asked: HistoryAsked,
    reached: Option<Reached>,
    index: Index,
}

impl Histories<'_> {
    /// The history of a path.
    pub fn of(&self, path: &[u8], watch: &Watch<'_>) -> Result<HistoryReport, Error> {
        let (engine, index, kept) = (&self.repository.engine, &self.index, &self.snapshots.kept);
        let rows = rows(engine, index, kept, &clean(path), watch)?;
        let versions = versions(kept, &rows);
        let first_in = self.reached.as_ref().map(|reached| {
            let wanted = versions.iter().flat_map(|version| &version.new_to_path);
            wanted.map(|id| (*id, reached.first_snapshot(index, id))).collect::<HashMap<_, _>>()
        });
        let mut report = HistoryReport { rows, versions: Vec::with_capacity(versions.len()) };
        for version in versions {
            let new_to_repository =
                first_in.as_ref().map(|first_in| new(index, &version, first_in));
            let sha256 = match &version.entry {
                Entry::Is(node) if self.asked.sha256 && node.kind == NodeKind::File => {
                    Some(hash_content(engine, index, &node.content, watch)?)
                }
                _ => None,
            };
            report.versions.push(VersionRow { version, new_to_repository, sha256 });
        }
        index.check_cache()?;
        Ok(report)
    }
}

/// Blobs that a version's first snapshot is the first to reach.
fn new(index: &Index, version: &Version, first_in: &HashMap<Id, Option<usize>>) -> (Vec<Id>, u64) {
    let first = version.snapshots.first().copied();
    let is_new = |id: &&Id| first_in.get(id).is_some_and(|snapshot| *snapshot == first);
    let ids: Vec<Id> = version.new_to_path.iter().filter(is_new).copied().collect();
    let len =
        |id: &Id| index.places(BlobKind::Data, id).next().map_or(0, |at| u64::from(at.place.len));
    let bytes = ids.iter().map(len).sum();
    (ids, bytes)
}
