//! The largest partitions: by size from the index alone, by what they hold from their data.
//!
//! Partitions of several SSTables are united by their keys as their indexes are read side by side,
//! in the order of all: sizes are exact, and memory is what is listed and a window for each
//! SSTable. Tries don't have the keys of small partitions, so that uniting two SSTables that have
//! them reads a page of Data.db for each of these.

use std::ops::{ControlFlow, RangeInclusive};

use manicule_core::watch::{Phase, Unit, Watch};
use manicule_format_sstable::{Partitioner, Token};
use manicule_store::pages::Reading;

use super::index::{IndexWalk, Indexed, Keys, read_key};
use super::tally::{Tally, Times, TombstoneCounts};
use super::top::Top;
use super::united::United;
use super::walk::{Expected, Walk};
use crate::RowsError;
use crate::table::{Sstable, Window, bring_indexes, together};

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
    /// When the oldest of its tombstones was made, in seconds since 1970, if they were counted.
    pub oldest: Option<i64>,
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
    let keys = if sstables.len() > 1 { Keys::All } else { Keys::AsIndexed };
    let mut top = Top::new(options.listed_count_max);
    let ranked = options.counted.filter(|_| options.by != RankedBy::Size);
    let mut counting = ranked.map(|times| Counting::new(sstables, times));
    assert!(options.by == RankedBy::Size || counting.is_some(), "what ranks is counted");
    let count = each_united(sstables, keys, reading, watch, &mut |sources, next, reading| {
        let len = len_of(sources, next);
        let counts = match &mut counting {
            Some(counting) => Some(counting.count(sources, next, reading)?),
            None => None,
        };
        let rank = options.by.rank(len, counts.as_ref().map(|counted| &counted.counts));
        if rank >= options.min {
            top.offer(rank, || listed(sources, next, len, counts));
        }
        Ok(ControlFlow::Continue(()))
    })?;
    let mut largest = top.into_items();
    foresee_keys(&largest, sstables, reading);
    for partition in &mut largest {
        complete(partition, sstables, options.counted.as_ref(), reading, watch)?;
    }
    let data_len = sstables.iter().map(Sstable::data_len).sum();
    Ok(Partitions { count, data_len, largest })
}

/// Which partitions a pass hands over, and with what.
#[derive(Clone, Debug)]
pub struct PartitionPass {
    /// The first and the last token, of Murmur3Partitioner; of others all partitions have none.
    pub tokens: RangeInclusive<i64>,
    /// The least length in bytes.
    pub len_min: u64,
    /// Whether their keys and tokens are wanted.
    pub has_keys: bool,
    /// By which times their tombstones are counted, and their rows with them: they are read.
    pub counted: Option<Times>,
}

/// Calls `each` for partitions in the order of their tokens, each united from all SSTables that
/// have it, until it breaks. Returns the number of those that were looked at.
///
/// Cost: the indexes are read up to the last token; of tables with tries also keys. Partitions are
///       read only if they are to be counted.
pub fn each_partition(
    sstables: &[Sstable],
    pass: &PartitionPass,
    reading: &mut Reading<'_>,
    watch: &Watch<'_>,
    each: &mut dyn FnMut(PartitionSize) -> ControlFlow<()>,
) -> Result<u64, RowsError> {
    let partitioner = sstables.first().map_or(Partitioner::Murmur3, Sstable::partitioner);
    let has_tokens = partitioner == Partitioner::Murmur3;
    let is_cut = has_tokens && pass.tokens != (i64::MIN..=i64::MAX);
    let is_keyed = pass.has_keys || is_cut || sstables.len() > 1;
    let keys = if is_keyed { Keys::All } else { Keys::AsIndexed };
    let mut counting = pass.counted.map(|times| Counting::new(sstables, times));
    each_united(sstables, keys, reading, watch, &mut |sources, next, reading| {
        let key = &next[sources[0]].key;
        let token = (has_tokens && is_keyed).then(|| Token::of(key));
        if is_cut && token.is_some_and(|token| token.0 > *pass.tokens.end()) {
            return Ok(ControlFlow::Break(()));
        }
        let len = len_of(sources, next);
        let is_before = is_cut && token.is_some_and(|token| token.0 < *pass.tokens.start());
        if is_before || len < pass.len_min {
            return Ok(ControlFlow::Continue(()));
        }
        let counts = match &mut counting {
            Some(counting) => Some(counting.count(sources, next, reading)?),
            None => None,
        };
        Ok(each(PartitionSize { token, ..listed(sources, next, len, counts) }))
    })
}

