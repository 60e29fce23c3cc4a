//! The SSTables of a table side by side: a line of each, and which are expired.

use manicule_rows::table::{self, LeftOut};

use super::error::Error;
use super::table::Table;

pub use manicule_rows::table::{Blocker, Expired, Overview, expired};

/// The SSTables of a table.
#[derive(Debug)]
pub struct Overviews {
    /// Those that can be read, by version and generation.
    pub list: Vec<Overview>,
    /// Why others can't be read.
    pub errors: Vec<Error>,
    /// Files that are no finished SSTable.
    pub left_out: Vec<LeftOut>,
}

impl Table {
    /// Reads what its SSTables say of themselves. Of their data and indexes nothing is read.
    pub fn overviews(&self) -> Result<Overviews, Error> {
        let mut is_listed_again = false;
        let ((list, errors), listing) = self.with_listing(|listing| {
            let (list, mut errors) =
                self.reading(|reading| table::overviews(&listing.listed, &self.reads, reading));
            let vanished = errors.iter().position(|error| error.is_vanished());
            if let Some(vanished) = vanished.filter(|_| !is_listed_again) {
                is_listed_again = true;
                return Err(errors.swap_remove(vanished).into());
            }
            Ok((list, errors))
        })?;
        let errors = errors.into_iter().map(Error::Rows).collect();
        Ok(Overviews { list, errors, left_out: listing.left_out.clone() })
    }
}
