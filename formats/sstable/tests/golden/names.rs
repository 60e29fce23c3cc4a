//! Names: of files, of types in headers.

use std::fs;

use manicule_format_sstable::{Component, Descriptor, StatisticsFile};

use crate::support::Tables;

#[test]
fn headers_are_read_and_types_are_written_as_they_were() {
    for table in &Tables::all().list {
        let title = table.title();
        let bytes = table.component(&Component::Statistics);
        let file = StatisticsFile::open(&bytes, table.descriptor.version)
            .unwrap_or_else(|error| panic!("{title}: {error}"));
        let header = file.header().unwrap_or_else(|error| panic!("{title}: {error}"));
        let columns = header.statics.iter().chain(&header.regulars).map(|column| &column.kind);
        for kind in columns.chain(&header.clustering).chain([&header.key]) {
            let name = kind.to_string();
            let is_there = bytes.windows(name.len()).any(|window| window == name.as_bytes());
            assert!(is_there, "{title}: {name}");
        }
        for columns in [&header.statics, &header.regulars] {
            assert!(columns.is_sorted_by_key(|column| column.kind.is_complex()), "{title}");
        }
    }
}

#[test]
fn names_of_files_are_written_as_they_were() {
    for table in &Tables::all().list {
        for entry in fs::read_dir(&table.folder).expect("a folder") {
            let name = entry.expect("an entry").file_name().to_string_lossy().into_owned();
            let Some((descriptor, component)) = Descriptor::parse(&name) else {
                let kind = name.split(['.', '-']).next();
                assert!(matches!(kind, Some("dump" | "metadata" | "schema")), "{name}");
                continue;
            };
            assert!(!matches!(component, Component::Other(_)), "{name}");
            assert_eq!(descriptor.file_name(&component), name);
        }
    }
}
