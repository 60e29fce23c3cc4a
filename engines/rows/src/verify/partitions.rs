//! The pass over the partitions of Data.db, row by row, along with the index.
//!
//! Bytes:   docs/formats/sstable.md, "Data.db"

use manicule_core::bytes::DecodeError;
use manicule_core::watch::{Phase, Unit, Watch};
use manicule_format_sstable::{
    Component, Deletion, FrameKind, KeyHash, PartitionHead, Place, Prefix, Sequence, Unfiltered,
};
use manicule_store::pages::Reading;

use super::begun::Begun;
use super::checked::{Checked, SstableCounts};
use super::checksums::{Damaged, is_of_checksum};
use super::index::{Blocks, Index};
use super::keys::Keys;
use super::notes::{Notes, Spot};
use super::statistics::{Bounds, compare};
use crate::RowsError;
use crate::gathered::Gathered;
use crate::slice::read_frame;
use crate::table::{DataFile, Sstable, Window};

/// Length in bytes of a read.
const READ_LEN: u64 = 1 << 20;

/// Sections of findings about a partition and about what it holds.
const PARTITIONS: &str = "partitions";
const ROWS: &str = "rows";

/// One pass.
struct Pass<'t, 'n> {
    sstable: &'t Sstable,
    window: Window<'t, DataFile>,
    sequence: Sequence,
    index: Index<'t>,
    keys: Keys<'t>,
    bounds: Option<Bounds<'t>>,
    gathered: Gathered,
    notes: &'n mut Notes,
    counts: &'n mut SstableCounts,
    key: Vec<u8>,
    /// Offset of what is read next.
    at: u64,
}

/// A partition that is being read.
struct Partition<'t> {
    position: u64,
    blocks: Blocks<'t>,
    /// Whether order and open deletions are still compared.
    is_in_sequence: bool,
    /// Whether its head was passed.
    has_head: bool,
}

impl Checked<'_> {
    /// Reads all partitions. What checksums have found is not noted again.
    pub(super) fn partitions(
        &mut self,
        sstable: &Sstable,
        damaged: Damaged,
        reading: &mut Reading<'_>,
        watch: &Watch<'_>,
    ) -> Result<(), RowsError> {
        let statistics = self.statistics(reading)?;
        let filter = self.whole(&Component::Filter, reading)?;
        let summary = self.whole(&Component::Summary, reading)?;
        let notes = &mut self.notes;
        let index = Index::new(sstable, summary.as_deref(), notes, reading)?;
        let mut window = Window::passing(sstable.data(), READ_LEN);
        if damaged == Damaged::Yes {
            // A longer read would fail for the sake of a chunk that lies further on.
            window.set_ahead(0);
        }
        let mut pass = Pass {
            sstable,
            window,
            sequence: Sequence::new(),
            index,
            keys: Keys::new(sstable, filter.as_deref(), notes),
            bounds: statistics
                .as_ref()
                .and_then(|statistics| Bounds::new(statistics, sstable, notes)),
            gathered: Gathered::like(statistics.as_ref()),
            notes,
            counts: &mut self.counts,
            key: Vec::new(),
            at: 0,
        };
        let is_whole = pass.run(reading, watch)?;
        let Pass { gathered, keys, notes, .. } = pass;
        if let Some(statistics) = statistics.filter(|_| is_whole) {
            compare(&statistics, &gathered, &keys.first, &keys.last, notes);
        }
        Ok(())
    }
}

