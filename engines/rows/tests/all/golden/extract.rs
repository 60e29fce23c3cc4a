//! Golden tables written again, whole and in parts: where nothing is left out each component has
//! the bytes that Cassandra gave it.

use std::fs;
use std::path::Path;

use manicule_core::compress::Codec;
use manicule_core::watch::Watch;
use manicule_format_sstable::{Component, DumpForm, Token};
use manicule_rows::RowsError;
use manicule_rows::scan::{Chosen, Meant, Selection, Taken};
use manicule_rows::table::{Access, Listed, Sstable, list_all};
use manicule_rows::verify::{Depth, verify};
use manicule_rows::write::{Compress, ExtractOptions, Target, Written, extract};
use manicule_store::Disk;
use manicule_store::context::Budget;
use manicule_store::pages::{ReadCounts, Reading};
use serde_json::Value;

use crate::golden::support::{Golden, dump_text, open, options};

const MEMORY_BYTES: u64 = 4 << 20;
/// The day on which the golden dumps were made.
const NOW: i64 = 1_794_000_000;

fn extracted(
    listed: &Listed,
    folder: &Path,
    wanted: &ExtractOptions,
) -> Result<Option<Written>, RowsError> {
    let (mut counts, budget) = (ReadCounts::default(), Budget::new(MEMORY_BYTES));
    let mut reading = Reading { counts: &mut counts, budget: &budget };
    let generation = listed.descriptor.generation_number();
    let target =
        Target { files: Disk::shared(), folder: folder.to_owned(), generation, is_dry: false };
    extract(listed, &target, wanted, &options(Access::Mapped), &mut reading, &Watch::none())
}

fn wanted(meant: Meant, taken: Taken, listed: &Listed) -> ExtractOptions {
    // The only table whose blocks are not of the default length.
    let block_len = if listed.folder.ends_with("narrow") { 1 << 10 } else { 64 << 10 };
    ExtractOptions { chosen: Chosen { meant, taken }, compress: None, block_len }
}

/// Golden SSTables that are whole and of a version that is written.
fn each(mut each: impl FnMut(&str, &Listed)) {
    let golden = Golden::new();
    for folder in golden.folders() {
        for listed in list_all(&folder).unwrap() {
            let version = listed.descriptor.version;
            let is_whole = listed.path(&Component::Index).exists();
            if is_whole && !version.has_trie_index() && !version.has_covered_slice() {
                each(&format!("{} {}", folder.display(), listed.descriptor), &listed);
            }
        }
    }
}

fn check_verified(title: &str, path: &Path) {
    let (mut counts, budget) = (ReadCounts::default(), Budget::new(16 << 20));
    let mut reading = Reading { counts: &mut counts, budget: &budget };
    let options = options(Access::Mapped);
    for listed in list_all(path).unwrap() {
        let verified =
            verify(&listed, Depth::Whole, &options, &mut reading, &Watch::none()).unwrap();
        assert!((verified.verdict.findings.count == 0), "{title}: {:?}", verified.verdict);
        assert_eq!(verified.verdict.warnings.count, 0, "{title}: {:?}", verified.verdict);
    }
}

#[test]
fn everything_written_again_has_the_bytes_of_cassandra() {
    let (mut tables, mut components) = (0, 0);
    each(|title, listed| {
        let target = tempfile::tempdir().unwrap();
        let wanted = wanted(Meant::Keys(Vec::new()), Taken::Others, listed);
        extracted(listed, target.path(), &wanted)
            .unwrap_or_else(|error| panic!("{title}: {error}"));
        let is_compressed = listed.components.contains(&Component::CompressionInfo);
        for component in [
            Component::Data,
            Component::Index,
            Component::Filter,
            Component::Summary,
            Component::Statistics,
            Component::Crc,
            Component::Digest,
        ] {
            let of_compression =
                [Component::Data, Component::Digest, Component::Statistics, Component::Crc];
            if is_compressed && of_compression.contains(&component) {
                continue;
            }
            let Ok(want) = fs::read(listed.path(&component)) else { continue };
            let name = listed.descriptor.file_name(&component);
            let got = fs::read(target.path().join(name)).unwrap();
            let place = got.iter().zip(&want).position(|(got, want)| got != want);
            assert!(got == want, "{title}: {component} at {place:?} of {}", want.len());
            components += 1;
        }
        check_verified(title, target.path());
        tables += 1;
    });
    println!("{tables} tables, {components} components");
    assert!(tables > 15 && components > 80);
}

