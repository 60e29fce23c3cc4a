//! A sound SSTable of what can be read of a damaged one.

use manicule_core::bytes::DecodeError;
use manicule_core::watch::Watch;
use manicule_format_sstable::{
    Deletion, Dump, DumpForm, DumpPlace, KeyHash, Marker, NO_LOCAL_TIME, Prefix, PrefixBuf,
    PrefixKind, Row, RowHead, RowPart, Unfiltered,
};
use manicule_store::pages::Reading;

use super::data::Compress;
use super::draft::Target;
use super::origin::check_version;
use super::purge::Purge;
use super::rebuild::{RebuildOptions, describe};
use super::table::SstableWriter;
use super::written::Written;
use crate::RowsError;
use crate::merge::marker;
use crate::scan::{self, FoundPartition, Keep, Loss};
use crate::slice::Direction;
use crate::table::{Listed, Sstable, TableOptions};

/// How what is left is written.
#[derive(Clone, Copy, Debug)]
pub struct SalvageOptions {
    /// How the new data is compressed; `None`: not.
    pub compress: Option<Compress>,
    /// Length in bytes from which on a block of rows ends in the index.
    pub block_len: u64,
}

/// Writes what can be read of a damaged SSTable as a sound one of the same version; `lose` receives
/// what is damaged, in the order in which it is met. `None` if nothing is left: then nothing is
/// written.
///
/// What is written is in order, and of each row every value can be printed. A key that neither
/// index nor filter has is not written. A range deletion whose end is lost ends at the last row
/// that was read under it: it deletes less than it did.
///
/// Needed are Data.db, Statistics.db with its header, and CompressionInfo.db of compressed data.
/// Cost: these and the index are read once, and what is damaged a few times. Memory: some MiB, the
/// longest row, and the filter.
pub fn salvage(
    listed: &Listed,
    target: &Target,
    options: &SalvageOptions,
    table: &TableOptions,
    reading: &mut Reading<'_>,
    watch: &Watch<'_>,
    lose: &mut dyn FnMut(Loss, &Sstable),
) -> Result<Option<Written>, RowsError> {
    check_version(listed)?;
    let sstable = Sstable::open_damaged(listed, table, reading)?;
    let SalvageOptions { compress, block_len } = *options;
    let rebuilt = RebuildOptions { filter_chance: None, block_len, index_interval: None };
    let (described, _) = describe(&sstable, listed, &rebuilt, table, reading)?;
    let writer = SstableWriter::create(target, described, compress)?;
    let mut kept = Kept::new(&sstable, writer);
    let lose = &mut |loss| lose(loss, &sstable);
    scan::salvage(&sstable, &mut kept, reading, watch, lose)?;
    kept.writer.finish()
}

/// The SSTable that is written.
struct Kept<'t> {
    sstable: &'t Sstable,
    writer: SstableWriter,
    /// What can't be printed isn't sound.
    dump: Dump<'t>,
    text: String,
    /// The range deletion that is open in what was written.
    open: Option<Deletion>,
    /// Place of the last marker, and the deletion that begins there: written when the next row
    /// shows that the deletion reaches it.
    held: Option<(PrefixBuf, Option<Deletion>)>,
    /// Whether markers may have been lost.
    is_unsure: bool,
    /// Place of what was written last.
    last: PrefixBuf,
}

impl<'t> Kept<'t> {
    fn new(sstable: &'t Sstable, writer: SstableWriter) -> Self {
        let form = DumpForm::of(sstable.version(), 0);
        let dump = Dump::new(sstable.header(), sstable.shape(), form);
        let last = PrefixBuf::of(&Prefix::FIRST);
        let (open, held, is_unsure) = (None, None, false);
        Kept { sstable, writer, dump, text: String::new(), open, held, is_unsure, last }
    }

    fn row(&mut self, row: &Row<'_>) -> Result<(), RowsError> {
        let parts: Result<Vec<RowPart<'_>>, DecodeError> =
            row.cells(self.sstable.shape()).collect();
        let mut parts = parts.map_err(|error| self.sstable.data().damaged(error))?;
        // Cells that the deletion of their own collection hides: no writer writes them, Cassandra
        // reads past them.
        Purge::NOTHING.parts(&mut parts, Deletion::LIVE);
        let (head, parts) = (RowHead::of(row), parts.iter().copied());
        let says_nothing = head.says_nothing() && parts.len() == 0;
        if says_nothing {
            return Ok(());
        }
        if row.is_static {
            return self.writer.statics(&head, parts);
        }
        self.settle()?;
        self.writer.row(&head, parts)?;
        self.last.set(&row.prefix());
        Ok(())
    }

