//! Tables at an address: rounds and bytes of a slice of a partition whose index has many blocks.

use std::path::Path;
use std::sync::Arc;

use manicule_core::blocks::ReadCost;
use manicule_core::compress::Codec;
use manicule_core::watch::Watch;
use manicule_rows::merge::foresee;
use manicule_rows::slice::{Bounds, Direction, Edge, Item, Seek, SliceOptions, open_slice};
use manicule_rows::table::{Access, Sstable, TableOptions, list_in};
use manicule_rows::write::{Compress, LoadOptions, NewRow, NewValue, Stamp, TakeRow, Target, load};
use manicule_rows::{Deletion, NO_LOCAL_TIME, Version, read_schema};
use manicule_store::Disk;
use manicule_store::context::Budget;
use manicule_store::pages::{Cache, CacheOptions, ReadCounts, Reading, SystemCache};
use manicule_store::store::{Ahead, MemoryStore, StoreCounts};
use manicule_testkit::in_memory;

/// A partition each of whose rows is a block of its index.
#[derive(Clone, Copy)]
struct Wide {
    version: Version,
    compress: Option<Compress>,
    /// Type of the clustering column.
    cql: &'static str,
    rows: u64,
    /// The bytes by which a row is named.
    name: fn(u64) -> Vec<u8>,
}

fn options() -> TableOptions {
    let cache = Cache::new(CacheOptions { limit_bytes: 4 << 20, shard_count: 1, seed: 1 });
    let access = Access::Positioned(SystemCache::Used);
    TableOptions { access, cache, chunk_bytes_max: 1 << 20, component_bytes_max: 1 << 20 }
}

impl Wide {
    fn write(&self, folder: &Path) {
        let Wide { version, compress, cql, rows, name } = *self;
        let cql = format!("CREATE TABLE t (k int, c {cql}, v text, PRIMARY KEY (k, c))");
        let schema = read_schema(&cql).expect("CQL");
        let wanted = LoadOptions {
            header: schema[0].header(version).expect("a header"),
            filter_chance: 0.01,
            index_interval: 128,
            compress,
            block_len: 32,
            host: None,
            is_sorted: true,
            memory: 64 << 20,
        };
        let stamp = Stamp { timestamp: 1, ttl: 0, expires: NO_LOCAL_TIME, now: 1 };
        let give = |take: TakeRow<'_>| {
            (0..rows).try_for_each(|row| {
                take(&NewRow {
                    key: &7_i32.to_be_bytes(),
                    clustering: Some(&[Some(&name(row))]),
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

    /// The names of a slice's rows, and what it cost from the listing on: three from a row on, or
    /// the last one.
    fn slice(&self, store: &MemoryStore, from: Option<u64>) -> (Vec<Vec<u8>>, StoreCounts) {
        store.fail(None);
        let (mut counts, budget) = (ReadCounts::default(), Budget::new(64 << 20));
        let mut reading = Reading { counts: &mut counts, budget: &budget };
        let listed = list_in(&Ahead::over(Arc::new(store.clone()))).expect("listed").0.remove(0);
        let sstable = Sstable::open_all(&[&listed], &options(), &mut reading).remove(0);
        let sstable = sstable.expect("open");
        let first = from.map(self.name);
        let parts = [first.as_deref()];
        let edge = if first.is_some() { Edge::Inclusive(&parts) } else { Edge::Open };
        let types = &sstable.header().clustering;
        let bounds = Bounds::new(types, edge, Edge::Open).expect("bounds");
        let direction = if first.is_some() { Direction::Forward } else { Direction::Reverse };
        let slice_options = SliceOptions {
            direction,
            row_count_max: Some(if first.is_some() { 3 } else { 1 }),
            seek: Seek::Index(ReadCost { whole_bytes_max: 64 << 10, ways: 2 }),
            read_bytes_max: 256 << 10,
        };
        let key = 7_i32.to_be_bytes();
        foresee(&[&sstable], &key, &bounds, &slice_options, &mut reading);
        let opened = open_slice(&sstable, &key, bounds, &slice_options, &mut reading);
        let mut slice = opened.expect("open").expect("the partition");
        let mut rows = Vec::new();
        while let Some(item) = slice.next(&mut reading).expect("rows") {
            if let Item::Row(row) = item {
                let name = row.components.values(types).next().flatten().expect("a value");
                rows.push(name.to_vec());
            }
        }
        (rows, store.counts())
    }

    /// Slices from some rows on, and of the last one, take no more rounds and bytes.
    #[track_caller]
    fn check(&self, rounds_max: u64, bytes_max: u64) {
        let folder = tempfile::tempdir().expect("a folder");
        self.write(folder.path());
        let store = in_memory(folder.path());
        let rows = [0, 1, 777, self.rows / 2, self.rows / 9 * 7, self.rows - 3];
        for from in rows.map(Some).into_iter().chain([None]) {
            let (names, counts) = self.slice(&store, from);
            println!("{} {from:?}: {counts:?}", self.version.letters());
            let want = match from {
                Some(row) => (row..row + 3).map(self.name).collect::<Vec<_>>(),
                None => vec![(self.name)(self.rows - 1)],
            };
            assert_eq!(names, want);
            let is_cheap = counts.rounds <= rounds_max && counts.read_bytes <= bytes_max;
            assert!(is_cheap, "{from:?}: {counts:?}");
        }
    }
}

fn square(row: u64) -> Vec<u8> {
    (row * row).to_be_bytes().to_vec()
}

/// Names that say nothing but themselves, and are not even.
const PLAIN: Wide =
    Wide { version: Version::Me, compress: None, cql: "bigint", rows: 40_000, name: square };

#[test]
fn a_slice_of_a_wide_partition_takes_few_rounds() {
    PLAIN.check(5, 300 << 10);
}

#[test]
fn a_slice_of_a_partition_of_20_gb_takes_few_rounds() {
    let compress = Compress { codec: Codec::Lz4, chunk_len: 1 << 10, level: 0 };
    Wide { rows: 303_031, compress: Some(compress), ..PLAIN }.check(5, 300 << 10);
}

#[test]
fn names_of_different_lengths_cost_rounds_and_are_found() {
    let name = |row: u64| {
        let len = if row < 10_000 { 0 } else { 40 };
        format!("{row:08}{:x<len$}", "").into_bytes()
    };
    Wide { cql: "text", rows: 20_000, name, ..PLAIN }.check(9, 300 << 10);
}

/// Three blocks that say of each other where they begin, and lie behind all names.
const FORGED: [&[u8]; 3] = [
    &[4, 0, 1, 0xff, 4, 0, 1, 0xff, 1, 2, 0],
    &[4, 0, 1, 0xff, 4, 0, 1, 0xff, 0xc1, 0, 2, 2, 0],
    &[4, 0, 1, 0xff, 4, 0, 1, 0xff, 0xc2, 0, 3, 2, 0],
];

#[test]
fn names_that_look_like_blocks_cost_rounds_and_are_found() {
    let name = |row: u64| [&row.to_be_bytes()[..], &FORGED.concat()].concat();
    Wide { cql: "blob", rows: 20_000, name, ..PLAIN }.check(11, 300 << 10);
}
