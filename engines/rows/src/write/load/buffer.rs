//! Rows that wait to be written: their bytes one after the other, and a list of their places that
//! is sorted.

use std::cmp::Ordering;

use manicule_core::bytes::DecodeError;
use manicule_format_sstable::{
    Deletion, Frame, FrameKind, Header, Parsed, Prefix, PrefixBuf, PrefixKind, Row, RowHead,
    RowPart, RowShape, RowWriter, Token, Type, Unfiltered, put_prefix,
};

use super::super::table::SstableWriter;
use super::bases::Bases;
use super::cells::Cells;
use super::row::NewRow;
use crate::RowsError;
use crate::emptied::emptied;
use crate::merge::{MergedColumns, Merger, MergerMemory};

/// Rows in the form that they have in Data.db, each after its partition's key.
pub(super) struct Buffer {
    rows: RowWriter,
    header: Header,
    columns: MergedColumns,
    /// Numbers of its regular columns, and of its static ones: all.
    numbers: [Vec<usize>; 2],
    bytes: Vec<u8>,
    entries: Vec<Entry>,
    cells: Cells,
    scratch: Vec<u8>,
    /// Key and bytes of the static row that was added last: it comes again with each row of its
    /// partition.
    statics: [Vec<u8>; 2],
    /// Key of the partition that is being written.
    partition: Option<Vec<u8>>,
}

/// Place of a row.
#[derive(Clone, Copy, Debug)]
struct Entry {
    token: i64,
    /// First bytes of the clustering in byte-comparable form; 0 for the static row.
    rank: u64,
    at: usize,
    key_len: u16,
    /// Whether a deletion of the row may hide what it has.
    has_deletion: bool,
}

/// Number of bytes of a clustering that most comparisons need.
const RANK_LEN: usize = 8;

impl Buffer {
    pub(super) fn new(header: &Header) -> Self {
        Buffer {
            rows: RowWriter::new(RowShape::new(header)),
            header: header.clone(),
            columns: MergedColumns::of_header(header),
            numbers: [false, true].map(|it| (0..header.columns(it).len()).collect()),
            bytes: Vec::new(),
            entries: Vec::new(),
            cells: Cells::default(),
            scratch: Vec::new(),
            statics: [Vec::new(), Vec::new()],
            partition: None,
        }
    }

    /// Number of bytes that it holds.
    pub(super) fn len(&self) -> usize {
        self.bytes.len() + self.entries.len() * size_of::<Entry>()
    }

    pub(super) fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// Adds what a row says of itself, or of the static row; whether that is something new.
    pub(super) fn add(
        &mut self,
        row: &NewRow<'_>,
        is_static: bool,
        bases: &mut Bases,
    ) -> Result<bool, RowsError> {
        if is_static && row.statics.is_empty() || !is_static && row.clustering.is_none() {
            return Ok(false);
        }
        let Buffer { rows, header, bytes, entries, cells, scratch, statics, .. } = self;
        let kinds = &header.clustering;
        let clustering = match row.clustering {
            Some(values) if !is_static => PrefixBuf::new(PrefixKind::Row, kinds, values),
            _ => PrefixBuf::new(PrefixKind::Row, &[], &[]),
        };
        let live = Deletion::LIVE;
        let head = RowHead {
            is_static,
            components: clustering.as_prefix().components,
            liveness: (!is_static && row.has_liveness).then(|| row.stamp.liveness()),
            deletion: if is_static { live } else { row.deletion },
            shadowable: live,
        };
        let values = if is_static { row.statics } else { row.regulars };
        let parts = cells.parts(header.columns(is_static), values, &row.stamp);
        for part in &parts {
            match part {
                RowPart::Complex { deletion, .. } => bases.deletion(*deletion),
                RowPart::Cell(cell) => bases.local_time(cell.local_time),
            }
        }
        if head.says_nothing() && parts.is_empty() {
            return Ok(false);
        }
        let at = bytes.len();
        bytes.extend_from_slice(row.key);
        rows.put_row(&head, parts.into_iter(), 0, bytes);
        if is_static {
            let [key, last] = statics;
            let new = &bytes[at + row.key.len()..];
            if key == row.key && last == new {
                bytes.truncate(at);
                return Ok(false);
            }
            key.clear();
            last.clear();
            key.extend_from_slice(row.key);
            last.extend_from_slice(new);
        }
        let rank = if is_static { 0 } else { rank(kinds, row, scratch) };
        let (token, key_len) = (Token::of(row.key).0, row.key.len() as u16);
        let has_deletion = !head.deletion.is_live();
        entries.push(Entry { token, rank, at, key_len, has_deletion });
        Ok(true)
    }

