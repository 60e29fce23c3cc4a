//! Permits for threads: how many calls may have beside their own.

use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

/// A number of threads, of which calls take some and give them back.
#[derive(Debug)]
pub struct Permits {
    limit: usize,
    taken: AtomicUsize,
    peak: AtomicUsize,
}

/// Threads that a call may have, until it is dropped.
#[derive(Debug)]
pub struct Permit<'p> {
    permits: &'p Permits,
    count: usize,
}

impl Permits {
    /// Permits of which none is taken.
    pub fn new(limit: usize) -> Permits {
        Permits { limit, taken: AtomicUsize::new(0), peak: AtomicUsize::new(0) }
    }

    /// Takes as many as are free, `wanted` at most.
    pub fn take_free(&self, wanted: usize) -> Permit<'_> {
        let free = |taken: usize| wanted.min(self.limit.saturating_sub(taken));
        let grant = |taken: usize| Some(taken + free(taken));
        let before = self.taken.fetch_update(Relaxed, Relaxed, grant).expect("it always grants");
        self.permit(before, free(before))
    }

    /// Takes `count`, though more than the limit be taken then: where a call could not go on
    /// without.
    pub fn take_even_over(&self, count: usize) -> Permit<'_> {
        self.permit(self.taken.fetch_add(count, Relaxed), count)
    }

    /// Takes as many as are free, `wanted` at most, and one in any case.
    pub fn take_one_at_least(&self, wanted: usize) -> Permit<'_> {
        let free = self.take_free(wanted);
        if free.count > 0 { free } else { self.take_even_over(1) }
    }

    fn permit(&self, before: usize, count: usize) -> Permit<'_> {
        self.peak.fetch_max(before + count, Relaxed);
        Permit { permits: self, count }
    }

    /// Number of threads that are taken now.
    pub fn taken(&self) -> usize {
        self.taken.load(Relaxed)
    }

    /// The most that were taken at a time.
    pub fn peak(&self) -> usize {
        self.peak.load(Relaxed)
    }
}

impl Permit<'_> {
    /// Number of threads.
    pub fn count(&self) -> usize {
        self.count
    }
}

impl Drop for Permit<'_> {
    fn drop(&mut self) {
        self.permits.taken.fetch_sub(self.count, Relaxed);
    }
}
