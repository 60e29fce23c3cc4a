//! Statistics.db as bytes, of versions up to `nb`.
//!
//! Bytes:   docs/formats/sstable.md, Statistics.db

use manicule_core::bytes::put_uvarint;

use super::cardinality::{Cardinality, P, SP};
use super::fields::{ClusteringBounds, LogPosition, Statistics};
use super::histogram::Histogram;
use super::sections::Validation;
use super::tombstones::TombstoneHistogram;
use crate::Version;
use crate::deletion::local_time_bits;
use crate::header::Header;

/// Appends a Statistics.db of the header's version.
///
/// # Panics
/// If the version has a covered slice in place of clustering bounds, or the bounds are such a
/// slice; if a clustering value of the bounds is longer than 65,535 bytes.
pub fn put_statistics(
    validation: &Validation,
    cardinality: &Cardinality,
    statistics: &Statistics,
    header: &Header,
    out: &mut Vec<u8>,
) {
    let (version, mut sections) = (header.version, [const { Vec::new() }; 4]);
    put_text(&validation.partitioner, &mut sections[0]);
    put_f64(validation.filter_chance, &mut sections[0]);
    let mut image = Vec::new();
    put_cardinality(cardinality, &mut image);
    put_u32(image.len() as u32, &mut sections[1]);
    sections[1].extend_from_slice(&image);
    put_fields(statistics, version, &mut sections[2]);
    header.put(&mut sections[3]);
    let sections: Vec<(u32, &[u8])> = (0..).zip(sections.iter().map(Vec::as_slice)).collect();
    put_sections(&sections, version, out);
}

/// The table of sections, each with its kind, the sections, and their checksums.
pub(super) fn put_sections(sections: &[(u32, &[u8])], version: Version, out: &mut Vec<u8>) {
    let sum_len = if version.has_section_checksums() { 4 } else { 0 };
    let count = (sections.len() as u32).to_be_bytes();
    let mut sum = crc32fast::Hasher::new();
    sum.update(&count);
    out.extend_from_slice(&count);
    if sum_len > 0 {
        put_u32(sum.clone().finalize(), out);
    }
    let mut start = 4 + sum_len + sections.len() * 8 + sum_len;
    let mut table = Vec::new();
    for (kind, section) in sections {
        put_u32(*kind, &mut table);
        put_u32(start as u32, &mut table);
        start += section.len() + sum_len;
    }
    sum.update(&table);
    out.extend_from_slice(&table);
    if sum_len > 0 {
        put_u32(sum.finalize(), out);
    }
    for (_, section) in sections {
        out.extend_from_slice(section);
        if sum_len > 0 {
            put_u32(crc32fast::hash(section), out);
        }
    }
}

fn put_fields(statistics: &Statistics, version: Version, out: &mut Vec<u8>) {
    let Statistics { bounds: ClusteringBounds::Values { min, max }, .. } = statistics else {
        panic!("{version} has clustering bounds")
    };
    assert!(!version.has_covered_slice(), "{version} has no clustering bounds");
    put_histogram(&statistics.partition_sizes, out);
    put_histogram(&statistics.cell_counts, out);
    put_log_position(statistics.log_upper, out);
    put_i64(statistics.min_timestamp, out);
    put_i64(statistics.max_timestamp, out);
    for time in [statistics.min_local_time, statistics.max_local_time] {
        put_u32(local_time_bits(time, version.has_unsigned_times()), out);
    }
    put_u32(statistics.min_ttl, out);
    put_u32(statistics.max_ttl, out);
    put_f64(statistics.compression_ratio, out);
    put_tombstones(&statistics.tombstones, out);
    put_u32(statistics.level as u32, out);
    put_i64(statistics.repaired_at, out);
    for values in [min, max] {
        put_u32(values.len() as u32, out);
        for value in values {
            let len = u16::try_from(value.len()).expect("a value within its greatest length");
            out.extend_from_slice(&len.to_be_bytes());
            out.extend_from_slice(value);
        }
    }
    out.push(u8::from(statistics.has_legacy_counters));
    put_i64(statistics.column_count as i64, out);
    put_i64(statistics.row_count as i64, out);
    put_log(statistics, version, out);
    if version.has_pending_repair() {
        put_optional_uuid(statistics.pending_repair, out);
        out.push(u8::from(statistics.is_transient));
    }
    if version.has_host_id() {
        put_optional_uuid(statistics.host, out);
    }
}

