//! The fields of an SSTable's statistics: lines by sstablemetadata's names.

use std::fmt::{Result, Write};

use manicule::rows::json::{CountedSstable, uuid};
use manicule::rows::{BoundsText, Histogram, NO_LOCAL_TIME, SstableStats, Token};
use manicule::times::utc;

use crate::units::{human_age, human_len};

/// Shares whose values are estimated, as they are called.
const PERCENTILES: [(&str, f64); 5] =
    [("50th", 0.5), ("75th", 0.75), ("95th", 0.95), ("98th", 0.98), ("99th", 0.99)];

/// Appends the fields, a line each, and the histograms.
pub(super) fn put_text(counted: CountedSstable<'_>, out: &mut String) -> Result {
    let CountedSstable { stats, gc_before } = counted;
    let SstableStats { descriptor, validation, statistics, .. } = stats;
    writeln!(out, "SSTable: {descriptor}")?;
    writeln!(out, "Partitioner: {}", validation.partitioner)?;
    writeln!(out, "Bloom Filter FP chance: {:?}", validation.filter_chance)?;
    put_times(stats, out)?;
    writeln!(out, "Compressor: {}", counted.compressor().unwrap_or_else(|| "-".to_owned()))?;
    if statistics.compression_ratio != -1.0 {
        writeln!(out, "Compression ratio: {:?}", statistics.compression_ratio)?;
    }
    for (name, ttl) in [("TTL min", statistics.min_ttl), ("TTL max", statistics.max_ttl)] {
        writeln!(out, "{name}: {}", seconds(ttl))?;
    }
    if let Some((first, last)) = &stats.keys {
        for (name, key) in [("First token", first), ("Last token", last)] {
            writeln!(out, "{name}: {} ({})", Token::of(key).0, counted.key_text(key))?;
        }
    }
    match counted.bounds() {
        BoundsText::Slice(text) => writeln!(out, "Covered clusterings: {text}")?,
        BoundsText::Values { min, max } => {
            writeln!(out, "minClusteringValues: {min}\nmaxClusteringValues: {max}")?;
        }
    }
    let droppable = statistics.droppable_ratio(gc_before);
    writeln!(out, "Estimated droppable tombstones: {droppable:?}")?;
    writeln!(out, "SSTable Level: {}", statistics.level)?;
    let repaired = match statistics.repaired_at {
        0 => "0".to_owned(),
        at => format!("{at} ({})", utc(at)),
    };
    writeln!(out, "Repaired at: {repaired}")?;
    writeln!(out, "Originating host id: {}", shown_uuid(statistics.host))?;
    writeln!(out, "Pending repair: {}", shown_uuid(statistics.pending_repair))?;
    writeln!(out, "Replay positions covered: {}", counted.intervals())?;
    writeln!(out, "totalColumnsSet: {}", statistics.column_count)?;
    writeln!(out, "totalRows: {}", statistics.row_count)?;
    put_drops(stats, out)?;
    put_histogram("Partition Size", "bytes", &statistics.partition_sizes, out)?;
    put_histogram("Column Count", "columns", &statistics.cell_counts, out)?;
    if let Some(coverage) = statistics.token_coverage {
        writeln!(out, "Local token space coverage: {coverage:?}")?;
    }
    if let Some(cardinality) = stats.cardinality {
        writeln!(out, "Estimated cardinality: {cardinality}")?;
    }
    put_header(counted, out)?;
    writeln!(out, "IsTransient: {}", statistics.is_transient)
}

fn put_times(stats: &SstableStats, out: &mut String) -> Result {
    let statistics = &stats.statistics;
    let (min, max) = (statistics.min_timestamp, statistics.max_timestamp);
    writeln!(out, "Minimum timestamp: {}", micros(min))?;
    writeln!(out, "Maximum timestamp: {}", micros(max))?;
    if let Some(seconds) =
        max.checked_sub(min).filter(|span| *span >= 0).map(|span| span / 1_000_000)
    {
        let (days, hours) = (seconds / 86_400, seconds / 3600 % 24);
        let (minutes, seconds) = (seconds / 60 % 60, seconds % 60);
        writeln!(
            out,
            "Duration: Days: {days} Hours: {hours} Minutes: {minutes} Seconds: {seconds}"
        )?;
    }
    for (name, time) in [("min", statistics.min_local_time), ("max", statistics.max_local_time)] {
        writeln!(out, "SSTable {name} local deletion time: {}", local_time(stats, time))?;
    }
    Ok(())
}

