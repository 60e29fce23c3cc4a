//! The largest partitions: by size from the index alone, by what they hold from their data.
//!
//! Partitions of several SSTables are united by their keys as their indexes are read side by side,
//! in the order of all: sizes are exact, and memory is what is listed and a window for each
//! SSTable. Tries don't have the keys of small partitions, so that uniting two SSTables that have
//! them reads a page of Data.db for each of these.

use manicule_core::watch::{Phase, Unit, Watch};
use manicule_format_sstable::{Partitioner, Token};
use manicule_store::pages::Reading;

use super::index::{IndexWalk, Indexed, Keys, read_key};
use super::tally::{Tally, Times, TombstoneCounts};
use super::top::Top;
use super::united::United;
use super::walk::{Expected, Walk};
use crate::RowsError;
use crate::table::{Sstable, Window};

/// Which partitions are listed.
#[derive(Clone, Debug)]
pub struct PartitionOptions {
    /// Maximum number of partitions that are listed.
    pub listed_count_max: usize,
    /// What makes one larger than another.
    pub by: RankedBy,
    /// The least of it, in bytes or numbers, with which one is listed.
    pub min: u64,
    /// By which times tombstones of those listed are counted, and their rows with them: they are
    /// read. `None`: they aren't, and `by` is the size.
    pub counted: Option<Times>,
}

/// What makes a partition larger than another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RankedBy {
    /// Its length in bytes.
    Size,
    /// The number of its rows.
    Rows,
    /// The number of its cells.
    Cells,
    /// The number of its tombstones.
    Tombstones,
}

impl RankedBy {
    /// The number by which a partition is ranked.
    pub fn rank(self, len: u64, counts: Option<&TombstoneCounts>) -> u64 {
        let of = |count: fn(&TombstoneCounts) -> u64| counts.map_or(0, count);
        match self {
            RankedBy::Size => len,
            RankedBy::Rows => of(|counts| counts.rows),
            RankedBy::Cells => of(|counts| counts.cells),
            RankedBy::Tombstones => of(TombstoneCounts::total),
        }
    }
}

/// A partition and its size.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PartitionSize {
    /// Its key as it lies in the file.
    pub key: Vec<u8>,
    /// Its token, where the partitioner is Murmur3Partitioner.
    pub token: Option<Token>,
    /// Its length in bytes, uncompressed, in all SSTables.
    pub len: u64,
    /// Number of blocks of rows in the indexes; 1 of an SSTable where they aren't indexed.
    pub block_count: u64,
    /// Where it lies.
    pub parts: Vec<PartitionPart>,
    /// What it holds, if that was asked for. What several SSTables have of a row is counted in
    /// each.
    pub counts: Option<TombstoneCounts>,
}

/// A partition in one SSTable.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PartitionPart {
    /// Index of the SSTable.
    pub sstable: usize,
    /// Offset in the uncompressed data.
    pub position: u64,
    /// Length in bytes, uncompressed.
    pub len: u64,
}

/// The partitions of SSTables.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Partitions {
    /// Their number, each key once.
    pub count: u64,
    /// Length in bytes of all, uncompressed.
    pub data_len: u64,
    /// The largest, largest first.
    pub largest: Vec<PartitionSize>,
}

/// Lists the largest partitions.
///
/// Cost: Index.db, or the tries, are read once; of tables with tries a key of each listed
///       partition. Partitions are read whole only
/// if they are to be counted: by their size those that are listed, by what they hold all of them,
/// once.
pub fn partitions(
    sstables: &[Sstable],
    options: &PartitionOptions,
    reading: &mut Reading<'_>,
    watch: &Watch<'_>,
) -> Result<Partitions, RowsError> {
    let mut united = United::new(sstables)?;
    let keys = if sstables.len() > 1 { Keys::All } else { Keys::AsIndexed };
    let (mut walks, mut next) = (Vec::new(), vec![Indexed::default(); sstables.len()]);
    for sstable in sstables {
        walks.push(IndexWalk::new(sstable, keys, reading)?);
    }
    let meter = watch.endless(Phase::Reading, Unit::Partitions);
    let mut steps = meter.steps();
    let (mut top, mut count, mut sources) = (Top::new(options.listed_count_max), 0, Vec::new());
    let ranked = options.counted.filter(|_| options.by != RankedBy::Size);
    let mut counting = ranked.map(|times| Counting::new(sstables, times));
    assert!(options.by == RankedBy::Size || counting.is_some(), "what ranks is counted");
    for (source, next) in next.iter_mut().enumerate() {
        if walks[source].next(next, reading)? {
            united.push(&next.key, source);
        }
    }
    loop {
        united.take(&mut sources);
        if sources.is_empty() {
            break;
        }
        let len: u64 = sources.iter().map(|source| next[*source].len).sum();
        let counts = match &mut counting {
            Some(counting) => Some(counting.count(&sources, &next, reading)?),
            None => None,
        };
        let rank = options.by.rank(len, counts.as_ref());
        if rank >= options.min {
            top.offer(rank, || listed(&sources, &next, len, counts));
        }
        count += 1;
        steps.add(1)?;
        for &source in &sources {
            if walks[source].next(&mut next[source], reading)? {
                united.push(&next[source].key, source);
            }
        }
    }
    drop(steps);
    meter.end();
    let mut largest = top.into_items();
    for partition in &mut largest {
        complete(partition, sstables, options.counted.as_ref(), reading, watch)?;
    }
    let data_len = sstables.iter().map(Sstable::data_len).sum();
    Ok(Partitions { count, data_len, largest })
}

