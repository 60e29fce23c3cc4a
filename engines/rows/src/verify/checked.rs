//! The verification of one SSTable: its steps, and what they share.

use manicule_core::findings::{Verdict, Verified};
use manicule_core::watch::{Phase, Unit, Watch};
use manicule_format_sstable::Component;
use manicule_store::pages::Reading;

use super::notes::Notes;
use crate::RowsError;
use crate::table::{Listed, OpenFile, Sstable, TableOptions};

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
/// Cost: Data.db is read once for its checksums, and unless it is quick once more for its rows; the
///       index is read once. Memory: windows,
/// the index of one partition's blocks, and the components that readers hold whole, of which
/// Filter.db is the longest.
///
/// # Errors
/// Files that can't be read, and what isn't supported. Whatever contradicts the format is a
/// finding.
pub fn verify(
    listed: &Listed,
    depth: Depth,
    options: &TableOptions,
    reading: &mut Reading<'_>,
    watch: &Watch<'_>,
) -> Result<Verified<SstableCounts>, RowsError> {
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
        let opened = Sstable::open_compared(self.listed, self.options, reading);
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
        OpenFile::open(self.listed, component, self.options)
    }

    /// A component that may be missing.
    pub(super) fn open_if_there(
        &self,
        component: &Component,
    ) -> Result<Option<OpenFile>, RowsError> {
        self.has(component).then(|| self.open(component)).transpose()
    }

    /// All bytes of a component that readers hold whole, if it is there.
    pub(super) fn whole(
        &self,
        component: &Component,
        reading: &mut Reading<'_>,
    ) -> Result<Option<Vec<u8>>, RowsError> {
        let Some(file) = self.open_if_there(component)? else { return Ok(None) };
        Ok(Some(file.whole(self.options.component_bytes_max, reading)?.to_vec()))
    }
}

/// Length in bytes of a read where a file is passed over.
const STEP_LEN: u64 = 1 << 20;

/// Hands out the bytes of a file in pieces of one length, a power of two, but for the last.
pub(super) fn each_piece(
    file: &OpenFile,
    piece_len: u64,
    reading: &mut Reading<'_>,
    mut each: impl FnMut(usize, &[u8]) -> Result<(), RowsError>,
) -> Result<(), RowsError> {
    // Whole pieces at a time.
    let step = STEP_LEN.next_multiple_of(piece_len.max(1)).min(file.len());
    let _held = reading.budget.take(step).map_err(RowsError::OverBudget)?;
    let (mut buffer, mut at, mut number) = (vec![0; step as usize], 0, 0);
    while at < file.len() {
        let end = file.len().min(at + step);
        let bytes = &mut buffer[..(end - at) as usize];
        file.read_passing(at, bytes, reading)?;
        for piece in bytes.chunks(piece_len.max(1) as usize) {
            each(number, piece)?;
            number += 1;
        }
        at = end;
    }
    Ok(())
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
