//! Addresses, in a build without object stores.

use std::io;
use std::path::PathBuf;
use std::sync::Arc;

use manicule_store::context::Addresses;
use manicule_store::store::{Name, Store, StoreError};

use super::reach::Reach;

/// Refuses every address.
#[derive(Debug)]
struct None;

pub(super) fn opener(_: Reach) -> Arc<dyn Addresses> {
    Arc::new(None)
}

impl Addresses for None {
    fn resolve(&self, address: &str) -> Result<(Arc<dyn Store>, Name), StoreError> {
        let what = "this build reads no addresses: one with the feature `buckets` does, such as \
                    that of `cargo install --path faces/cli --features full`";
        let source = io::Error::new(io::ErrorKind::Unsupported, what);
        Err(StoreError { file: PathBuf::from(address), source })
    }
}
