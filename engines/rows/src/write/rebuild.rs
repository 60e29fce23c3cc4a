//! An SSTable with the same data and new components beside them: of one whose index, filter,
//! summary, statistics or checksums are damaged or missing.

use manicule_core::bytes::DecodeError;
use manicule_core::watch::{Phase, Unit, Watch};
use manicule_format_sstable::{
    Component, Deletion, FilterBits, FrameKind, INDEX_INTERVAL, PartitionHead, Partitioner, Place,
    Sequence, Statistics, StatisticsFile, Summary, Unfiltered, Validation,
};
use manicule_store::pages::Reading;

use super::beside::{Beside, Described};
use super::copy::{Copied, Proven, copy_data};
use super::draft::{TableDraft, Target};
use super::origin::{Origin, bucket_counts, check_version};
use super::written::Written;
use crate::RowsError;
use crate::slice::read_frame;
use crate::table::{DataFile, Listed, Met, Sstable, TableOptions, Window, read_component};

/// How components are made where the old ones don't say it.
#[derive(Clone, Copy, Debug)]
pub struct RebuildOptions {
    /// Chance of a false answer of the filter, 1 for none; `None`: that of the old statistics, or
    /// 0.01.
    pub filter_chance: Option<f64>,
    /// Length in bytes from which on a block of rows ends in the index: of no component is it
    /// known.
    pub block_len: u64,
    /// Number of partitions from one sample of the index to the next; `None`: that of the old
    /// summary, or 128.
    pub index_interval: Option<u32>,
}

/// Length in bytes of a read.
const READ_LEN: u64 = 1 << 20;

/// Class of the partitioner, and chance of the filter, of an SSTable whose statistics are damaged:
/// the defaults of all tables.
pub(super) const PARTITIONER: &str = "org.apache.cassandra.dht.Murmur3Partitioner";
const FILTER_CHANCE: f64 = 0.01;

/// Makes an SSTable with the data of another. Of the other only Data.db is needed, the header in
/// its Statistics.db, and of compressed data CompressionInfo.db; what Statistics.db says of its
/// origin is kept where it can be read. Scylla.db and files of secondary indexes are not.
///
/// Data.db is read twice, and is one file with two names where the file system has that. Memory:
/// some MiB, the longest row, and the filter.
///
/// # Errors
/// Data that are not sound, or that no checksum affirms and the old one denies:
/// [`RowsError::Damaged`] says where. Nothing is published then.
pub fn rebuild(
    listed: &Listed,
    target: &Target,
    options: &RebuildOptions,
    table: &TableOptions,
    reading: &mut Reading<'_>,
    watch: &Watch<'_>,
) -> Result<Written, RowsError> {
    check_version(listed)?;
    let sstable = Sstable::open_damaged(listed, table, reading)?;
    sstable.data().check_len(reading)?;
    let (described, old) = describe(&sstable, listed, options, table, reading)?;
    let mut draft = TableDraft::create(target, sstable.version())?;
    let buckets = old.map_or_else(
        || bucket_counts(sstable.version()),
        |old| [&old.partition_sizes, &old.cell_counts].map(|it| it.buckets().len()),
    );
    let beside = Beside::create(described, buckets, &draft)?;
    let mut pass = Pass::new(&sstable, beside, &draft);
    pass.run(reading, watch)?;
    let Pass { beside, met, .. } = pass;
    let Copied { written: data, proof } =
        copy_data(&sstable, listed, &mut draft, table, reading, watch)?;
    match proof {
        Proven::Whole => {}
        Proven::Damaged(error) => return Err(error),
        Proven::Unknown => met.check(&sstable, sstable.path(), reading)?,
    }
    let written = Written::of(&beside, data.len);
    beside.finish(&data, &mut draft).map_err(|error| draft.failed(error))?;
    let path = draft.publish()?;
    Ok(Written { path, ..written })
}

/// What the new components are made with, and the old statistics where they can be read.
pub(super) fn describe(
    sstable: &Sstable,
    listed: &Listed,
    options: &RebuildOptions,
    table: &TableOptions,
    reading: &mut Reading<'_>,
) -> Result<(Described, Option<Statistics>), RowsError> {
    let version = sstable.version();
    let bytes = read_component(listed, &Component::Statistics, table, reading)?;
    let file = StatisticsFile::open_damaged(&bytes, version).ok().map(|(file, _)| file);
    let old = file.as_ref().and_then(|file| file.statistics().ok());
    let mut validation = file.and_then(|file| file.validation().ok()).unwrap_or_else(|| {
        Validation { partitioner: PARTITIONER.to_owned(), filter_chance: FILTER_CHANCE }
    });
    if !Partitioner::is_known_class(&validation.partitioner) {
        // The writer compares the order of the keys with it.
        validation.partitioner = PARTITIONER.to_owned();
    }
    if let Some(chance) = options.filter_chance {
        validation.filter_chance = chance;
    }
    // A chance that no filter has is damage too.
    if !(FilterBits::CHANCE_MIN..=1.0).contains(&validation.filter_chance) {
        validation.filter_chance = FILTER_CHANCE;
    }
    let summary = read_component(listed, &Component::Summary, table, reading).unwrap_or_default();
    let interval = Summary::open(&summary).ok().map(|summary| summary.head.min_index_interval);
    let index_interval = options.index_interval.or(interval.filter(|interval| *interval > 0));
    let described = Described {
        header: sstable.header().clone(),
        validation,
        block_len: options.block_len,
        index_interval: index_interval.unwrap_or(INDEX_INTERVAL),
        origin: old.as_ref().map_or(Origin::NONE, Origin::of),
    };
    Ok((described, old))
}

