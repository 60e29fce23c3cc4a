//! Passes over whole golden tables against sstabledump's output.

use std::collections::BTreeMap;
use std::fs;
use std::io::Read;
use std::path::Path;

use manicule_core::watch::Watch;
use manicule_rows::scan::{
    PartitionOptions, PartitionSize, PartitionTombstones, Partitions, RankedBy, Times,
    TombstoneCounts, TombstoneOptions, Tombstones, partitions, tombstones,
};
use manicule_rows::table::{Access, Sstable};
use manicule_store::context::Budget;
use manicule_store::pages::{ReadCounts, Reading, SystemCache};
use serde_json::Value;

use crate::golden::support::{Golden, open};

/// Memory that a pass may hold: a read of 1 MiB and what was left of the one before.
const MEMORY_BYTES_MAX: u64 = 3 << 20;

fn dump(folder: &Path) -> Vec<Value> {
    let (plain, packed) = (folder.join("dump.json"), folder.join("dump.json.gz"));
    let mut text = String::new();
    if plain.exists() {
        text = fs::read_to_string(plain).unwrap();
    } else {
        let file = fs::File::open(packed).unwrap();
        flate2::read::GzDecoder::new(file).read_to_string(&mut text).unwrap();
    }
    serde_json::from_str(&text).unwrap()
}

/// Tombstones of a partition as the dump shows them. Expired cells aren't marked in all of them.
fn plain_counts(partition: &Value) -> TombstoneCounts {
    let is_there = |value: &Value| u64::from(!value.is_null());
    let mut counts = TombstoneCounts {
        partition_deletions: is_there(&partition["partition"]["deletion_info"]),
        ..TombstoneCounts::default()
    };
    for row in partition["rows"].as_array().into_iter().flatten() {
        match row["type"].as_str().unwrap() {
            "row" => {
                counts.rows += 1;
                counts.row_deletions += is_there(&row["deletion_info"]);
            }
            "range_tombstone_bound" => counts.range_deletions += is_there(&row["start"]),
            "range_tombstone_boundary" => counts.range_deletions += 1,
            _ => {}
        }
        for cell in row["cells"].as_array().into_iter().flatten() {
            let deletion = &cell["deletion_info"];
            counts.cells += u64::from(deletion["marked_deleted"].is_null());
            counts.collection_deletions += is_there(&deletion["marked_deleted"]);
            counts.cell_tombstones +=
                u64::from(!deletion.is_null() && deletion["marked_deleted"].is_null());
        }
    }
    counts
}

const TIMES: Times = Times { now: 1_700_000_300, gc_grace_s: 200 };

fn scanned(sstables: &[Sstable]) -> Tombstones {
    let options =
        TombstoneOptions { times: TIMES, age_limits_s: vec![300, 301], listed_count_max: 10_000 };
    let (mut counts, budget) = (ReadCounts::default(), Budget::new(MEMORY_BYTES_MAX));
    let mut reading = Reading { counts: &mut counts, budget: &budget };
    tombstones(sstables, &options, &mut reading, &Watch::none()).unwrap()
}

fn sized(sstables: &[Sstable], options: &PartitionOptions) -> Partitions {
    let (mut counts, budget) = (ReadCounts::default(), Budget::new(MEMORY_BYTES_MAX));
    let mut reading = Reading { counts: &mut counts, budget: &budget };
    partitions(sstables, options, &mut reading, &Watch::none()).unwrap()
}

/// All partitions, with what they hold.
const ALL: PartitionOptions = PartitionOptions {
    listed_count_max: usize::MAX,
    by: RankedBy::Size,
    min: 0,
    counted: Some(TIMES),
};

fn check_tombstones(folder: &Path) {
    let dumped = dump(folder);
    let mut sum = TombstoneCounts::default();
    dumped.iter().map(plain_counts).for_each(|counts| sum.add(&counts));
    for access in [Access::Mapped, Access::Positioned(SystemCache::Used)] {
        let sstables = open(folder, access);
        let found = scanned(&sstables);
        let shown = format!("{folder:?} {access:?}");
        let unmarked = |counts: TombstoneCounts| TombstoneCounts {
            expired_cells: 0,
            expired_rows: 0,
            droppable: 0,
            ..counts
        };
        assert_eq!(unmarked(found.counts), sum, "{shown}");
        assert_eq!(found.partition_count, dumped.len() as u64, "{shown}");
        assert_eq!(found.ages.iter().sum::<u64>(), found.counts.total(), "{shown}");
        let of = |listed: &[PartitionTombstones], count: fn(&TombstoneCounts) -> u64| -> u64 {
            assert!(listed.is_sorted_by(|a, b| count(&a.counts) >= count(&b.counts)), "{shown}");
            listed.iter().map(|listed| count(&listed.counts)).sum()
        };
        assert_eq!(of(&found.by_rows, TombstoneCounts::of_rows), found.counts.of_rows());
        assert_eq!(of(&found.by_cells, TombstoneCounts::of_cells), found.counts.of_cells());
    }
}

#[test]
fn tombstones_are_those_of_the_dump() {
    let golden = Golden::new();
    for version in ["mc", "me", "na", "pa", "ea"] {
        for table in ["mixed", "narrow", "wide", "drops", "udt", "edge", "small_lz", "counters"] {
            golden.table(version, table).iter().for_each(|folder| check_tombstones(folder));
        }
    }
}

