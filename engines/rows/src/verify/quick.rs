//! The index without the rows: order of keys and positions, filter, samples.

use manicule_core::watch::{Phase, Unit, Watch};
use manicule_format_sstable::{Component, KeyHash};
use manicule_store::pages::Reading;

use super::checked::Checked;
use super::index::Index;
use super::keys::Keys;
use super::notes::{Notes, Spot};
use crate::RowsError;
use crate::table::Sstable;

/// Section of findings about it.
const ENTRIES: &str = "entries";

impl Checked<'_> {
    /// Reads the index without the rows.
    pub(super) fn index_alone(
        &mut self,
        sstable: &Sstable,
        reading: &mut Reading<'_>,
        watch: &Watch<'_>,
    ) -> Result<(), RowsError> {
        self.statistics(reading)?;
        let filter = self.whole(&Component::Filter, reading)?;
        let summary = self.whole(&Component::Summary, reading)?;
        let notes = &mut self.notes;
        let mut keys = Keys::new(sstable, filter.as_deref(), notes);
        let mut positions = Positions { next: 0, data_len: sstable.data_len() };
        let meter = watch.endless(Phase::Verifying, Unit::Partitions);
        let mut steps = meter.steps();
        match Index::new(sstable, summary.as_deref(), notes, reading)? {
            Index::Big(mut entries) => {
                while entries.peek(notes, reading)?.is_some() {
                    let Some(entry) = entries.pass() else { break };
                    let spot = Spot::at(&Component::Index, ENTRIES, entry.at);
                    keys.take(&entry.key, KeyHash::of(&entry.key), spot, notes);
                    positions.take(entry.position, spot, notes);
                    self.counts.partitions += 1;
                    steps.add(1)?;
                }
                entries.end(&keys.first, &keys.last, notes);
            }
            Index::Tries(leaves) => {
                let spot = Spot::whole(&Component::Partitions, ENTRIES);
                leaves.each(notes, reading, |position, notes| {
                    positions.take(position, spot, notes);
                    self.counts.partitions += 1;
                })?;
            }
        }
        drop(steps);
        meter.end();
        Ok(())
    }
}

/// Positions of partitions, which an index has in their order.
struct Positions {
    next: u64,
    data_len: u64,
}

impl Positions {
    fn take(&mut self, position: u64, spot: Spot<'_>, notes: &mut Notes) {
        let is_first = self.next == 0;
        let is_sound = if is_first { position == 0 } else { position >= self.next };
        if !is_sound || position >= self.data_len {
            let want = format!("{} to {}", self.next, self.data_len.saturating_sub(1));
            notes.differs(spot, "position of a partition", want, position);
        }
        self.next = self.next.max(position.saturating_add(1));
    }
}
