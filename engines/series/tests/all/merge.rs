//! Blocks merged, compared with what Prometheus's compactor makes of them.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use manicule_core::watch::Watch;
use manicule_format_prometheus::chunk::{Counts, Histogram, ResetHint};
use manicule_format_prometheus::{Interval, SeriesRef, Tombstones};
use manicule_series::merge::{MergeOptions, Merged, merge};
use manicule_series::{Block, Meta, Sample, Target, Ulid, Value, block_paths};
use manicule_testkit::golden_folder;

fn options() -> MergeOptions<'static> {
    MergeOptions {
        ulid: Ulid::new(1_700_000_000_000, [7; 10]),
        memory: 64 << 20,
        skip_damaged: None,
    }
}

fn merged(paths: &[PathBuf], folder: &Path) -> Option<Merged> {
    let blocks: Vec<Block> = paths.iter().map(|path| Block::open(path).unwrap()).collect();
    merge(&blocks, Some(&Target::open(folder).unwrap()), &options(), &Watch::none()).unwrap().block
}

/// Files below a folder, by their path in it.
fn files(folder: &Path, inside: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder.join(inside)).unwrap() {
        let inside = inside.join(entry.unwrap().file_name());
        if folder.join(&inside).is_dir() {
            files(folder, &inside, found);
        } else {
            found.push(inside);
        }
    }
    found.sort();
}

/// Compares two blocks byte for byte, but for their names.
fn assert_same(made: &Path, golden: &Path) {
    let (mut made_files, mut golden_files) = (Vec::new(), Vec::new());
    files(made, Path::new(""), &mut made_files);
    files(golden, Path::new(""), &mut golden_files);
    assert_eq!(made_files, golden_files);
    for file in made_files {
        let (made, golden) =
            (fs::read(made.join(&file)).unwrap(), fs::read(golden.join(&file)).unwrap());
        if file.ends_with("meta.json") {
            let mut meta = Meta::decode(&made).unwrap();
            meta.ulid = Meta::decode(&golden).unwrap().ulid;
            assert_eq!(
                String::from_utf8(meta.encode()).unwrap(),
                String::from_utf8(golden).unwrap()
            );
        } else {
            let differs = made.iter().zip(&golden).position(|(made, golden)| made != golden);
            assert_eq!((made.len(), differs), (golden.len(), None), "{}", file.display());
        }
    }
}

/// The blocks of some groups of the golden data, in the order given; of a group by number, or all.
fn golden_blocks(folder: &Path, groups: &[(&str, Option<usize>)]) -> Vec<PathBuf> {
    let group = |&(group, number): &(&str, Option<usize>)| {
        let blocks = block_paths(&folder.join("blocks").join(group)).unwrap();
        number.map_or(blocks.clone(), |number| vec![blocks[number].clone()])
    };
    groups.iter().flat_map(group).collect()
}

/// With much memory, and in windows of posting lists.
fn check_golden(name: &str, groups: &[(&str, Option<usize>)]) {
    let (golden, out) = (golden_folder("series", "golden"), tempfile::tempdir().unwrap());
    let want = block_paths(&golden.path().join("merge").join(name)).unwrap().remove(0);
    let paths = golden_blocks(golden.path(), groups);
    let made = merged(&paths, out.path()).unwrap();
    assert_eq!(fs::read_dir(out.path()).unwrap().count(), 1, "nothing is left beside the block");
    assert_same(&made.path, &want);
    let blocks: Vec<Block> = paths.iter().map(|path| Block::open(path).unwrap()).collect();
    let options = MergeOptions { ulid: Ulid::new(1, [1; 10]), memory: 1, skip_damaged: None };
    let made =
        merge(&blocks, Some(&Target::open(out.path()).unwrap()), &options, &Watch::none()).unwrap();
    assert_same(&made.block.unwrap().path, &want);
}

#[test]
fn blocks_one_behind_the_other_are_merged_as_by_the_compactor() {
    check_golden("adjacent", &[("gaps", None)]);
}

#[test]
fn blocks_that_overlap_are_merged_as_by_the_compactor() {
    check_golden(
        "overlapping",
        &[("api", None), ("tombstones", None), ("native", None), ("gaps", Some(0))],
    );
}

/// Puts what Thanos adds to a meta file into that of a block.
fn with_thanos(block: &Path, replica: &str, source: &str) {
    let path = block.join("meta.json");
    let mut meta: serde_json::Value = serde_json::from_slice(&fs::read(&path).unwrap()).unwrap();
    meta["thanos"] = serde_json::json!({
        "version": 1, "labels": { "replica": replica }, "downsample": { "resolution": 0 },
        "source": source, "segment_files": ["000001"], "index_stats": { "series_max_size": 64 },
        "files": [{ "rel_path": "index", "size_bytes": 7 }],
    });
    fs::write(&path, meta.to_string()).unwrap();
}

#[test]
fn what_thanos_says_of_all_blocks_stays_but_for_their_files() {
    let golden = golden_folder("series", "golden");
    let paths = golden_blocks(golden.path(), &[("gaps", None)]);
    let thanos = || {
        let out = tempfile::tempdir().unwrap();
        merged(&paths, out.path()).unwrap().meta.rest.get("thanos").cloned()
    };
    with_thanos(&paths[0], "a", "sidecar");
    assert_eq!(thanos(), None, "one of the blocks has none");
    with_thanos(&paths[1], "a", "compactor");
    let labels = serde_json::json!({ "replica": "a" });
    let want =
        serde_json::json!({ "version": 1, "labels": labels, "downsample": { "resolution": 0 } });
    assert_eq!(thanos(), Some(want));
    with_thanos(&paths[1], "b", "sidecar");
    assert_eq!(thanos(), None, "they are of different servers");
}