    fn key(&self, entry: Entry) -> &[u8] {
        &self.bytes[entry.at..entry.at + usize::from(entry.key_len)]
    }

    /// Key of the row that was added last.
    pub(super) fn last_key(&self) -> &[u8] {
        self.entries.last().map_or(&[], |last| self.key(*last))
    }

    /// The row at a place: it was written here.
    fn row(&self, entry: Entry) -> Result<Row<'_>, DecodeError> {
        let bytes = &self.bytes[entry.at + usize::from(entry.key_len)..];
        let (what, at) = ("row that waits", entry.at as u64);
        let shape = self.rows.shape();
        match Frame::read(bytes, at, shape)? {
            Parsed::Done(frame) if matches!(frame.kind, FrameKind::Row | FrameKind::Static) => {
                match frame.open(bytes, shape)? {
                    Unfiltered::Row(row) => Ok(row),
                    _ => Err(DecodeError::Corrupt { what, at, want: 0, got: 1 }),
                }
            }
            _ => Err(DecodeError::Corrupt { what, at, want: 0, got: 1 }),
        }
    }

    fn compare(&self, left: Entry, right: Entry, kinds: &[Type]) -> Ordering {
        let tokens = left.token.cmp(&right.token);
        tokens
            .then_with(|| self.key(left).cmp(self.key(right)))
            .then_with(|| left.rank.cmp(&right.rank))
            .then_with(|| self.compare_places(left, right, kinds))
    }

    /// Order of two rows of a partition.
    fn compare_places(&self, left: Entry, right: Entry, kinds: &[Type]) -> Ordering {
        match (self.row(left), self.row(right)) {
            (Ok(left), Ok(right)) if !left.is_static && !right.is_static => {
                Prefix::compare(kinds, &left.prefix(), &right.prefix())
            }
            (Ok(left), Ok(right)) => right.is_static.cmp(&left.is_static),
            _ => Ordering::Equal,
        }
    }

    /// How what was added before the last row compares to it: `None` if that was nothing.
    pub(super) fn last_order(&self, kinds: &[Type]) -> Option<Ordering> {
        let [.., before, last] = self.entries[..] else { return None };
        Some(self.compare(before, last, kinds))
    }

    /// Sorts the rows.
    pub(super) fn sort(&mut self, kinds: &[Type]) {
        let mut entries = std::mem::take(&mut self.entries);
        let compare = |left: &Entry, right: &Entry| self.compare(*left, *right, kinds);
        if !entries.is_sorted_by(|left, right| compare(left, right).is_le()) {
            entries.sort_unstable_by(compare);
        }
        self.entries = entries;
    }

    /// Writes the rows, which are in order; the last partition has ended then, and the buffer is
    /// empty.
    pub(super) fn put(&mut self, writer: &mut SstableWriter) -> Result<(), RowsError> {
        self.put_first(self.entries.len(), writer)?;
        self.clear();
        if self.partition.take().is_some() { writer.end() } else { Ok(()) }
    }

    /// Drops the rows.
    pub(super) fn clear(&mut self) {
        self.entries.clear();
        self.bytes.clear();
        self.statics.iter_mut().for_each(Vec::clear);
    }

    /// Writes the rows before the last one, which is kept.
    pub(super) fn put_but_last(&mut self, writer: &mut SstableWriter) -> Result<(), RowsError> {
        let Some(last) = self.entries.pop() else { return Ok(()) };
        self.put_first(self.entries.len(), writer)?;
        self.entries.clear();
        let len = self.bytes.len();
        self.bytes.copy_within(last.at.., 0);
        self.bytes.truncate(len - last.at);
        self.entries.push(Entry { at: 0, ..last });
        Ok(())
    }

    fn put_first(&mut self, count: usize, writer: &mut SstableWriter) -> Result<(), RowsError> {
        let mut partition = self.partition.take();
        let entries = &self.entries[..count];
        let kinds = &self.header.clustering;
        let is_same = |left: &Entry, right: &Entry| self.compare(*left, *right, kinds).is_eq();
        let mut parts = Vec::new();
        for group in entries.chunk_by(is_same) {
            let key = self.key(group[0]);
            if partition.as_deref() != Some(key) {
                if partition.is_some() {
                    writer.end()?;
                }
                writer.begin(key, Deletion::LIVE)?;
                let last = partition.get_or_insert_default();
                last.clear();
                last.extend_from_slice(key);
            }
            let put = match group {
                [single] if !single.has_deletion => self.put_single(*single, &mut parts, writer),
                several => self.put_several(several, writer),
            };
            put?;
            parts = emptied(parts);
        }
        self.partition = partition;
        Ok(())
    }

    fn put_single<'b>(
        &'b self,
        entry: Entry,
        parts: &mut Vec<RowPart<'b>>,
        writer: &mut SstableWriter,
    ) -> Result<(), RowsError> {
        let row = self.row(entry).map_err(internal)?;
        for part in row.cells(self.rows.shape()) {
            parts.push(part.map_err(internal)?);
        }
        put_row(&RowHead::of(&row), parts, writer)
    }

    /// Writes rows of one primary key as one.
    fn put_several(&self, group: &[Entry], writer: &mut SstableWriter) -> Result<(), RowsError> {
        let mut merger = Merger::new(MergerMemory::default());
        let mut is_static = false;
        for (source, entry) in group.iter().enumerate() {
            let row = self.row(*entry).map_err(internal)?;
            is_static = row.is_static;
            let numbers = &self.numbers[usize::from(is_static)];
            merger.add(&row, self.rows.shape(), numbers, source).map_err(internal)?;
        }
        let merged = merger.finish(Deletion::LIVE, self.columns.list(is_static));
        if merged.is_empty() {
            return Ok(());
        }
        let mut parts = Vec::new();
        merged.put_parts(&mut parts);
        put_row(&merged.head, &parts, writer)
    }
}

fn put_row(
    head: &RowHead<'_>,
    parts: &[RowPart<'_>],
    writer: &mut SstableWriter,
) -> Result<(), RowsError> {
    if head.is_static {
        writer.statics(head, parts.iter().copied())
    } else {
        writer.row(head, parts.iter().copied())
    }
}

/// The first bytes of a row's clustering in byte-comparable form.
fn rank(kinds: &[Type], row: &NewRow<'_>, scratch: &mut Vec<u8>) -> u64 {
    scratch.clear();
    let values = row.clustering.unwrap_or_default();
    put_prefix(PrefixKind::Row, kinds, values.iter().copied(), scratch);
    scratch.resize(RANK_LEN, 0);
    let mut first = [0; RANK_LEN];
    first.copy_from_slice(scratch);
    // Behind the static row.
    u64::from_be_bytes(first).max(1)
}

/// A row that was written here and can't be read here.
fn internal(error: DecodeError) -> RowsError {
    RowsError::Unwritable { why: format!("a row that waits can't be read: {error}") }
}
