//! Several SSTables as one, as a compaction brings them together: by timestamps, without what
//! deletions hide, without tombstones that are old enough.

use manicule_core::watch::{Meter, Phase, Unit, Watch};
use manicule_format_sstable::{
    Column, Component, Deletion, FilterBits, Header, INDEX_INTERVAL, Liveness, Prefix, RowHead,
    RowPart, Statistics, StatisticsFile, Unfiltered, Validation, Version,
};
use manicule_store::pages::Reading;

use super::beside::Described;
use super::data::Compress;
use super::draft::Target;
use super::origin::{Origin, check_written};
use super::purge::Purge;
use super::row_parts::put_parts;
use super::table::SstableWriter;
use super::written::Written;
use crate::RowsError;
use crate::emptied::emptied;
use crate::merge::{
    MergedColumns, MergedItem, Open, RowMerge, WalkedPartition, WalkedSource, later, marker,
};
use crate::scan::{United, Walk};
use crate::slice::{Direction, Head};
use crate::table::{Listed, Sstable, TableOptions, read_component};

/// How SSTables are merged.
#[derive(Clone, Debug)]
pub struct MergeOptions {
    /// By which times tombstones are dropped.
    pub purge: Purge,
    /// Version of the new SSTable; `None`: the newest of those that are merged.
    pub version: Option<Version>,
    /// How the new data is compressed; `None`: not.
    pub compress: Option<Compress>,
    /// Length in bytes from which on a block of rows ends in the index.
    pub block_len: u64,
}

/// SSTables that were merged.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Merged {
    /// Length in bytes of their data before compression.
    pub data_len: u64,
    /// The new one; `None` if nothing is left of them: then nothing is written.
    pub written: Option<Written>,
}

/// Merges SSTables of one table into one, whose rows are what a compaction of Cassandra leaves of
/// them.
///
/// Of one SSTable alone nothing that deletions hide is left out, as there. A tombstone is dropped
/// for its age whatever other SSTables of the table have: only who merges all of them may have any
/// dropped.
///
/// The data of each is read once. Memory: some MiB, a window and a row of each.
pub fn merge(
    listed: &[Listed],
    target: &Target,
    options: &MergeOptions,
    table: &TableOptions,
    reading: &mut Reading<'_>,
    watch: &Watch<'_>,
) -> Result<Merged, RowsError> {
    let opened = listed.iter().map(|listed| Sstable::open(listed, table, reading));
    let sstables: Vec<Sstable> = opened.collect::<Result<_, _>>()?;
    let mut all = Vec::new();
    for (listed, sstable) in listed.iter().zip(&sstables) {
        all.push(describe(listed, sstable, table, reading)?);
    }
    let columns = MergedColumns::of(&sstables.iter().collect::<Vec<_>>())?;
    let described = united(&sstables, &all, &columns, listed, options)?;
    let MergeOptions { compress, purge, .. } = *options;
    let written = merge_as(&sstables, described, compress, purge, target, reading, watch)?;
    Ok(Merged { data_len: sstables.iter().map(Sstable::data_len).sum(), written })
}

/// Merges SSTables into one that is described; its columns are those of all of them.
pub(super) fn merge_as(
    sstables: &[Sstable],
    described: Described,
    compress: Option<Compress>,
    purge: Purge,
    target: &Target,
    reading: &mut Reading<'_>,
    watch: &Watch<'_>,
) -> Result<Option<Written>, RowsError> {
    let columns = MergedColumns::of(&sstables.iter().collect::<Vec<_>>())?;
    let writer = SstableWriter::create(target, described, compress)?;
    let mut merging = Merging::new(sstables, columns, purge, writer)?;
    merging.run(reading, watch)?;
    merging.writer.finish()
}

