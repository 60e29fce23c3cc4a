//! What a prune would do, and which blobs are used.

pub use manicule_blobs::usage::{
    Amount, Fate, PackRow, PruneOptions, PrunePlan, PruneSums, UnusedMax, UsageError, UsedBlobs,
};
use manicule_blobs::{Index, Snapshots};
use manicule_core::watch::Watch;

use super::error::Error;
use super::open::Repository;

impl Repository {
    /// Plans a prune, writing nothing: restic's decisions, with the copies of blobs chosen in the
    /// order of the index.
    pub fn plan_prune(
        &self,
        snapshots: &Snapshots,
        index: &Index,
        options: &PruneOptions,
        watch: &Watch<'_>,
    ) -> Result<PrunePlan, Error> {
        let repository = &self.engine;
        let plan = PrunePlan::new(repository, index, snapshots, options, self.threads(), watch)?;
        index.check_cache()?;
        Ok(plan)
    }

    /// Finds out which blobs the snapshots need.
    pub fn used_blobs(
        &self,
        snapshots: &Snapshots,
        index: &Index,
        watch: &Watch<'_>,
    ) -> Result<UsedBlobs, Error> {
        let used = UsedBlobs::of(&self.engine, index, snapshots, self.threads(), watch)?;
        index.check_cache()?;
        Ok(used)
    }
}
