//! A part of the cache: things by key, within a number of bytes, evicted by S3-FIFO.
//!
//! A new thing enters a small queue, a tenth of the bytes. At its end it goes to the main queue if
//! it was used again, else out, and its hash is remembered for a while: should it come back, it
//! enters the main queue at once. In the main queue a thing that was used goes round once more for
//! each use, up to three. So one pass over a large file goes through the small queue only, and
//! pages that every search reads, the upper levels of an index, stay in the main one. A hit writes
//! one byte of the thing and moves nothing, where a list ordered by last use is taken apart and
//! tied again at each.

use std::any::Any;
use std::collections::{HashSet, VecDeque};
use std::sync::Arc;
use std::sync::atomic::{AtomicU8, Ordering::Relaxed};

use hashbrown::HashTable;

use super::key::Key;

/// Uses that are counted of a thing.
const USES_MAX: u8 = 3;

/// Share of the small queue: one byte of this number.
const SMALL_SHARE: u64 = 10;

/// What a thing costs beside its own bytes: its slot, its place in table and queue, the counts of
/// its `Arc`.
const SLOT_BYTES: u64 = 128;

/// Number of dropped things that stay in the queues at least before these are cleaned.
const DROPPED_MIN: usize = 64;

/// A page or something parsed.
#[derive(Clone, Debug)]
pub(super) enum Cached {
    Page(Arc<[u8]>),
    Parsed(Arc<dyn Any + Send + Sync>),
}

#[derive(Debug)]
struct Slot {
    key: Key,
    hash: u64,
    /// `None` of a thing that was dropped, until its place in a queue is met.
    value: Option<Cached>,
    bytes: u64,
    uses: AtomicU8,
    is_small: bool,
}

manicule_core::counts! {
    /// What one part of the cache did.
    pub(super) struct Changes {
        /// Things that entered.
        populations,
        /// Things that were evicted for others.
        evictions,
        /// Things that were dropped by those who had no more use for them.
        drops,
        /// Things that didn't enter since they are larger than a part of the cache.
        refusals,
    }
}

#[derive(Debug)]
pub(super) struct Shard {
    table: HashTable<u32>,
    slots: Vec<Slot>,
    free: Vec<u32>,
    small: VecDeque<u32>,
    main: VecDeque<u32>,
    small_bytes: u64,
    bytes: u64,
    limit_bytes: u64,
    dropped_count: usize,
    ghosts: VecDeque<u64>,
    ghost_set: HashSet<u64>,
    pub(super) changes: Changes,
}

impl Shard {
    pub(super) fn new(limit_bytes: u64) -> Self {
        Shard {
            table: HashTable::new(),
            slots: Vec::new(),
            free: Vec::new(),
            small: VecDeque::new(),
            main: VecDeque::new(),
            small_bytes: 0,
            bytes: 0,
            limit_bytes,
            dropped_count: 0,
            ghosts: VecDeque::new(),
            ghost_set: HashSet::new(),
            changes: Changes::default(),
        }
    }

    pub(super) fn bytes(&self) -> u64 {
        self.bytes
    }

    pub(super) fn get(&self, key: &Key, hash: u64) -> Option<Cached> {
        let slot = &self.slots[*self.find(key, hash)? as usize];
        // Two hits at once may count as one: uses are an estimate.
        let uses = slot.uses.load(Relaxed);
        if uses < USES_MAX {
            slot.uses.store(uses + 1, Relaxed);
        }
        slot.value.clone()
    }

    fn find(&self, key: &Key, hash: u64) -> Option<&u32> {
        self.table.find(hash, |slot| self.slots[*slot as usize].key == *key)
    }

    /// Adds a thing, unless it is there: then that one is the answer, so that all readers share it.
    pub(super) fn insert(&mut self, key: Key, hash: u64, value: Cached, own_bytes: u64) -> Cached {
        if let Some(there) = self.get(&key, hash) {
            return there;
        }
        let bytes = own_bytes.saturating_add(SLOT_BYTES);
        if bytes > self.limit_bytes {
            self.changes.refusals += 1;
            return value;
        }
        while self.bytes + bytes > self.limit_bytes {
            self.evict_one();
        }
        let returns = self.ghost_set.remove(&hash);
        let uses = AtomicU8::new(0);
        let (is_small, there) = (!returns, Some(value.clone()));
        let slot = self.place(Slot { key, hash, value: there, bytes, uses, is_small });
        let slots = &self.slots;
        self.table.insert_unique(hash, slot, |slot| slots[*slot as usize].hash);
        self.bytes += bytes;
        if returns {
            self.main.push_back(slot);
        } else {
            self.small_bytes += bytes;
            self.small.push_back(slot);
        }
        self.changes.populations += 1;
        value
    }