/// Start and length of each partition, by the positions in the dump.
fn check_partitions(folder: &Path, version: &str) {
    // 6.0-alpha2 prints where the first row is, not where the partition begins.
    let is_right = !matches!(version, "pa" | "ea");
    let dumped = dump(folder);
    for access in [Access::Mapped, Access::Positioned(SystemCache::Used)] {
        let sstables = open(folder, access);
        let listed = sized(&sstables, &ALL);
        let shown = format!("{folder:?} {access:?}");
        assert_eq!(listed.count, dumped.len() as u64, "{shown}");
        assert!(listed.largest.is_sorted_by(|a, b| a.len >= b.len), "{shown}");
        let mut found = listed.largest;
        found.sort_by_key(|partition| partition.parts[0].position);
        let lens: u64 = found.iter().map(|partition| partition.len).sum();
        assert_eq!(lens, sstables[0].data_len(), "{shown}");
        assert!(found.is_sorted_by(|a, b| a.token <= b.token), "{shown}");
        for (partition, dumped) in found.iter().zip(&dumped) {
            let (counts, plain) = (partition.counts.unwrap(), plain_counts(dumped));
            assert_eq!((counts.rows, counts.cells), (plain.rows, plain.cells), "{shown}");
        }
        for (partition, dumped) in found.iter().zip(&dumped).filter(|_| is_right) {
            let position = dumped["partition"]["position"].as_u64();
            assert_eq!(Some(partition.parts[0].position), position, "{shown}");
        }
    }
}

#[test]
fn partitions_are_those_of_the_dump() {
    let golden = Golden::new();
    for version in ["mc", "md", "me", "na", "pa", "ea"] {
        for table in ["mixed", "narrow", "wide", "small", "small_sn", "comp", "types"] {
            golden.table(version, table).iter().for_each(|it| check_partitions(it, version));
        }
    }
}

/// Passes over several SSTables against those over each of them, added up by key.
fn check_united(folder: &Path) {
    for access in [Access::Mapped, Access::Positioned(SystemCache::Used)] {
        let (sstables, shown) = (open(folder, access), format!("{folder:?} {access:?}"));
        let (united, found) = (sized(&sstables, &ALL), scanned(&sstables));
        let mut sizes: BTreeMap<Vec<u8>, (u64, u64, TombstoneCounts)> = BTreeMap::new();
        let mut ages = vec![0; found.ages.len()];
        for sstable in sstables.chunks(1) {
            for partition in sized(sstable, &ALL).largest {
                let sum = sizes.entry(partition.key).or_default();
                (sum.0, sum.1) = (sum.0 + partition.len, sum.1 + 1);
                sum.2.add(&partition.counts.unwrap());
            }
            let found = scanned(sstable).ages.into_iter();
            ages.iter_mut().zip(found).for_each(|(sum, count)| *sum += count);
        }
        assert_eq!(united.count, sizes.len() as u64, "{shown}");
        assert!(united.largest.is_sorted_by(|a, b| a.len >= b.len), "{shown}");
        let mut counts = TombstoneCounts::default();
        for partition in &united.largest {
            let sum = &sizes[&partition.key];
            assert_eq!((partition.len, partition.parts.len() as u64), (sum.0, sum.1), "{shown}");
            assert_eq!(partition.counts, Some(sum.2), "{shown}");
            counts.add(&sum.2);
        }
        assert_eq!((found.counts, found.ages), (counts, ages), "{shown}");
        assert_eq!(found.partition_count, united.count, "{shown}");
        for listed in &found.by_cells {
            let (_, sstable_count, counts) = sizes[&listed.key];
            assert_eq!((listed.sstable_count as u64, listed.counts), (sstable_count, counts));
        }
    }
}

#[test]
fn several_sstables_are_united_by_their_keys() {
    let golden = Golden::new();
    for (version, table) in [("me", "multi"), ("pa", "multi"), ("ea", "multi"), ("nb", "mixed")] {
        golden.table(version, table).iter().for_each(|folder| check_united(folder));
    }
    let folder = golden.table("me", "multi").unwrap();
    let sstables = open(&folder, Access::Mapped);
    let all = sized(&sstables, &ALL);
    assert!(all.largest.iter().any(|partition| partition.parts.len() == 3));
    let limit = all.largest[1].len;
    let few = sized(&sstables, &PartitionOptions { min: limit, counted: None, ..ALL });
    assert!(few.largest.iter().all(|it| it.len >= limit && it.counts.is_none()));
    assert_eq!((few.count, few.largest.len() < all.largest.len()), (all.count, true));
}

#[test]
fn partitions_are_ranked_by_what_they_hold() {
    let golden = Golden::new();
    let tables = [("me", "multi"), ("me", "mixed"), ("ea", "multi"), ("ea", "wide")];
    for (version, table) in tables {
        let Some(folder) = golden.table(version, table) else { continue };
        let sstables = open(&folder, Access::Mapped);
        let all = sized(&sstables, &ALL);
        for by in [RankedBy::Rows, RankedBy::Cells, RankedBy::Tombstones] {
            let rank = |it: &PartitionSize| by.rank(it.len, it.counts.as_ref());
            let mut want = all.largest.clone();
            // Of equal ones the order of partitions counts.
            want.sort_by_key(|it| it.token);
            want.sort_by_key(|it| std::cmp::Reverse(rank(it)));
            want.retain(|it| rank(it) > 0);
            let found = sized(&sstables, &PartitionOptions { by, ..ALL });
            assert_eq!(found.largest, want, "{version} {table} {by:?}");
            let Some(min) = want.get(1).map(rank) else { continue };
            want.retain(|it| rank(it) >= min);
            let found = sized(&sstables, &PartitionOptions { by, min, ..ALL });
            assert_eq!(found.largest, want, "{version} {table} {by:?} {min}");
            assert_eq!(found.count, all.count);
        }
    }
}
