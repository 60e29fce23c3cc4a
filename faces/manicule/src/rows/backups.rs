//! The backups by Medusa or ScyllaDB Manager at a prefix.

use std::path::Path;
use std::sync::Arc;

use manicule_rows::backups;
pub use manicule_rows::backups::{Backup, BackupFiles, BackupNode};
use manicule_store::store::{LocalStore, Store};

use super::error::Error;
use crate::place::remote;

/// The backups by Medusa or ScyllaDB Manager at a prefix, in a folder or at an address: those that
/// began first at first.
///
/// An index and the manifests are read, nothing of the tables.
///
/// # Errors
/// A place without backups.
pub fn backups_at(prefix: &Path) -> Result<Vec<Backup>, Error> {
    let remote = remote(prefix).map_err(|error| Error::Rows(error.into()))?;
    let store: Arc<dyn Store> = match remote {
        Some(remote) => remote.folder(),
        None => Arc::new(LocalStore::at(prefix)),
    };
    Ok(backups::backups(&*store)?)
}
