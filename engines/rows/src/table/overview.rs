//! What is said of an SSTable beside the others of its table: how large its files are, and which
//! others have keys between its own.

use std::cmp::Ordering;
use std::path::PathBuf;

use manicule_format_sstable::{Component, Partitioner, Token};
use manicule_store::pages::Reading;

use super::file::TableOptions;
use super::listed::Listed;
use super::stats::{SstableStats, all_stats};
use crate::RowsError;

/// An SSTable among others.
#[derive(Clone, Debug)]
pub struct Overview {
    /// Path of its Data.db.
    pub path: PathBuf,
    /// Length in bytes of all its files.
    pub len: u64,
    /// Length in bytes of its Data.db.
    pub data_len: u64,
    /// Tokens of its first and last key; of Murmur3Partitioner.
    pub tokens: Option<(Token, Token)>,
    /// The others, by their place in the list, between whose first and last key some of its own may
    /// lie; `None` where its first and last key aren't known.
    pub overlaps: Option<Vec<usize>>,
    /// What it says of itself.
    pub stats: SstableStats,
}

/// An overview of each SSTable, in the order in which they are given, and the errors of those that
/// can't be read.
///
/// Cost: that of [`super::stats`], and a look at each file.
pub fn overviews(
    listed: &[Listed],
    options: &TableOptions,
    reading: &mut Reading<'_>,
) -> (Vec<Overview>, Vec<RowsError>) {
    let (mut all, mut errors) = (Vec::new(), Vec::new());
    for (one, stats) in listed.iter().zip(all_stats(listed, options, reading)) {
        match stats.and_then(|stats| overview(one, stats)) {
            Ok(overview) => all.push(overview),
            Err(error) => errors.push(error),
        }
    }
    let overlaps: Vec<_> = (0..all.len()).map(|at| overlaps(&all, at)).collect();
    for (overview, overlaps) in all.iter_mut().zip(overlaps) {
        overview.overlaps = overlaps;
    }
    (all, errors)
}

fn overview(listed: &Listed, stats: SstableStats) -> Result<Overview, RowsError> {
    let (mut len, mut data_len) = (0, 0);
    for component in &listed.components {
        let own = listed.len_of(component)?;
        len += own;
        if *component == Component::Data {
            data_len = own;
        }
    }
    let is_token = partitioner(&stats) == Partitioner::Murmur3;
    let keys = stats.keys.as_ref().filter(|_| is_token);
    let tokens = keys.map(|(first, last)| (Token::of(first), Token::of(last)));
    let path = listed.path(&Component::Data);
    Ok(Overview { path, len, data_len, tokens, overlaps: None, stats })
}

fn partitioner(stats: &SstableStats) -> Partitioner {
    Partitioner::of_class(&stats.validation.partitioner)
}

fn overlaps(all: &[Overview], at: usize) -> Option<Vec<usize>> {
    let own = &all[at];
    own.stats.keys.as_ref()?;
    let others = (0..all.len()).filter(|&other| other != at && meet(own, &all[other]));
    Some(others.collect())
}

/// Whether keys of one may lie between those of the other.
fn meet(left: &Overview, right: &Overview) -> bool {
    let is_after = |first: &Overview, last: &Overview| {
        let ((first_key, _), (_, last_key)) =
            (first.stats.keys.as_ref()?, last.stats.keys.as_ref()?);
        let tokens = first.tokens.zip(last.tokens);
        let by_tokens = tokens.map(|((first, _), (_, last))| first.cmp(&last));
        let order = match by_tokens {
            Some(order) => order.then_with(|| first_key.cmp(last_key)),
            None => partitioner(&first.stats).compare(first_key, last_key)?,
        };
        Some(order == Ordering::Greater)
    };
    // Where the order isn't known they may.
    !is_after(left, right).unwrap_or(false) && !is_after(right, left).unwrap_or(false)
}

/// An SSTable of which everything is deleted or has expired for longer than the grace period: a
/// node drops it whole.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Expired {
    /// Its place in the list.
    pub sstable: usize,
    /// Those that keep a node from it.
    pub blockers: Vec<Blocker>,
}

/// An SSTable that isn't expired and has something as old as what an expired one deletes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Blocker {
    /// Its place in the list.
    pub sstable: usize,
    /// Whether it may have keys of the other's: one that has none keeps no compaction from dropping
    /// that.
    pub overlaps: bool,
}

impl Expired {
    /// Whether a node may drop it now.
    pub fn is_droppable(&self) -> bool {
        !self.blockers.iter().any(|blocker| blocker.overlaps)
    }
}

/// The expired SSTables of a table, in their order. `gc_before` is the time in seconds since 1970
/// before which what was deleted may be dropped.
pub fn expired(all: &[Overview], gc_before: i64) -> Vec<Expired> {
    let is_expired = |one: &Overview| one.stats.statistics.max_local_time < gc_before;
    let blockers = |own: &Overview| {
        let is_blocker = |other: &Overview| {
            let reaches =
                other.stats.statistics.min_timestamp <= own.stats.statistics.max_timestamp;
            !is_expired(other) && reaches
        };
        let others = all.iter().enumerate().filter(|(_, other)| is_blocker(other));
        let blocker = |(sstable, other)| Blocker { sstable, overlaps: meet(own, other) };
        others.map(blocker).collect()
    };
    let expired = all.iter().enumerate().filter(|(_, own)| is_expired(own));
    expired.map(|(sstable, own)| Expired { sstable, blockers: blockers(own) }).collect()
}
