//! Blocks compared: what a rewriting took away is what differs.

use std::path::Path;

use manicule_series::diff::{DiffSums, Difference, diff};
use manicule_series::rewrite::{Deletion, Rules};
use manicule_series::{Block, Interval};

use super::{all_samples, golden, run, selector, selects};

fn differences(left: &Path, right: &Path) -> (DiffSums, Vec<Difference>) {
    let (left, right) = (Block::open(left).unwrap(), Block::open(right).unwrap());
    let mut all = Vec::new();
    let sums = diff(&left, &right, &mut |_, difference| {
        all.push(difference);
        true
    });
    (sums.unwrap(), all)
}

#[test]
fn a_block_is_the_same_as_itself_and_as_its_copy() {
    for name in ["mixed", "native", "tombstones"] {
        let (_golden, paths) = golden(name);
        let out = tempfile::tempdir().unwrap();
        let made = run(&paths[0], out.path(), &Rules::default()).block.unwrap();
        let (sums, all) = differences(&paths[0], &paths[0]);
        assert!(!sums.differ() && all.is_empty() && sums.same > 0);
        let (sums, all) = differences(&paths[0], &made.path);
        // A chunk that tombstones cut is another one in the copy.
        assert_eq!(sums.only_left + sums.only_right + sums.samples, 0, "{name}: {all:?}");
        assert_eq!(sums.chunks > 0, name == "tombstones", "{name}: {all:?}");
    }
}

#[test]
fn what_was_taken_away_is_told() {
    let (_golden, paths) = golden("gaps");
    let source = Block::open(&paths[0]).unwrap();
    let names: Vec<&[u8]> = {
        let index = source.index();
        let pairs = index.pairs_of(b"__name__");
        pairs.map(|pair| index.value(manicule_series::PairIndex(pair))).collect()
    };
    let named = |name: &[u8]| selector(&format!("{{\"{}\"}}", std::str::from_utf8(name).unwrap()));
    let count = |name: &[u8]| {
        all_samples(&source).keys().filter(|key| selects(&named(name), key)).count() as u64
    };
    let (dropped, cut) = (names[0], names[1]);
    let min_time = source.meta().unwrap().min_time;
    let times = Interval { min_time, max_time: min_time + 1_800_000 };
    let out = tempfile::tempdir().unwrap();
    let rules = Rules {
        drop: vec![named(dropped)],
        delete: vec![Deletion { selector: named(cut), times }],
        ..Rules::default()
    };
    let made = run(&paths[0], out.path(), &rules).block.unwrap();
    let (sums, all) = differences(&paths[0], &made.path);
    assert_eq!(sums.only_left, count(dropped));
    assert!(sums.samples > 0 && sums.samples <= count(cut) && sums.only_right == 0, "{sums:?}");
    for difference in all {
        if let Difference::Samples(samples) = difference {
            assert!(samples.only_left > 0 && samples.only_right == 0 && samples.changed == 0);
            assert!(times.contains(samples.first));
        }
    }
    let (turned, _) = differences(&made.path, &paths[0]);
    assert_eq!((turned.only_right, turned.samples), (sums.only_left, sums.samples));
}
