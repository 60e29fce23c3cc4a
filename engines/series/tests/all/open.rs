//! Blocks and data folders are opened as Prometheus opens them.

use std::fs;

use manicule_format_prometheus::Interval;
use manicule_series::{Block, BlockError, block_paths, open_all, open_within, unread_log};
use manicule_testkit::golden_folder;

#[test]
fn blocks_and_data_folders_open() {
    let golden = golden_folder("series", "golden");
    for (name, want) in [("blocks/tiny", 1), ("blocks/gaps", 2), ("blocks/k5k", 1)] {
        let folder = golden.path().join(name);
        fs::create_dir(folder.join("01M7YV9D87W4FXZ0BQPSXM4Q20.tmp-for-creation")).unwrap();
        fs::create_dir(folder.join("wal")).unwrap();
        let blocks = open_all(&folder).unwrap();
        assert_eq!(blocks.len(), want, "{name}");
        let times: Vec<i64> = blocks.iter().map(|block| block.meta().unwrap().min_time).collect();
        assert!(times.is_sorted());
        for block in &blocks {
            let (index, stats) = (block.index(), block.meta().unwrap().stats);
            let series = index.all_postings().unwrap();
            assert_eq!(series.len() as u64, stats.num_series);
            let chunks =
                series.iter().flat_map(|series| index.series(series).unwrap().chunks().unwrap());
            let chunks: Vec<_> =
                chunks.map(|chunk| block.chunk(chunk.unwrap().reference).unwrap()).collect();
            assert_eq!(chunks.len() as u64, stats.num_chunks);
        }
    }
}

#[test]
fn nothing_but_the_meta_file_is_read_of_a_block_of_other_times() {
    let golden = golden_folder("series", "golden");
    let folder = golden.path().join("blocks/api");
    let paths = block_paths(&folder).unwrap();
    // If the first block was opened, this would show.
    fs::write(paths[0].join("index"), "no index").unwrap();
    fs::remove_dir_all(paths[0].join("chunks")).unwrap();
    assert!(open_all(&folder).is_err());
    let (first_end, second, end) = (1_700_006_360_001, 1_700_006_420_000, 1_700_007_140_001);
    let count = |min_time, max_time| {
        let opened = open_within(&folder, Some(Interval { min_time, max_time }), None)?;
        assert_eq!(opened.end, Some(end));
        Ok::<_, BlockError>(opened.blocks.len())
    };
    assert_eq!(count(second, i64::MAX).unwrap(), 1);
    assert_eq!(count(first_end, second).unwrap(), 1);
    assert_eq!(count(end, i64::MAX).unwrap(), 0);
    assert!(count(first_end - 1, i64::MAX).is_err());
    assert!(count(i64::MIN, 1_700_000_000_000).is_err());
    assert_eq!(count(i64::MIN, 1_699_999_999_999).unwrap(), 0);
}

#[test]
fn an_index_opens_by_itself() {
    let golden = golden_folder("series", "golden");
    let block = Block::open(&golden.path().join("index/1000/index")).unwrap();
    assert!(block.meta().is_none() && block.segments().iter().len() == 0);
    assert_eq!(block.index().all_postings().unwrap().len(), 1000);
}

#[test]
fn what_is_no_block_is_said_to_be_none() {
    let folder = tempfile::tempdir().unwrap();
    let missing = |error| matches!(error, BlockError::Missing { .. });
    assert!(missing(Block::open(folder.path()).unwrap_err()));
    assert!(missing(block_paths(folder.path()).unwrap_err()));
    assert!(matches!(block_paths(&folder.path().join("x")), Err(BlockError::Io { .. })));
}

#[test]
fn a_file_that_is_no_index_is_said_to_be_none() {
    let folder = tempfile::tempdir().unwrap();
    for bytes in [&b""[..], b"\xba\xaa", b"text"] {
        let path = folder.path().join("file");
        fs::write(&path, bytes).unwrap();
        assert!(matches!(Block::open(&path), Err(BlockError::NoIndex { .. })), "{bytes:?}");
    }
}

#[test]
fn a_write_ahead_log_is_noticed() {
    let golden = golden_folder("series", "golden");
    let folder = golden.path().join("blocks/gaps");
    assert_eq!(unread_log(&folder), None);
    let log = folder.join("wal");
    fs::create_dir(&log).unwrap();
    fs::write(log.join("00000000"), b"").unwrap();
    assert_eq!(unread_log(&folder), None, "nothing is in it");
    fs::write(log.join("00000001"), b"records").unwrap();
    assert_eq!(unread_log(&folder), Some(log));
    // A folder that has nothing else.
    let folder = tempfile::tempdir().unwrap();
    fs::create_dir(folder.path().join("wal")).unwrap();
    assert!(matches!(block_paths(folder.path()), Err(BlockError::OnlyLog { .. })));
}

