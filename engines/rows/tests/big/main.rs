//! What slices of one partition of 10 M rows of 2,000 bytes read: counts, which are the same on every machine.
//!
//! Index.db is written as Cassandra writes it; of Data.db's 20 GB only the rows that are asked for, the rest is a hole.

mod files;

use manicule_core::blocks::ReadCost;
use manicule_format_sstable::Type;
use manicule_rows::slice::{Bounds, Direction, Edge, Item, Seek, SliceOptions, open_slice};
use manicule_rows::table::{Access, Sstable, TableOptions, list};
use manicule_store::pages::{Budget, Cache, CacheOptions, ReadCounts, Reading, SystemCache};

use files::{Big, KEY, ROW_COUNT};

const SEEK: Seek = Seek::Index(ReadCost { whole_bytes_max: 64 << 10, ways: 2 });

/// Memory of a slice in bytes: one read of 1 MiB, the rest of the one before, and pages.
const MEMORY_BYTES_MAX: u64 = 3 << 20;

fn open(big: &Big) -> Sstable {
    let cache = Cache::new(CacheOptions { limit_bytes: 16 << 20, shard_count: 4, seed: 1 });
    let access = Access::Positioned(SystemCache::Used);
    let options =
        TableOptions { access, cache, chunk_bytes_max: 1 << 20, component_bytes_max: 1 << 20 };
    let (listed, _) = list(big.folder.path()).unwrap();
    let (mut counts, budget) = (ReadCounts::default(), Budget::new(1 << 20));
    Sstable::open(&listed[0], &options, &mut Reading { counts: &mut counts, budget: &budget })
        .unwrap()
}

/// Reads a number of rows from one on; what it took.
fn slice(sstable: &Sstable, first: u64, count: u64, seek: Seek) -> ReadCounts {
    let (mut counts, budget) = (ReadCounts::default(), Budget::new(MEMORY_BYTES_MAX));
    let mut reading = Reading { counts: &mut counts, budget: &budget };
    let clustering = (first as i32 * 2 + 1).to_be_bytes();
    let start = [Some(&clustering[..])];
    let bounds = Bounds::new(&[Type::Int], Edge::Inclusive(&start), Edge::Open).unwrap();
    let options = SliceOptions {
        direction: Direction::Forward,
        row_count_max: Some(count),
        seek,
        read_bytes_max: 1 << 20,
    };
    let opened = open_slice(sstable, &KEY, bounds, &options, &mut reading).unwrap();
    let (mut slice, mut number) = (opened.expect("the partition is there"), first);
    while let Some(item) = slice.next(&mut reading).unwrap() {
        let Item::Row(row) = item else { panic!("there are no markers") };
        let want = (number as i32 * 2 + 1).to_be_bytes();
        assert_eq!(row.components.values(&[Type::Int]).next(), Some(Some(&want[..])));
        number += 1;
    }
    assert_eq!(number, first + count);
    assert!(budget.peak_bytes() <= MEMORY_BYTES_MAX);
    counts
}

/// First row, number of rows, reads and KiB of the seed's binary search.
const SEED: [(u64, u64, u64, u64); 8] = [
    (0, 1, 17, 188),
    (0, 32, 19, 160),
    (0, 256, 24, 764),
    (0, 4096, 83, 8700),
    (ROW_COUNT / 2, 1, 21, 172),
    (ROW_COUNT / 2, 32, 22, 268),
    (ROW_COUNT / 2, 256, 37, 652),
    (ROW_COUNT / 2, 4096, 88, 8844),
];

#[test]
fn cold_slices_read_no_more_than_the_seeds_table() {
    let big = Big::write();
    for (first, count, reads_max, kib_max) in SEED {
        let sstable = open(&big);
        let cold = slice(&sstable, first, count, SEEK);
        let kib = cold.read_bytes.div_ceil(1024);
        let shown =
            format!("{first}, {count}: {} reads, {kib} KiB, {} rounds", cold.reads, cold.rounds);
        println!("{shown}");
        assert!(cold.reads <= reads_max && kib <= kib_max, "{shown}: {cold:?}");
    }
}

#[test]
fn warm_upper_levels_leave_nine_reads() {
    let big = Big::write();
    let sstable = open(&big);
    for place in [1, 3, 5, 7, 9] {
        slice(&sstable, ROW_COUNT / 10 * place, 1, SEEK);
    }
    let warm = slice(&sstable, ROW_COUNT / 2 + 1000, 1, SEEK);
    println!("{warm:?}");
    // The floor is three rounds: a page of the map, one of blocks, one block of data.
    assert!(warm.reads <= 9 && warm.read_bytes <= 90 << 10 && warm.rounds <= 6, "{warm:?}");
    let again = slice(&sstable, ROW_COUNT / 2 + 1000, 1, SEEK);
    assert_eq!((again.reads, again.rounds), (1, 1), "{again:?}");
}
