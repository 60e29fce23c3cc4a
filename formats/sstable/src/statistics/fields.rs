//! The statistics themselves: times, counts, histograms, bounds.
//!
//! Bytes:   the table of fields in docs/formats/sstable.md, Statistics

use std::ops::Range;

use manicule_core::bytes::{DecodeError, Reader};

use super::histogram::Histogram;
use super::tombstones::TombstoneHistogram;
use crate::Version;
use crate::deletion::{signed_local_time, unsigned_local_time};
use crate::error::SstableError;
use crate::header::{many, read_type};
use crate::prefix::{Prefix, PrefixBuf};
use crate::types::Type;
use crate::vint::ReadVint;

/// A place in a node's commit log.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LogPosition {
    /// Number of the segment; -1 for none.
    pub segment: i64,
    /// Offset in it.
    pub offset: u32,
}

impl LogPosition {
    /// No place: of tables that no commit log is for.
    pub const NONE: LogPosition = LogPosition { segment: -1, offset: 0 };
}

/// Between which places the rows lie.
#[derive(Clone, Debug)]
pub enum ClusteringBounds {
    /// Up to `nb`: smallest and greatest values. Before `md` of each component on its own, and
    /// wrong where there are range tombstones; from `md` on of prefixes, which may be short. None:
    /// no bound.
    Values {
        /// Smallest.
        min: Vec<Vec<u8>>,
        /// Greatest.
        max: Vec<Vec<u8>>,
    },
    /// From `oa` on: the slice that all rows and markers lie in.
    Slice {
        /// Types of the clustering columns.
        types: Vec<Type>,
        /// Where it starts.
        start: PrefixBuf,
        /// Where it ends.
        end: PrefixBuf,
    },
}

/// What Cassandra's tools show of a table. Partition deletions and static rows count where nothing
/// else is said.
#[derive(Clone, Debug)]
pub struct Statistics {
    /// Lengths of the partitions in bytes, before compression.
    pub partition_sizes: Histogram,
    /// Numbers of cells of the partitions.
    pub cell_counts: Histogram,
    /// Least timestamp of anything, in microseconds since 1970.
    pub min_timestamp: i64,
    /// Greatest timestamp of anything.
    pub max_timestamp: i64,
    /// Least local deletion time, in seconds since 1970; what isn't deleted and doesn't expire
    /// counts as [`NO_LOCAL_TIME`](crate::NO_LOCAL_TIME).
    pub min_local_time: i64,
    /// Greatest local deletion time.
    pub max_local_time: i64,
    /// Least TTL in seconds; none counts as 0.
    pub min_ttl: u32,
    /// Greatest TTL.
    pub max_ttl: u32,
    /// Compressed by uncompressed length; -1 if it isn't compressed.
    pub compression_ratio: f64,
    /// When tombstones can be dropped.
    pub tombstones: TombstoneHistogram,
    /// Level of leveled compaction.
    pub level: i32,
    /// When it was repaired, in milliseconds since 1970; 0 for never.
    pub repaired_at: i64,
    /// Where the rows lie. Static rows and partition deletions don't count.
    pub bounds: ClusteringBounds,
    /// Whether some counter has local or remote shards.
    pub has_legacy_counters: bool,
    /// Number of columns that rows have a value or tombstone of.
    pub column_count: u64,
    /// Number of rows, static ones that aren't empty among them.
    pub row_count: u64,
    /// Up to where the commit log is in the table.
    pub log_upper: LogPosition,
    /// From where on; before `mb` it isn't known.
    pub log_lower: Option<LogPosition>,
    /// Intervals of the commit log.
    pub log_intervals: Vec<(LogPosition, LogPosition)>,
    /// The session of repair that the table waits for, from `na` on.
    pub pending_repair: Option<[u8; 16]>,
    /// Whether it is of transient replication, from `na` on.
    pub is_transient: bool,
    /// The host that wrote it, from `me` on except `na`.
    pub host: Option<[u8; 16]>,
    /// Whether some partition is deleted, from `oa` on.
    pub has_partition_deletions: Option<bool>,
    /// First and last partition key, from `oa` on.
    pub keys: Option<(Vec<u8>, Vec<u8>)>,
    /// Share of the node's tokens that the table covers, from `oa` on; not a number where the
    /// writer doesn't know.
    pub token_coverage: Option<f64>,
}

/// What lies before the tombstone histogram.
struct Times {
    timestamps: (i64, i64),
    local_times: (i64, i64),
    ttls: (u32, u32),
}

