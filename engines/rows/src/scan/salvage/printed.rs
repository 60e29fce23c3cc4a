//! What can be read of a damaged SSTable as a dump.

use manicule_core::watch::Watch;
use manicule_format_sstable::{Dump, DumpForm, DumpPlace, Unfiltered};
use manicule_store::pages::Reading;

use super::{FoundPartition, Keep, Loss, salvage};
use crate::RowsError;
use crate::table::Sstable;

/// Length in bytes from which on what was printed is handed out.
const TEXT_LEN: usize = 1 << 16;

/// Prints what can be read of an SSTable that was opened by [`Sstable::open_damaged`]; `take`
/// receives it in parts, `lose` what is damaged, in the order in which it is met.
///
/// Cost: Data.db and the index are read once, and what is damaged a few times. Memory: a chunk of
///       the data, a window of the index, and the
/// text of one row beside 64 KiB.
///
/// # Errors
/// Those of `take`, and a stop. Whatever the table has is no error.
pub fn print_damaged<E: From<RowsError>>(
    sstable: &Sstable,
    form: DumpForm,
    reading: &mut Reading<'_>,
    watch: &Watch<'_>,
    take: &mut dyn FnMut(&str) -> Result<(), E>,
    lose: &mut dyn FnMut(Loss),
) -> Result<(), E> {
    let dump = Dump::new(sstable.header(), sstable.shape(), form);
    let mut printed = Printed { sstable, dump, out: String::new(), take };
    salvage(sstable, &mut printed, reading, watch, lose)?;
    let Printed { dump, mut out, take, .. } = printed;
    dump.end(&mut out);
    take(&out)
}

/// A dump of what is kept.
struct Printed<'t, 'k, E> {
    sstable: &'t Sstable,
    dump: Dump<'t>,
    /// What was printed and not handed out.
    out: String,
    take: &'k mut dyn FnMut(&str) -> Result<(), E>,
}

impl<E: From<RowsError>> Keep for Printed<'_, '_, E> {
    type Error = E;

    fn begin(
        &mut self,
        found: &FoundPartition<'_>,
        _: &mut Reading<'_>,
    ) -> Result<Option<String>, E> {
        let FoundPartition { key, at, rows_at, deletion, .. } = *found;
        self.dump.begin_partition(key, &DumpPlace { at, rows_at, deletion }, &mut self.out);
        Ok(None)
    }

    fn keep(&mut self, unfiltered: &Unfiltered<'_>) -> Result<Option<String>, E> {
        if let Err(error) = self.dump.unfiltered(unfiltered, &mut self.out) {
            return Ok(Some(self.sstable.data().damaged(error).to_string()));
        }
        if self.out.len() >= TEXT_LEN {
            (self.take)(&self.out)?;
            self.out.clear();
        }
        Ok(None)
    }

    fn lost_marker(&mut self) {}

    fn end(&mut self) -> Result<(), E> {
        self.dump.end_partition(&mut self.out);
        Ok(())
    }
}
