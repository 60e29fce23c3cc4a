//! Prometheus's own indexes read back whole.

use std::fs;
use std::path::{Path, PathBuf};

use manicule_format_prometheus::{Index, SeriesRef, SymbolIndex};
use manicule_testkit::golden_folder;

/// Files called `index` below a folder.
fn indexes(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            indexes(&path, found);
        } else if path.file_name().unwrap().to_string_lossy().starts_with("index")
            && !path.ends_with("index-header")
        {
            found.push(path);
        }
    }
}

#[test]
fn every_series_list_and_symbol_of_every_index_is_read() {
    let golden = golden_folder("series", "golden");
    let mut paths = Vec::new();
    indexes(golden.path(), &mut paths);
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
