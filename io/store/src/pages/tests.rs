//! A cache that is too small answers rightly, threads hold its bytes, and what is counted is what
//! was done.

use std::path::Path;
use std::sync::Arc;

use manicule_core::bytes::mix;

use super::{
    ByteSource, Cache, CacheOptions, Keep, MappedFile, PageError, Paged, PositionedFile,
    ReadCounts, Reading, SystemCache,
};
use crate::context::Budget;

const PAGE_LEN: u32 = 256;

fn contents(len: usize) -> Vec<u8> {
    (0..len as u64).map(|at| mix(7, at) as u8).collect()
}

fn cache(limit_bytes: u64, shard_count: usize) -> Arc<Cache> {
    Cache::new(CacheOptions { limit_bytes, shard_count, seed: 9 })
}

fn put(folder: &Path, name: &str, bytes: &[u8]) -> std::path::PathBuf {
    let path = folder.join(name);
    std::fs::write(&path, bytes).unwrap();
    path
}

fn paged(path: &Path, cache: &Arc<Cache>) -> Paged {
    let source = PositionedFile::open(path, SystemCache::Used).unwrap();
    Paged::new(Box::new(source), PAGE_LEN, Arc::clone(cache))
}

/// One query: its answer and its counts.
fn get(file: &Paged, range: std::ops::Range<u64>, keep: Keep) -> (Vec<u8>, ReadCounts) {
    let (mut counts, budget) = (ReadCounts::default(), Budget::new(1 << 20));
    let mut reading = Reading { counts: &mut counts, budget: &budget };
    let bytes = file.get(range, keep, &mut reading).unwrap().to_vec();
    assert_eq!(budget.held_bytes(), 0, "all is given back");
    (bytes, counts)
}

#[test]
fn any_range_is_right_with_a_cache_of_any_size() {
    let folder = tempfile::tempdir().unwrap();
    let bytes = contents(10_000);
    let path = put(folder.path(), "a", &bytes);
    for limit_bytes in [0, 300, 400, 1000, 5000, 1 << 20] {
        let cache = cache(limit_bytes, 1);
        let file = paged(&path, &cache);
        for seed in 0..2000 {
            let start = mix(seed, 1) % 10_001;
            let end = start + mix(seed, 2) % 1000.min(10_001 - start);
            let keep = if seed % 7 == 0 { Keep::Passing } else { Keep::Shared };
            let (got, _) = get(&file, start..end, keep);
            assert_eq!(got, bytes[start as usize..end as usize], "{start}..{end}, seed {seed}");
            if seed % 5 == 0 {
                file.drop_passed(start..end);
            }
            assert!(cache.counts().held_bytes <= limit_bytes);
        }
        let counts = cache.counts();
        let evicted = counts.evictions > 0 || counts.refusals > 0 || limit_bytes == 1 << 20;
        assert!(evicted && counts.hits + counts.misses > 2000, "{limit_bytes}: {counts:?}");
    }
}

#[test]
fn sources_agree_and_count_their_reads() {
    let folder = tempfile::tempdir().unwrap();
    let bytes = contents(9_999);
    let path = put(folder.path(), "a", &bytes);
    let mapped = MappedFile::open(&path).unwrap();
    let used = PositionedFile::open(&path, SystemCache::Used).unwrap();
    // Some file systems have no reads past the cache.
    let direct = PositionedFile::open(&path, SystemCache::Bypassed).ok();
    assert_eq!(mapped.version(), used.version());
    for (at, len) in [(0, 0), (0, 1), (4095, 2), (4096, 4096), (9_990, 9), (0, 9_999)] {
        let want = &bytes[at as usize..at as usize + len];
        let sources: [Option<(&dyn ByteSource, u64)>; 3] = [
            Some((&mapped, 0)),
            Some((&used, 1)),
            direct.as_ref().map(|direct| (direct as &dyn ByteSource, u64::from(len > 0))),
        ];
        for (source, read_count) in sources.into_iter().flatten() {
            let (mut counts, mut out) = (ReadCounts::default(), vec![0; len]);
            source.read_at(at, &mut out, &mut counts).unwrap();
            assert_eq!((&out[..], counts.reads), (want, read_count), "{source:?} {at} {len}");
            let mut over = vec![0; 10_000 - at as usize];
            let error = source.read_at(at, &mut over, &mut counts).unwrap_err();
            assert_eq!(error.kind(), std::io::ErrorKind::UnexpectedEof);
        }
    }
}

#[test]
fn a_second_query_reads_nothing_and_pages_side_by_side_are_one_read() {
    let folder = tempfile::tempdir().unwrap();
    let path = put(folder.path(), "a", &contents(5000));
    let cache = cache(1 << 20, 4);
    let file = paged(&path, &cache);
    let shown = |counts: ReadCounts| [counts.reads, counts.read_bytes, counts.rounds];
    assert_eq!(shown(get(&file, 300..301, Keep::Shared).1), [1, 256, 1]);
    assert_eq!(shown(get(&file, 256..512, Keep::Shared).1), [0, 0, 0]);
    assert_eq!(shown(get(&file, 0..1100, Keep::Shared).1), [2, 256 + 3 * 256, 2]);
    assert_eq!(shown(get(&file, 0..1100, Keep::Shared).1), [0, 0, 0]);
    assert_eq!(shown(get(&file, 4990..5000, Keep::Shared).1), [1, 5000 - 4864, 1]);
    assert_eq!(shown(get(&file, 2000..3000, Keep::Passing).1), [1, 1000, 1]);
    assert_eq!(shown(get(&file, 2000..3000, Keep::Passing).1), [1, 1000, 1]);
    let (mut counts, mut out) = (ReadCounts::default(), [0; 1001]);
    file.read(4000, &mut out[..990], &mut counts).unwrap();
    assert_eq!((shown(counts), &out[..990]), ([1, 990, 1], &contents(5000)[4000..4990]));
    assert!(file.read(4000, &mut out, &mut counts).is_err());
    let (mut counts, budget) = (ReadCounts::default(), Budget::new(1 << 20));
    let mut reading = Reading { counts: &mut counts, budget: &budget };
    file.prefetch(&[0..10, 2000..2010, 4000..4010, 4990..5000], &mut reading).unwrap();
    assert_eq!(shown(counts), [2, 512, 1]);
    let again = paged(&path, &cache);
    assert_eq!(shown(get(&again, 4000..4010, Keep::Shared).1), [0, 0, 0], "another reader");
    assert_eq!(cache.counts().populations, 8);
}

