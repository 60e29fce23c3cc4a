//! The verification of one SSTable: its steps, and what they share.
//!
//! Callers: verify

use manicule_core::findings::{Verdict, Verified};
use manicule_core::watch::{Phase, Unit, Watch};
use manicule_format_sstable::Component;
use manicule_store::pages::Reading;

use super::notes::Notes;
use crate::RowsError;
use crate::table::{Access, Listed, OpenFile, Sstable, TableOptions};

/// How much is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Depth {
    /// Checksums, and the small components and the index by themselves: no row is parsed.
    Quick,
    /// Every row too, and every index beside them.
    Whole,
}

manicule_core::counts! {
    /// What was verified.
    pub struct SstableCounts {
        /// SSTables.
        sstables,
        /// Files of theirs.
        files,
        /// Bytes of those.
        len,
        /// Checksums of Data.db that were compared, those of its chunks and of all of it.
        checksums,
        /// Partitions.
        partitions,
        /// Rows, static ones that say something included.
        rows,
        /// Range tombstone markers.
        markers,
        /// Cells.
        cells,
        /// Blocks of promoted indexes and of tries.
        blocks,
    }
}

/// What the checks of one SSTable share.
pub(super) struct Checked<'c> {
    pub(super) listed: &'c Listed,
    pub(super) options: &'c TableOptions,
    depth: Depth,
    pub(super) notes: Notes,
    pub(super) counts: SstableCounts,
}

/// Verifies an SSTable, of which [`crate::table::list_all`] has said which files are there.
///
/// Cost: Data.db is read once for its checksums, and unless it is quick once more for its rows; the index is read once.
///
/// # Errors
/// Files that can't be read, and what isn't supported. Whatever contradicts the format is a finding.
pub fn verify(
    listed: &Listed,
    depth: Depth,
    options: &TableOptions,
    reading: &mut Reading<'_>,
    watch: &Watch<'_>,
) -> Result<Verified<SstableCounts>, RowsError> {
    // Checks of indexes walk over the whole of them at once.
    let options = &TableOptions { access: Access::Mapped, ..options.clone() };
    let notes = Notes::new(&listed.descriptor);
    let counts = SstableCounts { sstables: 1, ..SstableCounts::default() };
    let mut checked = Checked { listed, options, depth, notes, counts };
    checked.run(reading, watch)?;
    let Checked { notes, counts, .. } = checked;
    Ok(Verified { verdict: notes.verdict, counts })
}

impl Checked<'_> {
    fn run(&mut self, reading: &mut Reading<'_>, watch: &Watch<'_>) -> Result<(), RowsError> {
        let is_readable = self.components(reading)?;
        if !self.has(&Component::Data) {
            return Ok(());
        }
        let data_len = self.open(&Component::Data)?.len();
        let meter = watch.phase(Phase::Verifying, Unit::Bytes, data_len);
        let damaged = self.checksums(reading, &meter)?;
        meter.end();
        self.scylla(reading)?;
        if !is_readable {
            return Ok(());
        }
        let opened = Sstable::open(self.listed, self.options, reading);
        let Some(sstable) = self.notes.taken("header", opened)? else { return Ok(()) };
        match self.depth {
            Depth::Quick => self.index_alone(&sstable, reading, watch),
            Depth::Whole => self.partitions(&sstable, damaged, reading, watch),
        }
    }

    pub(super) fn has(&self, component: &Component) -> bool {
        self.listed.components.contains(component)
    }

    pub(super) fn open(&self, component: &Component) -> Result<OpenFile, RowsError> {
        OpenFile::open(self.listed.path(component), self.options)
    }

    /// A component that may be missing.
    pub(super) fn open_if_there(
        &self,
        component: &Component,
    ) -> Result<Option<OpenFile>, RowsError> {
        self.has(component).then(|| self.open(component)).transpose()
    }
}

/// All bytes of a file that is mapped, as all are here.
pub(super) fn bytes_of(file: &OpenFile) -> &[u8] {
    file.paged().mapped().unwrap_or_default()
}

/// Verdicts and counts of several SSTables as one.
pub fn all(parts: impl IntoIterator<Item = Verified<SstableCounts>>) -> Verified<SstableCounts> {
    let mut all = Verified { verdict: Verdict::default(), counts: SstableCounts::default() };
    for part in parts {
        all.verdict.append(part.verdict);
        all.counts.add(&part.counts);
    }
    all
}
