//! A slice of a partition of one SSTable.

use manicule_format_sstable::{Deletion, Frame, FrameKind, Prefix, Unfiltered};
use manicule_store::pages::Reading;

use super::block::{BLOCK_LEN, Steps};
use super::bounds::Bounds;
use super::forward::{Forward, Next};
use super::head::Head;
use super::item::{Item, SliceMarker, Step};
use super::reverse::{Back, Reverse};
use crate::RowsError;
use crate::cursor::{BlockPlace, Cursor, Seek, Toward, Wanted};
use crate::lookup;
use crate::table::{Sstable, Window};

/// The way through a slice.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Direction {
    /// From its start.
    Forward,
    /// From its end.
    Reverse,
}

/// How a slice is read.
#[derive(Clone, Copy, Debug)]
pub struct SliceOptions {
    /// Its direction.
    pub direction: Direction,
    /// Number of rows after which it ends; `None`: all.
    pub row_count_max: Option<u64>,
    /// Whether the index of blocks is used.
    pub seek: Seek,
    /// Length in bytes of the longest read of data, where files aren't mapped.
    pub read_bytes_max: u64,
}

/// A slice that is being read: memory is a window of the data, in reverse one block.
#[derive(Debug)]
pub struct SliceReader<'t> {
    sstable: &'t Sstable,
    head: Head,
    bounds: Bounds,
    walk: Walk<'t>,
    pace: Pace,
    rows_left: u64,
    /// Number of blocks of the index that opening compared.
    block_count: u64,
}

#[derive(Debug)]
enum Walk<'t> {
    Forward(Forward<'t>),
    Reverse(Box<Reverse<'t>>),
}

/// How long the reads of a slice are: the first to the end of its block, and a little further where
/// a limit's rows, by their mean length in the table, are likely to pass it; then, with a limit,
/// what the rows that are left take if they are as long as those before, else twice as much as
/// before. None goes past a place that is known to lie after the slice.
#[derive(Clone, Copy, Debug)]
struct Pace {
    start: u64,
    first: u64,
    /// What lies from here on is not the slice's.
    limit: u64,
    read_bytes_max: u64,
    /// Number of rows that are still expected, where a number is known.
    rows_left: Option<u64>,
}

/// A read that is chosen by the rows that are left is so long at least.
const READ_LEN_MIN: u64 = 4 << 10;

impl Pace {
    fn new(
        start: u64,
        end: Option<u64>,
        limit: Option<u64>,
        rows_left: Option<u64>,
        row_len_mean: Option<u64>,
        read_bytes_max: u64,
    ) -> Self {
        let limit = limit.unwrap_or(u64::MAX);
        let block = end.map_or(BLOCK_LEN, |end| end.saturating_sub(start));
        let rows = rows_left.zip(row_len_mean).map_or(0, |(count, len)| count.saturating_mul(len));
        // The slice begins anywhere in its block, so three guesses of four are long enough. What
        // one may cost is one more block.
        let past = rows.saturating_sub(block / 4).min(block);
        let first = (block + past).min(limit.max(start) - start).min(read_bytes_max);
        Pace { start, first, limit, read_bytes_max, rows_left }
    }

    #[inline]
    fn ahead(&self, steps: &Steps<'_>) -> u64 {
        let done = steps.at.saturating_sub(self.start);
        let wanted = match (steps.passed_count, self.rows_left) {
            (0, _) => return self.first,
            (count, Some(left)) => (done / count + 1).saturating_mul(left),
            (_, None) => done,
        };
        let wanted = wanted.max(READ_LEN_MIN).min(self.read_bytes_max);
        wanted.min(self.limit.saturating_sub(steps.at))
    }
}

/// Opens a slice of the partition with a key; `None` if the table doesn't have it.
pub fn open_slice<'t>(
    sstable: &'t Sstable,
    key: &[u8],
    bounds: Bounds,
    options: &SliceOptions,
    reading: &mut Reading<'_>,
) -> Result<Option<SliceReader<'t>>, RowsError> {
    open_expecting(sstable, key, bounds, options, options.row_count_max, reading)
}

/// As [`open_slice`]; the caller will probably stop after `row_count` rows, and reads are no longer
/// than these need.
pub(crate) fn open_expecting<'t>(
    sstable: &'t Sstable,
    key: &[u8],
    bounds: Bounds,
    options: &SliceOptions,
    row_count: Option<u64>,
    reading: &mut Reading<'_>,
) -> Result<Option<SliceReader<'t>>, RowsError> {
    let Some(place) = lookup::find(sstable, key, reading)? else { return Ok(None) };
    let position = place.position;
    let cursor = Cursor::new(sstable, place, options.seek);
    let mut window = Window::new(sstable.data());
    let head = match cursor.head(key) {
        Some((deletion, len)) => Head::of_index(position, deletion, len),
        None => Head::read_of(sstable, position, key, &mut window, reading)?,
    };
    let (start, end) = (bounds.start(), bounds.end());
    let wanted = match options.direction {
        Direction::Forward => Wanted { place: &start, until: &end, toward: Toward::End },
        Direction::Reverse => Wanted { place: &end, until: &start, toward: Toward::Start },
    };
    let block = cursor.find(&wanted, reading)?;
    let block_count = cursor.block_count();
    let block = block.unwrap_or_else(|| BlockPlace::whole(head.len));
    let (at, open) = (position + block.offset.max(head.len), block.open);
    let end = block.end.map(|end| position.saturating_add(end));
    let limit = block.limit.map(|limit| position.saturating_add(limit));
    let (row_len_mean, read_bytes_max) = (sstable.row_len_mean(), options.read_bytes_max);
    let pace = Pace::new(at, end, limit, row_count, row_len_mean, read_bytes_max);
    window.set_ahead(pace.first);
    let steps = Steps { sstable, window, at, open, passed_count: 0 };
    let walk = match options.direction {
        Direction::Forward => Walk::Forward(Forward::new(steps)),
        Direction::Reverse => {
            let reverse = Reverse::new(steps, cursor, head.len, read_bytes_max, block);
            Walk::Reverse(Box::new(reverse))
        }
    };
    let rows_left = options.row_count_max.unwrap_or(u64::MAX);
    Ok(Some(SliceReader { sstable, head, bounds, walk, pace, rows_left, block_count }))
}

