//! The same bytes as Prometheus's writer.

use std::fs;
use std::path::{Path, PathBuf};

use manicule_core::hex;
use manicule_core::watch::Watch;
use manicule_format_prometheus::{Index, Version};
use manicule_series::write::{
    ChunksBy, Joined, LabelSets, Rows, SymbolChoice, SymbolSets, WriteOptions, write_index,
};
use manicule_testkit::{check_sections, golden_folder, unpacked, whole_golden_set};
use sha2::{Digest, Sha256};

use super::inputs::{PLAIN, TINY, chunk_rule, each_set, index, index_and_header, label_sets};

fn hex(bytes: &[u8]) -> String {
    hex::encode(Sha256::digest(bytes))
}

/// The index of 1,000 series, whole.
#[test]
fn a_thousand_series_are_written_as_prometheus_writes_them() {
    let golden = golden_folder("series", "golden");
    let folder = golden.path().join("index/1000");
    let sets = label_sets(&fs::read(folder.join("series.tsv")).unwrap());
    let want = fs::read(folder.join("index")).unwrap();
    for options in [PLAIN, TINY] {
        let (got, written) = index(&sets, options);
        assert!(got == want, "{options:?}");
        assert_eq!((written.series, written.symbols, written.lists), (1000, 500, 475));
        assert_eq!(written.len, want.len() as u64);
    }
}

/// Sets that are found by their place give the same numbers as those that are read in order.
#[test]
fn sets_in_any_order_are_written_in_the_order_of_a_source() {
    let golden = golden_folder("series", "golden");
    let folder = golden.path().join("index/1000");
    let mut sets = LabelSets::default();
    each_set(&fs::read(folder.join("series.tsv")).unwrap(), |labels| sets.push(labels));
    let mut file = Vec::new();
    let source = Joined { labels: sets.series(), chunks: chunk_rule() };
    write_index(&sets, sets.pairs(), source, PLAIN, &mut file, &Watch::none().silent()).unwrap();
    assert!(file == fs::read(folder.join("index")).unwrap());
}

/// The legacy sections, which prompp writes.
#[test]
fn label_indices_are_written_as_prompp_writes_them() {
    let golden = golden_folder("series", "golden");
    let folder = golden.path().join("index/1000");
    let sets = label_sets(&fs::read(folder.join("series.tsv")).unwrap());
    let want = fs::read(folder.join("index-with-label-indices")).unwrap();
    for options in [PLAIN, TINY] {
        let (got, _) = index(&sets, WriteOptions { label_indices: true, ..options });
        assert!(got == want, "{options:?}");
    }
}

#[test]
fn larger_sets_have_the_recorded_hashes_whatever_the_memory() {
    let Some(golden) = whole_golden_set("33,333 series and more, by their hashes") else { return };
    for count in ["33333", "100000", "1200000"] {
        let folder = golden.join("index").join(count);
        let packed = folder.join("series.tsv.zst");
        let sets = label_sets(&unpacked(&packed));
        for memory in [PLAIN.memory, 16 << 20] {
            let (got, _) = index(&sets, WriteOptions { memory, ..PLAIN });
            check_sections(&got, &folder.join("sections.json"), &format!("{count}, {memory}"));
        }
        let (got, _) = index(&sets, WriteOptions { label_indices: true, ..PLAIN });
        let sections = folder.join("sections-with-label-indices.json");
        check_sections(&got, &sections, &format!("{count} with label indices"));
    }
}

/// Files called `index` below a folder.
fn indexes(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            indexes(&path, found);
        } else if path.file_name().is_some_and(|name| name == "index") {
            found.push(path);
        }
    }
}

/// The series of an index as it lists them itself.
fn series_of(index: &Index<Vec<u8>>) -> SymbolSets {
    let mut sets = SymbolSets::default();
    for series in index.all_postings().unwrap().iter() {
        let series = index.series(series).unwrap();
        let labels = series.labels().map(|label| label.unwrap());
        sets.push(labels, series.chunks().unwrap().map(|chunk| chunk.unwrap()));
    }
    sets
}

#[test]
fn every_golden_index_is_rebuilt_from_its_own_series() {
    let golden = golden_folder("series", "golden");
    let mut paths = Vec::new();
    indexes(golden.path(), &mut paths);
    assert!(paths.len() >= 14, "{paths:?}");
    for path in paths {
        let want = fs::read(&path).unwrap();
        let index = Index::open(want.clone()).unwrap();
        assert_eq!(index.version(), Version::V2);
        for options in [PLAIN, TINY] {
            let mut got = Vec::new();
            series_of(&index).write(&index, options, &mut got).unwrap();
            assert!(got == want, "{}, {options:?}", path.display());
        }
    }
}

