//! What SSTables say of themselves, and the shape of a partition's index.

use std::path::PathBuf;

use manicule_core::watch::Watch;
use manicule_rows::inspect::inspect as inspect_one;
pub use manicule_rows::inspect::{
    BlockShape, CompressionShown, FilterShown, IndexKind, KeyShown, PartitionShape,
    SstableInspection,
};
use manicule_rows::table::LeftOut;

use super::error::Error;
use super::listing::Listing;
use super::open::reading_within;
use super::slice::read_key;
use super::table::Table;

/// The SSTables of a table.
#[derive(Debug)]
pub struct TableInspection {
    /// Its path.
    pub path: PathBuf,
    /// Those that could be read, by version and generation.
    pub sstables: Vec<SstableInspection>,
    /// Files that are no finished SSTable.
    pub left_out: Vec<LeftOut>,
    /// Those that could not be read, and why.
    pub broken: Vec<Error>,
}

/// Bytes that an inspection may hold beside the cache.
const MEMORY_BYTES: u64 = 256 << 20;

impl Table {
    /// Inspects its SSTables, and the index of the partition of a key, which is as CQL writes it;
    /// without one, of the largest. The index of each is read once.
    ///
    /// # Errors
    /// Where none of them can be read.
    pub fn inspect(&self, key: Option<&str>, watch: &Watch<'_>) -> Result<TableInspection, Error> {
        let ((sstables, mut broken), listing) =
            self.with_listing(|listing| self.inspect_each(listing, key, watch))?;
        match (sstables.is_empty(), broken.pop()) {
            (true, Some(error)) => Err(error),
            (_, last) => {
                broken.extend(last);
                let (path, left_out) = (self.path().to_owned(), listing.left_out.clone());
                Ok(TableInspection { path, sstables, left_out, broken })
            }
        }
    }

    /// Those that could be read, and the errors of the others.
    fn inspect_each(
        &self,
        listing: &Listing,
        key: Option<&str>,
        watch: &Watch<'_>,
    ) -> Result<(Vec<SstableInspection>, Vec<Error>), Error> {
        let (mut sstables, mut broken) = (Vec::new(), Vec::new());
        for (place, listed) in listing.listed.iter().enumerate() {
            let inspected = reading_within(MEMORY_BYTES, |reading| {
                let header = listing.header(place, &self.reads, reading)?;
                let key = key.map(|text| read_key(&header, text)).transpose()?;
                Ok(inspect_one(listed, key.as_deref(), &self.reads, reading, watch)?)
            });
            match inspected {
                Ok(inspected) => sstables.push(inspected),
                // A text that is no key of one is none of any.
                Err(error @ Error::Literal { .. }) => return Err(error),
                Err(Error::Rows(error)) if error.is_vanished() => return Err(error.into()),
                Err(error) => broken.push(error),
            }
        }
        Ok((sstables, broken))
    }
}