    fn marker(&mut self, found: &Marker<'_>) -> Result<(), RowsError> {
        if self.is_unsure && found.ends == self.begun() {
            // It goes on past what was lost.
            self.is_unsure = false;
        }
        self.settle()?;
        // What is open ends where another was to end; an end of what was lost says nothing.
        self.held = Some((PrefixBuf::of(&found.prefix), found.begins));
        match found.begins {
            Some(_) => Ok(()),
            None => self.put_held(None),
        }
    }

    /// The range deletion that the next row lies in, if nothing was lost.
    fn begun(&self) -> Option<Deletion> {
        self.held.as_ref().map_or(self.open, |(_, begins)| *begins)
    }

    /// Before the next row or marker is written: writes the marker that is held; after a loss ends
    /// what is open.
    fn settle(&mut self) -> Result<(), RowsError> {
        if !self.is_unsure {
            let begins = self.begun();
            return self.put_held(begins);
        }
        self.is_unsure = false;
        self.put_held(None)?;
        if self.open.is_some() {
            // All that has the place of the last row: that row.
            let Prefix { components, .. } = self.last.as_prefix();
            let end = Prefix { kind: PrefixKind::InclusiveEnd, components };
            self.held = Some((PrefixBuf::of(&end), None));
            self.put_held(None)?;
        }
        Ok(())
    }

    /// Writes the marker that is held: it ends what is open, and begins `begins`.
    fn put_held(&mut self, begins: Option<Deletion>) -> Result<(), RowsError> {
        let Some((place, _)) = self.held.take() else { return Ok(()) };
        if let Some(left) = marker(&place.as_prefix(), self.open, begins, Direction::Forward) {
            let prefix = left.prefix.as_prefix();
            self.writer.marker(&prefix, [left.closes, left.opens])?;
            self.last.set(&prefix);
            self.open = begins;
        }
        Ok(())
    }
}

impl Keep for Kept<'_> {
    type Error = RowsError;

    fn begin(
        &mut self,
        found: &FoundPartition<'_>,
        reading: &mut Reading<'_>,
    ) -> Result<Option<String>, RowsError> {
        let FoundPartition { key, is_indexed, at, rows_at, deletion } = *found;
        if !is_indexed && !self.sstable.may_contain(KeyHash::of(key), reading).unwrap_or(true) {
            return Ok(Some("its key is neither in the index nor in the filter".to_owned()));
        }
        if let Some(why) = refused(self.writer.check_partition(key, deletion))? {
            return Ok(Some(why));
        }
        self.text.clear();
        self.dump.begin_partition(key, &DumpPlace { at, rows_at, deletion }, &mut self.text);
        (self.open, self.held, self.is_unsure) = (None, None, false);
        self.writer.begin(key, deletion)?;
        Ok(None)
    }

    fn keep(&mut self, unfiltered: &Unfiltered<'_>) -> Result<Option<String>, RowsError> {
        if has_half_deletion(unfiltered) {
            return Ok(Some("a deletion without a local time".to_owned()));
        }
        self.text.clear();
        if let Err(error) = self.dump.unfiltered(unfiltered, &mut self.text) {
            return Ok(Some(self.sstable.data().damaged(error).to_string()));
        }
        refused(match unfiltered {
            Unfiltered::Row(row) => self.row(row),
            Unfiltered::Marker(found) => self.marker(found),
            Unfiltered::End => Ok(()),
        })
    }

    fn lost_marker(&mut self) {
        self.is_unsure = true;
    }

    fn end(&mut self) -> Result<(), RowsError> {
        // What is still open has lost its end.
        self.is_unsure = self.begun().is_some();
        self.settle()?;
        self.text.clear();
        self.dump.end_partition(&mut self.text);
        self.writer.end()
    }
}

/// Whether a deletion has half of what one has where there is none.
fn has_half_deletion(unfiltered: &Unfiltered<'_>) -> bool {
    let is_half = |it: Deletion| !it.is_live() && it.local_time == NO_LOCAL_TIME;
    match unfiltered {
        Unfiltered::Row(row) => is_half(row.deletion) || is_half(row.shadowable),
        Unfiltered::Marker(found) => [found.ends, found.begins].into_iter().flatten().any(is_half),
        Unfiltered::End => false,
    }
}

/// Why a part of the table can't be written, if that is the table's and not the disk's fault.
fn refused(written: Result<(), RowsError>) -> Result<Option<String>, RowsError> {
    match written {
        Ok(()) => Ok(None),
        Err(RowsError::Unwritable { why }) => Ok(Some(why)),
        Err(error @ RowsError::Damaged { .. }) => Ok(Some(error.to_string())),
        Err(error) => Err(error),
    }
}
