//! Statistics.db against what sstablemetadata prints of it.

use std::collections::BTreeMap;
use std::fs;
use std::ops::RangeInclusive;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

use manicule_format_sstable::{
    BoundsText, Component, NO_LOCAL_TIME, PlainForm, Statistics, StatisticsFile, Token, Version,
};

use crate::cassandra::{Cassandra, Tool};
use crate::written::sibling;

/// The present, in seconds since 1970.
pub fn now() -> i64 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |now| now.as_secs() as i64)
}

/// Compares Statistics.db of SSTables as Cassandra's tool reads it and as we do; what differs is
/// added to `faults`. `scratch` is a folder that is empty.
///
/// # Panics
/// If the tool can't be started.
pub fn check_statistics(
    judge: &Cassandra,
    version: Version,
    files: &[PathBuf],
    scratch: &Path,
    faults: &mut Vec<String>,
) {
    let before = now();
    let said = judge.tool(Tool::Metadata, files, scratch).expect("metadata");
    let (times, mut whole) = (before..=now(), 0);
    for (file, said) in files.iter().zip(said) {
        // With ranges of rows whose bounds differ in length, 3.11's ends early.
        let Ok(text) = said else { continue };
        let bytes = fs::read(sibling(file, &Component::Statistics)).expect("statistics");
        let checked = catch_unwind(AssertUnwindSafe(|| {
            let file = StatisticsFile::open(&bytes, version).expect("sections");
            check_metadata(&text, "it", &file, &times);
        }));
        match checked {
            Ok(()) => whole += 1,
            Err(panic) => {
                let why = panic.downcast_ref::<String>().cloned().unwrap_or_default();
                faults.push(format!("{file:?}: metadata: {why}"));
            }
        }
    }
    println!("{version}: metadata of {whole} SSTables of {} equal", files.len());
}

/// Lines `name: value`, by names; and the rows of tables.
struct Printed {
    fields: BTreeMap<String, String>,
    lines: Vec<String>,
}

impl Printed {
    fn of(text: &str) -> Printed {
        let lines: Vec<String> = text.lines().map(str::to_owned).collect();
        let fields = lines.iter().filter_map(|line| line.split_once(": "));
        let fields = fields.map(|(name, value)| (name.trim().to_owned(), value.to_owned()));
        Printed { fields: fields.collect(), lines }
    }

    /// Whether a field is printed with this value; versions write times in words before or after
    /// the number. A tool that ended early has printed no more.
    fn check(&self, title: &str, field: &str, want: impl std::fmt::Display) {
        let Some(value) = self.fields.get(field) else {
            assert!(!self.fields.contains_key("KeyType"), "{title}: no {field}");
            return;
        };
        let want = want.to_string();
        let mut words = value.split([' ', '(', ')']);
        assert!(
            *value == want || words.any(|word| word == want),
            "{title}: {field}: {value}, not {want}"
        );
    }

    /// Pairs of a bound and a count below a title that ends so: `1916 (1.9 kB) |     3 (100) OOO`.
    fn rows(&self, title: &str) -> Vec<(i64, u64)> {
        let below = self.lines.iter().skip_while(|line| !line.starts_with(title)).skip(2);
        let rows = below.map_while(|line| {
            let (bound, count) = line.split_once('|')?;
            let number = |text: &str| text.split_whitespace().next().map(str::to_owned);
            Some((number(bound)?.parse().ok()?, number(count)?.parse().ok()?))
        });
        rows.collect()
    }
}

fn uuid_or(text: &str, uuid: Option<[u8; 16]>) -> String {
    assert_eq!(uuid, None, "tables that are written without a server have none");
    text.to_owned()
}

/// Compares all fields that are printed with those of the file; the tool ran at one of `times`, in
/// seconds since 1970.
///
/// # Panics
/// If one differs, with the title of the table.
pub fn check_metadata(
    text: &str,
    title: &str,
    file: &StatisticsFile<'_>,
    times: &RangeInclusive<i64>,
) {
    let printed = Printed::of(text);
    let statistics = file.statistics().unwrap_or_else(|error| panic!("{title}: {error}"));
    check_fields(&printed, title, file, &statistics);
    check_estimates(&printed, title, file, &statistics, times);
    check_header(&printed, title, file);
    check_bounds(&printed, title, file, &statistics);
    if printed.lines.iter().any(|line| line.starts_with("Partition Size")) {
        check_tables(&printed, title, &statistics);
    } else if printed.fields.contains_key("KeyType") {
        check_columns(&printed, title, &statistics);
    }
}

