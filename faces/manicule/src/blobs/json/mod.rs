//! Reports about repositories as JSON. What restic prints too is a dialect of its own and not here:
//! snapshots, paths, differences, sums of `stats` and `restore`.

mod checked;
mod cost;
mod duplicate;
mod history;
mod inspected;
mod prune;
mod repaired;

use manicule_blobs::Id;

use crate::json::Shown;

pub use checked::CheckSummary;
pub use cost::CostTotals;
pub use duplicate::{DuplicateSums, Duplicated};
pub use history::HistoryVersion;
pub use prune::{PlannedPack, PruneTotals, UnreferencedPack};
pub use repaired::{RepairSummary, WrittenIndex};

fn ids<'i>(ids: impl IntoIterator<Item = &'i Id>) -> Vec<Shown<&'i Id>> {
    ids.into_iter().map(Shown).collect()
}
