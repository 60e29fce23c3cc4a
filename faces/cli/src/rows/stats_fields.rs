//! The fields of an SSTable's statistics: lines by sstablemetadata's names, and a JSON object.

use std::fmt::{Result, Write};

use manicule::rows::{BoundsText, Histogram, NO_LOCAL_TIME, PlainForm, SstableStats, Token};
use manicule::times::utc;
use serde_json::{Value as Json, json};

use crate::units::{human_age, human_len};

/// Package of the compressors that Cassandra has.
const COMPRESSORS: &str = "org.apache.cassandra.io.compress.";

/// Shares whose values are estimated, as they are called.
const PERCENTILES: [(&str, f64); 5] =
    [("50th", 0.5), ("75th", 0.75), ("95th", 0.95), ("98th", 0.98), ("99th", 0.99)];

/// Appends the fields, a line each, and the histograms. What was deleted before `gc_before` may be
/// dropped.
pub(super) fn put_text(stats: &SstableStats, gc_before: i64, out: &mut String) -> Result {
    let SstableStats { descriptor, validation, statistics, .. } = stats;
    writeln!(out, "SSTable: {descriptor}")?;
    writeln!(out, "Partitioner: {}", validation.partitioner)?;
    writeln!(out, "Bloom Filter FP chance: {:?}", validation.filter_chance)?;
    put_times(stats, out)?;
    writeln!(out, "Compressor: {}", compressor(stats).unwrap_or_else(|| "-".to_owned()))?;
    if statistics.compression_ratio != -1.0 {
        writeln!(out, "Compression ratio: {:?}", statistics.compression_ratio)?;
    }
    for (name, ttl) in [("TTL min", statistics.min_ttl), ("TTL max", statistics.max_ttl)] {
        writeln!(out, "{name}: {}", seconds(ttl))?;
    }
    if let Some((first, last)) = &stats.keys {
        for (name, key) in [("First token", first), ("Last token", last)] {
            writeln!(out, "{name}: {} ({})", Token::of(key).0, key_text(stats, key))?;
        }
    }
    match bounds(stats) {
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
    writeln!(out, "Originating host id: {}", uuid(statistics.host))?;
    writeln!(out, "Pending repair: {}", uuid(statistics.pending_repair))?;
    writeln!(out, "Replay positions covered: {}", intervals(stats))?;
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
    put_header(stats, out)?;
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

fn put_header(stats: &SstableStats, out: &mut String) -> Result {
    let header = &stats.header;
    writeln!(out, "EncodingStats minTTL: {}", seconds(header.base_ttl))?;
    let base = header.base_local_time();
    writeln!(out, "EncodingStats minLocalDeletionTime: {base} ({})", utc(base * 1000))?;
    writeln!(out, "EncodingStats minTimestamp: {}", micros(header.base_timestamp))?;
    writeln!(out, "KeyType: {}", header.key)?;
    let types: Vec<_> = header.clustering.iter().map(ToString::to_string).collect();
    writeln!(out, "ClusteringTypes: [{}]", types.join(", "))?;
    for (name, columns) in
        [("StaticColumns", columns(stats, true)), ("RegularColumns", columns(stats, false))]
    {
        let columns = columns.iter().map(|(name, kind)| format!("{name}:{kind}"));
        writeln!(out, "{name}: {}", columns.collect::<Vec<_>>().join(", "))?;
    }
    Ok(())
}

/// The fields as a JSON object; none of the histograms' empty buckets.
pub(super) fn as_json(stats: &SstableStats, gc_before: i64) -> Json {
    let SstableStats { descriptor, validation, statistics, header, .. } = stats;
    let key = |key: &Vec<u8>| json!({ "key": key_text(stats, key), "token": Token::of(key).0 });
    let bounds = match bounds(stats) {
        BoundsText::Slice(text) => json!({ "covered": text }),
        BoundsText::Values { min, max } => json!({ "min": min, "max": max }),
    };
    let time = |time: i64| if time == NO_LOCAL_TIME { Json::Null } else { time.into() };
    let compression = stats.compression.as_ref().map(|compression| {
        let options = compression.options.iter();
        let options: serde_json::Map<_, _> =
            options.map(|(key, value)| (key.clone(), value.as_str().into())).collect();
        json!({
            "class": compressor(stats),
            "options": options,
            "chunk_bytes": compression.chunk_len,
            "ratio": statistics.compression_ratio,
        })
    });
    let names = |is_static: bool| -> Json {
        let columns = columns(stats, is_static).into_iter();
        columns.map(|(name, kind)| json!({ "name": name, "type": kind })).collect()
    };
    let clustering: Vec<_> = header.clustering.iter().map(ToString::to_string).collect();
    json!({
        "sstable": descriptor.to_string(),
        "partitioner": validation.partitioner,
        "filter_chance": validation.filter_chance,
        "min_timestamp": statistics.min_timestamp,
        "max_timestamp": statistics.max_timestamp,
        "min_local_deletion_time": time(statistics.min_local_time),
        "max_local_deletion_time": time(statistics.max_local_time),
        "min_ttl": statistics.min_ttl,
        "max_ttl": statistics.max_ttl,
        "compression": compression,
        "first": stats.keys.as_ref().map(|keys| key(&keys.0)),
        "last": stats.keys.as_ref().map(|keys| key(&keys.1)),
        "clusterings": bounds,
        "droppable_tombstones": statistics.droppable_ratio(gc_before),
        "level": statistics.level,
        "repaired_at": statistics.repaired_at,
        "host": statistics.host.map(|id| uuid(Some(id))),
        "pending_repair": statistics.pending_repair.map(|id| uuid(Some(id))),
        "is_transient": statistics.is_transient,
        "replay_positions": intervals(stats),
        "columns_set": statistics.column_count,
        "rows": statistics.row_count,
        "drop_times": statistics.tombstones.bins.iter()
            .map(|(time, count)| json!([time.trunc() as i64, count])).collect::<Vec<_>>(),
        "partition_bytes": histogram_json(&statistics.partition_sizes),
        "partition_columns": histogram_json(&statistics.cell_counts),
        "cardinality": stats.cardinality,
        "token_coverage": statistics.token_coverage.filter(|share| share.is_finite()),
        "has_partition_deletions": statistics.has_partition_deletions,
        "base_timestamp": header.base_timestamp,
        "base_local_deletion_time": header.base_local_time(),
        "base_ttl": header.base_ttl,
        "key_type": header.key.to_string(),
        "clustering_types": clustering,
        "static_columns": names(true),
        "regular_columns": names(false),
    })
}

fn histogram_json(histogram: &Histogram) -> Json {
    let buckets = histogram.buckets().iter().filter(|bucket| bucket.1 > 0);
    buckets.map(|(bound, count)| json!([bound, count])).collect()
}

fn compressor(stats: &SstableStats) -> Option<String> {
    let class = &stats.compression.as_ref()?.class;
    Some(if class.contains('.') { class.clone() } else { format!("{COMPRESSORS}{class}") })
}

fn columns(stats: &SstableStats, is_static: bool) -> Vec<(String, String)> {
    let columns = stats.header.columns(is_static).iter();
    let name = |name: &[u8]| String::from_utf8_lossy(name).into_owned();
    columns.map(|column| (name(&column.name), column.kind.to_string())).collect()
}

fn bounds(stats: &SstableStats) -> BoundsText {
    let form = PlainForm::of(stats.header.version);
    stats.statistics.bounds.text(&stats.header.clustering, form)
}

fn key_text(stats: &SstableStats, key: &[u8]) -> String {
    let mut text = String::new();
    stats.header.key.put_plain(key, PlainForm::of(stats.header.version), &mut text);
    text
}

/// `{CommitLogPosition(segmentId=1, position=2)=CommitLogPosition(..), ..}`, as sstablemetadata has
/// it.
fn intervals(stats: &SstableStats) -> String {
    let intervals = stats.statistics.log_intervals.iter().map(|(from, to)| {
        let [from, to] = [from, to].map(|place| {
            format!("CommitLogPosition(segmentId={}, position={})", place.segment, place.offset)
        });
        format!("{from}={to}")
    });
    format!("{{{}}}", intervals.collect::<Vec<_>>().join(", "))
}

/// A UUID; `--` for none.
fn uuid(id: Option<[u8; 16]>) -> String {
    let Some(id) = id else { return "--".to_owned() };
    let digits = format!("{:032x}", u128::from_be_bytes(id));
    let parts = [&digits[..8], &digits[8..12], &digits[12..16], &digits[16..20], &digits[20..]];
    parts.join("-")
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
