//! One SSTable in short: its files, counts, times, keys, and its largest partition.

use std::path::PathBuf;

use manicule_core::watch::Watch;
use manicule_format_sstable::{
    Component, CompressionInfo, Filter, Header, NO_LOCAL_TIME, Statistics, StatisticsFile, Summary,
    Token,
};
use manicule_store::pages::Reading;

use super::shape::{PartitionShape, shape};
use crate::RowsError;
use crate::scan::{PartitionOptions, RankedBy, partitions};
use crate::table::{IndexFiles, Listed, OpenFile, Resident, Sstable, TableOptions, trie_ends};

/// A partition key for people.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KeyShown {
    /// As CQL writes it.
    pub key: String,
    /// Its token by Murmur3.
    pub token: i64,
}

/// First and last key of a table.
type FirstAndLast = (KeyShown, KeyShown);

/// How the data is compressed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CompressionShown {
    /// Class of the compressor.
    pub class: String,
    /// Length in bytes of a chunk before compression.
    pub chunk_len: u64,
    /// Number of chunks.
    pub chunk_count: u64,
}

/// The Bloom filter.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FilterShown {
    /// Number of hash functions.
    pub hash_count: u64,
    /// Number of bits.
    pub bit_count: u64,
    /// Number of bits that are set.
    pub set_bit_count: u64,
    /// Chance of a false answer that it was made for.
    pub chance: f64,
}

/// An SSTable in short.
#[derive(Clone, Debug)]
pub struct SstableInspection {
    /// Its data.
    pub path: PathBuf,
    /// What the names of its files share.
    pub name: String,
    /// Version of the format.
    pub version: &'static str,
    /// Its components and their lengths in bytes.
    pub components: Vec<(String, u64)>,
    /// Class of the partitioner.
    pub partitioner: String,
    /// Length in bytes of the uncompressed data.
    pub data_len: u64,
    /// How it is compressed; `None` if it isn't.
    pub compression: Option<CompressionShown>,
    /// Number of partitions in the index.
    pub partition_count: u64,
    /// Estimate of the number of partitions, as compaction uses it.
    pub key_estimate: Option<u64>,
    /// Number of rows.
    pub row_count: u64,
    /// Number of columns that rows have a value of.
    pub column_count: u64,
    /// Number of tombstones and expiring cells, as the histogram counts them.
    pub tombstone_count: u64,
    /// Least and greatest timestamp, in microseconds since 1970; `None` where nothing has one.
    pub timestamps: Option<(i64, i64)>,
    /// Least and greatest local deletion time, in seconds since 1970; `None` where something isn't
    /// deleted and doesn't expire.
    pub local_times: (Option<i64>, Option<i64>),
    /// Least and greatest TTL, in seconds.
    pub ttls: (u32, u32),
    /// Level of leveled compaction.
    pub level: i32,
    /// When it was repaired, in milliseconds since 1970; 0 for never.
    pub repaired_at: i64,
    /// The filter, if there is one.
    pub filter: Option<FilterShown>,
    /// Number of samples of the summary.
    pub sample_count: Option<u64>,
    /// First and last key, where a component has them.
    pub keys: Option<(KeyShown, KeyShown)>,
    /// The partition that was asked for, or the largest.
    pub partition: Option<PartitionShape>,
    /// Components that can't be read, and why.
    pub broken: Vec<String>,
}

/// Inspects an SSTable, and of it the partition of a key, or the largest.
///
/// Cost: the index is read once.
pub fn inspect(
    listed: &Listed,
    key: Option<&[u8]>,
    options: &TableOptions,
    reading: &mut Reading<'_>,
    watch: &Watch<'_>,
) -> Result<SstableInspection, RowsError> {
    let sstable = Sstable::open(listed, options, reading)?;
    let statistics = Resident::open(listed, &Component::Statistics, options, reading)?;
    let damaged = |error| statistics.damaged(error);
    let version = listed.descriptor.version;
    let file = StatisticsFile::open(statistics.bytes(), version);
    let file = file.map_err(|error| statistics.damaged(error))?;
    let (fields, validation) =
        (file.statistics().map_err(damaged)?, file.validation().map_err(damaged)?);
    // ScyllaDB has written images of another precision, which say nothing here.
    let key_estimate = file.cardinality().ok().flatten().map(|image| image.estimate());
    let mut parts = Parts { listed, options, broken: Vec::new() };
    let filter = parts.filter(validation.filter_chance, reading)?;
    let compression = parts.compression(reading)?;
    let (sample_count, keys) = parts.keys(&sstable, &fields, reading)?;
    let largest =
        PartitionOptions { listed_count_max: 1, by: RankedBy::Size, min: 0, counted: None };
    let sstables = std::slice::from_ref(&sstable);
    let largest = partitions(sstables, &largest, reading, watch)?;
    let partition = shape(&sstable, key, largest.largest.first(), reading)?;
    Ok(SstableInspection {
        path: sstable.path().to_owned(),
        name: listed.descriptor.to_string(),
        version: version.letters(),
        components: parts.lens()?,
        partitioner: validation.partitioner,
        data_len: sstable.data_len(),
        compression,
        partition_count: largest.count,
        key_estimate,
        row_count: fields.row_count,
        column_count: fields.column_count,
        tombstone_count: fields.tombstones.count(),
        timestamps: (fields.min_timestamp != i64::MIN)
            .then_some((fields.min_timestamp, fields.max_timestamp)),
        local_times: (real(fields.min_local_time), real(fields.max_local_time)),
        ttls: (fields.min_ttl, fields.max_ttl),
        level: fields.level,
        repaired_at: fields.repaired_at,
        filter,
        sample_count,
        keys,
        partition,
        broken: parts.broken,
    })
}

