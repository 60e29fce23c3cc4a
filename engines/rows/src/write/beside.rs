//! The components beside Data.db, made as its partitions pass: Index.db, Filter.db, Summary.db,
//! Statistics.db.
//!
//! Bytes:   docs/formats/sstable.md

use std::io;

use manicule_core::bytes::DecodeError;
use manicule_format_sstable::{
    BlockCutter, Column, Component, Deletion, DistinctKeys, FilterBits, Header, KEY_LEN_MAX,
    KeyHash, NO_LOCAL_TIME, Partitioner, Place, RowHead, RowPart, RowShape, Samples, ShardKind,
    Shards, Statistics, TombstoneBins, Type, Unfiltered, Validation, Version, put_index_entry,
    put_promoted_head, put_statistics,
};

use super::bounds::BoundsSeen;
use super::data::DataWritten;
use super::draft::TableDraft;
use super::origin::Origin;
use super::out::{Out, Waiting};
use crate::RowsError;
use crate::gathered::{Gathered, Span};

/// What an SSTable is written with, beside its rows.
#[derive(Clone, Debug)]
pub(super) struct Described {
    /// Version, types and columns, and the bases of times. All differences to them can be written,
    /// small ones take less.
    pub(super) header: Header,
    /// Partitioner, and the chance of a false answer of the filter: 1 for none.
    pub(super) validation: Validation,
    /// Length in bytes from which on a block of rows ends.
    pub(super) block_len: u64,
    /// Number of partitions from one sample of the index to the next.
    pub(super) index_interval: u32,
    /// What no row says.
    pub(super) origin: Origin,
}

/// Number of bytes of a partition's blocks that are held, of their offsets, and of the hashes of
/// keys.
const BLOCKS_LEN: usize = 4 << 20;
const STARTS_LEN: usize = 1 << 20;
const HASHES_LEN: usize = 4 << 20;

/// Length in bytes of a key's hash.
const HASH_LEN: usize = 16;

/// The components so far.
///
/// Memory: some MiB whatever the partitions' sizes, a sample of every so many keys, and at the end
/// the filter: 10 bits a key.
pub(super) struct Beside {
    described: Described,
    partitioner: Partitioner,
    index: Out,
    cutter: BlockCutter,
    /// Blocks of the present partition, and their offsets.
    blocks: Waiting,
    starts: Waiting,
    present: Present,
    hashes: Waiting,
    samples: Samples,
    distinct: DistinctKeys,
    gathered: Gathered,
    /// Which columns are counters: the regular ones, the static ones.
    counters: [Vec<bool>; 2],
    bounds: BoundsSeen,
    partition_count: u64,
    scratch: Vec<u8>,
}

/// The partition that is passing.
#[derive(Debug)]
struct Present {
    key: Vec<u8>,
    position: u64,
    deletion: Deletion,
    header_len: u64,
}

impl Beside {
    pub(super) fn create(
        described: Described,
        buckets: [usize; 2],
        draft: &TableDraft,
    ) -> Result<Self, RowsError> {
        let version = described.header.version;
        let name = draft.name(&Component::Index);
        let index = Out::create(draft.aside(), &name).map_err(|error| draft.failed(error))?;
        let mut gathered = Gathered::new(buckets);
        gathered.tombstones = Some(TombstoneBins::new(version));
        let (key, deletion) = (Vec::new(), Deletion::LIVE);
        Ok(Beside {
            partitioner: Partitioner::of_class(&described.validation.partitioner),
            index,
            cutter: BlockCutter::new(described.block_len, version.deletion_form()),
            blocks: Waiting::new("blocks", BLOCKS_LEN),
            starts: Waiting::new("starts", STARTS_LEN),
            present: Present { key, position: 0, deletion, header_len: 0 },
            hashes: Waiting::new("hashes", HASHES_LEN),
            samples: Samples::new(described.index_interval),
            distinct: DistinctKeys::new(),
            gathered,
            bounds: BoundsSeen::new(&described.header),
            counters: [false, true].map(|is_static| counters(described.header.columns(is_static))),
            partition_count: 0,
            scratch: Vec::new(),
            described,
        })
    }

    pub(super) fn partition_count(&self) -> u64 {
        self.partition_count
    }

    /// Whether a key is not too long, and after that of the partition before.
    pub(super) fn check_key(&self, key: &[u8]) -> Result<(), RowsError> {
        if key.len() > KEY_LEN_MAX {
            let why = format!("a partition key has {} bytes, and 65,535 at most fit", key.len());
            return Err(RowsError::Unwritable { why });
        }
        let order = self.partitioner.compare(&self.present.key, key);
        if self.partition_count > 0 && order.is_some_and(|order| !order.is_lt()) {
            let shown = |key: &[u8]| {
                let mut text = String::new();
                self.described.header.key.put_literal(Some(key), &mut text);
                text
            };
            let (key, last) = (shown(key), shown(&self.present.key));
            let why =
                format!("the partition {key} comes after {last}: partitions are out of order");
            return Err(RowsError::Unwritable { why });
        }
        Ok(())
    }

