//! Random changes merged again and again, beside a plain set of rows; and the promises of intervals
//! and sizes after each.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::sync::Arc;

use manicule_core::watch::Watch;
use manicule_format_leaf::manifest::{FileRow, LeafRow, file_sum};
use manicule_format_leaf::{Id, Order, Tag};
use manicule_testkit::Rng;

use super::*;
use crate::overlay::Change;

type Row = [Id; 4];

fn random_row(rng: &mut Rng, order: Order) -> Row {
    let mut row = [Id::DEFAULT_GRAPH; 4];
    for id in &mut row[..order.width()] {
        *id = Id::new(rng.pick(&[Tag::IRI, Tag::STRING]), rng.below(12) as u64);
    }
    row
}

/// The leaves that parts stand for, as a store would open them.
fn opened(order: Order, parts: Vec<Part>) -> LeafSet {
    let leaves = parts.into_iter().map(|part| {
        let separator = part.separator();
        match part {
            Part::Kept { leaf, .. } if leaf.row().separator == separator => leaf,
            Part::Kept { leaf, .. } => Arc::new(leaf.with_separator(separator)),
            Part::New(new) => {
                let (len, sum) = (new.bytes.len() as u64, file_sum(&new.bytes));
                let file = FileRow { number: 0, len, sum };
                let row = LeafRow { file, order, row_count: new.row_count.into(), separator };
                let leaf = BaseLeaf::open(row, PathBuf::from("leaf"), LeafBytes::Owned(new.bytes));
                Arc::new(leaf.expect("a leaf that was just made is sound"))
            }
        }
    });
    LeafSet::new(order, leaves.collect())
}

fn merged(
    set: &LeafSet,
    changes: impl IntoIterator<Item = (Row, Change)>,
    sizes: LeafSizes,
) -> Vec<Part> {
    merge_leaves(set, changes, sizes, &Watch::none().silent()).expect("sound leaves")
}

fn of(rows: u32) -> LeafSizes {
    LeafSizes { rows, split: Split::AtTwice }
}

fn rows_of(set: &LeafSet) -> Vec<Row> {
    let rows = BaseRows::new(set.clone(), 0..set.row_count());
    rows.map(|row| row.expect("sound leaves")).collect()
}

fn check(set: &LeafSet, model: &BTreeSet<Row>, leaf_rows: u32, shown: &str) {
    assert!(rows_of(set).into_iter().eq(model.iter().copied()), "{shown}");
    assert_eq!(set.row_count(), model.len() as u64, "{shown}");
    for (at, leaf) in set.leaves().iter().enumerate() {
        let row = leaf.row();
        assert!(row.row_count > 0 && row.row_count <= 2 * u64::from(leaf_rows), "{shown}");
        assert_eq!(row.row_count, u64::from(leaf.leaf().row_count()), "{shown}");
        assert!(at > 0 || row.separator == [Id::MIN; 4], "{shown}");
        assert!(leaf.leaf().first().is_some_and(|first| row.separator <= first), "{shown}");
        if let Some(next) = set.leaves().get(at + 1) {
            assert!(leaf.leaf().last().is_some_and(|last| last < next.row().separator), "{shown}");
        }
    }
}

fn check_ranges(rng: &mut Rng, set: &LeafSet, model: &BTreeSet<Row>, shown: &str) {
    let rows: Vec<Row> = model.iter().copied().collect();
    for _ in 0..40 {
        let row = random_row(rng, set.order());
        let prefix = &row[..rng.below(set.order().width() + 1)];
        let low = rows.partition_point(|row| row[..prefix.len()] < *prefix) as u64;
        let high = rows.partition_point(|row| row[..prefix.len()] <= *prefix) as u64;
        let got = set.range(prefix).expect("sound leaves");
        assert_eq!(got.end - got.start, high - low, "{shown}, {prefix:?}");
        assert!(low == high || got == (low..high), "{shown}, {prefix:?}");
        assert_eq!(set.contains(&row).expect("sound leaves"), model.contains(&row), "{shown}");
        let some = BaseRows::new(set.clone(), got).map(|row| row.expect("sound leaves"));
        assert!(some.eq(rows[low as usize..high as usize].iter().copied()), "{shown}");
        let owner = set.leaf_of(&row);
        let plain = set.leaves().iter().rposition(|leaf| leaf.row().separator <= row);
        assert_eq!(owner, plain, "{shown}: a row has one leaf");
    }
}

fn check_seeker(rng: &mut Rng, set: &LeafSet, model: &BTreeSet<Row>, shown: &str) {
    let width = set.order().width();
    let prefixes = (0..60).map(|_| random_row(rng, set.order())[..1 + rng.below(width)].to_vec());
    let mut seeker = Seeker::new(set);
    for prefix in prefixes.collect::<BTreeSet<Vec<Id>>>() {
        let want = model.iter().filter(|row| row.starts_with(&prefix)).count() as u64;
        assert_eq!(seeker.count(&prefix).expect("sound leaves"), want, "{shown}, {prefix:?}");
    }
}

