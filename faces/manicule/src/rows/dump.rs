//! An SSTable as sstabledump prints it.
//!
//! Callers: faces

use manicule_core::watch::Watch;
use manicule_rows::{DumpForm, RowsError, scan};

use super::error::Error;
use super::open::Open;

/// Arguments of a dump.
#[derive(Clone, Debug)]
pub struct DumpCall {
    /// The time in seconds since 1970 by which something has expired.
    pub now: i64,
    /// Whether times are numbers as they are stored.
    pub has_raw_times: bool,
}

/// Prints the only SSTable as one JSON array, in the form of the sstabledump of the release that wrote it; `take` receives it in parts.
///
/// Data.db is read once. Memory: a window of 1 MiB, and the text of one row beside 64 KiB.
pub fn dump<E: From<Error>>(
    open: &Open,
    call: &DumpCall,
    watch: &Watch<'_>,
    mut take: impl FnMut(&str) -> Result<(), E>,
) -> Result<(), E> {
    let sstable = open.only()?;
    let DumpCall { now, has_raw_times } = *call;
    let form = DumpForm { has_raw_times, ..DumpForm::of(sstable.version(), now) };
    open.reading(|reading| {
        scan::dump(sstable, form, reading, watch, |part| take(part).map_err(Ended::Taken)).map_err(
            |ended| match ended {
                Ended::Taken(error) => error,
                Ended::Rows(error) => Error::Rows(error).into(),
            },
        )
    })
}

/// Why a dump ended early: by the caller, or by the table.
enum Ended<E> {
    Taken(E),
    Rows(RowsError),
}

impl<E> From<RowsError> for Ended<E> {
    fn from(error: RowsError) -> Self {
        Ended::Rows(error)
    }
}