fn put_log(statistics: &Statistics, version: Version, out: &mut Vec<u8>) {
    if version.has_log_lower_bound() {
        put_log_position(statistics.log_lower.unwrap_or(LogPosition::NONE), out);
    }
    if version.has_log_intervals() {
        put_u32(statistics.log_intervals.len() as u32, out);
        for (lower, upper) in &statistics.log_intervals {
            put_log_position(*lower, out);
            put_log_position(*upper, out);
        }
    }
}

fn put_histogram(histogram: &Histogram, out: &mut Vec<u8>) {
    let buckets = histogram.buckets();
    put_u32(buckets.len() as u32 + 1, out);
    // The count beside a bound is that of the next bucket, and the first bound is there twice.
    let bounds = buckets.iter().take(1).chain(buckets).map(|(bound, _)| *bound);
    let counts = buckets.iter().map(|(_, count)| *count).chain([histogram.overflow_count()]);
    for (bound, count) in bounds.zip(counts) {
        put_i64(bound, out);
        put_i64(count as i64, out);
    }
}

fn put_tombstones(tombstones: &TombstoneHistogram, out: &mut Vec<u8>) {
    put_u32(tombstones.bin_count_max, out);
    put_u32(tombstones.bins.len() as u32, out);
    for (time, count) in &tombstones.bins {
        put_f64(*time, out);
        put_i64(*count as i64, out);
    }
}

fn put_cardinality(cardinality: &Cardinality, out: &mut Vec<u8>) {
    out.extend_from_slice(&(-2_i32).to_be_bytes());
    put_uvarint(P.into(), out);
    put_uvarint(SP.into(), out);
    match cardinality {
        Cardinality::Sparse(entries) => {
            put_uvarint(1, out);
            put_uvarint(entries.len() as u64, out);
            let mut before = 0_u32;
            for entry in entries {
                put_uvarint(entry.wrapping_sub(before).into(), out);
                before = *entry;
            }
        }
        Cardinality::Dense(registers) => {
            put_uvarint(0, out);
            put_uvarint((registers.len().div_ceil(6) * 4) as u64, out);
            for six in registers.chunks(6) {
                let places = six.iter().enumerate();
                put_u32(places.fold(0, |word, (at, run)| word | u32::from(*run) << (5 * at)), out);
            }
        }
    }
}

fn put_log_position(position: LogPosition, out: &mut Vec<u8>) {
    put_i64(position.segment, out);
    put_u32(position.offset, out);
}

fn put_optional_uuid(id: Option<[u8; 16]>, out: &mut Vec<u8>) {
    out.push(u8::from(id.is_some()));
    id.iter().for_each(|id| out.extend_from_slice(id));
}

fn put_text(text: &str, out: &mut Vec<u8>) {
    let len = u16::try_from(text.len()).expect("the name of a class");
    out.extend_from_slice(&len.to_be_bytes());
    out.extend_from_slice(text.as_bytes());
}

fn put_u32(number: u32, out: &mut Vec<u8>) {
    out.extend_from_slice(&number.to_be_bytes());
}

fn put_i64(number: i64, out: &mut Vec<u8>) {
    out.extend_from_slice(&number.to_be_bytes());
}

fn put_f64(number: f64, out: &mut Vec<u8>) {
    out.extend_from_slice(&number.to_be_bytes());
}