#[test]
fn merges_keep_what_a_plain_set_keeps() {
    for seed in 0..25 {
        let mut rng = Rng::new(seed);
        let order = rng.pick(&Order::ALL);
        let leaf_rows = rng.pick(&[1, 2, 10, 100]);
        let mut model = BTreeSet::new();
        let mut set = LeafSet::new(order, Vec::new());
        for round in 0..12 {
            let change_count = rng.pick(&[0, 1, 5, 60, 300]);
            let adds_of_ten = rng.below(11);
            let mut changes = BTreeMap::new();
            for _ in 0..change_count {
                let row = random_row(&mut rng, order);
                let is_added = rng.below(10) < adds_of_ten;
                changes.insert(row, if is_added { Change::Added } else { Change::Removed });
            }
            for (row, change) in &changes {
                match change {
                    Change::Added => model.insert(*row),
                    Change::Removed => model.remove(row),
                };
            }
            let shown = format!("seed {seed}, round {round}");
            let before = set.clone();
            let touched: BTreeSet<_> = changes.keys().map(|row| before.leaf_of(row)).collect();
            let parts = merged(&before, changes, of(leaf_rows));
            let is_small = |part: &Part| 2 * part.row_count() < u64::from(leaf_rows);
            for pair in parts.windows(2) {
                let has_new = pair.iter().any(|part| matches!(part, Part::New(_)));
                let both = pair[0].row_count() + pair[1].row_count();
                let is_joined = pair.iter().any(is_small) && has_new;
                assert!(!is_joined || 2 * both > 3 * u64::from(leaf_rows), "{shown}: small leaves");
            }
            if touched.is_empty() {
                assert!(parts.iter().all(|part| matches!(part, Part::Kept { .. })), "{shown}");
            }
            set = opened(order, parts);
            check(&set, &model, leaf_rows, &shown);
            check_ranges(&mut rng, &set, &model, &shown);
            check_seeker(&mut rng, &set, &model, &shown);
        }
    }
}

#[test]
fn large_leaves_are_split_evenly_and_the_rest_is_shared() {
    let order = Order::Spo;
    let row = |subject: u64, object: u64| {
        [Id::new(Tag::IRI, subject), Id::new(Tag::IRI, 1), Id::new(Tag::STRING, object), Id(0)]
    };
    let mut cutter = LeafCutter::new(order, 4000);
    let mut made = Vec::new();
    (0..10_000).for_each(|at| made.extend(cutter.push(row(at / 20, at))));
    made.extend(cutter.finish());
    let set = opened(order, made.into_iter().map(Part::New).collect());
    assert_eq!(
        set.leaves().iter().map(|leaf| leaf.row().row_count).collect::<Vec<_>>(),
        [4000, 4000, 2000]
    );
    // New subjects come after all others, as they do in a store.
    let changes = || (10_000..20_000).map(|at| (row(at / 20, at), Change::Added));
    let parts = merged(&set, changes(), of(4000));
    let counts: Vec<u64> = parts.iter().map(Part::row_count).collect();
    assert_eq!(
        counts, [4000; 5],
        "twelve thousand rows are three leaves, each cut between subjects"
    );
    for (part, old) in parts.iter().zip(&set.leaves()[..2]) {
        assert!(matches!(part, Part::Kept { leaf, .. } if Arc::ptr_eq(leaf, old)));
    }
    let whole = merged(&set, changes(), LeafSizes { rows: 4000, split: Split::Never });
    let counts: Vec<u64> = whole.iter().map(Part::row_count).collect();
    assert_eq!(counts, [4000, 4000, 12_000], "a leaf that may not be split grows");
    let set = opened(order, parts);
    assert_eq!(rows_of(&set).len(), 20_000);
}

#[test]
fn blocks_without_changes_are_taken_over_packed() {
    let order = Order::Spo;
    let row =
        |at: u64| [Id::new(Tag::IRI, at), Id::new(Tag::IRI, 1), Id::new(Tag::STRING, at), Id(0)];
    let mut cutter = LeafCutter::new(order, 10_000);
    (0..10_000).for_each(|at| assert!(cutter.push(row(2 * at)).is_none()));
    let set = opened(order, cutter.finish().into_iter().map(Part::New).collect());
    let parts = merged(&set, [(row(5001), Change::Added)], of(10_000));
    let [Part::New(new)] = &parts[..] else { panic!("one leaf was made") };
    let (old, new) = (
        set.leaves()[0].leaf(),
        manicule_format_leaf::leaf::Leaf::open(&new.bytes).expect("sound"),
    );
    assert_eq!((old.block_count(), new.block_count()), (10, 10));
    let same = (0..10).filter(|block| old.raw_block(*block) == new.raw_block(*block)).count();
    assert_eq!(same, 9);
}
