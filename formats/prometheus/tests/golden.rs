//! Prometheus's own indexes read back whole.

use std::fs;
use std::path::{Path, PathBuf};

use manicule_format_prometheus::{Index, Meta, Segment, SeriesRef, SymbolIndex, Tombstones};
use manicule_testkit::golden_folder;

/// The files below a folder that have such a name.
fn files(folder: &Path, is_wanted: &dyn Fn(&str) -> bool) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            found.extend(files(&path, is_wanted));
        } else if is_wanted(&path.file_name().unwrap().to_string_lossy()) {
            found.push(path);
        }
    }
    found
}

#[test]
fn meta_files_and_tombstones_are_written_as_they_were() {
    let golden = golden_folder("series", "golden");
    let metas = files(golden.path(), &|name| name == "meta.json");
    assert!(metas.len() >= 14);
    for path in metas {
        let json = fs::read(&path).unwrap();
        let meta = Meta::decode(&json).unwrap();
        assert_eq!(meta.encode(), json, "{}", path.display());
    }
    for path in files(golden.path(), &|name| name == "tombstones") {
        let bytes = fs::read(&path).unwrap();
        let tombstones = Tombstones::decode(&bytes).unwrap();
        // The order of entries is not the same in each of Prometheus's runs.
        assert_eq!(tombstones.encode().len(), bytes.len(), "{}", path.display());
        assert_eq!(Tombstones::decode(&tombstones.encode()).unwrap(), tombstones);
    }
}

#[test]
fn every_chunk_of_a_segment_is_read() {
    let golden = golden_folder("series", "golden");
    for path in files(golden.path(), &|name| name == "000001") {
        let segment = Segment::open(fs::read(&path).unwrap()).unwrap();
        let chunks: Vec<_> = segment.chunks().map(Result::unwrap).collect();
        assert!(!chunks.is_empty());
        assert_eq!(chunks.last().unwrap().end, segment.bytes().len() as u64);
    }
}

#[test]
fn every_series_list_and_symbol_of_every_index_is_read() {
    let golden = golden_folder("series", "golden");
    let is_index = |name: &str| name.starts_with("index") && name != "index-header";
    let paths = files(golden.path(), &is_index);
    assert!(paths.len() >= 15, "{paths:?}");
    for path in paths {
        let index = Index::open(fs::read(&path).unwrap()).unwrap();
        let symbols: Vec<&[u8]> =
            (0..index.symbol_count()).map(|n| index.symbol(SymbolIndex(n)).unwrap()).collect();
        assert!(symbols.is_sorted() && !symbols.is_empty());
        let mut postings = 0;
        for (name, pairs) in index.names() {
            assert!(!name.is_empty());
            for pair in pairs.map(manicule_format_prometheus::PairIndex) {
                let found = index.pair(pair).unwrap();
                assert_eq!((found.name, index.value(pair)), (name, found.value));
                assert_eq!(index.find_pair(name, found.value), Some(pair));
                for series in index.postings(pair).unwrap().iter() {
                    let has = |(n, v): (SymbolIndex, SymbolIndex)| {
                        symbols[n.0 as usize] == name && symbols[v.0 as usize] == found.value
                    };
                    let mut labels = index.series(series).unwrap().labels();
                    assert!(labels.any(|label| has(label.unwrap())), "{}", path.display());
                    postings += 1;
                }
            }
        }
        let all: Vec<SeriesRef> = index.all_postings().unwrap().iter().collect();
        let mut labels = 0;
        for series in &all {
            let series = index.series(*series).unwrap();
            labels += series.label_count();
            for chunk in series.chunks().unwrap() {
                let chunk = chunk.unwrap();
                assert!(chunk.min_time <= chunk.max_time);
            }
        }
        assert_eq!(labels, postings, "{}", path.display());
    }
}
