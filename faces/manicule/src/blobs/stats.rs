//! How much snapshots hold, in the ways of `restic stats`.

pub use manicule_blobs::stats::{Stats, StatsMode};
use manicule_blobs::{Kept, SnapshotFilter, Snapshots};
use manicule_core::watch::Watch;

use super::choose::chosen;
use super::error::Error;
use super::open::Repository;

/// Arguments of counting.
#[derive(Clone, Debug)]
pub struct StatsCall {
    /// What is counted.
    pub mode: StatsMode,
    /// Beginnings of ids, or `latest`; without any, the snapshots that the filter admits.
    pub words: Vec<String>,
    /// Conditions on the snapshots.
    pub filter: SnapshotFilter,
}

impl Repository {
    /// Counts what snapshots hold.
    pub fn stats(
        &self,
        snapshots: &Snapshots,
        call: &StatsCall,
        watch: &Watch<'_>,
    ) -> Result<Stats, Error> {
        let index = self.index(watch)?;
        let chosen = chosen(snapshots, &call.words, &call.filter)?;
        let kept: Vec<&Kept> = chosen.into_iter().map(|at| &snapshots.kept[at]).collect();
        let (repository, threads) = (&self.engine, self.threads());
        let mut stats =
            manicule_blobs::stats::stats(repository, &index, &kept, call.mode, threads, watch)?;
        index.check_cache()?;
        if call.words.is_empty() {
            stats.gaps.extend(snapshots.broken.iter().map(ToString::to_string));
        }
        Ok(stats)
    }
}