impl Statistics {
    /// Reads the section.
    pub fn read(reader: &mut Reader<'_>, version: Version) -> Result<Statistics, SstableError> {
        let partition_sizes = Histogram::read(reader)?;
        let cell_counts = Histogram::read(reader)?;
        let log_upper = log_position(reader)?;
        let Times { timestamps, local_times, ttls } = times(reader, version)?;
        let compression_ratio = f64::from_bits(reader.u64_be("compression ratio")?);
        let tombstones = TombstoneHistogram::read(reader, version)?;
        let level = reader.u32_be("level")? as i32;
        let repaired_at = reader.u64_be("time of repair")? as i64;
        let bounds = bounds(reader, version)?;
        let has_legacy_counters = reader.flag("flag of legacy counters")?;
        let column_count = reader.u64_be("number of columns")?;
        let row_count = reader.u64_be("number of rows")?;
        let log_lower = version.has_log_lower_bound().then(|| log_position(reader)).transpose()?;
        let log_intervals =
            if version.has_log_intervals() { log_intervals(reader)? } else { Vec::new() };
        let mut pending_repair = None;
        let mut is_transient = false;
        if version.has_pending_repair() {
            pending_repair = optional_uuid(reader, "pending repair")?;
            is_transient = reader.flag("flag of transient replication")?;
        }
        let host = if version.has_host_id() { optional_uuid(reader, "host")? } else { None };
        let mut statistics = Statistics {
            partition_sizes,
            cell_counts,
            min_timestamp: timestamps.0,
            max_timestamp: timestamps.1,
            min_local_time: local_times.0,
            max_local_time: local_times.1,
            min_ttl: ttls.0,
            max_ttl: ttls.1,
            compression_ratio,
            tombstones,
            level,
            repaired_at,
            bounds,
            has_legacy_counters,
            column_count,
            row_count,
            log_upper,
            log_lower,
            log_intervals,
            pending_repair,
            is_transient,
            host,
            has_partition_deletions: None,
            keys: None,
            token_coverage: None,
        };
        if version.has_covered_slice() {
            statistics.read_keys(reader)?;
        }
        Ok(statistics)
    }

    /// What versions with a covered slice have at the end.
    fn read_keys(&mut self, reader: &mut Reader<'_>) -> Result<(), DecodeError> {
        self.has_partition_deletions = Some(reader.flag("flag of partition deletions")?);
        let first = reader.vbytes("first key")?.to_vec();
        self.keys = Some((first, reader.vbytes("last key")?.to_vec()));
        self.token_coverage = Some(f64::from_bits(reader.u64_be("token space coverage")?));
        // The writers set aside sixteen bytes for a bin and write twelve: the rest is zeros.
        let padding_len = self.tombstones.bins.len() * 4;
        let (what, at) = ("zeros after the statistics", reader.at());
        let padding = reader.take(what, padding_len)?;
        match padding.iter().position(|byte| *byte != 0) {
            None => Ok(()),
            Some(index) => {
                let (at, got) = (at + index as u64, padding[index].into());
                Err(DecodeError::Corrupt { what, at, want: 0, got })
            }
        }
    }

    /// Estimate of the share of cells that are tombstones which can be dropped at a time in seconds
    /// since 1970.
    pub fn droppable_ratio(&self, time: i64) -> f64 {
        let cell_count = self.cell_counts.mean() as f64 * self.cell_counts.count() as f64;
        if cell_count > 0.0 { self.tombstones.count_until(time) / cell_count } else { 0.0 }
    }
}

/// What nodes change of an SSTable without rewriting it; `None`: nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Marks {
    /// Level of leveled compaction.
    pub level: Option<i32>,
    /// When it was repaired, in milliseconds since 1970; 0 for never. With it the table waits for
    /// no repair, and isn't transient.
    pub repaired_at: Option<i64>,
}

/// Where in the section lies what nodes change of an SSTable that stays.
pub(super) struct MarkPlaces {
    /// Level and time of repair.
    marks: Range<usize>,
    /// Pending repair and transient replication; empty before `na`.
    pending: Range<usize>,
}

