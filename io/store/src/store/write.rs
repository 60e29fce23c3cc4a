//! Stores that are written.

use std::fmt;
use std::fs;
use std::path::Path;

use manicule_core::watch::Meter;

use super::error::StoreError;
use super::name::Name;
use super::version::Version;

/// What a file may be put in place of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Replace {
    /// Whatever has its name.
    Any,
    /// This version alone; for `None`, nothing at all. All who write the name have to ask so, and
    /// hold the file open that they have seen: see [`super::Look::version`].
    If(Option<Version>),
}

/// Files that are put whole, and removed.
pub trait WriteStore: fmt::Debug + Send + Sync {
    /// Puts a file whole, in place of the one that has its name: it is there with all its bytes, or
    /// not there. Folders on the way are made. After `Ok`, with the version that it got, it
    /// outlives a power cut.
    ///
    /// # Errors
    /// Among others one that [`StoreError::is_replaced`] says so of, where `replace` names another
    /// version.
    fn put(&self, file: &Name, bytes: &[u8], replace: Replace) -> Result<Version, StoreError>;

    /// As [`WriteStore::put`] of the bytes of a local file; `meter` counts them. A store that can
    /// put a file in parts holds some of them in memory, any other the whole file.
    ///
    /// # Errors
    /// Among others one that [`StoreError::is_stopped`] says so of.
    fn put_file(
        &self,
        file: &Name,
        source: &Path,
        replace: Replace,
        meter: &Meter<'_>,
    ) -> Result<Version, StoreError> {
        let unread = |error| StoreError { file: source.to_owned(), source: error };
        let bytes = fs::read(source).map_err(unread)?;
        let version = self.put(file, &bytes, replace)?;
        meter.add(bytes.len() as u64);
        Ok(version)
    }

    /// Removes a file. One that is gone already is no error.
    fn remove(&self, file: &Name) -> Result<(), StoreError>;

    /// Removes what interrupted puts of files in a folder have left, if `is_own` holds for the name
    /// that the file would have got. A folder that is not there has nothing left in it.
    fn sweep(&self, folder: &Name, is_own: &dyn Fn(&str) -> bool) -> Result<(), StoreError>;
}
