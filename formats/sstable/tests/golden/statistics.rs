//! Statistics.db against what sstablemetadata prints of it.

use std::ops::RangeInclusive;

use manicule_format_sstable::{Component, Marks, StatisticsFile, Version, put_marks};
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

/// All fields as text, without those that are marked.
fn others(bytes: &[u8], version: Version) -> String {
    let file = StatisticsFile::open(bytes, version).expect("sections");
    let mut statistics = file.statistics().expect("statistics");
    (statistics.level, statistics.repaired_at) = (0, 0);
    (statistics.pending_repair, statistics.is_transient) = (None, false);
    let sections: Vec<_> = file.sections().filter(|it| it.0 != "statistics section").collect();
    let sections: Vec<_> = sections.iter().map(|(name, _, bytes)| (name, bytes)).collect();
    format!("{statistics:?} {sections:?}")
}

#[test]
fn marks_change_what_they_name_and_nothing_else() {
    for table in &Tables::all().list {
        let (version, title) = (table.descriptor.version, table.title());
        let bytes = table.component(&Component::Statistics);
        let put = |bytes: &[u8], level, repaired_at| {
            put_marks(bytes, version, &Marks { level, repaired_at }).expect("marked")
        };
        assert!(put(&bytes, None, None) == bytes, "{title}");
        let marked = put(&bytes, Some(3), Some(1_700_000_000_123));
        let file = StatisticsFile::open(&marked, version).expect("sections with their checksums");
        let statistics = file.statistics().expect("statistics");
        assert_eq!((statistics.level, statistics.repaired_at), (3, 1_700_000_000_123), "{title}");
        assert_eq!(others(&marked, version), others(&bytes, version), "{title}");
        // A level alone leaves the repair as it was.
        let own = StatisticsFile::open(&bytes, version).expect("sections");
        let own = own.statistics().expect("statistics");
        let back = put(&put(&bytes, Some(3), None), Some(own.level), None);
        assert!(back == bytes, "{title}");
        if own.pending_repair.is_none() && !own.is_transient {
            let back = put(&marked, Some(own.level), Some(own.repaired_at));
            assert!(back == bytes, "{title}");
        }
        // What follows is refused, or stays part of the last section.
        let longer = [&bytes[..], b"\0"].concat();
        let put = put_marks(&longer, version, &Marks { level: None, repaired_at: None });
        assert!(put.is_ok_and(|put| put == longer) != version.has_section_checksums(), "{title}");
    }
}