/// A merge keeps the symbols of its inputs; left out, the same series take the symbols of a fresh
/// block.
#[test]
fn unused_symbols_are_left_out_when_asked() {
    let golden = golden_folder("series", "golden");
    let path = golden.path().join("index/1000/index");
    let index = Index::open(fs::read(&path).unwrap()).unwrap();
    let mut some = SymbolSets::default();
    let mut text = Vec::new();
    for series in index.all_postings().unwrap().iter().step_by(7) {
        let series = index.series(series).unwrap();
        let labels: Vec<_> = series.labels().map(|label| label.unwrap()).collect();
        for (name, value) in &labels {
            for symbol in [name, value] {
                text.extend_from_slice(index.symbol(*symbol).unwrap());
                text.push(b'\t');
            }
        }
        text.pop();
        text.push(b'\n');
        some.push(labels, []);
    }
    let fresh = label_sets(&text);
    let mut want = Vec::new();
    let no_chunks = Joined { labels: fresh.series(), chunks: ChunksBy::new(|_, _| ()) };
    write_index(&fresh, fresh.pairs(), no_chunks, PLAIN, &mut want, &Watch::none().silent())
        .unwrap();
    let mut got = Vec::new();
    let used = WriteOptions { symbols: SymbolChoice::Used, ..PLAIN };
    let written = some.write(&index, used, &mut got).unwrap();
    assert!(got == want);
    assert!(written.symbols < index.symbol_count());
    got.clear();
    assert_eq!(some.write(&index, PLAIN, &mut got).unwrap().symbols, index.symbol_count());
}

#[test]
fn a_value_without_series_is_in_no_label_index() {
    let index = |strings: &[&[u8]], pairs: &[(u32, u32)], series: &[u32]| {
        let (mut labels, mut file) = (Rows::default(), Vec::new());
        series.iter().for_each(|&pair| labels.push([pair]));
        let source = Joined { labels: &labels, chunks: ChunksBy::new(|_, _| ()) };
        let options = WriteOptions { symbols: SymbolChoice::Used, label_indices: true, ..PLAIN };
        write_index(strings, pairs.to_vec(), source, options, &mut file, &Watch::none().silent())
            .unwrap();
        file
    };
    let pairs = [(1, 2), (1, 3), (1, 4), (5, 2)];
    let with = index(&[b"", b"a", b"1", b"2", b"3", b"b"], &pairs, &[0, 2, 3]);
    let without = index(&[b"", b"a", b"1", b"3", b"b"], &[(1, 2), (1, 3), (4, 2)], &[0, 1, 2]);
    assert!(with == without);
}

#[test]
fn one_thread_or_two_write_the_same_and_an_index_header_as_thanos_does() {
    let golden = golden_folder("series", "golden");
    let folder = golden.path().join("index/1000");
    let sets = label_sets(&fs::read(folder.join("series.tsv")).unwrap());
    let (index, header) = (folder.join("index"), folder.join("index-header"));
    let (index, header) = (fs::read(index).unwrap(), fs::read(header).unwrap());
    for (options, threads) in [(PLAIN, 1), (PLAIN, 2), (TINY, 1), (TINY, 2)] {
        let (got, side) = index_and_header(&sets, options, threads);
        assert!(got == index, "{options:?}, {threads}");
        assert!(side == header, "{options:?}, {threads}");
    }
}

#[test]
fn larger_index_headers_have_the_recorded_hashes() {
    let Some(golden) = whole_golden_set("index-headers of 33,333 series and more") else { return };
    for (count, want) in [
        ("33333", "5226330db061c27ffb13ac3f4875c85c82e81fa975c540c75b78519828923aa9"),
        ("1200000", "850056a6c55ce37d4d5753d9eef15cd8cdae0ddc16097e4fab490c28d0b95d98"),
    ] {
        let folder = golden.join("index").join(count);
        let sets = label_sets(&unpacked(&folder.join("series.tsv.zst")));
        let (index, header) = index_and_header(&sets, PLAIN, 2);
        check_sections(&index, &folder.join("sections.json"), count);
        assert_eq!(hex(&header), want, "{count}");
    }
}

/// Two halves, each interned for itself, joined: as two threads do it.
#[test]
fn halves_that_are_joined_give_the_bytes_of_the_whole() {
    let golden = golden_folder("series", "golden");
    let folder = golden.path().join("index/1000");
    let text = fs::read(folder.join("series.tsv")).unwrap();
    let middle = text.len() / 2 + text[text.len() / 2..].iter().position(|&b| b == b'\n').unwrap();
    let mut sets = label_sets(&text[..middle]);
    sets.append(label_sets(&text[middle..]));
    assert!(index(&sets, PLAIN).0 == fs::read(folder.join("index")).unwrap());
}
