//! The one cache of a process: shards, each under a lock of its own.
//!
//! A mutex for each shard, since a hit does little under it: a look-up, a byte, a count in an
//! `Arc`. A lock that many can read under writes to one word twice as well: 160 to 178 ns a hit
//! with it on one thread, 193 to 249 on two, against 167 to 171 and 165 to 261 with mutexes (16
//! shards, 4,096 pages at random).

use std::any::Any;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::key::{Key, PAGE_KIND};
use super::shard::{Cached, Shard};
use crate::store::Version;

/// How large a cache is, and how it is divided.
#[derive(Clone, Copy, Debug)]
pub struct CacheOptions {
    /// Most bytes that it holds, its own tables included.
    pub limit_bytes: u64,
    /// Number of its parts, each with a lock. A thing larger than a part is not kept.
    pub shard_count: usize,
    /// What hashes begin with: random bytes, so that a file can't be made whose pages all meet in
    /// one place.
    pub seed: u64,
}

manicule_core::counts! {
    /// What a cache did since it was made, and what it holds.
    pub struct CacheCounts {
        /// Things that were found.
        hits,
        /// Things that were not.
        misses,
        /// Things that entered.
        populations,
        /// Things that were evicted for others.
        evictions,
        /// Things that were dropped after use, as a scan does.
        drops,
        /// Things that were too large to enter.
        refusals,
        /// Bytes that are held now.
        held_bytes,
    }
}

#[derive(Debug)]
struct Part {
    shard: Mutex<Shard>,
    hits: AtomicU64,
    misses: AtomicU64,
}

/// Pages and parsed values of all files that the process reads, within a number of bytes at any
/// time.
///
/// A hit costs 170 ns, most of it waiting for memory: the slot, the page's count, the page.
#[derive(Debug)]
pub struct Cache {
    parts: Box<[Part]>,
    seed: u64,
}

impl Cache {
    /// An empty cache. It takes memory as it fills.
    ///
    /// # Panics
    /// If there are no shards.
    pub fn new(options: CacheOptions) -> Arc<Self> {
        assert!(options.shard_count > 0, "a cache has a part at least");
        let limit_bytes = options.limit_bytes / options.shard_count as u64;
        let part = || Part {
            shard: Mutex::new(Shard::new(limit_bytes)),
            hits: AtomicU64::new(0),
            misses: AtomicU64::new(0),
        };
        let parts = (0..options.shard_count).map(|_| part()).collect();
        Arc::new(Cache { parts, seed: options.seed })
    }

    fn part(&self, hash: u64) -> &Part {
        let number = (u128::from(hash) * self.parts.len() as u128) >> 64;
        &self.parts[number as usize]
    }

    fn get(&self, key: &Key) -> Option<Cached> {
        let hash = key.hash(self.seed);
        let part = self.part(hash);
        let found = lock(&part.shard).get(key, hash);
        let count = if found.is_some() { &part.hits } else { &part.misses };
        count.fetch_add(1, Relaxed);
        found
    }

    fn insert(&self, key: Key, value: Cached, bytes: u64) -> Cached {
        let hash = key.hash(self.seed);
        lock(&self.part(hash).shard).insert(key, hash, value, bytes)
    }

    /// A page, if it is there.
    pub(super) fn page(&self, file: Version, at: u64) -> Option<Arc<[u8]>> {
        match self.get(&Key { file, kind: PAGE_KIND, at })? {
            Cached::Page(page) => Some(page),
            Cached::Parsed(_) => None,
        }
    }

    /// Adds a page; the answer is the one that all share.
    pub(super) fn insert_page(&self, file: Version, at: u64, page: Arc<[u8]>) -> Arc<[u8]> {
        let bytes = page.len() as u64;
        let key = Key { file, kind: PAGE_KIND, at };
        match self.insert(key, Cached::Page(Arc::clone(&page)), bytes) {
            Cached::Page(shared) => shared,
            Cached::Parsed(_) => page,
        }
    }

    /// A parsed value of a kind, which isn't [`PAGE_KIND`], that begins at an offset of a file, if
    /// it is there.
    pub fn parsed<T: Any + Send + Sync>(&self, file: Version, kind: u8, at: u64) -> Option<Arc<T>> {
        match self.get(&Key { file, kind, at })? {
            Cached::Parsed(value) => value.downcast().ok(),
            Cached::Page(_) => None,
        }
    }

    /// Adds a parsed value of `bytes` bytes, with all that it owns; the answer is the one that all
    /// share.
    pub fn insert_parsed<T: Any + Send + Sync>(
        &self,
        file: Version,
        kind: u8,
        at: u64,
        value: T,
        bytes: u64,
    ) -> Arc<T> {
        let value = Arc::new(value);
        let cached = Cached::Parsed(Arc::clone(&value) as Arc<dyn Any + Send + Sync>);
        match self.insert(Key { file, kind, at }, cached, bytes) {
            Cached::Parsed(shared) => shared.downcast().unwrap_or(value),
            Cached::Page(_) => value,
        }
    }

    /// Drops a thing that a scan has walked past, unless others used it since it entered.
    pub fn drop_unused(&self, file: Version, kind: u8, at: u64) {
        let key = Key { file, kind, at };
        let hash = key.hash(self.seed);
        lock(&self.part(hash).shard).drop_unused(&key, hash);
    }

    /// Counts so far. While others read, those of its parts are of slightly different times.
    pub fn counts(&self) -> CacheCounts {
        let mut sum = CacheCounts::default();
        for part in &self.parts {
            sum.hits += part.hits.load(Relaxed);
            sum.misses += part.misses.load(Relaxed);
            let shard = lock(&part.shard);
            sum.populations += shard.changes.populations;
            sum.evictions += shard.changes.evictions;
            sum.drops += shard.changes.drops;
            sum.refusals += shard.changes.refusals;
            sum.held_bytes += shard.bytes();
        }
        sum
    }
}

/// A panic while the lock was held was in a look-up or a queue; the worst it leaves is a thing that
/// is never evicted.
fn lock(shard: &Mutex<Shard>) -> MutexGuard<'_, Shard> {
    shard.lock().unwrap_or_else(PoisonError::into_inner)
}