type Labels = Vec<(Vec<u8>, Vec<u8>)>;

fn labels(block: &Block, series: SeriesRef) -> Labels {
    let series = block.index().series(series).unwrap();
    let symbol = |symbol| block.index().symbol(symbol).unwrap().to_vec();
    let labels = series.labels().map(|label| label.unwrap());
    labels.map(|(name, value)| (symbol(name), symbol(value))).collect()
}

/// A sample without what a merge may change: whether a counter goes on from the sample before.
fn plain(sample: Sample) -> Sample {
    fn plain_histogram<C: Counts>(histogram: &mut Histogram<C>) {
        if histogram.hint != ResetHint::Gauge {
            histogram.hint = ResetHint::Unknown;
        }
    }
    let mut value = sample.value;
    match &mut value {
        Value::Float(_) => {}
        Value::Histogram(histogram) => plain_histogram(histogram),
        Value::FloatHistogram(histogram) => plain_histogram(histogram),
    }
    Sample { value, ..sample }
}

/// All samples of some blocks by series and time; of a time there may be several.
fn all_samples(blocks: &[Block]) -> BTreeMap<Labels, BTreeMap<i64, Vec<Sample>>> {
    let mut all: BTreeMap<Labels, BTreeMap<i64, Vec<Sample>>> = BTreeMap::new();
    for block in blocks {
        for series in block.index().all_postings().unwrap().iter() {
            for sample in block.samples(series, i64::MIN, i64::MAX).unwrap() {
                let sample = plain(sample.unwrap());
                let of_series = all.entry(labels(block, series)).or_default();
                of_series.entry(sample.time).or_default().push(sample);
            }
        }
    }
    all
}

#[test]
fn each_time_of_each_series_keeps_one_of_its_samples() {
    let golden = golden_folder("series", "golden");
    let groups = ["tombstones", "native", "xor2", "gaps", "mixed", "api"];
    for (at, first) in groups.iter().enumerate() {
        for second in &groups[at..] {
            let paths = golden_blocks(golden.path(), &[(second, None), (first, Some(0))]);
            let blocks: Vec<Block> = paths.iter().map(|path| Block::open(path).unwrap()).collect();
            let out = tempfile::tempdir().unwrap();
            let made = merged(&paths, out.path()).unwrap();
            let (before, after) =
                (all_samples(&blocks), all_samples(&[Block::open(&made.path).unwrap()]));
            let place = format!("{first} and {second}");
            assert!(after.keys().eq(before.keys()), "{place}");
            for (series, samples) in &after {
                assert!(samples.keys().eq(before[series].keys()), "{place}: {series:?}");
                for (time, kept) in samples {
                    assert_eq!(kept.len(), 1, "{place}: {series:?} at {time}");
                    assert!(before[series][time].contains(&kept[0]), "{place}: {series:?}");
                }
            }
        }
    }
}

/// A copy of a golden block that may be changed.
fn copy(from: &Path, folder: &Path) -> PathBuf {
    let to = folder.join(from.file_name().unwrap());
    let mut inside = Vec::new();
    files(from, Path::new(""), &mut inside);
    for file in inside {
        fs::create_dir_all(to.join(&file).parent().unwrap()).unwrap();
        fs::copy(from.join(&file), to.join(&file)).unwrap();
    }
    to
}

#[test]
fn a_block_without_a_sample_is_not_made() {
    let (golden, folder) = (golden_folder("series", "golden"), tempfile::tempdir().unwrap());
    let path = copy(&golden_blocks(golden.path(), &[("tiny", None)])[0], folder.path());
    let mut tombstones = Tombstones::default();
    for series in Block::open(&path).unwrap().index().all_postings().unwrap().iter() {
        tombstones.add(series, Interval { min_time: i64::MIN, max_time: i64::MAX });
    }
    fs::write(path.join("tombstones"), tombstones.encode()).unwrap();
    let out = folder.path().join("out");
    assert_eq!(merged(&[path.clone(), path], &out), None);
    assert_eq!(fs::read_dir(out).unwrap().count(), 0);
}

#[test]
fn a_damaged_chunk_is_named_and_nothing_is_left() {
    let (golden, folder) = (golden_folder("series", "golden"), tempfile::tempdir().unwrap());
    let path = copy(&golden_blocks(golden.path(), &[("tiny", None)])[0], folder.path());
    let segment = path.join("chunks/000001");
    let mut bytes = fs::read(&segment).unwrap();
    bytes[20] ^= 1;
    fs::write(&segment, bytes).unwrap();
    let blocks = [Block::open(&path).unwrap()];
    let out = folder.path().join("out");
    let error =
        merge(&blocks, Some(&Target::open(&out).unwrap()), &options(), &Watch::none()).unwrap_err();
    let (error, place) = (error.to_string(), path.join("chunks/000001").display().to_string());
    assert!(error.starts_with(&format!("{place}: checksum of a chunk at offset ")), "{error}");
    assert_eq!(fs::read_dir(out).unwrap().count(), 0);
}
