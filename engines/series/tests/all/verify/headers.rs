//! The two headers of an index, verified with it and by themselves.

use std::fs;
use std::path::PathBuf;

use manicule_core::watch::Watch;
use manicule_series::write::SymbolChoice;
use manicule_series::{Block, ReindexOptions, reindex};
use manicule_testkit::golden_folder;

use super::{blocks_of, verified};

/// Writes the index of a golden block again with both headers beside it.
fn with_headers(name: &str) -> (tempfile::TempDir, PathBuf) {
    let golden = golden_folder("series", "golden");
    let path = blocks_of(&golden.path().join("blocks").join(name)).remove(0);
    let options = ReindexOptions {
        memory: 1 << 20,
        symbols: SymbolChoice::All,
        label_indices: false,
        index_header: true,
        sparse_header: true,
        threads: 1,
    };
    reindex(&Block::open(&path).unwrap(), &path, &options, &Watch::none()).unwrap();
    (golden, path)
}

const HEADERS: [&str; 2] = ["index-header", "sparse-index-header"];

#[test]
fn headers_of_an_index_are_verified_with_it_and_by_themselves() {
    let (_folder, other) = with_headers("mixed");
    for name in ["tiny", "k5k", "names"] {
        let (_folder, path) = with_headers(name);
        for path in [path.clone(), path.join(HEADERS[0]), path.join(HEADERS[1])] {
            let verdict = verified(&path).verdict;
            assert_eq!((verdict.findings.list, verdict.warnings.list), (vec![], vec![]), "{name}");
        }
        for header in HEADERS {
            let own = fs::read(path.join(header)).unwrap();
            fs::copy(other.join(header), path.join(header)).unwrap();
            let verdict = verified(&path).verdict;
            assert!(verdict.findings.list[0].file.ends_with(header), "{:?}", verdict.findings.list);
            fs::write(path.join(header), own).unwrap();
        }
        // Without the index nothing is wrong with either.
        fs::remove_file(path.join("index")).unwrap();
        for header in HEADERS {
            assert!(verified(&path.join(header)).verdict.is_ok(), "{name}: {header}");
        }
    }
}

#[test]
fn every_cut_and_flip_of_a_header_is_found() {
    let (_folder, path) = with_headers("tiny");
    for header in HEADERS {
        let file = path.join(header);
        let sound = fs::read(&file).unwrap();
        let mut passed = Vec::new();
        for at in 0..sound.len() {
            let mut flipped = sound.clone();
            flipped[at] ^= 1;
            for (what, bytes) in [("cut", &sound[..at]), ("flip", &flipped[..])] {
                fs::write(&file, bytes).unwrap();
                if verified(&path).verdict.is_ok() {
                    passed.push((what, at));
                }
            }
        }
        // The version of the index, and of gzip the time, the flags of its writer and of the
        // system.
        let legal = |(what, at): &(&str, usize)| {
            *what == "flip" && if header == HEADERS[0] { *at == 5 } else { (3..10).contains(at) }
        };
        assert!(passed.iter().all(legal), "{header}: {passed:?}");
    }
}
