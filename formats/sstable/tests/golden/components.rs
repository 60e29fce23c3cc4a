//! The small components: sums, filters, summaries, offsets of chunks, tables of components.

use std::collections::BTreeSet;
use std::fs;

use manicule_core::bytes::Reader;
use manicule_format_sstable::{
    CHUNK_SUM_LEN, ChunkSums, Component, CompressionInfo, Compressor, Descriptor, Filter, KeyHash,
    Partitioner, ReadVint, StatisticsFile, Summary, read_digest, read_toc,
};

use crate::support::{Table, Tables};

/// Keys of Index.db and the offsets of their entries, the plain way.
fn index_entries(index: &[u8]) -> Vec<(u64, Vec<u8>)> {
    let (mut reader, mut entries) = (Reader::new(index, 0), Vec::new());
    while !reader.rest().is_empty() {
        let at = reader.at();
        entries.push((at, reader.short_bytes("key").expect("a key").to_vec()));
        reader.vint("position").expect("a position");
        reader.vbytes("promoted index").expect("a promoted index");
    }
    entries
}

/// Tables that have Data.db: of some only small files are kept.
fn with_data(tables: &Tables) -> impl Iterator<Item = (&Table, Vec<u8>)> {
    let data = tables.list.iter().map(|table| (table, table.read(&Component::Data)));
    data.filter_map(|(table, data)| Some((table, data?)))
}

#[test]
fn filters_have_every_key_and_keys_are_in_order() {
    let tables = Tables::all();
    let mut key_count = 0;
    for table in &tables.list {
        let title = table.title();
        let (Some(index), Some(filter)) =
            (table.read(&Component::Index), table.read(&Component::Filter))
        else {
            continue;
        };
        let statistics = table.component(&Component::Statistics);
        let version = table.descriptor.version;
        let file = StatisticsFile::open(&statistics, version).expect("statistics");
        let class = file.validation().expect("a section").partitioner;
        let partitioner = Partitioner::of_class(&class);
        assert_eq!(partitioner, Partitioner::Murmur3, "{title}");
        let filter =
            Filter::open(&filter, version).unwrap_or_else(|error| panic!("{title}: {error}"));
        let entries = index_entries(&index);
        for (_, key) in &entries {
            assert!(filter.may_contain(KeyHash::of(key)), "{title}: {key:x?}");
        }
        let is_before = |left: &[u8], right: &[u8]| {
            partitioner.compare(left, right).is_some_and(|order| order.is_lt())
        };
        assert!(entries.is_sorted_by(|left, right| is_before(&left.1, &right.1)), "{title}");
        key_count += entries.len();
        // And the wrong ones hardly ever: 1 % is what they are made for.
        let strangers = (0..1000).filter(|number: &u32| {
            filter.may_contain(KeyHash::of(format!("stranger {number}").as_bytes()))
        });
        assert!(strangers.count() < 60, "{title}");
    }
    assert!(key_count > 1000, "{key_count}");
}

#[test]
fn summaries_lead_to_their_keys() {
    let tables = Tables::all();
    let mut sample_count = 0;
    for table in &tables.list {
        let (Some(index), Some(bytes)) =
            (table.read(&Component::Index), table.read(&Component::Summary))
        else {
            continue;
        };
        let title = table.title();
        let summary = Summary::open(&bytes).unwrap_or_else(|error| panic!("{title}: {error}"));
        let entries = index_entries(&index);
        assert_eq!(summary.first_key, entries[0].1, "{title}");
        assert_eq!(summary.last_key, entries[entries.len() - 1].1, "{title}");
        assert_eq!(
            (summary.head.min_index_interval, summary.head.sampling_level),
            (128, 128),
            "{title}"
        );
        assert_eq!(summary.count(), entries.len().div_ceil(128), "{title}");
        assert_eq!(summary.head.full_count as usize, summary.count(), "{title}");
        for number in 0..summary.count() {
            let sample = summary.sample(number).expect("a sample");
            let entry = &entries[number * 128];
            assert_eq!((sample.position, sample.key), (entry.0, &entry.1[..]), "{title}");
        }
        for (place, (_, key)) in entries.iter().enumerate().step_by(37) {
            let is_after = |sample: &[u8]| {
                Partitioner::Murmur3.compare(sample, key).is_some_and(|order| order.is_gt())
            };
            assert_eq!(summary.last_before(is_after), Ok(Some(place / 128)), "{title}");
        }
        sample_count += summary.count();
    }
    assert!(sample_count > 20, "{sample_count}");
}

