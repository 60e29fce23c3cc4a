//! The two headers of an index, verified with it and by themselves.

use std::fs;
use std::path::PathBuf;

use manicule_core::watch::Watch;
use manicule_format_prometheus::crc32c;
use manicule_series::write::SymbolChoice;
use manicule_series::{Block, ReindexOptions, reindex};
use manicule_testkit::{copy_folder, golden_folder, whole_golden_set};

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
        // Of gzip the time, the flags of its writer and of the system.
        let legal = |(what, at): &(&str, usize)| {
            *what == "flip" && header == HEADERS[1] && (3..10).contains(at)
        };
        assert!(passed.iter().all(legal), "{header}: {passed:?}");
    }
}

/// An index-header whose two checksums are those of the bytes that it has now.
fn with_sums(mut header: Vec<u8>, table: usize) -> Vec<u8> {
    for (start, end) in [(14, table), (table, header.len() - 72)] {
        let sum = crc32c(&header[start + 4..end - 4]);
        header[end - 4..end].copy_from_slice(&sum.to_be_bytes());
    }
    header
}

#[test]
fn an_index_header_by_itself_has_symbols_and_pairs_in_order() {
    let (_folder, path) = with_headers("tiny");
    fs::remove_file(path.join("index")).unwrap();
    let file = path.join(HEADERS[0]);
    let sound = fs::read(&file).unwrap();
    let table_at = sound.len() - 20 + 8;
    let table = u64::from_be_bytes(*sound[table_at..].first_chunk().unwrap()) as usize;
    let place = |text: &[u8], from: usize| {
        let place = sound[from..].windows(text.len()).position(|window| window == text);
        from + place.expect("it is there")
    };
    for (at, byte, want) in [
        (5, 7, "version of the index: wanted 1, 2 or 3, got 7"),
        (place(b"instance", 14), b'A', "symbol"),
        (place(b"instance", table), b'A', "label pair"),
    ] {
        let mut header = sound.clone();
        header[at] = byte;
        fs::write(&file, with_sums(header, table)).unwrap();
        let list = verified(&file).verdict.findings.list;
        assert!(list.first().is_some_and(|it| it.to_string().contains(want)), "{want}: {list:?}");
    }
    fs::write(&file, with_sums(sound, table)).unwrap();
    assert!(verified(&file).verdict.is_ok());
}

#[test]
fn headers_of_buckets_are_those_of_their_blocks() {
    let Some(golden) = whole_golden_set("index-headers of Thanos and Mimir") else { return };
    let buckets = golden.join("../buckets");
    let (thanos, mut headers) = (buckets.join("thanos"), 0);
    for header in fs::read_dir(thanos.join("index-headers")).unwrap() {
        let header = header.unwrap();
        let (folder, name) = (tempfile::tempdir().unwrap(), header.file_name());
        let block = folder.path().join(&name);
        copy_folder(&thanos.join("bucket").join(&name), &block);
        fs::copy(header.path().join(HEADERS[0]), block.join(HEADERS[0])).unwrap();
        for path in [&block.join(HEADERS[0]), &header.path().join(HEADERS[0]), &block] {
            let list = verified(path).verdict.findings.list;
            assert_eq!(list, [], "{}", path.display());
        }
        headers += 1;
    }
    assert_eq!(headers, 11);
    for name in ["01M8BP75WVYW8M9BPDQZY4K1CK", "01M8BP75WVXJ7DB6R5NXJD3TYV"] {
        let block = buckets.join("mimir/bucket/team-amber").join(name);
        assert!(block.join(HEADERS[1]).exists());
        assert_eq!(verified(&block).verdict.findings.list, []);
    }
}