/// Statistics and validation of an SSTable.
fn describe(
    listed: &Listed,
    sstable: &Sstable,
    table: &TableOptions,
    reading: &mut Reading<'_>,
) -> Result<(Validation, Statistics), RowsError> {
    let bytes = read_component(listed, &Component::Statistics, table, reading)?;
    let path = listed.path(&Component::Statistics);
    let damaged = |error| RowsError::damaged(&path, error);
    let file = StatisticsFile::open(&bytes, sstable.version());
    let file = file.map_err(|error| RowsError::damaged(&path, error))?;
    Ok((file.validation().map_err(damaged)?, file.statistics().map_err(damaged)?))
}

/// What the new SSTable is written with.
fn united(
    sstables: &[Sstable],
    all: &[(Validation, Statistics)],
    columns: &MergedColumns,
    listed: &[Listed],
    options: &MergeOptions,
) -> Result<Described, RowsError> {
    let (Some(first), Some((validation, _))) = (sstables.first(), all.last()) else {
        return Err(RowsError::Unwritable { why: "there is no SSTable to merge".to_owned() });
    };
    let newest = sstables.iter().map(Sstable::version).max_by_key(|version| version.age());
    let version = options.version.or(newest).unwrap_or(first.version());
    check_written(version, &listed[0])?;
    for (sstable, listed) in sstables.iter().zip(listed) {
        check_types(sstable, first.header(), columns, listed)?;
    }
    let headers = || sstables.iter().map(Sstable::header);
    let list = |is_static: bool| {
        let columns = columns.list(is_static).iter();
        columns.map(|it| Column { name: it.name.clone(), kind: it.kind.clone() }).collect()
    };
    let header = Header {
        version,
        base_timestamp: headers().map(|it| it.base_timestamp).min().unwrap_or_default(),
        base_deletion_time: headers().map(|it| it.base_deletion_time).min().unwrap_or_default(),
        base_ttl: headers().map(|it| it.base_ttl).min().unwrap_or_default(),
        key: first.header().key.clone(),
        clustering: first.header().clustering.clone(),
        statics: list(true),
        regulars: list(false),
    };
    let mut validation = validation.clone();
    validation.filter_chance = validation.filter_chance.clamp(FilterBits::CHANCE_MIN, 1.0);
    let (block_len, index_interval) = (options.block_len, INDEX_INTERVAL);
    let origin = origin(all.iter().map(|(_, statistics)| statistics));
    Ok(Described { header, validation, block_len, index_interval, origin })
}

/// Repaired is what all are; what one log alone has is not said of several.
fn origin<'s>(all: impl Iterator<Item = &'s Statistics> + Clone) -> Origin {
    let same = |of: fn(&Statistics) -> Option<[u8; 16]>| {
        let mut all = all.clone().map(of);
        let first = all.next().flatten();
        first.filter(|_| all.all(|other| other == first))
    };
    let repaired_at = all.clone().map(|it| it.repaired_at).min().unwrap_or(0);
    let is_transient = all.clone().all(|it| it.is_transient);
    let pending_repair = same(|it| it.pending_repair);
    Origin { repaired_at, is_transient, pending_repair, host: same(|it| it.host), ..Origin::NONE }
}

/// Values are copied as they are, so that their types have to be the same.
fn check_types(
    sstable: &Sstable,
    first: &Header,
    columns: &MergedColumns,
    listed: &Listed,
) -> Result<(), RowsError> {
    let file = || listed.path(&Component::Statistics);
    if sstable.header().key != first.key {
        let what = "its partition key is not that of the other SSTables".to_owned();
        return Err(RowsError::Unsupported { file: file(), what });
    }
    for is_static in [false, true] {
        for Column { name, kind } in sstable.header().columns(is_static) {
            let other = columns.list(is_static).iter().find(|column| column.name == *name);
            if other.is_some_and(|other| other.kind != *kind) {
                let name = String::from_utf8_lossy(name);
                let what = format!("column {name} has another type than in the other SSTables");
                return Err(RowsError::Unsupported { file: file(), what });
            }
        }
    }
    Ok(())
}

