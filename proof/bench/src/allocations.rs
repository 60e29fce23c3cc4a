//! Allocations of a piece of work: their number and bytes.
//!
//! The bench's allocator is the system's with counters in front, which only count while a
//! measurement is running: one flag is read then, and nothing measured elsewhere is affected.

use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::atomic::{AtomicBool, AtomicI64, AtomicU64, Ordering::Relaxed};
use std::sync::{Mutex, PoisonError};

use serde::Serialize;

/// Allocations during a measurement.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub(crate) struct Asked {
    /// Number of allocations: new memory, or more of it.
    pub count: u64,
    /// Number of bytes: of new memory its length, of memory that grows its new length.
    pub len: u64,
    /// The most bytes held at a time, above those held before.
    pub peak: u64,
    /// The bytes held at the end, less those held before.
    pub kept: i64,
}

/// The counters, which count only during a measurement.
struct Counters {
    counts: AtomicBool,
    count: AtomicU64,
    len: AtomicU64,
    /// Bytes held above those held before; fewer, if memory from before was freed.
    held: AtomicI64,
    peak: AtomicI64,
}

impl Asked {
    /// The most bytes held at a time above those held at the end.
    pub(crate) fn transient(&self) -> u64 {
        self.peak.saturating_sub(self.kept.max(0) as u64)
    }
}

impl Counters {
    const fn new() -> Self {
        let [count, len] = [const { AtomicU64::new(0) }; 2];
        let [held, peak] = [const { AtomicI64::new(0) }; 2];
        Self { counts: AtomicBool::new(false), count, len, held, peak }
    }

    /// Starts counting from zero.
    fn start(&self) {
        for counter in [&self.count, &self.len] {
            counter.store(0, Relaxed);
        }
        for bytes in [&self.held, &self.peak] {
            bytes.store(0, Relaxed);
        }
        self.counts.store(true, Relaxed);
    }

    /// Stops counting, and returns the counts.
    fn stop(&self) -> Asked {
        self.counts.store(false, Relaxed);
        let peak = self.peak.load(Relaxed).max(0) as u64;
        let (count, len) = (self.count.load(Relaxed), self.len.load(Relaxed));
        Asked { count, len, peak, kept: self.held.load(Relaxed) }
    }

    /// Counts memory of `len` bytes, which was one of `before` bytes.
    fn note(&self, before: usize, len: usize) {
        if self.counts.load(Relaxed) {
            self.count.fetch_add(1, Relaxed);
            self.len.fetch_add(len as u64, Relaxed);
            let more = len as i64 - before as i64;
            let held = self.held.fetch_add(more, Relaxed) + more;
            self.peak.fetch_max(held, Relaxed);
        }
    }

    /// Counts freed memory.
    fn note_return(&self, len: usize) {
        if self.counts.load(Relaxed) {
            self.held.fetch_sub(len as i64, Relaxed);
        }
    }
}

static COUNTERS: Counters = Counters::new();

/// Does the work, and returns the allocations of all threads meanwhile. One piece of work at a
/// time: another waits.
pub(crate) fn counted<R>(work: impl FnOnce() -> R) -> (R, Asked) {
    static ONE_AT_A_TIME: Mutex<()> = Mutex::new(());
    let _turn = ONE_AT_A_TIME.lock().unwrap_or_else(PoisonError::into_inner);
    COUNTERS.start();
    let result = work();
    (result, COUNTERS.stop())
}

/// The system's allocator, with the counters.
struct Counting;

// SAFETY: every call goes to the system's allocator as it came; counting touches no memory of it.
unsafe impl GlobalAlloc for Counting {
    // SAFETY: the caller's promises are those of `System::alloc`.
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        COUNTERS.note(0, layout.size());
        // SAFETY: passed on as promised.
        unsafe { System.alloc(layout) }
    }

    // SAFETY: the caller's promises are those of `System::alloc_zeroed`.
    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        COUNTERS.note(0, layout.size());
        // SAFETY: passed on as promised.
        unsafe { System.alloc_zeroed(layout) }
    }

    // SAFETY: the caller's promises are those of `System::realloc`.
    unsafe fn realloc(&self, at: *mut u8, layout: Layout, len: usize) -> *mut u8 {
        COUNTERS.note(layout.size(), len);
        // SAFETY: passed on as promised.
        unsafe { System.realloc(at, layout, len) }
    }

    // SAFETY: the caller's promises are those of `System::dealloc`.
    unsafe fn dealloc(&self, at: *mut u8, layout: Layout) {
        COUNTERS.note_return(layout.size());
        // SAFETY: passed on as promised.
        unsafe { System.dealloc(at, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_is_counted_unless_somebody_counts() {
        let counters = Counters::new();
        counters.note(0, 100);
        counters.note_return(40);
        assert_eq!(counters.stop(), Asked::default());
    }

    #[test]
    fn how_often_how_much_the_most_at_a_time_and_what_stays() {
        let counters = Counters::new();
        counters.start();
        counters.note(0, 100);
        counters.note(100, 300);
        counters.note_return(300);
        counters.note(0, 250);
        assert_eq!(counters.stop(), Asked { count: 3, len: 650, peak: 300, kept: 250 });
        counters.start();
        counters.note_return(250);
        counters.note(0, 200);
        let asked = counters.stop();
        assert_eq!(asked, Asked { count: 1, len: 200, peak: 0, kept: -50 }, "memory from before");
    }

    #[test]
    fn the_allocator_counts() {
        // Other tests allocate meanwhile, and free: at least this often, and this much.
        let ((), asked) = counted(|| {
            (0..3).for_each(|_| drop(std::hint::black_box(vec![1u8; 1 << 20])));
        });
        assert!(asked.count >= 3 && asked.len >= 3 << 20, "{asked:?}");
    }
}
