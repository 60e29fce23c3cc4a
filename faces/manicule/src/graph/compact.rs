//! A store written from scratch, or its commits merged.

use std::path::PathBuf;

use manicule_core::watch::Watch;
use manicule_graph::bulk::BulkOptions;
pub use manicule_graph::bulk::Compacted;

use super::error::Error;
use super::load::LOAD_MEMORY;
use super::open::{Writing, open_to_write};

/// Arguments of a compaction.
#[derive(Clone, Debug)]
pub struct CompactCall {
    /// Folder of the store.
    pub store: PathBuf,
    /// Bytes of memory that it takes, about; what needs more waits in a file in the store's folder.
    pub memory: usize,
    /// Number of threads.
    pub threads: usize,
    /// How the store is opened.
    pub writing: Writing,
}

impl CompactCall {
    /// Of a store, with the memory and the threads of a load.
    pub fn new(store: PathBuf) -> Self {
        let threads = std::thread::available_parallelism().map_or(1, usize::from);
        CompactCall { store, memory: LOAD_MEMORY, threads, writing: Writing::PLAIN }
    }
}

/// Writes a store from scratch, beside those who read it: all commits in full leaves, the terms in
/// the order of their texts, those that nothing names any more dropped. `None` if it is so already.
pub fn compact(call: &CompactCall, watch: &Watch<'_>) -> Result<Option<Compacted>, Error> {
    let options = BulkOptions { memory: call.memory, threads: call.threads };
    let store = open_to_write(&call.store, call.writing, watch)?;
    Ok(manicule_graph::bulk::compact(&store, options, watch)?)
}