#[test]
fn compressed_tables_hold_the_same() {
    let codecs = [Codec::Lz4, Codec::Snappy, Codec::Deflate, Codec::Zstd];
    let mut number = 0;
    each(|title, listed| {
        let source = open_one(listed);
        let codec = codecs[number % codecs.len()];
        let compress =
            Some(Compress { codec, chunk_len: [4 << 10, 64 << 10][number % 2], level: 3 });
        number += 1;
        let target = tempfile::tempdir().unwrap();
        let everything = wanted(Meant::Keys(Vec::new()), Taken::Others, listed);
        extracted(listed, target.path(), &ExtractOptions { compress, ..everything }).unwrap();
        check_verified(title, target.path());
        let again = open(target.path(), Access::Mapped).remove(0);
        assert_eq!(again.data_len(), source.data_len(), "{title} {codec:?}");
        let form = DumpForm::of(source.version(), NOW);
        let dump = |sstable: &Sstable| dump_text(sstable, form, &Selection::All);
        assert!(dump(&again) == dump(&source), "{title} {codec:?}");
    });
    assert!(number > 15);
}

fn open_one(listed: &Listed) -> Sstable {
    let (mut counts, budget) = (ReadCounts::default(), Budget::new(MEMORY_BYTES));
    let mut reading = Reading { counts: &mut counts, budget: &budget };
    Sstable::open(listed, &options(Access::Mapped), &mut reading).unwrap()
}

/// Partitions of a dump without their places.
fn partitions(sstable: &Sstable) -> Vec<Value> {
    let form = DumpForm::of(sstable.version(), NOW);
    let text = dump_text(sstable, form, &Selection::All);
    let mut partitions: Vec<Value> = serde_json::from_str(&text).unwrap();
    for partition in &mut partitions {
        partition["partition"]["position"] = Value::Null;
        for row in partition["rows"].as_array_mut().into_iter().flatten() {
            row["position"] = Value::Null;
        }
    }
    partitions
}

/// Keys of an SSTable as they lie in the file.
fn keys(listed: &Listed) -> Vec<Vec<u8>> {
    use manicule_format_sstable::{IndexEntry, Parsed};
    let index = fs::read(listed.path(&Component::Index)).unwrap();
    let (mut at, mut keys) = (0, Vec::new());
    while at < index.len() {
        let Parsed::Done(entry) = IndexEntry::read(&index[at..], at as u64).unwrap() else {
            panic!("a cut entry");
        };
        keys.push(entry.key.to_vec());
        at = entry.end() as usize;
    }
    keys
}

#[test]
fn a_part_and_the_rest_are_the_whole() {
    let (mut tables, mut taken_count) = (0, 0);
    each(|title, listed| {
        let (all, keys) = (partitions(&open_one(listed)), keys(listed));
        assert_eq!(all.len(), keys.len(), "{title}");
        let some: Vec<Vec<u8>> = keys.iter().step_by(3).cloned().collect();
        let tokens = some.iter().map(|key| Token::of(key).0).map(|token| token..=token).collect();
        for meant in [Meant::Keys(some.clone()), Meant::Tokens(tokens)] {
            for taken in [Taken::These, Taken::Others] {
                let target = tempfile::tempdir().unwrap();
                let wanted = wanted(meant.clone(), taken, listed);
                let written = extracted(listed, target.path(), &wanted).unwrap();
                let is_meant = |number: usize| number.is_multiple_of(3) == (taken == Taken::These);
                let want: Vec<&Value> = (0..all.len())
                    .filter(|number| is_meant(*number))
                    .map(|number| &all[number])
                    .collect();
                let Some(written) = written else {
                    assert!(want.is_empty(), "{title}");
                    assert_eq!(fs::read_dir(target.path()).unwrap().count(), 0, "{title}");
                    continue;
                };
                assert_eq!(written.partition_count, want.len() as u64, "{title}");
                check_verified(title, target.path());
                let got = partitions(&open(target.path(), Access::Mapped).remove(0));
                assert!(got.iter().eq(want), "{title} {taken:?}");
                taken_count += got.len();
            }
        }
        tables += 1;
    });
    println!("{tables} tables, {taken_count} partitions");
    assert!(tables > 15 && taken_count > 100);
}