    fn place(&mut self, slot: Slot) -> u32 {
        if let Some(free) = self.free.pop() {
            self.slots[free as usize] = slot;
            return free;
        }
        self.slots.push(slot);
        u32::try_from(self.slots.len() - 1).expect("a slot takes 128 bytes of the limit")
    }

    /// Takes one step towards fewer bytes: evicts a thing, or moves one on. Some thing is there.
    fn evict_one(&mut self) {
        if self.small_bytes * SMALL_SHARE > self.limit_bytes || self.main.is_empty() {
            self.leave_small();
        } else {
            self.leave_main();
        }
    }

    fn leave_small(&mut self) {
        let Some(slot) = self.small.pop_front() else { return };
        let (is_dropped, bytes, uses) = self.state(slot);
        if is_dropped {
            return self.bury(slot);
        }
        self.small_bytes -= bytes;
        if uses > 0 {
            self.slots[slot as usize].uses.store(0, Relaxed);
            self.slots[slot as usize].is_small = false;
            return self.main.push_back(slot);
        }
        self.remember(self.slots[slot as usize].hash);
        self.evict(slot);
    }

    fn leave_main(&mut self) {
        let Some(slot) = self.main.pop_front() else { return };
        let (is_dropped, _, uses) = self.state(slot);
        if is_dropped {
            return self.bury(slot);
        }
        if uses > 0 {
            self.slots[slot as usize].uses.store(uses - 1, Relaxed);
            return self.main.push_back(slot);
        }
        self.evict(slot);
    }

    fn state(&self, slot: u32) -> (bool, u64, u8) {
        let slot = &self.slots[slot as usize];
        (slot.value.is_none(), slot.bytes, slot.uses.load(Relaxed))
    }

    fn evict(&mut self, slot: u32) {
        self.changes.evictions += 1;
        self.forget(slot);
        self.free.push(slot);
    }

    /// Takes a thing from the table and its bytes from the sum; its place in a queue is the
    /// caller's.
    fn forget(&mut self, slot: u32) {
        let Slot { hash, bytes, value, .. } = &mut self.slots[slot as usize];
        *value = None;
        self.bytes -= *bytes;
        if let Ok(entry) = self.table.find_entry(*hash, |other| *other == slot) {
            entry.remove();
        }
    }

    fn bury(&mut self, slot: u32) {
        self.dropped_count -= 1;
        self.free.push(slot);
    }

    /// As many are remembered as things are held.
    fn remember(&mut self, hash: u64) {
        if self.ghost_set.insert(hash) {
            self.ghosts.push_back(hash);
        }
        while self.ghosts.len() > self.table.len().max(1) {
            self.ghosts.pop_front().map(|oldest| self.ghost_set.remove(&oldest));
        }
    }

    /// Drops a thing that will not be asked for again. One that others used as well stays.
    pub(super) fn drop_unused(&mut self, key: &Key, hash: u64) {
        let Some(&slot) = self.find(key, hash) else { return };
        let Slot { uses, is_small, bytes, .. } = &self.slots[slot as usize];
        if uses.load(Relaxed) > 0 {
            return;
        }
        if *is_small {
            self.small_bytes -= *bytes;
        }
        self.forget(slot);
        self.changes.drops += 1;
        self.dropped_count += 1;
        if self.dropped_count > DROPPED_MIN.max(self.table.len()) {
            self.clean();
        }
    }

    fn clean(&mut self) {
        for queue in [&mut self.small, &mut self.main] {
            queue.retain(|slot| {
                let is_there = self.slots[*slot as usize].value.is_some();
                if !is_there {
                    self.free.push(*slot);
                }
                is_there
            });
        }
        self.dropped_count = 0;
    }
}
