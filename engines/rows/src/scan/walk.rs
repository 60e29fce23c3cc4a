//! A walk over all partitions of Data.db in the order of the file.

use manicule_format_sstable::{Frame, FrameKind, Marker, PartitionHead, Unfiltered};
use manicule_store::pages::Reading;

use super::index::Indexed;
use crate::RowsError;
use crate::slice::{Head, Steps, other_key};
use crate::table::{Met, Sstable, Window, shown};

/// Length in bytes of a read.
const READ_LEN: u64 = 1 << 20;
/// Length in bytes of the reads of all walks that go side by side, and of the least one.
const READS_LEN: u64 = 64 << 20;
const READ_LEN_MIN: u64 = 64 << 10;

/// The walk. Between [`Walk::begin`] of two partitions [`Walk::next`] gives what the first consists
/// of.
///
/// The end of the data is believed only where it is that of the table: a walk from the first
/// partition to the last compares their number and keys, and all checksums; one from the index the
/// key and the end of each partition.
#[derive(Debug)]
pub(crate) struct Walk<'t> {
    sstable: &'t Sstable,
    steps: Steps<'t>,
    key: Vec<u8>,
    /// The partitions so far, as long as none was left out unseen.
    met: Option<Met>,
    /// Where the present partition has to end.
    end: Option<u64>,
}

/// A partition as the index has it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Expected<'k> {
    /// Offset in the uncompressed data.
    pub(crate) position: u64,
    /// Where it ends, if that is known.
    pub(crate) end: Option<u64>,
    /// Its key, if the index has it.
    pub(crate) key: Option<&'k [u8]>,
}

impl<'k> From<&'k Indexed> for Expected<'k> {
    fn from(partition: &'k Indexed) -> Self {
        let Indexed { position, len, .. } = *partition;
        let key = partition.has_key.then_some(&partition.key[..]);
        Expected { position, end: Some(position.saturating_add(len)), key }
    }
}

impl<'t> Walk<'t> {
    /// A walk over all, one of `walk_count` that go side by side.
    pub(crate) fn new(sstable: &'t Sstable, walk_count: usize) -> Self {
        let read_len = READ_LEN.min(READS_LEN / (walk_count as u64).max(1)).max(READ_LEN_MIN);
        let window = Window::passing(sstable.data(), read_len);
        let steps = Steps { sstable, window, at: 0, open: None, passed_count: 0 };
        Walk { sstable, steps, key: Vec::new(), met: Some(Met::default()), end: None }
    }

    /// Leaves out the next partition, which ends at a place.
    pub(crate) fn pass_over(&mut self, key: &[u8], end: u64) {
        self.steps.at = end;
        if let Some(met) = &mut self.met {
            met.pass(Some(key));
        }
    }

    /// Goes to a partition that the index has.
    pub(crate) fn begin_at(
        &mut self,
        expected: &Expected<'_>,
        reading: &mut Reading<'_>,
    ) -> Result<Head, RowsError> {
        let Expected { position, end, key } = *expected;
        (self.steps.at, self.met) = (position, None);
        let head = self.head(reading)?;
        self.end = end;
        match key.filter(|key| *key != self.key) {
            None => Ok(head),
            Some(key) => Err(other_key(self.sstable, position, key, &self.key)),
        }
    }

    /// The SSTable.
    pub(crate) fn sstable(&self) -> &'t Sstable {
        self.sstable
    }

    /// Offset of what comes next in the uncompressed data.
    pub(crate) fn at(&self) -> u64 {
        self.steps.at
    }

    /// Key of the partition that began last.
    pub(crate) fn key(&self) -> &[u8] {
        &self.key
    }

    /// The head of the next partition; `None` after the last. The one before has been walked to its
    /// end.
    pub(crate) fn begin(&mut self, reading: &mut Reading<'_>) -> Result<Option<Head>, RowsError> {
        let sstable = self.sstable;
        if self.steps.at >= sstable.data_len() {
            if let Some(met) = self.met.take() {
                met.check(sstable, sstable.path(), reading)?;
                self.steps.window.end(reading)?;
            }
            return Ok(None);
        }
        let head = self.head(reading)?;
        if let Some(met) = &mut self.met {
            met.pass(Some(&self.key));
        }
        Ok(Some(head))
    }

    /// The head of the partition at the present place, whose key is kept.
    fn head(&mut self, reading: &mut Reading<'_>) -> Result<Head, RowsError> {
        let (sstable, at) = (self.sstable, self.steps.at);
        self.end = None;
        let head = Head::read(sstable, at, &mut self.steps.window, reading)?;
        let key = &mut self.key;
        self.steps.window.parse("partition", at, reading, |window| {
            let parsed = PartitionHead::read(window, at, sstable.shape())?;
            Ok(parsed.map(|head| {
                key.clear();
                key.extend_from_slice(head.key);
            }))
        })?;
        (self.steps.at, self.steps.open) = (at + head.len, None);
        Ok(head)
    }

    /// The next row or marker of the partition; `None` at its end.
    pub(crate) fn next(
        &mut self,
        reading: &mut Reading<'_>,
    ) -> Result<Option<Unfiltered<'_>>, RowsError> {
        let sstable = self.sstable;
        Ok(match self.pass(reading)? {
            Passed::End => None,
            Passed::Marker(marker) => Some(Unfiltered::Marker(marker)),
            Passed::Row(frame, bytes) => Some(opened(sstable, &frame, bytes)?),
        })
    }

    /// The same, where a row is not looked into.
    pub(crate) fn pass(&mut self, reading: &mut Reading<'_>) -> Result<Passed<'_>, RowsError> {
        let frame = self.steps.peek(reading)?;
        self.steps.pass(&frame, reading)?;
        if frame.kind == FrameKind::End {
            self.check_end()?;
            return Ok(Passed::End);
        }
        let bytes = self.steps.window.at(frame.at, frame.len, reading)?;
        if frame.kind == FrameKind::Row {
            return Ok(Passed::Row(frame, bytes));
        }
        Ok(match opened(self.sstable, &frame, bytes)? {
            Unfiltered::Marker(marker) => Passed::Marker(marker),
            // A static row is refused by the steps.
            Unfiltered::Row(_) | Unfiltered::End => Passed::End,
        })
    }
}

impl Walk<'_> {
    /// The partition that was walked over ends where the index says.
    fn check_end(&self) -> Result<(), RowsError> {
        let at = self.steps.at;
        let Some(end) = self.end.filter(|end| *end != at) else { return Ok(()) };
        let what = format!(
            "the partition {} ends at offset {at}, and by the index at {end}: one of the two is cut or \
             damaged",
            shown(self.sstable.header(), &self.key)
        );
        Err(RowsError::Contradicted { file: self.sstable.path().to_owned(), what })
    }
}

/// What a walk has passed: of a row its frame, and the bytes that begin with it.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Passed<'w> {
    Row(Frame, &'w [u8]),
    Marker(Marker<'w>),
    /// The end of the partition.
    End,
}

fn opened<'w>(
    sstable: &Sstable,
    frame: &Frame,
    bytes: &'w [u8],
) -> Result<Unfiltered<'w>, RowsError> {
    frame.open(bytes, sstable.shape()).map_err(|error| sstable.data().damaged(error))
}