    /// A partition begins at a place of the uncompressed data.
    ///
    /// # Errors
    /// A key that is too long, or not after the one before.
    pub(super) fn begin(
        &mut self,
        key: &[u8],
        position: u64,
        deletion: Deletion,
        draft: &TableDraft,
    ) -> Result<(), RowsError> {
        self.check_key(key)?;
        let present = &mut self.present;
        present.key.clear();
        present.key.extend_from_slice(key);
        (present.position, present.deletion) = (position, deletion);
        self.partition_count += 1;
        self.gathered.begin(deletion);
        self.distinct.add(key);
        let hash = KeyHash::of(key);
        let put = |held: &mut Vec<u8>| {
            held.extend_from_slice(&hash.high.to_le_bytes());
            held.extend_from_slice(&hash.low.to_le_bytes());
        };
        self.hashes.add(draft.aside(), put).map_err(|error| draft.failed(error))
    }

    /// The present partition's key, deletion and static row have this length.
    pub(super) fn head(&mut self, len: u64) {
        self.present.header_len = len;
    }

    pub(super) fn gathered(&self) -> &Gathered {
        &self.gathered
    }

    /// Types of the clustering columns.
    pub(super) fn kinds(&self) -> &[Type] {
        &self.described.header.clustering
    }

    /// A row that says something, for the statistics.
    ///
    /// # Errors
    /// A counter that can't be read.
    pub(super) fn row<'p>(
        &mut self,
        head: &RowHead<'_>,
        parts: impl Iterator<Item = RowPart<'p>> + Clone,
    ) -> Result<(), DecodeError> {
        self.note_counters(head.is_static, parts.clone().map(Ok))?;
        self.gathered.row(head, parts.map(Ok))
    }

    /// A marker with the deletions that end and begin at it, for the statistics.
    pub(super) fn marker(&mut self, deletions: [Option<Deletion>; 2]) {
        self.gathered.marker(deletions);
    }

    /// What it has next, for the statistics.
    ///
    /// # Errors
    /// Cells that can't be read.
    pub(super) fn unfiltered(
        &mut self,
        unfiltered: &Unfiltered<'_>,
        shape: &RowShape,
    ) -> Result<(), DecodeError> {
        if let Unfiltered::Row(row) = unfiltered {
            self.note_counters(row.is_static, row.cells(shape))?;
        }
        self.gathered.unfiltered(unfiltered, shape)
    }

    /// Notes whether counters of a row are as they were before 2.1.
    fn note_counters<'p>(
        &mut self,
        is_static: bool,
        parts: impl Iterator<Item = Result<RowPart<'p>, DecodeError>>,
    ) -> Result<(), DecodeError> {
        let counters = &self.counters[usize::from(is_static)];
        if counters.is_empty() {
            return Ok(());
        }
        for part in parts {
            let RowPart::Cell(cell) = part? else { continue };
            if counters[cell.column] && !cell.value.is_empty() {
                let mut shards = Shards::open(cell.value, cell.at)?;
                let is_legacy = shards.any(|shard| shard.kind != ShardKind::Global);
                self.gathered.has_legacy_counters |= is_legacy;
            }
        }
        Ok(())
    }

    /// A row or marker of it.
    pub(super) fn pass(&mut self, place: &Place<'_>, draft: &TableDraft) -> io::Result<()> {
        let Beside { bounds, described, cutter, blocks, starts, .. } = self;
        bounds.pass(&place.prefix, &described.header.clustering);
        let start = blocks.len();
        if blocks.add(draft.aside(), |held| cutter.pass(place, held))? {
            put_start(start, starts, draft)?;
        }
        Ok(())
    }

    /// It ends, after `len` bytes.
    ///
    /// # Errors
    /// A promoted index that is longer than its offsets can say.
    pub(super) fn end(&mut self, len: u64, draft: &TableDraft) -> io::Result<()> {
        let Beside { cutter, blocks, starts, .. } = self;
        let start = blocks.len();
        if blocks.add(draft.aside(), |held| cutter.end(len, held))? {
            put_start(start, starts, draft)?;
        }
        self.bounds.end_partition(&self.described.header.clustering);
        self.gathered.end(len);
        self.put_entry()
    }

    /// The entry of the present partition: of several blocks with its promoted index.
    fn put_entry(&mut self) -> io::Result<()> {
        let Beside { index, blocks, starts, present, samples, scratch, described, .. } = self;
        let Present { key, position, deletion, header_len } = present;
        samples.add(key, index.len());
        scratch.clear();
        let block_count = (starts.len() / 4) as u32;
        if block_count < 2 {
            put_index_entry(key, *position, 0, scratch);
            index.put(scratch)?;
            return blocks.take(|_| Ok(())).and_then(|()| starts.take(|_| Ok(())));
        }
        let (mut head, form) = (Vec::new(), described.header.version.deletion_form());
        put_promoted_head(*header_len, *deletion, form, block_count, &mut head);
        let len = head.len() as u64 + blocks.len() + starts.len();
        if len > i32::MAX as u64 {
            return Err(io::Error::other(
                "a partition has more blocks than its index counts: longer blocks are needed",
            ));
        }
        put_index_entry(key, *position, len, scratch);
        index.put(scratch)?;
        index.put(&head)?;
        blocks.take(|bytes| index.put(bytes))?;
        starts.take(|bytes| index.put(bytes))
    }

    /// Writes the components; `data` is what is known of Data.db.
    pub(super) fn finish(mut self, data: &DataWritten, draft: &mut TableDraft) -> io::Result<()> {
        self.index.flush()?;
        draft.add(Component::Index);
        self.put_filter(draft)?;
        let mut summary = Vec::new();
        self.samples.put(&mut summary);
        draft.write(Component::Summary, &summary)?;
        let Beside { described, distinct, gathered, bounds, .. } = self;
        let statistics = statistics(gathered, bounds, data, &described);
        let (mut file, cardinality) = (Vec::new(), distinct.finish());
        let Described { validation, header, .. } = &described;
        put_statistics(validation, &cardinality, &statistics, header, &mut file);
        draft.write(Component::Statistics, &file)
    }

    fn put_filter(&mut self, draft: &mut TableDraft) -> io::Result<()> {
        let chance = self.described.validation.filter_chance;
        let Some(mut bits) = FilterBits::new(self.partition_count, chance) else { return Ok(()) };
        self.hashes.take(|hashes| {
            for hash in hashes.as_chunks::<HASH_LEN>().0 {
                let both = u128::from_le_bytes(*hash);
                bits.add(KeyHash { high: both as u64, low: (both >> 64) as u64 });
            }
            Ok(())
        })?;
        let mut file = Vec::new();
        bits.put_head(&mut file);
        file.extend_from_slice(&bits.into_words(draft.version()));
        draft.write(Component::Filter, &file)
    }
}