fn check_fields(
    printed: &Printed,
    title: &str,
    file: &StatisticsFile<'_>,
    statistics: &Statistics,
) {
    let check = |field: &str, want: &dyn std::fmt::Display| printed.check(title, field, want);
    let version = file.version();
    let validation = file.validation().expect("a section");
    check("Partitioner", &validation.partitioner);
    let chance: f64 = printed.fields["Bloom Filter FP chance"].parse().expect("a number");
    assert_eq!(chance, validation.filter_chance, "{title}");
    let none = if version.has_unsigned_times() { i64::MAX } else { i64::from(i32::MAX) };
    let local = |time: i64| if time == NO_LOCAL_TIME { none } else { time };
    check("Minimum timestamp", &statistics.min_timestamp);
    check("Maximum timestamp", &statistics.max_timestamp);
    check("SSTable min local deletion time", &local(statistics.min_local_time));
    check("SSTable max local deletion time", &local(statistics.max_local_time));
    check("TTL min", &statistics.min_ttl);
    check("TTL max", &statistics.max_ttl);
    if statistics.compression_ratio == -1.0 {
        assert_eq!(printed.fields["Compressor"], "-", "{title}");
    } else {
        // Java has a digit after the point always; ScyllaDB may write NaN.
        check("Compression ratio", &format!("{:?}", statistics.compression_ratio));
    }
    check("SSTable Level", &statistics.level);
    check("Repaired at", &statistics.repaired_at);
    check("totalColumnsSet", &statistics.column_count);
    check("totalRows", &statistics.row_count);
    if version.has_pending_repair() {
        check("Pending repair", &uuid_or("--", statistics.pending_repair));
        check("IsTransient", &statistics.is_transient);
        if version.has_host_id() {
            check("Originating host id", &uuid_or("--", statistics.host));
        }
    }
    if let Some((first, last)) = &statistics.keys {
        check("First token", &Token::of(first).0);
        check("Last token", &Token::of(last).0);
        assert!(statistics.token_coverage.is_some_and(f64::is_nan), "{title}");
        check("Local token space coverage", &"NaN");
    }
}

fn check_estimates(
    printed: &Printed,
    title: &str,
    file: &StatisticsFile<'_>,
    statistics: &Statistics,
    times: &RangeInclusive<i64>,
) {
    if let Some(estimate) = file.cardinality().expect("a section") {
        printed.check(title, "Estimated cardinality", estimate.estimate());
    }
    // The tool asks about the time at which it runs.
    let Some(ratio) = printed.fields.get("Estimated droppable tombstones") else { return };
    let ratio: f64 = ratio.parse().expect("a number");
    let (low, high) =
        (statistics.droppable_ratio(*times.start()), statistics.droppable_ratio(*times.end()));
    // The last digit is the rounding's.
    let is_within = ratio >= low - 1e-9 && ratio <= high + 1e-9;
    assert!(is_within, "{title}: {ratio}, not {low} to {high}");
}

fn check_header(printed: &Printed, title: &str, file: &StatisticsFile<'_>) {
    let header = file.header().expect("a header");
    let check = |field: &str, want: &dyn std::fmt::Display| printed.check(title, field, want);
    check("EncodingStats minTTL", &header.base_ttl.cast_signed());
    check("EncodingStats minTimestamp", &header.base_timestamp);
    check("EncodingStats minLocalDeletionTime", &header.base_local_time());
    check("KeyType", &header.key);
    let names: Vec<_> = header.clustering.iter().map(ToString::to_string).collect();
    check("ClusteringTypes", &format!("[{}]", names.join(", ")));
    for (field, columns) in
        [("StaticColumns", &header.statics), ("RegularColumns", &header.regulars)]
    {
        let Some(value) = printed.fields.get(field) else { continue };
        for column in columns {
            let want = format!("{}:{}", String::from_utf8_lossy(&column.name), column.kind);
            assert!(value.contains(&want), "{title}: {field}: {value} without {want}");
        }
    }
}