/// A merge.
struct Merging<'t> {
    sstables: &'t [Sstable],
    walks: Vec<Walk<'t>>,
    /// Heads of the partitions that the walks are at.
    heads: Vec<Option<Head>>,
    columns: MergedColumns,
    numbers: Vec<[Vec<usize>; 2]>,
    purge: Purge,
    writer: SstableWriter,
    united: United,
}

impl<'t> Merging<'t> {
    fn new(
        sstables: &'t [Sstable],
        columns: MergedColumns,
        purge: Purge,
        writer: SstableWriter,
    ) -> Result<Self, RowsError> {
        let walks = sstables.iter().map(|sstable| Walk::new(sstable, sstables.len())).collect();
        let numbers = |sstable: &Sstable| {
            [false, true].map(|is_static| columns.numbers(sstable.header(), is_static))
        };
        let numbers = sstables.iter().map(numbers).collect();
        let (heads, united) = (Vec::new(), United::new(sstables)?);
        Ok(Merging { sstables, walks, heads, columns, numbers, purge, writer, united })
    }

    fn run(&mut self, reading: &mut Reading<'_>, watch: &Watch<'_>) -> Result<(), RowsError> {
        let data_len = self.sstables.iter().map(Sstable::data_len).sum();
        let meter = watch.phase(Phase::Merging, Unit::Bytes, data_len);
        for source in 0..self.walks.len() {
            self.heads.push(None);
            self.begin(source, reading)?;
        }
        let mut sources = Vec::new();
        loop {
            self.united.take(&mut sources);
            match sources[..] {
                [] => break,
                [source] => self.single(source, &meter, reading)?,
                _ => self.several(&sources, &meter, reading)?,
            }
            for &source in &sources {
                self.begin(source, reading)?;
            }
        }
        meter.end();
        Ok(())
    }

    /// Goes to the next partition of an SSTable.
    fn begin(&mut self, source: usize, reading: &mut Reading<'_>) -> Result<(), RowsError> {
        let walk = &mut self.walks[source];
        self.heads[source] = walk.begin(reading)?;
        if self.heads[source].is_some() {
            self.united.push(walk.key(), source);
        }
        Ok(())
    }

