//! Statistics.db against what sstablemetadata prints of it.

use std::ops::RangeInclusive;

use manicule_format_sstable::{Component, StatisticsFile, Version};
use manicule_sstables::check_metadata;

use crate::support::Tables;

/// November 2026, when the tool was asked.
const ASKED: RangeInclusive<i64> = 1_793_491_200..=1_796_083_200;

#[test]
fn fields_are_those_that_sstablemetadata_prints() {
    let tables = Tables::all();
    let mut count = 0;
    for table in &tables.list {
        let Some(printed) = table.answer("metadata", "txt") else { continue };
        let bytes = table.component(&Component::Statistics);
        let file = StatisticsFile::open(&bytes, table.descriptor.version).expect("sections");
        check_metadata(&printed, &table.title(), &file, &ASKED);
        count += 1;
    }
    assert!(count > 20, "{count}");
}

#[test]
fn a_flipped_bit_is_found_where_there_are_checksums() {
    for table in &Tables::all().list {
        let version = table.descriptor.version;
        let bytes = table.component(&Component::Statistics);
        assert!(StatisticsFile::open(&bytes[..bytes.len() - 1], Version::Nb).is_err());
        if !version.has_section_checksums() {
            continue;
        }
        let step = bytes.len() / 40 + 1;
        for at in (0..bytes.len()).step_by(step) {
            let mut damaged = bytes.clone();
            damaged[at] ^= 0x10;
            let error = StatisticsFile::open(&damaged, version);
            assert!(error.is_err(), "{}: byte {at}", table.title());
        }
    }
}
