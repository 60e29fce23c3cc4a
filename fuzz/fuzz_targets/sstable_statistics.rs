//! Reading any bytes as Statistics.db of any version gives its sections or an error, and asking
//! them takes memory by the bytes that are there.
//!
//! Two ways in: the bytes as they are; sections of them, with checksums where the version has some.
//!
//! Seeds:
//! `mkdir -p corpus/sstable_statistics && tar -xf ../proof/golden/rows/tries.tar.zst -C corpus/sstable_statistics
//! --strip-components=2 --wildcards '*Statistics.db'`

#![no_main]

use arbitrary::Arbitrary;
use libfuzzer_sys::fuzz_target;
use manicule_format_sstable::{StatisticsFile, Version};

#[derive(Arbitrary, Debug)]
struct Input<'a> {
    version: u8,
    sections: [&'a [u8]; 4],
}

fuzz_target!(|bytes: &[u8]| {
    for version in Version::ALL {
        look(bytes, version);
    }
    let Ok(input) = Input::arbitrary(&mut arbitrary::Unstructured::new(bytes)) else { return };
    let version = Version::ALL[usize::from(input.version) % Version::ALL.len()];
    look(&file(&input, version), version);
});

fn file(input: &Input<'_>, version: Version) -> Vec<u8> {
    let sum_len = if version.has_section_checksums() { 4 } else { 0 };
    let mut bytes = 4_u32.to_be_bytes().to_vec();
    let mut table = Vec::new();
    let mut start = 4 + sum_len + 32 + sum_len;
    for (kind, section) in (0_u32..).zip(input.sections) {
        table.extend_from_slice(&kind.to_be_bytes());
        table.extend_from_slice(&(start as u32).to_be_bytes());
        start += section.len() + sum_len;
    }
    let put_sum = |sum: u32, bytes: &mut Vec<u8>| {
        if sum_len > 0 {
            bytes.extend_from_slice(&sum.to_be_bytes());
        }
    };
    let count_sum = crc32fast::hash(&bytes);
    let table_sum = crc32fast::hash(&[&bytes[..], &table].concat());
    put_sum(count_sum, &mut bytes);
    bytes.extend_from_slice(&table);
    put_sum(table_sum, &mut bytes);
    for section in input.sections {
        bytes.extend_from_slice(section);
        put_sum(crc32fast::hash(section), &mut bytes);
    }
    bytes
}

fn look(bytes: &[u8], version: Version) {
    let Ok(file) = StatisticsFile::open(bytes, version) else { return };
    let _ = file.validation();
    let _ = file.header();
    if let Ok(Some(cardinality)) = file.cardinality() {
        let _ = cardinality.estimate();
    }
    let Ok(statistics) = file.statistics() else { return };
    for histogram in [&statistics.partition_sizes, &statistics.cell_counts] {
        let _ = (histogram.mean(), histogram.min(), histogram.max(), histogram.percentile(0.99));
        assert!(histogram.buckets().len() * 16 < bytes.len());
    }
    let _ = statistics.droppable_ratio(1_700_000_000);
}