/// Takes the next partition: the SSTables that have it, and what the index of each has.
type EachUnited<'e> =
    dyn FnMut(&[usize], &[Indexed], &mut Reading<'_>) -> Result<ControlFlow<()>, RowsError> + 'e;

/// Calls `each` for the partitions of all SSTables in their common order. Returns their number.
fn each_united(
    sstables: &[Sstable],
    keys: Keys,
    reading: &mut Reading<'_>,
    watch: &Watch<'_>,
    each: &mut EachUnited<'_>,
) -> Result<u64, RowsError> {
    let mut united = United::new(sstables)?;
    let (mut walks, mut next) = (Vec::new(), vec![Indexed::default(); sstables.len()]);
    bring_indexes(sstables);
    for sstable in sstables {
        walks.push(IndexWalk::new(sstable, keys, reading)?);
    }
    let meter = watch.endless(Phase::Reading, Unit::Partitions);
    let mut steps = meter.steps();
    let (mut count, mut sources) = (0, Vec::new());
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
        count += 1;
        steps.add(1)?;
        if each(&sources, &next, reading)?.is_break() {
            break;
        }
        for &source in &sources {
            if walks[source].next(&mut next[source], reading)? {
                united.push(&next[source].key, source);
            }
        }
    }
    drop(steps);
    meter.end();
    Ok(count)
}

/// Length in bytes of a partition in all SSTables that have it.
fn len_of(sources: &[usize], next: &[Indexed]) -> u64 {
    sources.iter().map(|source| next[*source].len).sum()
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

/// What a partition holds.
struct Counted {
    counts: TombstoneCounts,
    oldest: Option<i64>,
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
    ) -> Result<Counted, RowsError> {
        for &source in sources {
            let (sstable, walk) = (&self.sstables[source], &mut self.walks[source]);
            let head = walk.begin_at(&Expected::from(&next[source]), reading)?;
            self.tally.partition(&head, walk, sstable, reading)?;
        }
        let (counts, oldest) = (std::mem::take(&mut self.tally.counts), self.tally.oldest.take());
        Ok(Counted { counts, oldest })
    }
}

/// A partition as the indexes have it: its key is empty where they don't have it.
fn listed(
    sources: &[usize],
    next: &[Indexed],
    len: u64,
    counted: Option<Counted>,
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
        oldest: counted.as_ref().and_then(|counted| counted.oldest),
        counts: counted.map(|counted| counted.counts),
    }
}

/// Has at hand, where they are at an address, the keys that the index doesn't have.
fn foresee_keys(largest: &[PartitionSize], sstables: &[Sstable], reading: &mut Reading<'_>) {
    let Some(store) = sstables.first().map(Sstable::store).filter(|store| store.is_far()) else {
        return;
    };
    let unknown: Vec<_> = largest.iter().filter(|partition| partition.key.is_empty()).collect();
    together(store, unknown.len(), reading, |number, reading| {
        let first = unknown[number].parts[0];
        let (sstable, mut key) = (&sstables[first.sstable], Vec::new());
        read_key(&mut Window::new(sstable.data()), first.position, sstable, &mut key, reading)
    });
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
    (partition.counts, partition.oldest) = (Some(tally.counts), tally.oldest);
    Ok(())
}
