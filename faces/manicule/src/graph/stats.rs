//! What a store holds, in numbers.

pub use manicule_graph::stats::{PredicateStats, Predicates, ScopeStats, StoreStats, TermCounts};

use super::error::Error;
use super::store::Store;

impl Store {
    /// Statistics of the store.
    pub fn stats(&self) -> Result<StoreStats, Error> {
        Ok(manicule_graph::stats::stats(&self.snapshot())?)
    }

    /// Its predicates, by the statistics that it keeps.
    pub fn predicates(&self) -> Result<Predicates, Error> {
        Ok(manicule_graph::stats::predicates(&self.snapshot())?)
    }
}
