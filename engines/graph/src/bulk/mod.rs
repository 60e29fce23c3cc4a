//! Documents into an empty store, all at once: terms sorted, rows sorted, files written once,
//! nothing of it in the log.
//!
//! | step | file |
//! |---|---|
//! | pieces of documents, dealt out to threads | `feed`, `load` |
//! | statements into runs: terms once each, rows of their numbers | `collect`, `table` |
//! | a run in order, in memory or on tapes | `run`, `order`, `tape` |
//! | terms of all runs merged: ranks, which are ids, and the dictionary | `terms`, `dictionary`, `heads` |
//! | triple terms that name blank nodes, whose numbers come last | `triples` |
//! | rows by each order, packed into leaves and counted | `sort`, `radix`, `rows` |
//! | the whole, published | `build` |
//!
//! A compaction (`compact`) takes the terms and rows of a store in place of runs.
//!
//! A load through a transaction gives the same store but for its ids, and is its plain twin.

mod build;
mod collect;
mod compact;
mod dictionary;
mod feed;
mod heads;
mod load;
mod order;
mod radix;
mod rows;
mod run;
mod sort;
mod table;
mod tape;
mod terms;
mod triples;

pub use compact::{Compacted, compact};
pub use load::{BulkLoaded, load_bulk};

/// What a bulk load or a compaction takes.
#[derive(Clone, Copy, Debug)]
pub struct BulkOptions {
    /// Bytes of memory, about. What needs more waits in a file in the store's folder.
    pub memory: u64,
    /// Number of threads.
    pub threads: usize,
}

impl BulkOptions {
    /// The memory as a length.
    fn memory_len(&self) -> usize {
        usize::try_from(self.memory).unwrap_or(usize::MAX)
    }
}