fn put_drops(stats: &SstableStats, out: &mut String) -> Result {
    let bins = &stats.statistics.tombstones.bins;
    writeln!(out, "Estimated tombstone drop times:")?;
    let all = bins.iter().map(|bin| bin.1).sum::<u64>();
    for &(time, count) in bins {
        let time = time.trunc() as i64;
        put_bucket(&format!("{time} ({})", utc(time.saturating_mul(1000))), count, all, out)?;
    }
    Ok(())
}

fn put_histogram(title: &str, unit: &str, histogram: &Histogram, out: &mut String) -> Result {
    writeln!(out, "{title}: {unit}, at most | number of partitions")?;
    let all = histogram.count();
    let shown = |number: i64| match (unit, u64::try_from(number)) {
        ("bytes", Ok(len)) => format!("{number} ({})", human_len(len)),
        _ => number.to_string(),
    };
    for &(bound, count) in histogram.buckets().iter().filter(|bucket| bucket.1 > 0) {
        put_bucket(&shown(bound), count, all, out)?;
    }
    for (name, share) in PERCENTILES {
        if let Some(bound) = histogram.percentile(share) {
            writeln!(out, "   {name} {}", shown(bound))?;
        }
    }
    writeln!(out, "   Min {}", shown(histogram.min()))?;
    match histogram.max() {
        Some(max) => writeln!(out, "   Max {}", shown(max)),
        None => writeln!(out, "   {} above all bounds", histogram.overflow_count()),
    }
}

fn put_bucket(bound: &str, count: u64, all: u64, out: &mut String) -> Result {
    let percent = count as f64 * 100.0 / (all.max(1)) as f64;
    writeln!(out, "   {bound:<36} | {count:>10}  {percent:>5.1} %")
}

fn put_header(counted: CountedSstable<'_>, out: &mut String) -> Result {
    let header = &counted.stats.header;
    writeln!(out, "EncodingStats minTTL: {}", seconds(header.base_ttl))?;
    let base = header.base_local_time();
    writeln!(out, "EncodingStats minLocalDeletionTime: {base} ({})", utc(base * 1000))?;
    writeln!(out, "EncodingStats minTimestamp: {}", micros(header.base_timestamp))?;
    writeln!(out, "KeyType: {}", header.key)?;
    let types: Vec<_> = header.clustering.iter().map(ToString::to_string).collect();
    writeln!(out, "ClusteringTypes: [{}]", types.join(", "))?;
    for (name, columns) in
        [("StaticColumns", counted.columns(true)), ("RegularColumns", counted.columns(false))]
    {
        let columns = columns.iter().map(|(name, kind)| format!("{name}:{kind}"));
        writeln!(out, "{name}: {}", columns.collect::<Vec<_>>().join(", "))?;
    }
    Ok(())
}

/// A UUID; `--` for none.
fn shown_uuid(id: Option<[u8; 16]>) -> String {
    id.map_or_else(|| "--".to_owned(), uuid)
}

/// A time in microseconds since 1970.
fn micros(time: i64) -> String {
    format!("{time} ({})", utc(time.div_euclid(1000)))
}

/// A local deletion time in seconds since 1970: of none what the version stores, as a number.
fn local_time(stats: &SstableStats, time: i64) -> String {
    let is_wide = stats.header.version.has_unsigned_times();
    match time {
        NO_LOCAL_TIME if is_wide => format!("{} (no tombstones)", i64::MAX),
        NO_LOCAL_TIME => format!("{} (no tombstones)", i32::MAX),
        time => format!("{time} ({})", utc(time.saturating_mul(1000))),
    }
}

fn seconds(number: u32) -> String {
    match number {
        0 => "0".to_owned(),
        // As ScyllaDB writes it where nothing expires; Java has it signed.
        u32::MAX => "-1".to_owned(),
        number => format!("{number} ({})", human_age(number.into())),
    }
}