impl MarkPlaces {
    /// Finds them by reading the section.
    pub(super) fn find(reader: &mut Reader<'_>, version: Version) -> Result<Self, SstableError> {
        let base = reader.at();
        let at = |reader: &Reader<'_>| (reader.at() - base) as usize;
        Histogram::read(reader)?;
        Histogram::read(reader)?;
        log_position(reader)?;
        times(reader, version)?;
        reader.u64_be("compression ratio")?;
        TombstoneHistogram::read(reader, version)?;
        let start = at(reader);
        reader.u32_be("level")?;
        reader.u64_be("time of repair")?;
        let marks = start..at(reader);
        bounds(reader, version)?;
        reader.flag("flag of legacy counters")?;
        reader.u64_be("number of columns")?;
        reader.u64_be("number of rows")?;
        version.has_log_lower_bound().then(|| log_position(reader)).transpose()?;
        version.has_log_intervals().then(|| log_intervals(reader)).transpose()?;
        let start = at(reader);
        if version.has_pending_repair() {
            optional_uuid(reader, "pending repair")?;
            reader.flag("flag of transient replication")?;
        }
        Ok(MarkPlaces { marks, pending: start..at(reader) })
    }

    /// Appends the section with other marks.
    pub(super) fn put(&self, section: &[u8], marks: &Marks, out: &mut Vec<u8>) {
        let (level, repaired) = section[self.marks.clone()].split_at(size_of::<i32>());
        out.extend_from_slice(&section[..self.marks.start]);
        let new = marks.level.map(i32::to_be_bytes);
        out.extend_from_slice(new.as_ref().map_or(level, |new| &new[..]));
        let new = marks.repaired_at.map(i64::to_be_bytes);
        out.extend_from_slice(new.as_ref().map_or(repaired, |new| &new[..]));
        out.extend_from_slice(&section[self.marks.end..self.pending.start]);
        let pending = &section[self.pending.clone()];
        match marks.repaired_at {
            // Neither of them: two flags.
            Some(_) if !pending.is_empty() => out.extend_from_slice(&[0, 0]),
            _ => out.extend_from_slice(pending),
        }
        out.extend_from_slice(&section[self.pending.end..]);
    }
}

fn times(reader: &mut Reader<'_>, version: Version) -> Result<Times, DecodeError> {
    let timestamp = |reader: &mut Reader<'_>| Ok(reader.u64_be("timestamp")? as i64);
    let local_time = |reader: &mut Reader<'_>| {
        let bits = reader.u32_be("local deletion time")?;
        let is_unsigned = version.has_unsigned_times();
        Ok(if is_unsigned { unsigned_local_time(bits) } else { signed_local_time(bits) })
    };
    Ok(Times {
        timestamps: (timestamp(reader)?, timestamp(reader)?),
        local_times: (local_time(reader)?, local_time(reader)?),
        ttls: (reader.u32_be("ttl")?, reader.u32_be("ttl")?),
    })
}

fn log_position(reader: &mut Reader<'_>) -> Result<LogPosition, DecodeError> {
    let segment = reader.u64_be("segment of the commit log")? as i64;
    Ok(LogPosition { segment, offset: reader.u32_be("place in the commit log")? })
}

fn log_intervals(reader: &mut Reader<'_>) -> Result<Vec<(LogPosition, LogPosition)>, DecodeError> {
    let count = reader.u32_be("number of commit log intervals")?;
    let mut intervals = Vec::new();
    for _ in 0..count {
        intervals.push((log_position(reader)?, log_position(reader)?));
    }
    Ok(intervals)
}

fn optional_uuid(
    reader: &mut Reader<'_>,
    what: &'static str,
) -> Result<Option<[u8; 16]>, DecodeError> {
    if !reader.flag(what)? {
        return Ok(None);
    }
    let bytes = reader.take(what, 16)?;
    Ok(Some(bytes.try_into().expect("sixteen bytes")))
}

fn bounds(reader: &mut Reader<'_>, version: Version) -> Result<ClusteringBounds, SstableError> {
    if !version.has_covered_slice() {
        let min = short_values(reader, "smallest clustering")?;
        return Ok(ClusteringBounds::Values {
            min,
            max: short_values(reader, "greatest clustering")?,
        });
    }
    let types = many(reader, "number of clustering types", |reader| {
        read_type(reader, "type of a clustering column")
    })?;
    let start = PrefixBuf::of(&Prefix::read(reader, &types)?);
    let end = PrefixBuf::of(&Prefix::read(reader, &types)?);
    Ok(ClusteringBounds::Slice { types, start, end })
}

fn short_values(reader: &mut Reader<'_>, what: &'static str) -> Result<Vec<Vec<u8>>, DecodeError> {
    let count = reader.u32_be(what)?;
    let mut values = Vec::new();
    for _ in 0..count {
        values.push(reader.short_bytes(what)?.to_vec());
    }
    Ok(values)
}
