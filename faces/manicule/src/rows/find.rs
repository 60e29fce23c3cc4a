//! Keys, clusterings and values of SSTables that match.

use std::ops::ControlFlow;

use manicule_core::watch::Watch;
use manicule_rows::scan;
pub use manicule_rows::scan::{FindCall, FindCounts, Found, FoundRow};
use manicule_rows::table::Sstable;

use super::error::Error;
use super::table::Table;

impl Table {
    /// Calls `found` for everything in one of its SSTables that matches, in the order of the file,
    /// until it breaks.
    ///
    /// What is deleted or has expired by now is found too: the SSTable holds it. Data.db is read
    /// once; memory: a window of 1 MiB.
    pub fn find(
        &self,
        sstable: &Sstable,
        call: &FindCall<'_>,
        counts: &mut FindCounts,
        watch: &Watch<'_>,
        found: &mut dyn FnMut(&Found<'_>) -> ControlFlow<()>,
    ) -> Result<(), Error> {
        Ok(self.reading(|reading| scan::find(sstable, call, counts, reading, watch, found))?)
    }
}
