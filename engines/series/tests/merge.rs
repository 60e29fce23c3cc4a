//! Blocks merged, compared with what Prometheus's compactor makes of them.

use std::fs;
use std::path::{Path, PathBuf};

use manicule_format_prometheus::{Meta, Ulid};
use manicule_series::merge::{MergeOptions, Merged, merge};
use manicule_series::{Block, Target, block_paths};
use manicule_testkit::golden_folder;

fn options() -> MergeOptions {
    MergeOptions { ulid: Ulid::new(1_700_000_000_000, [7; 10]), memory: 64 << 20 }
}

fn merged(paths: &[PathBuf], folder: &Path) -> Option<Merged> {
    let blocks: Vec<Block> = paths.iter().map(|path| Block::open(path).unwrap()).collect();
    merge(&blocks, &Target::open(folder).unwrap(), &options()).unwrap()
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

fn check_golden(name: &str, groups: &[(&str, Option<usize>)]) {
    let (golden, out) = (golden_folder("series", "golden"), tempfile::tempdir().unwrap());
    let want = block_paths(&golden.path().join("merge").join(name)).unwrap().remove(0);
    let made = merged(&golden_blocks(golden.path(), groups), out.path()).unwrap();
    assert_eq!(fs::read_dir(out.path()).unwrap().count(), 1, "nothing is left beside the block");
    assert_same(&made.path, &want);
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
