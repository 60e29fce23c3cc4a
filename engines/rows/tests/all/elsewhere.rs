//! Tables at an address: rounds and bytes of a slice of a partition whose index has many blocks.

use std::path::Path;
use std::sync::Arc;

use manicule_core::blocks::ReadCost;
use manicule_core::watch::Watch;
use manicule_rows::slice::{Bounds, Direction, Edge, Item, Seek, SliceOptions, open_slice};
use manicule_rows::table::{Access, Sstable, TableOptions, list_in};
use manicule_rows::write::{LoadOptions, NewRow, NewValue, Stamp, TakeRow, Target, load};
use manicule_rows::{Deletion, NO_LOCAL_TIME, Version, read_schema};
use manicule_store::Disk;
use manicule_store::context::Budget;
use manicule_store::pages::{Cache, CacheOptions, ReadCounts, Reading, SystemCache};
use manicule_store::store::{Ahead, MemoryStore, StoreCounts};
use manicule_testkit::in_memory;

const ROWS: i64 = 40_000;

fn options() -> TableOptions {
    let cache = Cache::new(CacheOptions { limit_bytes: 4 << 20, shard_count: 1, seed: 1 });
    let access = Access::Positioned(SystemCache::Used);
    TableOptions { access, cache, chunk_bytes_max: 1 << 20, component_bytes_max: 1 << 20 }
}

/// Writes one partition, each row of which is a block of its index.
fn write(folder: &Path) {
    let cql = "CREATE TABLE t (k int, c bigint, v text, PRIMARY KEY (k, c))";
    let schema = read_schema(cql).expect("CQL");
    let wanted = LoadOptions {
        header: schema[0].header(Version::Me).expect("a header"),
        filter_chance: 0.01,
        index_interval: 128,
        compress: None,
        block_len: 32,
        host: None,
        is_sorted: true,
        memory: 64 << 20,
    };
    let stamp = Stamp { timestamp: 1, ttl: 0, expires: NO_LOCAL_TIME, now: 1 };
    let give = |take: TakeRow<'_>| {
        (0..ROWS).try_for_each(|row| {
            take(&NewRow {
                key: &7_i32.to_be_bytes(),
                clustering: Some(&[Some(&(row * row).to_be_bytes())]),
                stamp,
                has_liveness: true,
                deletion: Deletion::LIVE,
                statics: &[],
                regulars: &[(0, NewValue::Set(b"some value of a row"))],
            })
        })
    };
    let (files, folder) = (Disk::shared(), folder.to_owned());
    let target = Target { files, folder, generation: None, is_dry: false };
    let (mut counts, budget) = (ReadCounts::default(), Budget::new(256 << 20));
    let mut reading = Reading { counts: &mut counts, budget: &budget };
    load(&target, wanted, &options(), &mut reading, &Watch::none(), give).expect("written");
}

/// The clusterings of a slice, and what it cost from the listing on.
fn slice(store: &MemoryStore, first: i64, count: u64) -> (Vec<i64>, StoreCounts) {
    store.fail(None);
    let (mut counts, budget) = (ReadCounts::default(), Budget::new(64 << 20));
    let mut reading = Reading { counts: &mut counts, budget: &budget };
    let listed = list_in(&Ahead::over(Arc::new(store.clone()))).expect("listed").0.remove(0);
    let sstable = Sstable::open(&listed, &options(), &mut reading).expect("open");
    let first = first.to_be_bytes();
    let parts = [Some(&first[..])];
    let types = &sstable.header().clustering;
    let bounds = Bounds::new(types, Edge::Inclusive(&parts), Edge::Open).expect("bounds");
    let slice_options = SliceOptions {
        direction: Direction::Forward,
        row_count_max: Some(count),
        seek: Seek::Index(ReadCost { whole_bytes_max: 64 << 10, ways: 2 }),
        read_bytes_max: 256 << 10,
    };
    let key = 7_i32.to_be_bytes();
    let opened = open_slice(&sstable, &key, bounds, &slice_options, &mut reading);
    let mut slice = opened.expect("open").expect("the partition");
    let mut rows = Vec::new();
    while let Some(item) = slice.next(&mut reading).expect("rows") {
        if let Item::Row(row) = item {
            let value = row.components.values(types).next().flatten().expect("a value");
            rows.push(i64::from_be_bytes(value.try_into().expect("eight bytes")));
        }
    }
    (rows, store.counts())
}

#[test]
fn a_slice_of_a_wide_partition_takes_few_rounds() {
    let folder = tempfile::tempdir().expect("a folder");
    write(folder.path());
    let store = in_memory(folder.path());
    for row in [0, 1, 777, 20_000, 31_234, ROWS - 3] {
        let (rows, counts) = slice(&store, row * row, 3);
        println!("{row}: {counts:?}");
        assert_eq!(rows, (row..row + 3).map(|row| row * row).collect::<Vec<_>>());
        assert!(counts.rounds <= 9 && counts.read_bytes <= 300 << 10, "{row}: {counts:?}");
    }
}