impl<'t> Pass<'t, '_> {
    /// Returns whether every partition was read to its end.
    fn run(&mut self, reading: &mut Reading<'_>, watch: &Watch<'_>) -> Result<bool, RowsError> {
        let meter = watch.phase(Phase::Verifying, Unit::Bytes, self.sstable.data_len());
        let mut is_whole = true;
        while self.at < self.sstable.data_len() {
            let start = self.at;
            if let Err(error) = self.partition(reading) {
                is_whole = false;
                self.note(error)?;
                let after = self.at.max(start);
                match self.index.skip(after, self.notes, reading)? {
                    Some(next) => self.at = next.min(self.sstable.data_len()),
                    None => break,
                }
            }
            meter.step(self.at - start)?;
        }
        meter.end();
        if is_whole {
            self.index.end(&self.keys.first, &self.keys.last, self.notes, reading)?;
        }
        self.counts.rows += self.gathered.row_count;
        self.counts.cells += self.gathered.cell_count;
        Ok(is_whole)
    }

    /// Damage of the data becomes a finding, unless the checksums have found it.
    fn note(&mut self, error: RowsError) -> Result<(), RowsError> {
        if is_of_checksum(&error) {
            return Ok(());
        }
        self.notes.taken(ROWS, Err::<(), _>(error)).map(drop)
    }

    /// Notes what a decoder says of the present partition.
    fn wrong(&mut self, error: &DecodeError) {
        let of = format!(" in the partition {}", self.keys.shown(&self.key));
        self.notes.error(&Component::Data, ROWS, error, of);
    }

    fn partition(&mut self, reading: &mut Reading<'_>) -> Result<(), RowsError> {
        let mut partition = self.begin(reading)?;
        while self.next(&mut partition, reading)? {}
        let len = self.at - partition.position;
        partition.blocks.end(len, partition.position, self.notes, reading)?;
        self.gathered.end(len);
        Ok(())
    }

    fn begin(&mut self, reading: &mut Reading<'_>) -> Result<Partition<'t>, RowsError> {
        let position = self.at;
        let deletion = self.head(reading)?;
        let hash = KeyHash::of(&self.key);
        let spot = Spot::at(&Component::Data, PARTITIONS, position);
        self.keys.take(&self.key, hash, spot, self.notes);
        let begun = Begun { key: &self.key, hash, position, deletion };
        let (blocks, block_count) = self.index.begin(&begun, self.sstable, self.notes, reading)?;
        self.counts.partitions += 1;
        self.counts.blocks += block_count;
        self.gathered.begin(deletion);
        Ok(Partition { position, blocks, is_in_sequence: true, has_head: false })
    }

    /// The next of what a partition consists of; `false` after its end.
    fn next(
        &mut self,
        partition: &mut Partition<'t>,
        reading: &mut Reading<'_>,
    ) -> Result<bool, RowsError> {
        let (sstable, position) = (self.sstable, partition.position);
        let frame = read_frame(&mut self.window, self.at, sstable, reading)?;
        let bytes = self.window.at(frame.at, frame.len, reading)?;
        let opened = frame.open(bytes, sstable.shape());
        let unfiltered = opened.map_err(|error| sstable.data().damaged(error))?;
        let (offset, len) = (frame.at - position, frame.len as u64);
        if frame.kind != FrameKind::Static && !partition.has_head {
            partition.has_head = true;
            partition.blocks.head(offset, position, self.notes);
        }
        let open_before = self.sequence.open();
        let kinds = &sstable.header().clustering;
        let checked = if partition.is_in_sequence {
            self.sequence.check(&unfiltered, frame.at, sstable.shape(), kinds)
        } else {
            Ok(())
        };
        if checked.is_err() {
            // Of an order that is lost everything after would be wrong.
            (partition.is_in_sequence, partition.blocks) = (false, Blocks::None);
        }
        let place = place_of(&unfiltered);
        if let Some(prefix) = place {
            let open_after = self.sequence.open();
            let place = Place { offset, len, prefix, open_before, open_after };
            partition.blocks.unfiltered(&place, position, self.notes, reading)?;
        }
        let is_outside =
            place.zip(self.bounds.as_ref()).is_some_and(|(place, bounds)| !bounds.hold(&place));
        let gathered = self.gathered.unfiltered(&unfiltered, sstable.shape());
        self.counts.markers += u64::from(matches!(unfiltered, Unfiltered::Marker(_)));
        self.at += len;
        for error in [checked, gathered].into_iter().filter_map(Result::err) {
            self.wrong(&error);
        }
        if is_outside {
            self.outside(frame.at);
        }
        Ok(frame.kind != FrameKind::End)
    }

    /// Reads the head of the next partition; its key is kept.
    fn head(&mut self, reading: &mut Reading<'_>) -> Result<Deletion, RowsError> {
        let Pass { sstable, window, sequence, key, at, .. } = self;
        let start = *at;
        let (deletion, len) = window.parse("partition", start, reading, |window| {
            let parsed = PartitionHead::read(window, start, sstable.shape())?;
            Ok(parsed.map(|head| {
                key.clear();
                key.extend_from_slice(head.key);
                sequence.begin(&head);
                (head.deletion, head.len as u64)
            }))
        })?;
        *at += len;
        Ok(deletion)
    }

    /// A row that lies outside of the table's bounds: one finding is enough for all.
    fn outside(&mut self, at: u64) {
        let of = self.keys.shown(&self.key);
        let spot = Spot::at(&Component::Data, ROWS, at);
        let what = "row outside of the clustering bounds of Statistics.db, in the partition";
        self.notes.wrong(spot, format_args!("{what} {of}"));
        self.bounds = None;
    }
}

/// Where a row or a marker lies among the others.
fn place_of<'a>(unfiltered: &Unfiltered<'a>) -> Option<Prefix<'a>> {
    match unfiltered {
        Unfiltered::Row(row) if !row.is_static => Some(row.prefix()),
        Unfiltered::Marker(marker) => Some(marker.prefix),
        _ => None,
    }
}