/// Length in bytes of the partition at a place; `None` where the index has none there.
///
/// Cost: the index is read up to it.
pub(crate) fn len_at(
    sstable: &Sstable,
    position: u64,
    reading: &mut Reading<'_>,
) -> Result<Option<u64>, RowsError> {
    let mut walk = IndexWalk::new(sstable, Keys::AsIndexed, reading)?;
    let mut partition = Indexed::default();
    while walk.next(&mut partition, reading)? {
        if partition.position == position {
            return Ok(Some(partition.len));
        }
    }
    Ok(None)
}

/// Counts what partitions hold as they come, each SSTable's in the order of its data.
struct Counting<'t> {
    sstables: &'t [Sstable],
    walks: Vec<Walk<'t>>,
    tally: Tally<'static>,
}

impl<'t> Counting<'t> {
    fn new(sstables: &'t [Sstable], times: Times) -> Self {
        let walks = sstables.iter().map(|sstable| Walk::new(sstable, sstables.len())).collect();
        Counting { sstables, walks, tally: Tally::new(times, &[]) }
    }

    fn count(
        &mut self,
        sources: &[usize],
        next: &[Indexed],
        reading: &mut Reading<'_>,
    ) -> Result<TombstoneCounts, RowsError> {
        for &source in sources {
            let (sstable, walk) = (&self.sstables[source], &mut self.walks[source]);
            let head = walk.begin_at(&Expected::from(&next[source]), reading)?;
            self.tally.partition(&head, walk, sstable, reading)?;
        }
        Ok(std::mem::take(&mut self.tally.counts))
    }
}

/// A partition as the indexes have it: its key is empty where they don't have it.
fn listed(
    sources: &[usize],
    next: &[Indexed],
    len: u64,
    counts: Option<TombstoneCounts>,
) -> PartitionSize {
    let part = |&sstable: &usize| {
        let Indexed { position, len, .. } = next[sstable];
        PartitionPart { sstable, position, len }
    };
    PartitionSize {
        key: next[sources[0]].key.clone(),
        token: None,
        len,
        block_count: sources.iter().map(|source| next[*source].block_count).sum(),
        parts: sources.iter().map(part).collect(),
        counts,
    }
}

/// Adds what the index doesn't have.
fn complete(
    partition: &mut PartitionSize,
    sstables: &[Sstable],
    counted: Option<&Times>,
    reading: &mut Reading<'_>,
    watch: &Watch<'_>,
) -> Result<(), RowsError> {
    let first = partition.parts[0];
    let sstable = &sstables[first.sstable];
    if partition.key.is_empty() {
        let mut window = Window::new(sstable.data());
        read_key(&mut window, first.position, sstable, &mut partition.key, reading)?;
    }
    if sstable.partitioner() == Partitioner::Murmur3 {
        partition.token = Some(Token::of(&partition.key));
    }
    let Some(times) = counted.filter(|_| partition.counts.is_none()) else { return Ok(()) };
    let meter = watch.phase(Phase::Reading, Unit::Bytes, partition.len);
    let mut tally = Tally::new(*times, &[]);
    for part in &partition.parts {
        let sstable = &sstables[part.sstable];
        let mut walk = Walk::new(sstable, 1);
        let (end, key) = (Some(part.position.saturating_add(part.len)), Some(&partition.key[..]));
        let expected = Expected { position: part.position, end, key };
        let head = walk.begin_at(&expected, reading)?;
        tally.partition(&head, &mut walk, sstable, reading)?;
        meter.step(part.len)?;
    }
    meter.end();
    partition.counts = Some(tally.counts);
    Ok(())
}
