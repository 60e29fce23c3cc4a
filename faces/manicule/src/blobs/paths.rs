//! The distinct paths of all snapshots, searched for a text.

use std::ops::ControlFlow;

use manicule_blobs::find::{Finds, Look, State};
use manicule_blobs::{Indexed, Kept, Node, Snapshots};
use manicule_core::counts;
use manicule_core::watch::Watch;

use super::error::Error;
use super::open::Repository;

/// Arguments of a search for paths.
pub struct PathsCall<'c> {
    /// Whether a name matches. It is asked once for each node of each distinct tree, by all
    /// threads.
    pub is_match: &'c (dyn Fn(&[u8]) -> bool + Sync),
    /// Whether whole paths are asked for, too: each distinct one once, if its name doesn't match.
    pub with_paths: bool,
    /// Whether those are wanted that don't match.
    pub is_inverted: bool,
}

/// A path, and the snapshots in which it is.
#[derive(Clone, Copy, Debug)]
pub struct PathRow<'r> {
    /// The path, from `/` on.
    pub path: &'r [u8],
    /// Number of snapshots.
    pub snapshot_count: usize,
    /// The first of them by time.
    pub first: &'r Kept,
    /// The last.
    pub last: &'r Kept,
}

counts! {
    /// Cost of a search for paths.
    pub struct PathsCounts {
        /// Snapshots that were searched.
        snapshots,
        /// Distinct paths whose names or wholes came into question.
        paths,
        /// Distinct paths that match.
        paths_matched,
    }
}

impl Repository {
    /// Searches the paths of all snapshots. `take` receives each distinct path that matches, a
    /// folder before what it holds, and ends the search with a break. Comes back with what could
    /// not be searched, as sentences.
    ///
    /// Each distinct tree is read once. Memory beside the index: the names of folders and matches;
    /// with `with_paths` all names.
    pub fn paths(
        &self,
        snapshots: &Snapshots,
        call: &PathsCall<'_>,
        counts: &mut PathsCounts,
        watch: &Watch<'_>,
        mut take: impl FnMut(PathRow<'_>) -> ControlFlow<()>,
    ) -> Result<Vec<String>, Error> {
        let index = self.index_of(Indexed::Trees, watch)?;
        let kept: Vec<&Kept> = snapshots.kept.iter().collect();
        let finds = Finds::search(&self.engine, &index, &kept, call, self.threads(), watch)?;
        counts.snapshots += kept.len() as u64;
        // Whether the caller ended it makes no difference here.
        let _ = finds.each_distinct(|path, is_match, members| {
            counts.paths += 1;
            let Some((first, last)) = members.ends() else { return ControlFlow::Continue(()) };
            let is_match = *is_match || call.with_paths && (call.is_match)(path);
            if is_match == call.is_inverted {
                return ControlFlow::Continue(());
            }
            counts.paths_matched += 1;
            let [first, last] = [first, last].map(|at| kept[at]);
            take(PathRow { path, snapshot_count: members.count(), first, last })
        });
        index.check_cache()?;
        let broken = snapshots.broken.iter().map(ToString::to_string);
        Ok(broken.chain(finds.gaps().iter().cloned()).collect())
    }
}

impl Look for PathsCall<'_> {
    /// Whether its name matches.
    type Kept = bool;

    fn start(&self) -> State {
        State(0)
    }

    #[inline]
    fn node(&self, at: State, node: &Node<'_>, kept: &mut Vec<bool>) -> Option<State> {
        let is_match = (self.is_match)(&node.name());
        let may_match = is_match != self.is_inverted || self.with_paths;
        kept.extend(may_match.then_some(is_match));
        Some(at)
    }
}
