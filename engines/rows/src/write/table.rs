//! An SSTable written as its partitions come, in the order of all.

use std::cmp::Ordering;

use manicule_core::bytes::DecodeError;
use manicule_format_sstable::{
    Cell, Deletion, NO_LOCAL_TIME, Place, Prefix, PrefixBuf, PrefixKind, RowHead, RowPart,
    RowShape, RowWriter,
};

use super::beside::{Beside, Described};
use super::data::{Compress, DataOut};
use super::draft::{TableDraft, Target};
use super::origin::bucket_counts;
use super::written::Written;
use crate::RowsError;

/// An SSTable that is being written. What is not finished leaves nothing.
///
/// Memory: some MiB whatever the partitions' sizes, and one row.
pub(super) struct SstableWriter {
    draft: TableDraft,
    rows: RowWriter,
    data: DataOut,
    beside: Beside,
    /// Greatest local deletion time that the version has bytes for.
    local_time_max: i64,
    partition: Partition,
    /// Bytes of the present row.
    row: Vec<u8>,
}

/// An SSTable that is written and has no name yet.
pub(super) struct Sealed {
    draft: TableDraft,
    written: Written,
}

impl Sealed {
    /// Gives it its name.
    pub(super) fn publish(self) -> Result<Written, RowsError> {
        let path = self.draft.publish()?;
        Ok(Written { path, ..self.written })
    }
}

/// The partition that is being written.
struct Partition {
    key: Vec<u8>,
    deletion: Deletion,
    /// Its place in the data, once something of it has been written.
    start: Option<u64>,
    /// Place of what was written last.
    before: u64,
    /// The range deletion that is open.
    open: Option<Deletion>,
    has_statics: bool,
    has_rows: bool,
    last: PrefixBuf,
}

impl SstableWriter {
    /// Begins an SSTable in the version of its header.
    pub(super) fn create(
        target: &Target,
        described: Described,
        compress: Option<Compress>,
    ) -> Result<Self, RowsError> {
        let version = described.header.version;
        let rows = RowWriter::new(RowShape::new(&described.header));
        let draft = TableDraft::create(target, version)?;
        let data = DataOut::create(&draft, compress).map_err(|error| draft.failed(error))?;
        let beside = Beside::create(described, bucket_counts(version), &draft)?;
        let partition = Partition {
            key: Vec::new(),
            deletion: Deletion::LIVE,
            start: None,
            before: 0,
            open: None,
            has_statics: false,
            has_rows: false,
            last: PrefixBuf::of(&Prefix::FIRST),
        };
        let local_time_max = version.local_time_max();
        Ok(SstableWriter { draft, rows, data, beside, local_time_max, partition, row: Vec::new() })
    }

    /// Whether a partition can be written after those that are.
    pub(super) fn check_partition(&self, key: &[u8], deletion: Deletion) -> Result<(), RowsError> {
        self.beside.check_key(key)?;
        check_time(deletion.local_time, self.local_time_max)
    }

    /// A partition begins. Without a deletion it is written with its first row.
    pub(super) fn begin(&mut self, key: &[u8], deletion: Deletion) -> Result<(), RowsError> {
        let partition = &mut self.partition;
        partition.key.clear();
        partition.key.extend_from_slice(key);
        partition.deletion = deletion;
        (partition.start, partition.open) = (None, None);
        (partition.has_statics, partition.has_rows) = (false, false);
        if deletion.is_live() { Ok(()) } else { self.put_head() }
    }

    /// The head of the partition, unless it is there already.
    fn put_head(&mut self) -> Result<(), RowsError> {
        let SstableWriter { draft, rows, data, beside, partition, row, .. } = self;
        if partition.start.is_some() {
            return Ok(());
        }
        check_time(partition.deletion.local_time, self.local_time_max)?;
        let start = data.len();
        beside.begin(&partition.key, start, partition.deletion, draft)?;
        row.clear();
        rows.put_head(&partition.key, partition.deletion, row);
        data.put(row, draft.aside()).map_err(|error| draft.failed(error))?;
        (partition.start, partition.before) = (Some(start), start);
        Ok(())
    }

