//! Memory that may be held at a time: by a call (pages and parsed values that it has in hand, and
//! buffers of its own), and by all calls together.

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use manicule_core::ErrorClass;

/// A number of bytes, of which calls take and give back.
#[derive(Debug)]
pub struct Budget {
    limit_bytes: u64,
    held_bytes: AtomicU64,
    peak_bytes: AtomicU64,
    /// That of all calls, of which this one is a share.
    all: Option<Arc<Budget>>,
}

/// More than the budget was needed at a time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OverBudget {
    /// The budget.
    pub limit_bytes: u64,
    /// What would have been held.
    pub wanted_bytes: u64,
    /// Whether other calls hold so much of it that this one has no room.
    pub is_of_others: bool,
}

impl OverBudget {
    /// Class of the error: busy, where the same call may succeed later.
    pub fn class(&self) -> ErrorClass {
        if self.is_of_others { ErrorClass::Busy } else { ErrorClass::TooMuch }
    }
}

impl fmt::Display for OverBudget {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let OverBudget { limit_bytes: limit, wanted_bytes: wanted, is_of_others } = *self;
        if is_of_others {
            write!(f, "memory of all calls: wanted at most {limit} bytes, needed {wanted}; ")?;
            return f.write_str("try again when others have ended");
        }
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
        Budget::of(limit_bytes, None)
    }

    /// A share of this budget: what is taken of it is taken of both.
    pub fn share(self: &Arc<Self>, limit_bytes: u64) -> Arc<Self> {
        // One without a limit is spared the counting.
        Budget::of(limit_bytes, (self.limit_bytes < u64::MAX).then(|| Arc::clone(self)))
    }

    fn of(limit_bytes: u64, all: Option<Arc<Budget>>) -> Arc<Self> {
        let (held_bytes, peak_bytes) = (AtomicU64::new(0), AtomicU64::new(0));
        Arc::new(Budget { limit_bytes, held_bytes, peak_bytes, all })
    }

    /// Takes bytes, unless more than the limit would be held.
    pub fn take(self: &Arc<Self>, bytes: u64) -> Result<Held, OverBudget> {
        self.add(bytes)?;
        Ok(Held { budget: Arc::clone(self), bytes })
    }

    fn add(&self, bytes: u64) -> Result<(), OverBudget> {
        let held = self.held_bytes.fetch_add(bytes, Relaxed).saturating_add(bytes);
        let limit_bytes = self.limit_bytes;
        let added = if held > limit_bytes {
            Err(OverBudget { limit_bytes, wanted_bytes: held, is_of_others: false })
        } else {
            self.all.as_ref().map_or(Ok(()), |all| all.add_for_one(bytes, held))
        };
        match added {
            Ok(()) if held > self.peak_bytes.load(Relaxed) => {
                self.peak_bytes.fetch_max(held, Relaxed);
            }
            Ok(()) => {}
            Err(_) => drop(self.held_bytes.fetch_sub(bytes, Relaxed)),
        }
        added
    }

    /// Takes bytes for a call that holds `own_bytes` then.
    fn add_for_one(&self, bytes: u64, own_bytes: u64) -> Result<(), OverBudget> {
        let is_of_others = own_bytes <= self.limit_bytes;
        self.add(bytes).map_err(|over| OverBudget { is_of_others, ..over })
    }

    fn give_back(&self, bytes: u64) {
        self.held_bytes.fetch_sub(bytes, Relaxed);
        if let Some(all) = &self.all {
            all.give_back(bytes);
        }
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

impl Held {
    /// Nothing yet of a budget.
    pub fn nothing_of(budget: Arc<Budget>) -> Held {
        Held { budget, bytes: 0 }
    }

    /// Holds `bytes` in all, where it is less so far.
    pub fn raise(&mut self, bytes: u64) -> Result<(), OverBudget> {
        let more = bytes.saturating_sub(self.bytes);
        if more > 0 {
            self.budget.add(more)?;
            self.bytes = bytes;
        }
        Ok(())
    }

    /// Bytes that it holds.
    pub fn bytes(&self) -> u64 {
        self.bytes
    }
}

impl Drop for Held {
    fn drop(&mut self) {
        self.budget.give_back(self.bytes);
    }
}