#[test]
fn a_chunk_without_its_file_is_told() {
    let golden = golden_folder("series", "golden");
    let path = block_paths(&golden.path().join("blocks/tiny")).unwrap().remove(0);
    fs::remove_dir_all(path.join("chunks")).unwrap();
    let block = Block::open(&path).unwrap();
    let series = block.index().all_postings().unwrap().get(0).unwrap();
    let chunk = block.index().series(series).unwrap().chunks().unwrap().next().unwrap().unwrap();
    let error = block.chunk(chunk.reference).err().unwrap().to_string();
    assert_eq!(error, "count of files of chunks, for a chunk at offset 8: wanted 1, got 0");
}

#[test]
fn a_block_that_cannot_be_entered_is_not_passed_over() {
    let golden = golden_folder("series", "golden");
    let folder = golden.path().join("blocks/gaps");
    let name = "01M7YV9D90000000000000000X";
    fs::write(folder.join(name), b"a file").unwrap();
    assert_eq!(block_paths(&folder).unwrap().len(), 2);
    fs::remove_file(folder.join(name)).unwrap();
    std::os::unix::fs::symlink(name, folder.join(name)).unwrap();
    let error = block_paths(&folder).unwrap_err();
    assert!(
        matches!(&error, BlockError::Io { path, .. } if path.starts_with(folder.join(name))),
        "{error}"
    );
}

/// The golden block of four deletions, where it can be changed.
fn deleted() -> (tempfile::TempDir, std::path::PathBuf) {
    let golden = golden_folder("series", "golden");
    let path = block_paths(&golden.path().join("blocks/tombstones")).unwrap().remove(0);
    (golden, path)
}

/// Damages a block of a folder of its own; gives what opening the block says, then what opening the
/// folder says.
#[track_caller]
fn check_lost(damage: impl Fn(&std::path::Path), want: &str) {
    let (_golden, path) = deleted();
    damage(&path);
    for error in [Block::open(&path).unwrap_err(), open_all(path.parent().unwrap()).unwrap_err()] {
        assert!(error.is_damage() && error.to_string().contains(want), "{error}");
    }
}

#[test]
fn what_a_block_has_lost_is_not_taken_for_nothing() {
    check_lost(
        |path| fs::remove_file(path.join("tombstones")).unwrap(),
        "tombstones: is missing, and meta.json counts deleted times, 4 of them",
    );
    check_lost(
        |path| fs::remove_file(path.join("meta.json")).unwrap(),
        "meta.json: is missing, and every block has one",
    );
    check_lost(
        |path| {
            let meta = fs::read_to_string(path.join("meta.json")).unwrap();
            let meta = meta.replace("\"numSeries\": 4", "\"numSeries\": 5");
            fs::write(path.join("meta.json"), meta).unwrap();
        },
        "meta.json: numSeries: wanted 4 by the index, got 5",
    );
}

#[test]
fn a_block_out_of_a_bucket_comes_without_its_tombstones() {
    let (_golden, path) = deleted();
    fs::remove_file(path.join("tombstones")).unwrap();
    let meta = fs::read_to_string(path.join("meta.json")).unwrap();
    let meta = meta.replacen('{', "{\"thanos\": {\"labels\": {}},", 1);
    fs::write(path.join("meta.json"), meta).unwrap();
    assert_eq!(Block::open(&path).unwrap().tombstones().interval_count(), 0);
}

/// The first chunk of every file begins at the same place: read by its place in the folder, the
/// second file would answer for the first.
#[test]
fn a_file_of_chunks_is_known_by_its_name() {
    let golden = golden_folder("series", "golden");
    let path = block_paths(&golden.path().join("blocks/tiny")).unwrap().remove(0);
    let chunks = path.join("chunks");
    fs::rename(chunks.join("000001"), chunks.join("000002")).unwrap();
    let block = Block::open(&path).unwrap();
    let series = block.index().all_postings().unwrap().get(0).unwrap();
    let chunk = block.index().series(series).unwrap().chunks().unwrap().next().unwrap().unwrap();
    let error = block.chunk(chunk.reference).err().unwrap().to_string();
    assert_eq!(error, "number of a file of chunks, for a chunk at offset 8: wanted 1, got 2");
}

#[test]
fn times_and_counts_of_a_meta_file_are_proven_before_anything_is_made_of_it() {
    for (from, to, want) in [
        (
            "\"minTime\": 1700000000000",
            "\"minTime\": 1700000000004",
            "minTime: wanted 1700000000000 at most",
        ),
        (
            "\"maxTime\": 1700000045001",
            "\"maxTime\": 1700000045000",
            "maxTime: wanted above 1700000045000",
        ),
        ("\"numChunks\": 3", "\"numChunks\": 2", "numChunks: wanted 3 by the index, got 2"),
        ("\"level\": 1", "\"level\": 1", ""),
    ] {
        let golden = golden_folder("series", "golden");
        let path = block_paths(&golden.path().join("blocks/tiny")).unwrap().remove(0);
        let meta = fs::read_to_string(path.join("meta.json")).unwrap();
        assert!(meta.contains(from), "{from}: {meta}");
        fs::write(path.join("meta.json"), meta.replace(from, to)).unwrap();
        let said = Block::open(&path)
            .unwrap()
            .prove()
            .map_or_else(|error| error.to_string(), |()| String::new());
        assert!(said.contains(want) && said.is_empty() == want.is_empty(), "{from}: {said}");
    }
}