/// Which columns are counters; nothing if none is.
fn counters(columns: &[Column]) -> Vec<bool> {
    let is_counter: Vec<bool> = columns.iter().map(|it| it.kind == Type::Counter).collect();
    if is_counter.contains(&true) { is_counter } else { Vec::new() }
}

/// Notes where a block begins among those of its partition.
fn put_start(start: u64, starts: &mut Waiting, draft: &TableDraft) -> io::Result<()> {
    starts.add(draft.aside(), |held| held.extend_from_slice(&(start as u32).to_be_bytes()))
}

/// Statistics of all that passed.
fn statistics(
    gathered: Gathered,
    bounds: BoundsSeen,
    data: &DataWritten,
    described: &Described,
) -> Statistics {
    // What was never noted has the widest timestamps, and is neither deleted nor expires.
    let timestamps = gathered.timestamps.or(Span { least: i64::MIN, greatest: i64::MAX });
    let none = Span { least: NO_LOCAL_TIME, greatest: NO_LOCAL_TIME };
    let local_times = gathered.local_times.or(none);
    let ttls = gathered.ttls.or(Span { least: 0, greatest: 0 });
    let version: Version = described.header.version;
    let tombstones = gathered.tombstones.unwrap_or_else(|| TombstoneBins::new(version)).finish();
    let origin = described.origin.clone();
    Statistics {
        partition_sizes: gathered.partition_sizes,
        cell_counts: gathered.cell_counts,
        min_timestamp: timestamps.least,
        max_timestamp: timestamps.greatest,
        min_local_time: local_times.least,
        max_local_time: local_times.greatest,
        min_ttl: ttls.least as u32,
        max_ttl: ttls.greatest as u32,
        compression_ratio: data.ratio,
        tombstones,
        level: origin.level,
        repaired_at: origin.repaired_at,
        bounds: bounds.finish(&described.header.clustering),
        has_legacy_counters: gathered.has_legacy_counters,
        column_count: gathered.column_count,
        row_count: gathered.row_count,
        log_upper: origin.log_upper,
        log_lower: Some(origin.log_lower),
        log_intervals: origin.log_intervals,
        pending_repair: origin.pending_repair,
        is_transient: origin.is_transient,
        host: origin.host,
        has_partition_deletions: None,
        keys: None,
        token_coverage: None,
    }
}