#[test]
fn a_file_that_took_the_name_of_another_is_another() {
    let folder = tempfile::tempdir().unwrap();
    let cache = cache(1 << 20, 1);
    for byte in 0..5 {
        let path = put(folder.path(), "a", &[byte; 600]);
        assert_eq!(get(&paged(&path, &cache), 0..600, Keep::Shared).0, [byte; 600]);
        std::fs::remove_file(path).unwrap();
    }
}

#[test]
fn a_query_holds_no_more_than_its_budget() {
    let folder = tempfile::tempdir().unwrap();
    let path = put(folder.path(), "a", &contents(5000));
    let file = paged(&path, &cache(1 << 20, 1));
    let (mut counts, budget) = (ReadCounts::default(), Budget::new(600));
    let mut reading = Reading { counts: &mut counts, budget: &budget };
    let first = file.get(0..10, Keep::Shared, &mut reading).unwrap();
    let second = file.get(1000..1010, Keep::Shared, &mut reading).unwrap();
    let third = file.get(2000..2010, Keep::Shared, &mut reading).unwrap_err();
    let want = "memory of the query: wanted at most 600 bytes, needed 768; raise it";
    assert_eq!(third.to_string(), want);
    drop((first, second));
    assert!(file.get(2000..2010, Keep::Shared, &mut reading).is_ok());
    assert_eq!((budget.held_bytes(), budget.peak_bytes()), (0, 512));
    let outside = file.get(4999..5001, Keep::Shared, &mut reading);
    assert!(matches!(outside, Err(PageError::Outside { at: 4999, wanted: 2, file_len: 5000 })));
}

#[test]
fn what_every_search_reads_outlives_a_scan() {
    let folder = tempfile::tempdir().unwrap();
    let path = put(folder.path(), "a", &contents(1 << 20));
    let cache = cache(64 << 10, 1);
    let file = paged(&path, &cache);
    let top: Vec<u64> = (0..10).map(|level| level * 100_000).collect();
    for _ in 0..3 {
        top.iter().for_each(|&at| drop(get(&file, at..at + 1, Keep::Shared)));
    }
    for page in 0..4000 {
        get(&file, page * 256..page * 256 + 1, Keep::Shared);
    }
    let reads: u64 = top.iter().map(|&at| get(&file, at..at + 1, Keep::Shared).1.reads).sum();
    assert_eq!(reads, 0, "{:?}", cache.counts());
}

#[test]
fn a_scan_that_drops_what_it_passed_leaves_no_page_and_no_slot() {
    let folder = tempfile::tempdir().unwrap();
    let path = put(folder.path(), "a", &contents(1 << 20));
    let cache = cache(4 << 20, 1);
    let file = paged(&path, &cache);
    get(&file, 5000..5001, Keep::Shared);
    get(&file, 5000..5001, Keep::Shared);
    for page in 0..4096 {
        get(&file, page * 256..page * 256 + 1, Keep::Shared);
        file.drop_passed(page * 256..page * 256 + 256);
        assert!(cache.counts().held_bytes < 2 * (256 + 128) + 1, "page {page}");
    }
    let counts = cache.counts();
    assert_eq!((counts.drops, counts.evictions), (4095, 0), "the page of another stays");
}

#[test]
fn a_hundred_threads_share_the_bytes_and_lose_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let bytes = contents(200_000);
    let path = put(folder.path(), "a", &bytes);
    let cache = cache(40_000, 4);
    let file = paged(&path, &cache);
    let sum = std::sync::Mutex::new(ReadCounts::default());
    std::thread::scope(|scope| {
        for thread in 0..100 {
            let (file, bytes, cache, sum) = (&file, &bytes, &cache, &sum);
            scope.spawn(move || {
                for seed in 0..200 {
                    // A third of the reads meets in a few pages.
                    let wide = if seed % 3 == 0 { 2000 } else { 199_000 };
                    let start = mix(thread, seed) % wide;
                    let (got, counts) = get(file, start..start + 300, Keep::Shared);
                    assert_eq!(got, bytes[start as usize..start as usize + 300]);
                    sum.lock().unwrap().add(&counts);
                    assert!(cache.counts().held_bytes <= 40_000);
                    let value = file.parsed(
                        1,
                        start % 50,
                        &mut Reading {
                            counts: &mut ReadCounts::default(),
                            budget: &Budget::new(0),
                        },
                        |_| Ok::<_, ()>((start % 50, 8)),
                    );
                    assert_eq!(*value.unwrap(), start % 50);
                }
            });
        }
    });
    let (sum, counts) = (*sum.lock().unwrap(), cache.counts());
    assert_eq!(sum.cache_hits + sum.cache_misses + 20_000, counts.hits + counts.misses);
    assert!(counts.evictions > 0 && counts.populations > counts.evictions, "{counts:?}");
    let held = counts.populations - counts.evictions;
    assert!(counts.held_bytes <= held * (256 + 128) && counts.held_bytes >= held * 136);
}