/// 3.11 and 4.0 print least and greatest values where each has all of them.
fn check_bounds(
    printed: &Printed,
    title: &str,
    file: &StatisticsFile<'_>,
    statistics: &Statistics,
) {
    let types = file.header().expect("a header").clustering;
    match statistics.bounds.text(&types, PlainForm::of(file.version())) {
        BoundsText::Slice(text) => {
            assert_eq!(printed.fields["Covered clusterings"], text, "{title}")
        }
        BoundsText::Values { min, max } => {
            let spelt =
                |names: [&str; 2]| names.into_iter().find_map(|name| printed.fields.get(name));
            // Of a text with line breaks the first line is taken for the field.
            let first = |text: &str| text.lines().next().unwrap_or_default().to_owned();
            if let Some(value) = spelt(["minClustringValues", "minClusteringValues"]) {
                assert_eq!(*value, first(&min), "{title}");
            }
            if let Some(value) = spelt(["maxClustringValues", "maxClusteringValues"]) {
                assert_eq!(*value, first(&max), "{title}");
            }
        }
    }
}

/// 3.11 prints both histograms side by side: bound, partitions, cells.
fn check_columns(printed: &Printed, title: &str, statistics: &Statistics) {
    let drops = statistics.tombstones.bins.iter();
    for (time, count) in drops {
        let line = format!("{:<10}:{count:>10}", time.trunc());
        assert!(printed.lines.contains(&line), "{title}: no {line:?}");
    }
    let rows = printed.lines.iter().skip_while(|line| !line.starts_with("Count")).skip(1);
    let rows = rows.map_while(|line| {
        let numbers: Option<Vec<u64>> =
            line.split_whitespace().map(|word| word.parse().ok()).collect();
        numbers
    });
    let mut row_count = 0;
    for (row, (bound, count)) in rows.zip(statistics.partition_sizes.buckets()) {
        assert_eq!(row[..2], [*bound as u64, *count], "{title}");
        if let Some((_, cells)) = statistics.cell_counts.buckets().get(row_count) {
            assert_eq!(row.get(2), Some(cells), "{title}");
        }
        row_count += 1;
    }
    assert_eq!(row_count, statistics.partition_sizes.buckets().len(), "{title}");
    assert_eq!(row_count, 150, "{title}");
}

/// From 4.0 on each has a table of the buckets that aren't empty, and estimates.
fn check_tables(printed: &Printed, title: &str, statistics: &Statistics) {
    let drops: Vec<_> = statistics
        .tombstones
        .bins
        .iter()
        .map(|(time, count)| (time.trunc() as i64, *count))
        .collect();
    assert_eq!(printed.rows("Estimated tombstone drop times"), drops, "{title}");
    for (name, histogram) in
        [("Partition Size", &statistics.partition_sizes), ("Column Count", &statistics.cell_counts)]
    {
        let counted: Vec<_> =
            histogram.buckets().iter().filter(|(_, count)| *count > 0).copied().collect();
        assert_eq!(printed.rows(name), counted, "{title}: {name}");
        let below: Vec<&String> =
            printed.lines.iter().skip_while(|line| !line.starts_with(name)).collect();
        let estimate = |label: &str| -> i64 {
            let line = below.iter().find(|line| line.trim_start().starts_with(label)).expect(label);
            line.split_whitespace().nth(1).and_then(|word| word.parse().ok()).expect(label)
        };
        for (label, share) in
            [("50th", 0.5), ("75th", 0.75), ("95th", 0.95), ("98th", 0.98), ("99th", 0.99)]
        {
            assert_eq!(
                histogram.percentile(share),
                Some(estimate(label)),
                "{title}: {name} {label}"
            );
        }
        assert_eq!(
            (histogram.min(), histogram.max()),
            (estimate("Min"), Some(estimate("Max"))),
            "{title}"
        );
    }
}