/// The pass over all partitions.
struct Pass<'t, 'd> {
    sstable: &'t Sstable,
    draft: &'d TableDraft,
    window: Window<'t, DataFile>,
    sequence: Sequence,
    beside: Beside,
    key: Vec<u8>,
    /// The partitions so far.
    met: Met,
    /// Offset of what is read next.
    at: u64,
}

impl<'t, 'd> Pass<'t, 'd> {
    fn new(sstable: &'t Sstable, beside: Beside, draft: &'d TableDraft) -> Self {
        let window = Window::passing(sstable.data(), READ_LEN);
        let (sequence, key, met) = (Sequence::new(), Vec::new(), Met::default());
        Pass { sstable, draft, window, sequence, beside, key, met, at: 0 }
    }

    fn run(&mut self, reading: &mut Reading<'_>, watch: &Watch<'_>) -> Result<(), RowsError> {
        let meter = watch.phase(Phase::Reading, Unit::Bytes, self.sstable.data_len());
        let mut steps = meter.steps();
        while self.at < self.sstable.data_len() {
            let start = self.at;
            let deletion = self.head(reading)?;
            self.met.pass(Some(&self.key));
            self.beside.begin(&self.key, start, deletion, self.draft)?;
            let mut has_head = false;
            loop {
                let before = self.at;
                let is_more = self.next(start, &mut has_head, reading)?;
                steps.add(self.at - before)?;
                if !is_more {
                    break;
                }
            }
            let ended = self.beside.end(self.at - start, self.draft);
            ended.map_err(|error| self.draft.failed(error))?;
        }
        drop(steps);
        meter.end();
        Ok(())
    }

    /// Reads the head of the next partition; its key is kept.
    fn head(&mut self, reading: &mut Reading<'_>) -> Result<Deletion, RowsError> {
        let Pass { sstable, window, sequence, key, at, .. } = self;
        let start = *at;
        let (deletion, len) = window.parse("partition", start, reading, |window| {
            let parsed = PartitionHead::read(window, start, sstable.shape())?;
            Ok(parsed.map(|head| {
                key.clear();
                key.extend_from_slice(head.key);
                sequence.begin(&head);
                (head.deletion, head.len as u64)
            }))
        })?;
        *at += len;
        Ok(deletion)
    }

    /// The next of what the partition that begins at `start` consists of; `false` after its end.
    fn next(
        &mut self,
        start: u64,
        has_head: &mut bool,
        reading: &mut Reading<'_>,
    ) -> Result<bool, RowsError> {
        let Pass { sstable, draft, window, sequence, beside, at, .. } = self;
        let frame = read_frame(window, *at, sstable, reading)?;
        let bytes = window.at(frame.at, frame.len, reading)?;
        let (shape, kinds) = (sstable.shape(), &sstable.header().clustering);
        let open_before = sequence.open();
        if frame.kind != FrameKind::Static && !std::mem::replace(has_head, true) {
            beside.head(frame.at - start);
        }
        let mut pass = || -> Result<_, DecodeError> {
            let unfiltered = frame.open(bytes, shape)?;
            sequence.check(&unfiltered, frame.at, shape, kinds)?;
            beside.unfiltered(&unfiltered, shape)?;
            Ok(unfiltered)
        };
        let unfiltered = pass().map_err(|error| sstable.data().damaged(error))?;
        let prefix = match &unfiltered {
            Unfiltered::Row(row) if !row.is_static => Some(row.prefix()),
            Unfiltered::Marker(marker) => Some(marker.prefix),
            _ => None,
        };
        if let Some(prefix) = prefix {
            let (offset, len, open_after) = (frame.at - start, frame.len as u64, sequence.open());
            let place = Place { offset, len, prefix, open_before, open_after };
            beside.pass(&place, draft).map_err(|error| draft.failed(error))?;
        }
        *at += frame.len as u64;
        Ok(frame.kind != FrameKind::End)
    }
}
