//! What slices of one partition of 10 M rows of 2,000 bytes read: counts, which are the same on
//! every machine.
//!
//! Index.db is written as Cassandra writes it; of Data.db's 20 GB only the rows that are asked for,
//! the rest is a hole.

mod files;

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::thread;

use manicule_core::blocks::ReadCost;
use manicule_core::bytes::mix;
use manicule_format_sstable::Type;
use manicule_rows::merge::open_live;
use manicule_rows::slice::{Bounds, Direction, Edge, Item, Seek, SliceOptions, open_slice};
use manicule_rows::table::{Access, Sstable, TableOptions, list};
use manicule_store::context::Budget;
use manicule_store::pages::{Cache, CacheOptions, ReadCounts, Reading, SystemCache};

use files::{Big, KEY, ROW_COUNT};

const SEEK: Seek = Seek::Index(ReadCost { whole_bytes_max: 64 << 10, ways: 2 });

/// Memory of a slice in bytes: one read of 1 MiB, the rest of the one before, and pages.
const MEMORY_BYTES_MAX: u64 = 3 << 20;

fn open(big: &Big) -> Sstable {
    open_with(big, Cache::new(CacheOptions { limit_bytes: 16 << 20, shard_count: 4, seed: 1 }))
}

fn open_with(big: &Big, cache: Arc<Cache>) -> Sstable {
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

/// Reads what is live of a number of rows from one on; what it took.
fn live(sstable: &Sstable, first: u64, count: u64, direction: Direction) -> ReadCounts {
    let (mut counts, budget) = (ReadCounts::default(), Budget::new(MEMORY_BYTES_MAX));
    let mut reading = Reading { counts: &mut counts, budget: &budget };
    let clustering = (first as i32 * 2 + 1).to_be_bytes();
    let edge = [Some(&clustering[..])];
    let (start, end) = match direction {
        Direction::Forward => (Edge::Inclusive(&edge[..]), Edge::Open),
        Direction::Reverse => (Edge::Open, Edge::Inclusive(&edge[..])),
    };
    let bounds = Bounds::new(&[Type::Int], start, end).unwrap();
    let (row_count_max, read_bytes_max) = (Some(count), 1 << 20);
    let options = SliceOptions { direction, row_count_max, seek: SEEK, read_bytes_max };
    let opened = open_live(&[sstable], &KEY, &bounds, &options, 0, &mut reading).unwrap();
    let (mut slice, mut found) = (opened.expect("the partition is there"), 0);
    while slice.next(&mut reading).unwrap().is_some() {
        found += 1;
    }
    assert_eq!(found, count);
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
fn what_is_live_takes_no_more_reads_than_the_rows_themselves() {
    let big = Big::write();
    for (first, count, ..) in SEED {
        let own = slice(&open(&big), first, count, SEEK);
        let live = live(&open(&big), first, count, Direction::Forward);
        assert_eq!((live.reads, live.read_bytes), (own.reads, own.read_bytes), "{first}, {count}");
    }
    // Backward a block of 33 rows and 64 KiB is one read.
    for (count, reads_max, kib_max) in [(1, 21, 172), (32, 22, 268), (256, 37, 780)] {
        let reverse = live(&open(&big), ROW_COUNT / 2 + 300, count, Direction::Reverse);
        let kib = reverse.read_bytes.div_ceil(1024);
        println!("{count} backward: {} reads, {kib} KiB", reverse.reads);
        assert!(reverse.reads <= reads_max && kib <= kib_max, "{count}: {reverse:?}");
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

#[test]
fn a_hundred_slices_at_once_share_a_cache_that_stays_within_its_bytes() {
    const LIMIT_BYTES: u64 = 60_000;
    let big = Big::write();
    let cache = Cache::new(CacheOptions { limit_bytes: LIMIT_BYTES, shard_count: 4, seed: 1 });
    let sstable = open_with(&big, Arc::clone(&cache));
    let is_over = AtomicBool::new(false);
    let reads_of = |thread: u64| {
        let mut hits = 0;
        for round in 0..20 {
            let tenth = ROW_COUNT / 10 * (mix(thread, round) % 9 + 1);
            let (before, count) = (mix(round, thread) % 50, mix(thread, !round) % 32 + 1);
            // Each asserts its rows, and the memory of its own.
            hits += slice(&sstable, tenth - before, count, SEEK).cache_hits;
        }
        hits
    };
    let hits: u64 = thread::scope(|scope| {
        let watching = scope.spawn(|| {
            while !is_over.load(Relaxed) {
                assert!(cache.counts().held_bytes <= LIMIT_BYTES);
                thread::yield_now();
            }
        });
        let readers: Vec<_> =
            (0..100).map(|thread| scope.spawn(move || reads_of(thread))).collect();
        let joined: Vec<_> = readers.into_iter().map(|reader| reader.join()).collect();
        is_over.store(true, Relaxed);
        watching.join().unwrap();
        joined.into_iter().map(Result::unwrap).sum()
    });
    let counts = cache.counts();
    assert!(hits > 0 && counts.evictions > 100, "{hits} hits, {counts:?}");
    assert!(counts.held_bytes <= LIMIT_BYTES, "{counts:?}");
}
