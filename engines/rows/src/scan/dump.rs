//! Everything in an SSTable, as sstabledump prints it.
//!
//! Callers: faces/manicule

use manicule_core::watch::{Phase, Unit, Watch};
use manicule_format_sstable::{Dump, DumpForm, DumpPlace, Unfiltered};
use manicule_store::pages::Reading;

use super::walk::Walk;
use crate::RowsError;
use crate::table::Sstable;

/// Length in bytes from which on what was printed is handed out.
const TEXT_LEN: usize = 1 << 16;

/// Prints an SSTable as one JSON array; `take` receives it in parts.
///
/// Cost: Data.db is read once. Memory: a window, and the text of one row beside 64 KiB.
pub fn dump<E: From<RowsError>>(
    sstable: &Sstable,
    form: DumpForm,
    reading: &mut Reading<'_>,
    watch: &Watch<'_>,
    mut take: impl FnMut(&str) -> Result<(), E>,
) -> Result<(), E> {
    let damaged = |error| sstable.data().damaged(error);
    let mut walk = Walk::new(sstable);
    let mut dump = Dump::new(sstable.header(), sstable.shape(), form);
    let mut out = String::new();
    let meter = watch.phase(Phase::Reading, Unit::Bytes, sstable.data_len());
    while let Some(head) = walk.begin(reading)? {
        let (at, rows_at) = (head.position, head.position + head.len);
        let place = DumpPlace { at, rows_at, deletion: head.deletion };
        dump.begin_partition(walk.key(), &place, &mut out);
        if let Some(row) = head.static_row(sstable)? {
            dump.unfiltered(&Unfiltered::Row(row), &mut out).map_err(damaged)?;
        }
        let mut last_at = at;
        while let Some(unfiltered) = walk.next(reading)? {
            dump.unfiltered(&unfiltered, &mut out).map_err(damaged)?;
            if out.len() >= TEXT_LEN {
                take(&out)?;
                out.clear();
                meter.step(walk.at() - last_at).map_err(RowsError::from)?;
                last_at = walk.at();
            }
        }
        dump.end_partition(&mut out);
        meter.step(walk.at() - last_at).map_err(RowsError::from)?;
    }
    dump.end(&mut out);
    meter.end();
    take(&out)
}