    /// What comes before the first row: the static row, which is there in every partition of a
    /// table with static columns.
    fn put_no_statics(&mut self) -> Result<(), RowsError> {
        if self.rows.shape().has_statics() && !self.partition.has_statics {
            return self.put_statics(&RowHead::NO_STATICS, std::iter::empty());
        }
        Ok(())
    }

    /// The static row, before all others.
    pub(super) fn statics<'p>(
        &mut self,
        head: &RowHead<'_>,
        parts: impl Iterator<Item = RowPart<'p>> + Clone,
    ) -> Result<(), RowsError> {
        self.check_times(head, parts.clone())?;
        self.put_head()?;
        self.beside.row(head, parts.clone()).map_err(|error| self.unwritable(&error))?;
        self.put_statics(head, parts)
    }

    fn put_statics<'p>(
        &mut self,
        head: &RowHead<'_>,
        parts: impl Iterator<Item = RowPart<'p>> + Clone,
    ) -> Result<(), RowsError> {
        let SstableWriter { draft, rows, data, partition, row, .. } = self;
        partition.has_statics = true;
        row.clear();
        rows.put_row(head, parts, 0, row);
        data.put(row, draft.aside()).map_err(|error| draft.failed(error))
    }

    /// The next row.
    ///
    /// # Errors
    /// A row that is not after the one before, or has a time that the version has no bytes for: it
    /// is left out, and others may follow.
    pub(super) fn row<'p>(
        &mut self,
        head: &RowHead<'_>,
        parts: impl Iterator<Item = RowPart<'p>> + Clone,
    ) -> Result<(), RowsError> {
        self.check_times(head, parts.clone())?;
        let prefix = Prefix { kind: PrefixKind::Row, components: head.components };
        self.check_place(&prefix)?;
        self.beside.row(head, parts.clone()).map_err(|error| self.unwritable(&error))?;
        let before_len = self.advance(&prefix);
        self.row.clear();
        self.rows.put_row(head, parts, before_len, &mut self.row);
        self.pass(prefix, self.partition.open)
    }

    /// The next range tombstone marker, with the deletions that end and begin at it.
    ///
    /// # Errors
    /// A marker that is not after what was before, or ends another deletion than the one that is
    /// open.
    pub(super) fn marker(
        &mut self,
        prefix: &Prefix<'_>,
        [ends, begins]: [Option<Deletion>; 2],
    ) -> Result<(), RowsError> {
        for deletion in [ends, begins].into_iter().flatten() {
            check_time(deletion.local_time, self.local_time_max)?;
        }
        let kind = prefix.kind;
        if ends != self.partition.open
            || (kind.closes(), kind.opens()) != (ends.is_some(), begins.is_some())
        {
            let why = "a range tombstone marker ends another deletion than the one that is open";
            return Err(RowsError::Unwritable { why: why.to_owned() });
        }
        self.check_place(prefix)?;
        let before_len = self.advance(prefix);
        self.beside.marker([ends, begins]);
        self.row.clear();
        self.rows.put_marker(prefix, [ends, begins], before_len, &mut self.row);
        self.partition.open = begins;
        self.pass(*prefix, begins)
    }

    /// Whether a place is after the one before; what comes before the first row is written.
    fn check_place(&mut self, prefix: &Prefix<'_>) -> Result<(), RowsError> {
        self.put_head()?;
        self.put_no_statics()?;
        let SstableWriter { beside, partition, .. } = self;
        let order = || Prefix::compare(beside.kinds(), &partition.last.as_prefix(), prefix);
        if partition.has_rows && order() != Ordering::Less {
            let why = "rows of a partition are out of order".to_owned();
            return Err(RowsError::Unwritable { why });
        }
        Ok(())
    }

    /// Goes to the next place of the partition; returns the distance from what was before.
    fn advance(&mut self, prefix: &Prefix<'_>) -> u64 {
        let at = self.data.len();
        let SstableWriter { beside, partition, .. } = self;
        if !std::mem::replace(&mut partition.has_rows, true) {
            beside.head(at - partition.before);
        }
        partition.last.set(prefix);
        at - std::mem::replace(&mut partition.before, at)
    }

    /// Writes the row, which lies at a place of the partition.
    fn pass(&mut self, prefix: Prefix<'_>, open_after: Option<Deletion>) -> Result<(), RowsError> {
        let SstableWriter { draft, data, beside, partition, row, .. } = self;
        let start = partition.start.unwrap_or(partition.before);
        let (offset, len) = (data.len() - start, row.len() as u64);
        let place = Place { offset, len, prefix, open_before: None, open_after };
        let passed = beside.pass(&place, draft).and_then(|()| data.put(row, draft.aside()));
        passed.map_err(|error| draft.failed(error))
    }

    /// The partition ends. One of which nothing was written is left out.
    ///
    /// # Errors
    /// A range deletion that is open.
    pub(super) fn end(&mut self) -> Result<(), RowsError> {
        let Some(start) = self.partition.start else { return Ok(()) };
        if self.partition.open.is_some() {
            let why = "a range deletion is open at the end of a partition".to_owned();
            return Err(RowsError::Unwritable { why });
        }
        self.put_no_statics()?;
        let SstableWriter { draft, rows, data, beside, partition, row, .. } = self;
        if !partition.has_rows {
            beside.head(data.len() - start);
        }
        row.clear();
        rows.put_end(row);
        let put = data.put(row, draft.aside());
        let ended = put.and_then(|()| beside.end(data.len() - start, draft));
        ended.map_err(|error| draft.failed(error))
    }

    /// Length in bytes of the data that is stored so far: of compressed data, of the chunks that
    /// are whole.
    pub(super) fn stored_len(&self) -> u64 {
        self.data.stored_len()
    }

    /// Its generation.
    pub(super) fn generation(&self) -> u64 {
        self.draft.generation()
    }

    /// Writes what is left and publishes the SSTable; `None` if it has no partition: such a one is
    /// not written.
    pub(super) fn finish(self) -> Result<Option<Written>, RowsError> {
        self.seal()?.map(Sealed::publish).transpose()
    }

    /// Writes what is left; `None` if it has no partition.
    pub(super) fn seal(self) -> Result<Option<Sealed>, RowsError> {
        let SstableWriter { mut draft, data, beside, .. } = self;
        if beside.partition_count() == 0 {
            return Ok(None);
        }
        let written = Written::of(&beside, data.len());
        let data = data.finish(&mut draft).map_err(|error| draft.failed(error))?;
        beside.finish(&data, &mut draft).map_err(|error| draft.failed(error))?;
        Ok(Some(Sealed { draft, written }))
    }

    /// Whether the version has bytes for every time.
    fn check_times<'p>(
        &self,
        head: &RowHead<'_>,
        parts: impl Iterator<Item = RowPart<'p>>,
    ) -> Result<(), RowsError> {
        let check = |time| check_time(time, self.local_time_max);
        check(head.liveness.map_or(NO_LOCAL_TIME, |liveness| liveness.expires))?;
        check(head.deletion.local_time)?;
        check(head.shadowable.local_time)?;
        for part in parts {
            match part {
                RowPart::Complex { deletion, .. } => check(deletion.local_time)?,
                RowPart::Cell(Cell { local_time, .. }) => check(local_time)?,
            }
        }
        Ok(())
    }

    fn unwritable(&self, error: &DecodeError) -> RowsError {
        RowsError::Unwritable { why: format!("a value of a row: {error}") }
    }
}

/// Whether a version has bytes for a local deletion time.
#[inline]
pub(super) fn check_time(time: i64, max: i64) -> Result<(), RowsError> {
    if time == NO_LOCAL_TIME || (i64::from(i32::MIN)..=max).contains(&time) {
        return Ok(());
    }
    let why = format!("the deletion time or expiry {time} is after {max}, the last of the version");
    Err(RowsError::Unwritable { why })
}
