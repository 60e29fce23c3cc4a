//! A store written from scratch, or its commits merged.

use manicule_core::watch::Watch;
use manicule_graph::bulk::BulkOptions;
pub use manicule_graph::bulk::Compacted;
use manicule_store::context::Context;

use super::error::Error;
use super::load::LOAD_MEMORY;
use super::store::Writer;

/// Arguments of a compaction.
#[derive(Clone, Debug)]
pub struct CompactCall {
    /// Bytes of memory that it takes, about; what needs more waits in a file in the store's folder.
    pub memory: u64,
    /// Number of threads.
    pub threads: usize,
}

impl Default for CompactCall {
    /// With the memory and the threads of a load.
    fn default() -> Self {
        let threads = std::thread::available_parallelism().map_or(1, usize::from);
        CompactCall { memory: LOAD_MEMORY, threads }
    }
}

impl Writer {
    /// Writes the store from scratch, beside those who read it: all commits in full leaves, the
    /// terms in the order of their texts, those that nothing names any more dropped. `None` if it
    /// is so already.
    pub fn compact(
        &self,
        call: &CompactCall,
        watch: &Watch<'_>,
    ) -> Result<Option<Compacted>, Error> {
        let _held = Context::current().hold(call.memory).map_err(Error::Memory)?;
        let options = BulkOptions { memory: call.memory, threads: call.threads };
        Ok(manicule_graph::bulk::compact(&self.engine, options, watch)?)
    }
}