impl<'t> SliceReader<'t> {
    /// The table that it is of.
    pub fn sstable(&self) -> &'t Sstable {
        self.sstable
    }

    /// The partition's deletion and its static row, which belong to every slice.
    pub fn head(&self) -> &Head {
        &self.head
    }

    /// Number of blocks of the partition's index that were compared or found so far.
    pub fn block_count(&self) -> u64 {
        match &self.walk {
            Walk::Forward(_) => self.block_count,
            Walk::Reverse(reverse) => reverse.block_count(),
        }
    }

    /// The next row or marker in the direction of the slice.
    pub fn next(&mut self, reading: &mut Reading<'_>) -> Result<Option<Item<'_>>, RowsError> {
        let sstable = self.sstable;
        Ok(match self.step(reading)? {
            None => None,
            Some(Step::Marker(marker)) => Some(Item::Marker(marker)),
            Some(Step::Row(frame, bytes)) => match opened(sstable, &frame, bytes)? {
                Unfiltered::Row(row) => Some(Item::Row(row)),
                _ => None,
            },
        })
    }

    /// The same, where a row is not looked into.
    pub(crate) fn step(
        &mut self,
        reading: &mut Reading<'_>,
    ) -> Result<Option<Step<'_>>, RowsError> {
        if self.rows_left == 0 {
            return Ok(None);
        }
        let SliceReader { sstable, bounds, walk, pace, rows_left, .. } = self;
        match walk {
            Walk::Forward(forward) => {
                let ahead = pace.ahead(&forward.steps);
                forward.steps.window.set_ahead(ahead);
                let Some(next) = forward.next(bounds, reading)? else { return Ok(None) };
                let frame = match next {
                    Next::Start(open) => return Ok(Some(opens(bounds.start(), open))),
                    Next::End(open) => return Ok(Some(closes(bounds.end(), open))),
                    Next::Frame(frame) => frame,
                };
                let bytes = forward.steps.window.at(frame.at, frame.len, reading)?;
                let step = step(sstable, frame, bytes, Direction::Forward, rows_left)?;
                if let (Step::Row(..), Some(left)) = (&step, &mut pace.rows_left) {
                    *left = left.saturating_sub(1);
                }
                Ok(Some(step))
            }
            Walk::Reverse(reverse) => {
                let Some(back) = reverse.next(bounds, reading)? else { return Ok(None) };
                let (frame, at) = match back {
                    Back::End(open) => return Ok(Some(opens(bounds.end(), open))),
                    Back::Start(open) => return Ok(Some(closes(bounds.start(), open))),
                    Back::Frame(frame, at) => (frame, at),
                };
                let bytes = &reverse.bytes[at..];
                step(sstable, frame, bytes, Direction::Reverse, rows_left).map(Some)
            }
        }
    }
}

fn opens(prefix: Prefix<'_>, open: Deletion) -> Step<'_> {
    Step::Marker(SliceMarker { prefix, closes: None, opens: Some(open) })
}

fn closes(prefix: Prefix<'_>, open: Deletion) -> Step<'_> {
    Step::Marker(SliceMarker { prefix, closes: Some(open), opens: None })
}

fn opened<'r>(
    sstable: &Sstable,
    frame: &Frame,
    bytes: &'r [u8],
) -> Result<Unfiltered<'r>, RowsError> {
    frame.open(bytes, sstable.shape()).map_err(|error| sstable.data().damaged(error))
}

fn step<'r>(
    sstable: &Sstable,
    frame: Frame,
    bytes: &'r [u8],
    direction: Direction,
    rows_left: &mut u64,
) -> Result<Step<'r>, RowsError> {
    if frame.kind == FrameKind::Row {
        *rows_left -= 1;
        return Ok(Step::Row(frame, bytes));
    }
    match opened(sstable, &frame, bytes)? {
        Unfiltered::Marker(marker) => {
            let (closes, opens) = match direction {
                Direction::Forward => (marker.ends, marker.begins),
                Direction::Reverse => (marker.begins, marker.ends),
            };
            Ok(Step::Marker(SliceMarker { prefix: marker.prefix, closes, opens }))
        }
        _ => unreachable!("a walk ends before the end of the partition, and begins after its head"),
    }
}