fn real(local_time: i64) -> Option<i64> {
    Some(local_time).filter(|time| *time != NO_LOCAL_TIME)
}

fn shown(header: &Header, key: &[u8]) -> KeyShown {
    let mut text = String::new();
    header.key.put_literal(Some(key), &mut text);
    KeyShown { key: text, token: Token::of(key).0 }
}

/// The small components.
struct Parts<'l> {
    listed: &'l Listed,
    options: &'l TableOptions,
    broken: Vec<String>,
}

impl Parts<'_> {
    /// A component, where it is there.
    fn resident(
        &self,
        component: &Component,
        reading: &mut Reading<'_>,
    ) -> Result<Option<Resident>, RowsError> {
        let is_there = self.listed.components.contains(component);
        let open = || Resident::open(self.listed, component, self.options, reading);
        is_there.then(open).transpose()
    }

    fn lens(&self) -> Result<Vec<(String, u64)>, RowsError> {
        let len = |component: &Component| {
            let file = OpenFile::open(self.listed, component, self.options)?;
            Ok((component.name().to_owned(), file.len()))
        };
        self.listed.components.iter().map(len).collect()
    }

    fn filter(
        &mut self,
        chance: f64,
        reading: &mut Reading<'_>,
    ) -> Result<Option<FilterShown>, RowsError> {
        let Some(file) = self.resident(&Component::Filter, reading)? else { return Ok(None) };
        match Filter::open(file.bytes(), self.listed.descriptor.version) {
            Ok(filter) => Ok(Some(FilterShown {
                hash_count: filter.hash_count().into(),
                bit_count: filter.bit_count(),
                set_bit_count: filter.set_bit_count(),
                chance,
            })),
            Err(error) => {
                self.broken.push(file.damaged(error).to_string());
                Ok(None)
            }
        }
    }

    fn compression(
        &self,
        reading: &mut Reading<'_>,
    ) -> Result<Option<CompressionShown>, RowsError> {
        let Some(file) = self.resident(&Component::CompressionInfo, reading)? else {
            return Ok(None);
        };
        let info = CompressionInfo::open(file.bytes(), self.listed.descriptor.version);
        let info = info.map_err(|error| file.damaged(error))?;
        let (chunk_len, chunk_count) = (info.chunk_len.into(), info.chunk_count() as u64);
        Ok(Some(CompressionShown { class: info.class.to_owned(), chunk_len, chunk_count }))
    }

    /// Number of samples, first and last key: from the summary, the footer of the trie, or the
    /// statistics.
    fn keys(
        &mut self,
        sstable: &Sstable,
        fields: &Statistics,
        reading: &mut Reading<'_>,
    ) -> Result<(Option<u64>, Option<FirstAndLast>), RowsError> {
        let pair = |first: &[u8], last: &[u8]| {
            let header = sstable.header();
            (shown(header, first), shown(header, last))
        };
        if let Some(file) = self.resident(&Component::Summary, reading)? {
            match Summary::open(file.bytes()) {
                Ok(summary) => {
                    let keys = pair(summary.first_key, summary.last_key);
                    return Ok((Some(summary.count() as u64), Some(keys)));
                }
                Err(error) => self.broken.push(file.damaged(error).to_string()),
            }
        }
        if let IndexFiles::Tries { partitions, .. } = sstable.index() {
            let (_, (first, last)) = trie_ends(partitions, reading)?;
            return Ok((None, Some(pair(&first, &last))));
        }
        Ok((None, fields.keys.as_ref().map(|(first, last)| pair(first, last))))
    }
}
