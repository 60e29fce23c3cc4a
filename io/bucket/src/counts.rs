//! What was asked of an object store: requests by kind, rounds, bytes, and what they cost.

use std::sync::{Mutex, MutexGuard, PoisonError};

manicule_core::counts! {
    /// What was asked of an object store: every request that was sent, failed ones and those for
    /// credentials too.
    pub struct Counts {
        /// Length of the longest chain of requests of which each had to wait for the one before,
        /// whichever bucket that one was of. Those that went out side by side are one.
        rounds,
        /// Pages of listings.
        lists,
        /// Looks at an object without its bytes.
        heads,
        /// Reads of an object, or of a range of one.
        gets,
        /// Writes: of objects, and of parts of them.
        puts,
        /// Removals.
        deletes,
        /// Bytes of answers.
        read_bytes,
        /// Bytes of objects that were sent.
        written_bytes,
    }
}

impl Counts {
    /// Requests of all kinds.
    pub fn requests(&self) -> u64 {
        self.lists + self.heads + self.gets + self.puts + self.deletes
    }

    /// What was counted since `earlier`.
    #[must_use]
    pub fn since(&self, earlier: &Counts) -> Counts {
        Counts {
            rounds: self.rounds - earlier.rounds,
            lists: self.lists - earlier.lists,
            heads: self.heads - earlier.heads,
            gets: self.gets - earlier.gets,
            puts: self.puts - earlier.puts,
            deletes: self.deletes - earlier.deletes,
            read_bytes: self.read_bytes - earlier.read_bytes,
            written_bytes: self.written_bytes - earlier.written_bytes,
        }
    }
}

/// Prices in US dollars.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Prices {
    /// Of a thousand pages of listings, or writes.
    pub thousand_writes: f64,
    /// Of a thousand reads, or looks.
    pub thousand_reads: f64,
    /// Of a GB that leaves the region for the internet; within the region it costs nothing.
    pub gb_out: f64,
}

impl Prices {
    /// S3 Standard in `us-east-1`, as of 2025: the first ten TB of a month.
    pub const S3_STANDARD: Prices =
        Prices { thousand_writes: 0.005, thousand_reads: 0.0004, gb_out: 0.09 };

    /// What was counted costs this much where its bytes leave the region. Removals cost nothing.
    pub fn cost(&self, counts: &Counts) -> f64 {
        let writes = (counts.lists + counts.puts) as f64 / 1e3;
        let reads = (counts.gets + counts.heads) as f64 / 1e3;
        let gb = counts.read_bytes as f64 / 1e9;
        writes * self.thousand_writes + reads * self.thousand_reads + gb * self.gb_out
    }
}

/// Kind of a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Asked {
    List,
    Head,
    Get,
    Put,
    Delete,
}

/// Counts of a bucket, to which its requests add.
#[derive(Debug, Default)]
pub(crate) struct Tally(Mutex<Counts>);

impl Tally {
    pub(crate) fn counts(&self) -> Counts {
        *self.lock()
    }

    fn lock(&self) -> MutexGuard<'_, Counts> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A request begins.
    pub(crate) fn begin(&self, asked: Asked, written_bytes: u64) {
        let mut counts = self.lock();
        let kind = match asked {
            Asked::List => &mut counts.lists,
            Asked::Head => &mut counts.heads,
            Asked::Get => &mut counts.gets,
            Asked::Put => &mut counts.puts,
            Asked::Delete => &mut counts.deletes,
        };
        *kind += 1;
        counts.written_bytes += written_bytes;
    }

    /// A request has ended, the last of a chain of this length.
    pub(crate) fn end(&self, rounds: u64) {
        let mut counts = self.lock();
        counts.rounds = counts.rounds.max(rounds);
    }

    pub(crate) fn read(&self, bytes: u64) {
        self.lock().read_bytes += bytes;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_price_is_of_requests_and_bytes() {
        let counts = Counts {
            lists: 1000,
            puts: 1000,
            gets: 500,
            heads: 500,
            read_bytes: 1_000_000_000,
            ..Counts::default()
        };
        let cost = Prices::S3_STANDARD.cost(&counts);
        assert!((cost - (0.01 + 0.0004 + 0.09)).abs() < 1e-9, "{cost}");
    }
}
