//! Stores by their addresses.

use std::fmt;
use std::sync::Arc;

use crate::store::{Name, Store, StoreError};

manicule_core::counts! {
    /// What was asked of object stores, as receipts have it.
    pub struct Cost {
        /// Requests.
        requests = "bucket_requests",
        /// Requests, or requests side by side, that had to wait for those before them.
        rounds = "bucket_rounds",
        /// Bytes of their answers.
        bytes = "bucket_bytes",
        /// Price by the list of prices, in billionths of a US dollar.
        nanodollars = "bucket_nanodollars",
    }
}

/// What opens addresses such as `s3://bucket/prefix`: its stores share connections and counts.
pub trait Addresses: fmt::Debug + Send + Sync {
    /// The store that an address is in, and its name there. Nothing is asked of the store yet.
    ///
    /// # Errors
    /// A text that is no address, or of a kind of store that is not there.
    fn resolve(&self, address: &str) -> Result<(Arc<dyn Store>, Name), StoreError>;

    /// What all stores that it opened were asked for so far; `None` where that isn't counted, or
    /// none was opened.
    fn cost(&self) -> Option<Cost> {
        None
    }
}
