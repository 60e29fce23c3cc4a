//! Blocks split: all parts together are the source, each sample is in the part that it belongs to.

use manicule_core::watch::Watch;
use manicule_series::split::{
    IndexLens, IndexMax, SplitBy, SplitPart, parts_below, series_hash, split,
};
use manicule_series::{Block, Target, Ulid};

use super::{All, Key, all_samples, assert_whole, golden};

/// Splits the first block of a golden folder; all parts together are the source.
#[track_caller]
fn check_split(name: &str, by: SplitBy, belongs: impl Fn(u32, &Key, i64) -> bool) -> usize {
    let (_golden, paths) = golden(name);
    let block = Block::open(&paths[0]).unwrap();
    check_parts(name, &block, by, |part, key, time| belongs(part.number, key, time)).len()
}

/// Splits a block; all parts together are the source, and their indexes as long as reported.
#[track_caller]
fn check_parts(
    name: &str,
    block: &Block,
    by: SplitBy,
    belongs: impl Fn(&SplitPart, &Key, i64) -> bool,
) -> Vec<SplitPart> {
    let out = tempfile::tempdir().unwrap();
    let target = Target::open(out.path()).unwrap();
    let mut number = 0;
    let parts = split(
        block,
        &target,
        by,
        64 << 20,
        || {
            number += 1;
            Ulid::new(1_700_000_000_000, [number; 10])
        },
        &Watch::none(),
    );
    let parts = parts.unwrap();
    let mut together = All::new();
    for part in &parts {
        assert_whole(&part.block);
        let made = Block::open(&part.block.path).unwrap();
        let meta = made.meta().unwrap();
        assert_eq!(meta.compaction.parents[0].ulid, block.meta().unwrap().ulid);
        assert_eq!(IndexLens::of(&made).unwrap(), part.index);
        for (key, samples) in all_samples(&made) {
            for (time, sample) in samples {
                assert!(belongs(part, &key, time), "{name}: part {}", part.number);
                assert!((meta.min_time..meta.max_time).contains(&time));
                let before = together.entry(key.clone()).or_default().insert(time, sample);
                assert_eq!(before, None, "{name}: twice");
            }
        }
    }
    let mut source = all_samples(block);
    source.retain(|_, samples| !samples.is_empty());
    assert!(together == source, "{name}");
    parts
}

#[test]
fn parts_by_hash_are_the_block() {
    for name in ["k5k", "names", "native", "tombstones"] {
        let count = check_split(name, SplitBy::Hash { parts: 3 }, |part, key, _| {
            let hash = series_hash(key.iter().map(|label| (&label.0[..], &label.1[..])));
            hash % 3 == u64::from(part)
        });
        assert!(count >= 2, "{name}: {count}");
    }
    assert_eq!(check_split("tiny", SplitBy::Hash { parts: 1 }, |part, _, _| part == 0), 1);
}

fn is_in(part: &SplitPart, key: &Key, _: i64) -> bool {
    let hash = series_hash(key.iter().map(|label| (&label.0[..], &label.1[..])));
    hash % u64::from(part.of) == u64::from(part.number)
}

/// Of k5k a part with one series takes some 700 bytes, the whole 600 KB.
#[test]
fn parts_stay_below_each_limit_and_are_few() {
    let (_golden, paths) = golden("k5k");
    let block = Block::open(&paths[0]).unwrap();
    let lens = IndexLens::of(&block).unwrap();
    let far = IndexMax { file: 1 << 40, section: 1 << 40 };
    for max in [
        IndexMax { file: lens.file / 2, ..far },
        IndexMax { file: lens.file / 7, ..far },
        IndexMax { file: lens.file / 30, ..far },
        IndexMax { section: lens.symbols.max(lens.list).max(lens.table) / 2, ..far },
    ] {
        assert!(lens.check(&max).is_err());
        let count = parts_below(&block, &max).unwrap();
        let parts = check_parts("k5k", &block, SplitBy::Below { parts: count, max }, is_in);
        assert!(parts.iter().all(|part| part.index.check(&max).is_ok()), "{max:?}: {parts:?}");
        let again = parts.len() as u32 - count;
        assert!(again <= count / 10, "{max:?}: {again} of {count} parts were cut again");
        let fewer = SplitBy::Hash { parts: count - count.div_ceil(4) };
        let parts = check_parts("k5k", &block, fewer, is_in);
        assert!(parts.iter().any(|part| part.index.check(&max).is_err()), "{max:?}: {count}");
    }
}

#[test]
fn a_part_that_is_too_long_is_cut_again() {
    let (_golden, paths) = golden("k5k");
    let block = Block::open(&paths[0]).unwrap();
    let file = IndexLens::of(&block).unwrap().file;
    for (parts, max) in [(1, file / 5), (3, file / 4)] {
        let max = IndexMax { file: max, section: 1 << 40 };
        let made = check_parts("k5k", &block, SplitBy::Below { parts, max }, is_in);
        assert!(made.iter().all(|part| part.index.file <= max.file), "{made:?}");
        assert!(made.len() as u32 > parts, "{made:?}");
    }
    // Three series: each alone, whatever chance is expected to do.
    let (_golden, paths) = golden("tiny");
    let block = Block::open(&paths[0]).unwrap();
    let max = IndexMax { file: IndexLens::of(&block).unwrap().file - 1, section: 1 << 40 };
    let parts = parts_below(&block, &max).unwrap();
    let made = check_parts("tiny", &block, SplitBy::Below { parts, max }, is_in);
    assert!(made.len() > 1 && made.iter().all(|part| part.index.file <= max.file), "{made:?}");
}

#[test]
fn what_no_part_can_be_below_is_said() {
    let (_golden, paths) = golden("k5k");
    let block = Block::open(&paths[0]).unwrap();
    let max = IndexMax { file: 200, section: 1 << 40 };
    let error = parts_below(&block, &max).unwrap_err();
    assert!(error.to_string().starts_with("the file would have "), "{error}");
    let out = tempfile::tempdir().unwrap();
    let target = Target::open(out.path()).unwrap();
    let by = SplitBy::Below { parts: 4000, max };
    let mut number = 0;
    let error = split(
        &block,
        &target,
        by,
        1 << 20,
        || {
            number += 1;
            Ulid::new(number, [0; 10])
        },
        &Watch::none(),
    );
    let error = error.unwrap_err().to_string();
    assert!(error.contains("bytes, the most is 200"), "{error}");
    assert_eq!(std::fs::read_dir(out.path()).unwrap().count(), 0, "nothing is published");
}

#[test]
fn parts_by_time_are_the_block() {
    for name in ["gaps", "native", "tombstones"] {
        let (_golden, paths) = golden(name);
        let block = Block::open(&paths[0]).unwrap();
        let range = 1_200_000;
        let first = block.meta().unwrap().min_time.div_euclid(range);
        let count = check_split(name, SplitBy::Time { range }, |part, _, time| {
            time.div_euclid(range) - first == i64::from(part)
        });
        assert!(count > 2, "{name}: {count}");
    }
}
