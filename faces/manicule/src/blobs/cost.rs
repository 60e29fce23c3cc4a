//! What snapshots, hosts, tags, paths and any set of snapshots cost.

use std::collections::BTreeMap;

use manicule_blobs::cost::{Costs, Reached};
pub use manicule_blobs::cost::{Weighed, Weight};
use manicule_blobs::{Id, Kept, SnapshotFilter, Snapshots};
use manicule_core::watch::Watch;

use super::error::Error;
use super::open::Repository;

/// What snapshots are grouped by.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum By {
    /// Each for itself.
    Snapshot,
    /// Those of a host.
    Host,
    /// Those with a tag.
    Tag,
    /// Those with a path among theirs.
    Path,
    /// A set that was given.
    Set,
}

impl By {
    /// The word for programs.
    pub fn word(self) -> &'static str {
        match self {
            By::Snapshot => "snapshot",
            By::Host => "host",
            By::Tag => "tag",
            By::Path => "path",
            By::Set => "set",
        }
    }
}

/// Arguments of weighing snapshots.
#[derive(Clone, Debug)]
pub struct CostCall {
    /// Groups that are weighed, besides the set.
    pub by: Vec<By>,
    /// Snapshots that are weighed together, by their places in the order of time.
    pub set: Vec<usize>,
    /// Conditions on the snapshots of the other rows. What only they reach is asked of all
    /// snapshots.
    pub filter: SnapshotFilter,
}

/// Snapshots that are weighed together.
#[derive(Clone, Debug)]
pub struct CostRow {
    /// What they have in common.
    pub by: By,
    /// Its value: an id, a host, a tag, a path.
    pub value: String,
    /// Ids of the snapshots, by time.
    pub snapshots: Vec<Id>,
    /// What they reach, and what only they reach.
    pub weighed: Weighed,
}

impl CostRow {
    /// Stored bytes of what other snapshots reach as well.
    pub fn shared_bytes(&self) -> u64 {
        self.weighed.reached.bytes - self.weighed.exclusive.bytes
    }
}

/// Costs in rows: those of snapshots by time, others by their values.
#[derive(Debug)]
pub struct CostReport {
    /// The rows.
    pub rows: Vec<CostRow>,
    /// Blobs that some snapshot reaches.
    pub used: Weight,
    /// Blobs that none reaches.
    pub unused: Weight,
    /// Further copies of blobs that are reached.
    pub copies: Weight,
    /// What is missing, as sentences.
    pub gaps: Vec<String>,
}

impl Repository {
    /// Weighs snapshots: all at once, in one walk over the distinct trees.
    pub fn cost(
        &self,
        snapshots: &Snapshots,
        call: &CostCall,
        watch: &Watch<'_>,
    ) -> Result<CostReport, Error> {
        let index = self.index(watch)?;
        let kept = &snapshots.kept;
        let reached = Reached::of(&self.engine, &index, kept, self.threads(), watch)?;
        let costs = Costs::of(&index, reached);
        index.check_cache()?;
        let mut rows = Vec::new();
        for &by in &call.by {
            match by {
                By::Snapshot => rows.extend(each_snapshot(kept, &call.filter, &costs)),
                _ => rows.extend(
                    groups(kept, &call.filter, by)
                        .map(|(value, members)| row(kept, &costs, by, value, members)),
                ),
            }
        }
        if !call.set.is_empty() {
            let value =
                call.set.iter().map(|&at| kept[at].id.short()).collect::<Vec<_>>().join(",");
            rows.push(row(kept, &costs, By::Set, value, call.set.clone()));
        }
        let gaps =
            snapshots.broken.iter().map(ToString::to_string).chain(costs.gaps().iter().cloned());
        let gaps = gaps.collect();
        let (used, unused, copies) = (costs.used, costs.unused, costs.copies);
        Ok(CostReport { rows, used, unused, copies, gaps })
    }
}

fn each_snapshot(
    kept: &[Kept],
    filter: &SnapshotFilter,
    costs: &Costs,
) -> impl Iterator<Item = CostRow> {
    let all = kept.iter().zip(costs.each_snapshot());
    all.filter(|(kept, _)| filter.matches(&kept.snapshot)).map(|(kept, weighed)| {
        let (by, value, snapshots) = (By::Snapshot, kept.id.to_string(), vec![kept.id]);
        CostRow { by, value, snapshots, weighed }
    })
}

fn row(kept: &[Kept], costs: &Costs, by: By, value: String, members: Vec<usize>) -> CostRow {
    let weighed = costs.of_group(members.iter().copied());
    let snapshots = members.into_iter().map(|at| kept[at].id).collect();
    CostRow { by, value, snapshots, weighed }
}

fn groups(
    kept: &[Kept],
    filter: &SnapshotFilter,
    by: By,
) -> impl Iterator<Item = (String, Vec<usize>)> {
    let mut groups: BTreeMap<String, Vec<usize>> = BTreeMap::new();
    let all = kept.iter().enumerate();
    for (at, kept) in all.filter(|(_, kept)| filter.matches(&kept.snapshot)) {
        let snapshot = &kept.snapshot;
        let values: &[String] = match by {
            By::Host => std::slice::from_ref(&snapshot.hostname),
            By::Tag => &snapshot.tags,
            By::Path => snapshot.paths(),
            By::Snapshot | By::Set => &[],
        };
        for value in values {
            let members = groups.entry(value.clone()).or_default();
            if members.last() != Some(&at) {
                members.push(at);
            }
        }
    }
    groups.into_iter()
}
