//! The SSTables of a table side by side: a line of each, and which are expired.

use manicule_rows::table::{self, Access, LeftOut};
use manicule_store::pages::SystemCache;

use super::error::Error;
use super::open::{CACHE_BYTES, OpenCall, reading_within, table_options, with_listed};

pub use manicule_rows::table::{Blocker, Expired, Overview, expired};

/// The SSTables of a path.
#[derive(Debug)]
pub struct Overviews {
    /// Those that can be read, by version and generation.
    pub list: Vec<Overview>,
    /// Why others can't be read.
    pub errors: Vec<Error>,
    /// Files that are no finished SSTable.
    pub left_out: Vec<LeftOut>,
}

/// Reads what the SSTables of a path say of themselves. Of their data and indexes nothing is read.
pub fn overviews(call: &OpenCall) -> Result<Overviews, Error> {
    let options = table_options(Access::Positioned(SystemCache::Used), CACHE_BYTES)?;
    let mut is_listed_again = false;
    let ((list, errors), _, left_out) = with_listed(&call.path, |listed| {
        let (list, mut errors) = reading_within(call.memory_bytes, |reading| {
            table::overviews(listed, &options, reading)
        });
        let vanished = errors.iter().position(|error| error.is_vanished());
        if let Some(vanished) = vanished.filter(|_| !is_listed_again) {
            is_listed_again = true;
            return Err(errors.swap_remove(vanished).into());
        }
        Ok((list, errors))
    })?;
    let errors = errors.into_iter().map(Error::Rows).collect();
    Ok(Overviews { list, errors, left_out })
}
