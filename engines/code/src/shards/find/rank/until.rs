//! Where a search ends before all documents were looked at: at maximum numbers of matches, as
//! zoekt's does.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use manicule_format_zoekt::Repository;

use super::super::files::OpenShard;
use super::shape::FileMatch;

/// Maximum numbers of matches, `None` for none. A document that reaches one counts whole; those
/// after it are left out, whatever their scores would be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RankUntil {
    /// Of a shard.
    pub shard: Option<u64>,
    /// Of a repository in a shard.
    pub repository: Option<u64>,
    /// Of all shards together, which count in falling order of their best repository's priority:
    /// the shard that exceeds it counts whole.
    pub all: Option<u64>,
}

impl RankUntil {
    /// All documents.
    pub const NEVER: RankUntil = RankUntil { shard: None, repository: None, all: None };
}

/// Number of matches in each shard so far, on all threads.
pub(super) struct Counted {
    shard_max: Option<u64>,
    matches: Vec<AtomicU64>,
}

impl Counted {
    pub(super) fn new(until: &RankUntil, shard_count: usize) -> Self {
        let matches = std::iter::repeat_with(AtomicU64::default).take(shard_count).collect();
        Counted { shard_max: until.shard, matches }
    }

    pub(super) fn add(&self, file: &FileMatch) {
        self.matches[file.shard_number].fetch_add(file.matches.count(), Relaxed);
    }

    /// Whether no document of a shard counts that comes after those that were looked at.
    pub(super) fn is_reached(&self, shard: usize) -> bool {
        self.shard_max.is_some_and(|max| self.matches[shard].load(Relaxed) >= max)
    }
}

/// Leaves out what comes after a maximum. The documents are in the order of shards and documents,
/// and none is missing before the first that is to be left out.
pub(super) fn keep(until: &RankUntil, shards: &[OpenShard<'_>], files: &mut Vec<FileMatch>) {
    if *until == RankUntil::NEVER {
        return;
    }
    let (mut in_shards, mut in_repositories) = (BTreeMap::new(), BTreeMap::new());
    let is_below = |count: u64, max: Option<u64>| max.is_none_or(|max| count < max);
    files.retain(|file| {
        let number = file.shard_number;
        let repository = shards[number].shard().repository_of(file.document);
        let in_shard: &mut u64 = in_shards.entry(number).or_default();
        let in_repository: &mut u64 = in_repositories.entry((number, repository)).or_default();
        let is_kept =
            is_below(*in_repository, until.repository) && is_below(*in_shard, until.shard);
        if is_kept {
            *in_shard += file.matches.count();
            *in_repository += file.matches.count();
        }
        is_kept
    });
    let Some(max) = until.all else { return };
    let (mut is_counted, mut sum) = (vec![false; shards.len()], 0);
    for number in by_priority(shards) {
        is_counted[number] = sum <= max;
        sum += in_shards.get(&number).copied().unwrap_or_default();
    }
    files.retain(|file| is_counted[file.shard_number]);
}

/// The numbers of shards, the highest priority of a repository first.
fn by_priority(shards: &[OpenShard<'_>]) -> Vec<usize> {
    let priority = |number: usize| {
        let repositories = shards[number].shard().repositories();
        repositories.iter().map(Repository::priority).fold(0.0, f64::max)
    };
    let mut numbers: Vec<(f64, usize)> =
        (0..shards.len()).map(|number| (priority(number), number)).collect();
    numbers.sort_by(|left, right| right.0.total_cmp(&left.0));
    numbers.into_iter().map(|(_, number)| number).collect()
}
