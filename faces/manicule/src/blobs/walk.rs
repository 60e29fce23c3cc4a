//! The paths of snapshots, node by node.

use std::fmt;
use std::ops::ControlFlow;

use manicule_blobs::{Below, Index, Indexed, Kept, Node, PathReader, RepoError, Step};
use manicule_core::watch::{Phase, Unit, Watch};

use super::error::Error;
use super::open::Repository;

/// Bytes of the trees that a walk keeps, for snapshots that share them.
const KEPT_BYTES_MAX: usize = 64 << 20;

/// The index of a walk over snapshots.
#[derive(Debug)]
pub struct Walked<'r> {
    repository: &'r Repository,
    index: Index,
}

/// Walks snapshots one after the other.
pub struct Walk<'w> {
    paths: PathReader<'w>,
    index: &'w Index,
    watch: &'w Watch<'w>,
}

impl fmt::Debug for Walk<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Walk").field("tree_count", &self.tree_count()).finish_non_exhaustive()
    }
}

impl Repository {
    /// Loads what a walk over snapshots needs.
    pub fn walked(&self, watch: &Watch<'_>) -> Result<Walked<'_>, Error> {
        Ok(Walked { repository: self, index: self.index_of(Indexed::Trees, watch)? })
    }
}

impl Walked<'_> {
    /// Begins a walk. A tree that several snapshots have is read once, as long as the trees of a
    /// snapshot or two are 32 MiB at most.
    pub fn walk<'w>(&'w self, watch: &'w Watch<'w>) -> Walk<'w> {
        let paths = PathReader::new(&self.repository.engine, &self.index, KEPT_BYTES_MAX);
        Walk { paths, index: &self.index, watch }
    }
}

/// Why a walk ended early.
enum Ended {
    Enough,
    Repo(RepoError),
}

impl From<RepoError> for Ended {
    fn from(error: RepoError) -> Self {
        Ended::Repo(error)
    }
}

impl Walk<'_> {
    /// Goes through the paths of a snapshot: a folder before what it holds, names as their tree has
    /// them. `see` makes of each node what is kept of it until it is its turn, if it is wanted, and
    /// says whether the folder that it is is entered. `take` receives that, or why a tree can't be
    /// read, and ends the walk with a break.
    pub fn each_path<T>(
        &mut self,
        kept: &Kept,
        mut see: impl FnMut(&[u8], &Node<'_>) -> (Option<T>, Below),
        mut take: impl FnMut(Result<T, String>) -> ControlFlow<()>,
    ) -> Result<ControlFlow<()>, Error> {
        let of_snapshot = |why: String| format!("snapshot {}: {why}", kept.id);
        let Some(root) = kept.snapshot.tree else {
            return Ok(take(Err(of_snapshot("it has no tree".to_owned()))));
        };
        let meter = self.watch.endless(Phase::Reading, Unit::Files);
        let walked = self.paths.each_path(root, &mut see, |step| {
            meter.step(1).map_err(RepoError::from)?;
            let flow = match step {
                Step::Row(Some(row)) => take(Ok(row)),
                Step::Gap(why) => take(Err(of_snapshot(why))),
                Step::Row(None) | Step::Leave => ControlFlow::Continue(()),
            };
            if flow.is_break() { Err(Ended::Enough) } else { Ok(()) }
        });
        meter.end();
        self.index.check_cache()?;
        match walked {
            Ok(()) => Ok(ControlFlow::Continue(())),
            Err(Ended::Enough) => Ok(ControlFlow::Break(())),
            Err(Ended::Repo(error)) => Err(error.into()),
        }
    }

    /// Number of trees that were read from packs.
    pub fn tree_count(&self) -> u64 {
        self.paths.tree_count()
    }
}
