//! Who has the tombstones: counts by kind and age, of all partitions and of those that have most of
//! them.
//!
//! One pass over the Data.db of each SSTable. Partitions of several are united by their keys, as
//! all are read side by side in the order of their partitions: what is said of a partition is true
//! of the table.

use manicule_core::watch::{Phase, Unit, Watch};
use manicule_store::pages::Reading;

use super::tally::{Tally, Times, TombstoneCounts};
use super::top::Top;
use super::united::United;
use super::walk::Walk;
use crate::RowsError;
use crate::table::Sstable;

/// What is counted, and how many partitions are listed.
#[derive(Clone, Debug)]
pub struct TombstoneOptions {
    /// By which times tombstones are judged.
    pub times: Times,
    /// Ages in seconds, ascending, at which classes of ages end.
    pub age_limits_s: Vec<i64>,
    /// Number of partitions that are listed for rows, ranges and cells.
    pub listed_count_max: usize,
}

/// A partition and its tombstones.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PartitionTombstones {
    /// Its key as it lies in the file.
    pub key: Vec<u8>,
    /// Number of SSTables that have it.
    pub sstable_count: usize,
    /// Its tombstones.
    pub counts: TombstoneCounts,
    /// When the oldest of them was made, in seconds since 1970.
    pub oldest: Option<i64>,
}

/// The tombstones of SSTables.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tombstones {
    /// Number of partitions, each key once.
    pub partition_count: u64,
    /// Number of those that have a tombstone.
    pub affected_count: u64,
    /// All tombstones.
    pub counts: TombstoneCounts,
    /// Number of tombstones of each class of ages; the last is of those older than the last limit.
    pub ages: Vec<u64>,
    /// Partitions with the most tombstones of rows.
    pub by_rows: Vec<PartitionTombstones>,
    /// With the most of ranges, the partition's own deletion included.
    pub by_ranges: Vec<PartitionTombstones>,
    /// With the most of cells.
    pub by_cells: Vec<PartitionTombstones>,
}

/// Counts the tombstones of SSTables.
///
/// Cost: Data.db of each is read once. Memory: a window for each and the partitions listed.
pub fn tombstones(
    sstables: &[Sstable],
    options: &TombstoneOptions,
    reading: &mut Reading<'_>,
    watch: &Watch<'_>,
) -> Result<Tombstones, RowsError> {
    let mut united = United::new(sstables)?;
    let mut walks: Vec<Walk<'_>> =
        sstables.iter().map(|sstable| Walk::new(sstable, sstables.len())).collect();
    let mut heads = Vec::new();
    for (source, walk) in walks.iter_mut().enumerate() {
        heads.push(walk.begin(reading)?);
        if heads[source].is_some() {
            united.push(walk.key(), source);
        }
    }
    let mut tally = Tally::new(options.times, &options.age_limits_s);
    let (mut counts, mut partition_count, mut affected_count) = (TombstoneCounts::default(), 0, 0);
    let [mut by_rows, mut by_ranges, mut by_cells] =
        [(); 3].map(|()| Top::new(options.listed_count_max));
    let data_len = sstables.iter().map(Sstable::data_len).sum();
    let meter = watch.phase(Phase::Reading, Unit::Bytes, data_len);
    let (mut sources, mut key) = (Vec::new(), Vec::new());
    loop {
        united.take(&mut sources);
        let Some(&first) = sources.first() else { break };
        key.clear();
        key.extend_from_slice(walks[first].key());
        for &source in &sources {
            let walk = &mut walks[source];
            let Some(head) = heads[source].take() else { continue };
            tally.partition(&head, walk, &sstables[source], reading)?;
            meter.step(walk.at() - head.position)?;
            heads[source] = walk.begin(reading)?;
            if heads[source].is_some() {
                united.push(walk.key(), source);
            }
        }
        let own = std::mem::take(&mut tally.counts);
        let oldest = tally.oldest.take();
        let sstable_count = sources.len();
        let listed =
            || PartitionTombstones { key: key.clone(), sstable_count, counts: own, oldest };
        by_rows.offer(own.of_rows(), listed);
        by_ranges.offer(own.of_ranges(), listed);
        by_cells.offer(own.of_cells(), listed);
        counts.add(&own);
        affected_count += u64::from(own.total() > 0);
        partition_count += 1;
    }
    meter.end();
    Ok(Tombstones {
        partition_count,
        affected_count,
        counts,
        ages: tally.ages,
        by_rows: by_rows.into_items(),
        by_ranges: by_ranges.into_items(),
        by_cells: by_cells.into_items(),
    })
}
