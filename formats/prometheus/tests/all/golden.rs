//! Prometheus's own indexes read back whole.

use std::fs;
use std::path::{Path, PathBuf};

use manicule_format_prometheus::{
    ChunkMeta, Index, Meta, Segment, SeriesRef, SymbolIndex, Tombstones,
};
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

/// What the plain way reads of a series: labels as strings, and chunks.
type Plain = (Vec<(Vec<u8>, Vec<u8>)>, Vec<ChunkMeta>);

fn plain(index: &Index<Vec<u8>>, series: SeriesRef) -> Plain {
    let symbol = |symbol| index.symbol(symbol).unwrap().to_vec();
    let series = index.series(series).unwrap();
    let labels = series.labels().map(Result::unwrap).map(|(n, v)| (symbol(n), symbol(v)));
    (labels.collect(), series.chunks().unwrap().map(Result::unwrap).collect())
}

#[test]
fn a_walk_reads_what_the_plain_way_reads_in_any_order() {
    let golden = golden_folder("series", "golden");
    let is_index = |name: &str| name.starts_with("index") && name != "index-header";
    for path in files(golden.path(), &is_index) {
        let index = Index::open(fs::read(&path).unwrap()).unwrap();
        let mut all: Vec<SeriesRef> = index.all_postings().unwrap().iter().collect();
        let mut walk = index.walk();
        for _ in 0..2 {
            for series in &all {
                walk.read(*series).unwrap();
                let labels = walk.labels().iter().map(|label| (label.0.to_vec(), label.1.to_vec()));
                let read = (labels.collect(), walk.chunks().to_vec());
                assert_eq!(read, plain(&index, *series), "{}: {series:?}", path.display());
                let symbols: Vec<_> = index.series(*series).unwrap().labels().collect();
                let read: Vec<_> = walk.symbols().iter().copied().map(Ok).collect();
                assert_eq!(read, symbols);
            }
            for series in &all {
                walk.read_chunks(*series).unwrap();
                assert_eq!(
                    walk.chunks(),
                    plain(&index, *series).1,
                    "{}: {series:?}",
                    path.display()
                );
                assert!(walk.labels().is_empty() && walk.symbols().is_empty());
            }
            // Neighbours far apart: 7 has no factor in common with most counts.
            let count = all.len();
            all = (0..count).map(|place| all[place * 7 % count]).collect();
        }
    }
}

#[test]
fn a_walk_tells_of_damage_what_the_plain_way_tells() {
    let golden = golden_folder("series", "golden");
    let path = golden.path().join("blocks/tiny/01M7YV9D4RCH84S6NS9PC6AJ27/index");
    let bytes = fs::read(path).unwrap();
    let sound = Index::open(&bytes[..]).unwrap();
    let all: Vec<SeriesRef> = sound.all_postings().unwrap().iter().collect();
    let series = sound.toc().series as usize..sound.toc().label_indices as usize;
    let mut errors = 0;
    for at in series {
        for mask in [1, 0x80, 0xff] {
            let mut bytes = bytes.clone();
            bytes[at] ^= mask;
            let index = Index::open(&bytes[..]).unwrap();
            let mut walk = index.walk();
            for series in &all {
                let entry = index.series(*series);
                let labels = entry.as_ref().map(|entry| entry.labels().collect::<Vec<_>>());
                let chunks =
                    entry.clone().and_then(|entry| entry.chunks()?.collect::<Result<Vec<_>, _>>());
                let read = walk.read_chunks(*series).map(|()| walk.chunks().to_vec());
                assert_eq!(read, chunks, "{at}");
                match walk.read(*series) {
                    Ok(()) => {
                        let read = walk.symbols().iter().copied().map(Ok).collect();
                        assert_eq!(labels, Ok(read), "{at}");
                    }
                    Err(error) => {
                        assert_eq!(entry.map(drop), Err(error));
                        assert!(walk.labels().is_empty() && walk.chunks().is_empty());
                        errors += 1;
                    }
                }
            }
        }
    }
    assert!(errors > 200, "{errors}");
}
