//! An SSTable as sstabledump prints it, whole, in part, or what can be read of a damaged one.

use manicule_core::watch::Watch;
use manicule_rows::table::Sstable;
use manicule_rows::{DumpForm, RowsError, scan};

use super::error::Error;
use super::keys::{key_text, read_key};
use super::open::{OpenCall, only_with_data, reading_within, reads};
use super::table::Table;

pub use manicule_rows::DumpLayout;
pub use manicule_rows::scan::{Loss, LossKind, Selection};

/// Arguments of a dump.
#[derive(Clone, Debug)]
pub struct DumpCall {
    /// What is printed.
    pub layout: DumpLayout,
    /// Keys of the partitions that are printed, as CQL writes them or as sstabledump takes them;
    /// none: all.
    pub only: Vec<String>,
    /// Keys of those that aren't.
    pub without: Vec<String>,
    /// The time in seconds since 1970 by which something has expired.
    pub now: i64,
    /// Whether times are numbers as they are stored.
    pub has_raw_times: bool,
}

impl DumpCall {
    fn form(&self, sstable: &Sstable) -> DumpForm {
        let DumpCall { layout, now, has_raw_times, .. } = *self;
        DumpForm { layout, has_raw_times, ..DumpForm::of(sstable.version(), now) }
    }

    fn selection(&self, sstable: &Sstable) -> Result<Selection, Error> {
        let read = |texts: &[String]| -> Result<Vec<_>, _> {
            texts.iter().map(|text| read_key(sstable, text)).collect()
        };
        let (mut only, without) = (read(&self.only)?, read(&self.without)?);
        Ok(match (self.only.is_empty(), without.is_empty()) {
            (true, true) => Selection::All,
            (true, false) => Selection::Without(without),
            (false, _) => {
                only.retain(|key| !without.contains(key));
                Selection::Only(only)
            }
        })
    }
}

impl Table {
    /// Prints the only SSTable as one JSON array, in the form of the sstabledump of the release
    /// that wrote it, or as `call` says; `take` receives it in parts.
    ///
    /// What is printed of Data.db is read once. Memory: a window of 1 MiB, and the text of one row
    /// beside 64 KiB.
    pub fn dump<E: From<Error>>(
        &self,
        call: &DumpCall,
        watch: &Watch<'_>,
        mut take: impl FnMut(&str) -> Result<(), E>,
    ) -> Result<(), E> {
        let (sstable, _) = self.only()?;
        let (form, selection) = (call.form(&sstable), call.selection(&sstable)?);
        let dumped = self.reading(|reading| {
            scan::dump(&sstable, form, &selection, reading, watch, |part| {
                take(part).map_err(Ended::Taken)
            })
        });
        dumped.map_err(Ended::into_error)
    }
}

/// Prints what can be read of an SSTable that may be damaged, all partitions of it; `take` receives
/// it in parts, `lose` what is damaged, with the partition's key as CQL writes it.
///
/// The files are opened here, TOC.txt isn't asked, and they are read by position: a disk that can't
/// read a sector is damage too. Data.db and the index are read once. Memory: a chunk of the data, a
/// window of the index, and the text of one row beside 64 KiB.
pub fn dump_damaged<E: From<Error>>(
    open: &OpenCall,
    call: &DumpCall,
    watch: &Watch<'_>,
    mut take: impl FnMut(&str) -> Result<(), E>,
    mut lose: impl FnMut(&Loss, Option<&str>),
) -> Result<(), E> {
    let listed = only_with_data(&open.path)?;
    let options = reads()?;
    reading_within(open.memory, |reading| {
        let sstable = Sstable::open_damaged(&listed, &options, reading).map_err(Error::Rows)?;
        let mut taken = |part: &str| take(part).map_err(Ended::Taken);
        let mut lost = |loss: Loss| {
            let key = key_of(&loss, &sstable);
            lose(&loss, key.as_deref());
        };
        let form = call.form(&sstable);
        let salvaged = scan::print_damaged(&sstable, form, reading, watch, &mut taken, &mut lost);
        salvaged.map_err(Ended::into_error)
    })
}

/// Key of the partition that something was lost of, as CQL writes it.
pub(super) fn key_of(loss: &Loss, sstable: &Sstable) -> Option<String> {
    loss.key.as_ref().map(|key| key_text(sstable, key))
}

/// Why a dump ended early: by the caller, or by the table.
pub(super) enum Ended<E> {
    Taken(E),
    Rows(RowsError),
}

impl<E: From<Error>> Ended<E> {
    pub(super) fn into_error(self) -> E {
        match self {
            Ended::Taken(error) => error,
            Ended::Rows(error) => Error::Rows(error).into(),
        }
    }
}

impl<E> From<RowsError> for Ended<E> {
    fn from(error: RowsError) -> Self {
        Ended::Rows(error)
    }
}