#[test]
fn checksums_are_those_of_the_data() {
    let tables = Tables::all();
    let mut counts = [0; 3];
    for (table, data) in with_data(&tables) {
        let title = table.title();
        let digest = read_digest(&table.component(&Component::Digest));
        assert_eq!(digest, Ok(crc32fast::hash(&data)), "{title}");
        counts[0] += 1;
        if let Some(bytes) = table.read(&Component::CompressionInfo) {
            counts[1] += check_chunks(table, &bytes, &data);
            continue;
        }
        let sums = table.component(&Component::Crc);
        let sums = ChunkSums::open(&sums).unwrap_or_else(|error| panic!("{title}: {error}"));
        let chunks = data.chunks(sums.chunk_len() as usize);
        assert_eq!((sums.chunk_len(), sums.count()), (1 << 16, chunks.len()), "{title}");
        for (number, chunk) in chunks.enumerate() {
            assert_eq!(sums.check(number, chunk), Ok(()), "{title}");
            counts[2] += 1;
        }
    }
    assert!(counts.iter().all(|count| *count > 5), "{counts:?}");
}

/// Number of chunks, each of which has its checksum after it.
fn check_chunks(table: &Table, bytes: &[u8], data: &[u8]) -> usize {
    let title = table.title();
    let info = CompressionInfo::open(bytes, table.descriptor.version)
        .unwrap_or_else(|error| panic!("{title}: {error}"));
    let (mut end, mut len) = (0, 0);
    for number in 0..info.chunk_count() {
        let chunk = info.chunk(number, data.len() as u64).expect("a chunk");
        assert_eq!(chunk.stored.start, end, "{title}");
        end = chunk.stored.end + CHUNK_SUM_LEN;
        let sum = data[chunk.stored.end as usize..end as usize].try_into().expect("four bytes");
        let stored = &data[chunk.stored.start as usize..chunk.stored.end as usize];
        assert_eq!(u32::from_be_bytes(sum), crc32fast::hash(stored), "{title}");
        if info.compressor == Compressor::Lz4 && !chunk.is_plain {
            assert_eq!(stored[..4], chunk.len.to_le_bytes(), "{title}");
        }
        len += u64::from(chunk.len);
    }
    assert_eq!((end, len), (data.len() as u64, info.data_len), "{title}");
    info.chunk_count()
}

#[test]
fn compressors_are_those_of_the_schema() {
    for table in &Tables::all().list {
        let Some(bytes) = table.read(&Component::CompressionInfo) else { continue };
        let info = CompressionInfo::open(&bytes, table.descriptor.version).expect("a file");
        let name = table.name.rsplit('/').next().expect("a name");
        let (want, has_dictionary) = match name {
            "small_sn" => (Compressor::Snappy, false),
            "small_de" => (Compressor::Deflate, false),
            "zstd" | "small_zs" => (Compressor::Zstd, false),
            "dict" => (Compressor::Zstd, true),
            _ => (Compressor::Lz4, false),
        };
        assert_eq!(
            (&info.compressor, info.dictionary.is_some()),
            (&want, has_dictionary),
            "{name}"
        );
        if let Some(dictionary) = info.dictionary {
            assert_eq!((dictionary.id, dictionary.bytes.len()), (7, 4096));
        }
    }
}

#[test]
fn the_table_of_components_lists_the_files() {
    for table in &Tables::all().list {
        let (Some(toc), true) =
            (table.read(&Component::Toc), table.read(&Component::Data).is_some())
        else {
            continue;
        };
        let listed: BTreeSet<_> = read_toc(&toc).expect("names").into_iter().collect();
        let entries =
            fs::read_dir(&table.folder).expect("a folder").map(|entry| entry.expect("one"));
        let names = entries.map(|entry| entry.file_name().to_string_lossy().into_owned());
        let there: BTreeSet<_> = names
            .filter_map(|name| Descriptor::parse(&name))
            .filter(|(descriptor, _)| *descriptor == table.descriptor)
            .map(|(_, component)| component)
            .collect();
        assert_eq!(listed, there, "{}", table.title());
    }
}
