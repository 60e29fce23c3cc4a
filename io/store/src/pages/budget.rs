//! The memory that a query may hold at a time: pages and parsed values that it has in hand, and
//! buffers of its own.

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// A number of bytes, of which a query takes and gives back.
#[derive(Debug)]
pub struct Budget {
    limit_bytes: u64,
    held_bytes: AtomicU64,
    peak_bytes: AtomicU64,
}

/// More than the budget was needed at a time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OverBudget {
    /// The budget.
    pub limit_bytes: u64,
    /// What would have been held.
    pub wanted_bytes: u64,
}

impl fmt::Display for OverBudget {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (limit, wanted) = (self.limit_bytes, self.wanted_bytes);
        write!(f, "memory of the query: wanted at most {limit} bytes, needed {wanted}; raise it")
    }
}

impl std::error::Error for OverBudget {}

/// Bytes that are held until it is dropped.
#[derive(Debug)]
pub struct Held {
    budget: Arc<Budget>,
    bytes: u64,
}

impl Budget {
    /// A budget of which nothing is held.
    pub fn new(limit_bytes: u64) -> Arc<Self> {
        let (held_bytes, peak_bytes) = (AtomicU64::new(0), AtomicU64::new(0));
        Arc::new(Budget { limit_bytes, held_bytes, peak_bytes })
    }

    /// Takes bytes, unless more than the limit would be held.
    pub fn take(self: &Arc<Self>, bytes: u64) -> Result<Held, OverBudget> {
        let held = self.held_bytes.fetch_add(bytes, Relaxed).saturating_add(bytes);
        if held > self.limit_bytes {
            self.held_bytes.fetch_sub(bytes, Relaxed);
            return Err(OverBudget { limit_bytes: self.limit_bytes, wanted_bytes: held });
        }
        if held > self.peak_bytes.load(Relaxed) {
            self.peak_bytes.fetch_max(held, Relaxed);
        }
        Ok(Held { budget: Arc::clone(self), bytes })
    }

    /// Bytes that are held now.
    pub fn held_bytes(&self) -> u64 {
        self.held_bytes.load(Relaxed)
    }

    /// The most that were held at a time.
    pub fn peak_bytes(&self) -> u64 {
        self.peak_bytes.load(Relaxed)
    }
}

impl Drop for Held {
    fn drop(&mut self) {
        self.budget.held_bytes.fetch_sub(self.bytes, Relaxed);
    }
}