    /// A partition that one SSTable has.
    fn single(
        &mut self,
        source: usize,
        meter: &Meter<'_>,
        reading: &mut Reading<'_>,
    ) -> Result<(), RowsError> {
        let Some(head) = self.heads[source].take() else { return Ok(()) };
        let is_merged = self.sstables.len() > 1;
        let (sstable, numbers) = (&self.sstables[source], &self.numbers[source]);
        let Merging { walks, writer, purge, .. } = self;
        let (walk, shape) = (&mut walks[source], sstable.shape());
        let damaged = |error| sstable.data().damaged(error);
        writer.begin(walk.key(), purge.deletion(head.deletion))?;
        let outer = if is_merged { head.deletion } else { Deletion::LIVE };
        let mut open = Open::new(1, outer);
        if let Some(row) = head.static_row(sstable)? {
            let mut parts = Vec::new();
            put_parts(row.cells(shape), &numbers[1], &mut parts).map_err(damaged)?;
            put_row(writer, purge, &RowHead::of(&row), &mut parts, outer)?;
        }
        let (mut before, mut spare) = (head.position, Vec::<RowPart<'_>>::new());
        loop {
            let mut parts = emptied(spare);
            match walk.next(reading)? {
                None | Some(Unfiltered::End) => break,
                Some(Unfiltered::Row(row)) => {
                    put_parts(row.cells(shape), &numbers[0], &mut parts).map_err(damaged)?;
                    let around = if is_merged { open.around() } else { Deletion::LIVE };
                    put_row(writer, purge, &RowHead::of(&row), &mut parts, around)?;
                }
                Some(Unfiltered::Marker(found)) => {
                    let closes = open.current();
                    open.set(0, found.begins);
                    let opens = open.current();
                    if let Some(found) = marker(&found.prefix, closes, opens, Direction::Forward) {
                        let place = found.prefix.as_prefix();
                        put_marker(writer, purge, &place, [found.closes, found.opens])?;
                    }
                }
            }
            spare = emptied(parts);
            meter.step(walk.at() - before)?;
            before = walk.at();
        }
        writer.end()
    }

    /// A partition that several SSTables have.
    fn several(
        &mut self,
        numbers: &[usize],
        meter: &Meter<'_>,
        reading: &mut Reading<'_>,
    ) -> Result<(), RowsError> {
        let Merging { sstables, walks, heads, columns, writer, purge, .. } = self;
        let key = numbers.first().map_or_else(Vec::new, |first| walks[*first].key().to_vec());
        let started: u64 =
            numbers.iter().filter_map(|it| heads[*it].as_ref()).map(|it| it.position).sum();
        let mut sources = Vec::new();
        for (number, walk) in walks.iter_mut().enumerate() {
            if !numbers.contains(&number) {
                continue;
            }
            if let Some(head) = heads[number].take() {
                sources.push(WalkedSource { walk, head, numbers: &self.numbers[number], number });
            }
        }
        let types = &sstables[0].header().clustering;
        let mut partition = WalkedPartition::begin(sources);
        writer.begin(&key, purge.deletion(partition.deletion()))?;
        let mut spare: Vec<RowPart<'_>> = Vec::new();
        let mut put = |row: &RowMerge<'_>, writer: &mut SstableWriter| {
            let mut parts = emptied(std::mem::take(&mut spare));
            row.put_parts(&mut parts);
            // It was merged under what hides it.
            let put = put_row(writer, purge, &row.head, &mut parts, Deletion::LIVE);
            spare = emptied(parts);
            put
        };
        partition.static_row(columns, |row| put(row, writer))?;
        while let Some(item) = partition.next(types, columns, reading, |row| put(row, writer))? {
            if let MergedItem::Marker(found) = item {
                let place = found.prefix.as_prefix();
                put_marker(writer, purge, &place, [found.closes, found.opens])?;
            }
        }
        drop(partition);
        let ended: u64 = numbers.iter().map(|number| walks[*number].at()).sum();
        meter.step(ended - started)?;
        writer.end()
    }
}

/// Writes what is left of a row under a deletion of its range or partition.
fn put_row(
    writer: &mut SstableWriter,
    purge: &Purge,
    row: &RowHead<'_>,
    parts: &mut Vec<RowPart<'_>>,
    around: Deletion,
) -> Result<(), RowsError> {
    let hides = later(around, row.deletion);
    let is_shadowed = row.liveness.is_some_and(|it| !row.shadowable.deletes(it.timestamp));
    let shadowable = if is_shadowed { Deletion::LIVE } else { row.shadowable };
    let own = |deletion: Deletion, outer: &Deletion| {
        if deletion.supersedes(outer) { deletion } else { Deletion::LIVE }
    };
    let (deletion, shadowable) = (own(row.deletion, &around), own(shadowable, &hides));
    let hides = later(hides, shadowable);
    let liveness: Option<Liveness> = row.liveness.filter(|it| !hides.deletes(it.timestamp));
    purge.parts(parts, hides);
    let left = RowHead {
        liveness: purge.liveness(liveness),
        deletion: purge.deletion(deletion),
        shadowable: purge.deletion(shadowable),
        ..*row
    };
    if left.says_nothing() && parts.is_empty() {
        return Ok(());
    }
    if row.is_static {
        writer.statics(&left, parts.iter().copied())
    } else {
        writer.row(&left, parts.iter().copied())
    }
}

/// Writes what is left of a marker.
fn put_marker(
    writer: &mut SstableWriter,
    purge: &Purge,
    place: &Prefix<'_>,
    [closes, opens]: [Option<Deletion>; 2],
) -> Result<(), RowsError> {
    let (closes, opens) = (purge.range(closes), purge.range(opens));
    match marker(place, closes, opens, Direction::Forward) {
        Some(left) => writer.marker(&left.prefix.as_prefix(), [left.closes, left.opens]),
        None => Ok(()),
    }
}
