//! Whether a repository is sound, and what its broken packs cost.

pub use manicule_blobs::check::{
    BrokenPack, CheckCounts, CheckOptions, Checked, DamagedFile, Finding, FindingKind, Level,
    LostPaths, Missing, ReadPacks, Step, Subset, UnreadableFolder,
};
use manicule_core::watch::Watch;

use super::error::Error;
use super::open::{Repository, seed};

impl Repository {
    /// Checks a repository, writing nothing: restic's findings, those that restic doesn't look
    /// for, and for each broken pack the files and folders that it costs.
    pub fn check(&self, options: &CheckOptions, watch: &Watch<'_>) -> Result<Checked, Error> {
        let checked =
            manicule_blobs::check::check(&self.engine, options, seed()?, self.threads(), watch)?;
        Ok(checked)
    }
}

/// A seed for packs that are chosen by chance: another one each time.
pub fn chance() -> Result<u64, Error> {
    seed()
}
