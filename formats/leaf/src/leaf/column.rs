//! A column of a block, read while it is packed: codes that rise with the ids they are of.
//!
//! ```text
//! head:  | u8 kind | u8 code width | u8 entry width | u8 zero | u16 entry_count | u16 run_count |
//! body:  | starts of the runs, packed | entries | codes, packed |
//! kind 0, frame: entries are segments: | entry_count × u64 first id | (entry_count - 1) × u64 first code |
//! kind 1, table: entries are ids:      | u64 base | entry_count × entry width, packed: id - base |
//! ```
//! A code is that of a row, or where there are runs, that of all rows from the run's start to the
//! next one's.
//!
//! Bytes:   docs/formats/leaf.md, section *columns*

use std::ops::Range;

use manicule_core::bytes::{DecodeError, Reader};

use crate::head::{check, check_max};
use crate::pack::{Packed, SLACK, is_width, packed_len, width_of};

pub(super) const HEAD_LEN: usize = 4 + 2 * size_of::<u16>();
/// The most segments of a frame: one pass over the rows each.
pub(super) const SEGMENTS_MAX: usize = 8;
/// The most ids of a table: their array lies on the stack while rows are decoded.
pub(super) const TABLE_MAX: usize = 256;

pub(super) const FRAME: u8 = 0;
pub(super) const TABLE: u8 = 1;

/// The head of a column.
#[derive(Clone, Copy, Debug)]
pub(super) struct Head {
    pub(super) kind: u8,
    pub(super) width: u8,
    pub(super) entry_width: u8,
    pub(super) entry_count: u16,
    pub(super) run_count: u16,
}

impl Head {
    pub(super) fn put(&self, out: &mut Vec<u8>) {
        out.extend_from_slice(&[self.kind, self.width, self.entry_width, 0]);
        out.extend_from_slice(&self.entry_count.to_le_bytes());
        out.extend_from_slice(&self.run_count.to_le_bytes());
    }

    /// Reads the head of a column of `row_count` rows.
    pub(super) fn read(reader: &mut Reader<'_>, row_count: usize) -> Result<Head, DecodeError> {
        let at = reader.at();
        let bytes = reader.take("head of a column", HEAD_LEN)?;
        let [kind, width, entry_width, zero] = [bytes[0], bytes[1], bytes[2], bytes[3]];
        let entry_count = u16::from_le_bytes([bytes[4], bytes[5]]);
        let run_count = u16::from_le_bytes([bytes[6], bytes[7]]);
        let entries_max = if kind == FRAME { SEGMENTS_MAX } else { TABLE_MAX };
        check_max("kind of a column", at, TABLE.into(), kind.into())?;
        check("width of the codes", at + 1, 1, is_width(width).into())?;
        check("width of the entries", at + 2, 1, is_width(entry_width).into())?;
        check("zero in a column's head", at + 3, 0, zero.into())?;
        check_max(
            "entries of a column",
            at + 4,
            entries_max as u64 - 1,
            u64::from(entry_count).wrapping_sub(1),
        )?;
        check_max("runs of a column", at + 6, row_count as u64, run_count.into())?;
        Ok(Head { kind, width, entry_width, entry_count, run_count })
    }

    /// Number of codes.
    pub(super) fn code_count(&self, row_count: usize) -> usize {
        if self.run_count == 0 { row_count } else { self.run_count.into() }
    }

    pub(super) fn starts_len(&self, row_count: usize) -> usize {
        packed_len(start_width(row_count), self.run_count.into())
    }

    pub(super) fn entries_len(&self) -> usize {
        let count = usize::from(self.entry_count);
        match self.kind {
            FRAME => 8 * (2 * count - 1),
            _ => 8 + packed_len(self.entry_width, count),
        }
    }

    pub(super) fn codes_len(&self, row_count: usize) -> usize {
        packed_len(self.width, self.code_count(row_count))
    }
}

/// Bits of a run's start in a block of `row_count` rows.
pub(super) fn start_width(row_count: usize) -> u8 {
    width_of(row_count as u64 - 1)
}

/// A column, bound to its bytes.
#[derive(Clone, Copy, Debug)]
pub(super) struct Column<'a> {
    pub(super) row_count: usize,
    pub(super) starts: Option<Packed<'a>>,
    pub(super) codes: Packed<'a>,
    pub(super) map: Map<'a>,
}

/// What ids the codes are of.
#[derive(Clone, Copy, Debug)]
pub(super) enum Map<'a> {
    /// The code, and a base.
    One(u64),
    /// Ranges of ids, back to back: the first id of each, and the first code of each but the first.
    Segments { bases: &'a [[u8; 8]], starts: &'a [[u8; 8]] },
    /// An index among ids, each less a base.
    Table { base: u64, entries: Packed<'a> },
}

impl<'a> Column<'a> {
    /// Binds a column whose body is at the beginning of `bytes`, followed by what comes after it;
    /// and the body's length.
    pub(super) fn new(
        head: &Head,
        row_count: usize,
        bytes: &'a [u8],
        at: u64,
    ) -> Result<(Self, usize), DecodeError> {
        let (starts_len, entries_len) = (head.starts_len(row_count), head.entries_len());
        let len = starts_len + entries_len + head.codes_len(row_count);
        let (need, have) = ((len + SLACK) as u64, bytes.len() as u64);
        let short = DecodeError::Short { what: "body of a column", at, need, have };
        let Some(after_starts) = bytes.get(starts_len..) else { return Err(short) };
        let starts = Packed::new(bytes, start_width(row_count), head.run_count.into());
        let map = Map::new(head, after_starts);
        let codes = after_starts
            .get(entries_len..)
            .and_then(|codes| Packed::new(codes, head.width, head.code_count(row_count)));
        let (Some(starts), Some(map), Some(codes)) = (starts, map, codes) else {
            return Err(short);
        };
        let starts = (head.run_count > 0).then_some(starts);
        Ok((Column { row_count, starts, codes, map }, len))
    }

    /// The id of a row.
    pub(super) fn get(&self, row: usize) -> u64 {
        let at = match &self.starts {
            None => row,
            Some(starts) => run_of(starts, row),
        };
        self.map.id(self.codes.get(at))
    }

    /// The first row whose id is not below the given one, of rows in which ids rise; the end if all
    /// are below.
    pub(super) fn lower_bound(&self, rows: Range<usize>, id: u64) -> usize {
        self.bound(rows, self.map.code(id))
    }

    /// The first row whose id is above the given one.
    pub(super) fn upper_bound(&self, rows: Range<usize>, id: u64) -> usize {
        match id.checked_add(1) {
            Some(next) => self.lower_bound(rows, next),
            None => rows.end,
        }
    }

    /// How it is packed, in a word.
    pub(super) fn describe(&self) -> String {
        let (kind, count) = match self.map {
            Map::One(_) => ("frame", 1),
            Map::Segments { bases, .. } => ("frame", bases.len()),
            Map::Table { entries, .. } => ("table", entries.count()),
        };
        let runs = self.starts.map_or(String::new(), |starts| format!(", {} runs", starts.count()));
        format!("{kind} of {count}, {} bits{runs}", self.codes.width())
    }

    /// Checks what binding leaves out: codes without an id, entries and runs out of order.
    pub(super) fn check(&self, at: u64) -> Result<(), DecodeError> {
        let is_rising = |numbers: &Packed<'_>| {
            (1..numbers.count()).all(|index| numbers.get(index - 1) < numbers.get(index))
        };
        if let Some(starts) = &self.starts {
            let is_sound = starts.get(0) == 0
                && is_rising(starts)
                && starts.get(starts.count() - 1) < self.row_count as u64;
            check("runs in order from the first row", at, 1, is_sound.into())?;
        }
        let codes = || (0..self.codes.count()).map(|index| self.codes.get(index));
        match &self.map {
            Map::One(base) => {
                let is_sound = codes().all(|code| base.checked_add(code).is_some());
                check("ids of a frame", at, 1, is_sound.into())
            }
            Map::Segments { bases, starts } => {
                let word = |bytes: &[u8; 8]| u64::from_le_bytes(*bytes);
                let mut first = 0;
                for (pair, start) in bases.windows(2).zip(*starts) {
                    let next = word(start);
                    // The last id of a segment is below the first of the next one.
                    let last = word(&pair[0]).checked_add(next.wrapping_sub(first + 1));
                    let is_sound = next > first && last.is_some_and(|last| last < word(&pair[1]));
                    check("segments in order", at, 1, is_sound.into())?;
                    first = next;
                }
                let last = word(&bases[bases.len() - 1]);
                let is_sound =
                    codes().all(|code| code < first || last.checked_add(code - first).is_some());
                check("ids of a frame", at, 1, is_sound.into())
            }
            Map::Table { entries, .. } => {
                check("ids of a table in order", at, 1, is_rising(entries).into())?;
                let is_sound = codes().all(|code| code < entries.count() as u64);
                check("indexes in a table", at, 1, is_sound.into())
            }
        }
    }

    fn bound(&self, rows: Range<usize>, code: u64) -> usize {
        let Some(starts) = &self.starts else {
            return self.codes.lower_bound(rows.start, rows.end, code);
        };
        if rows.is_empty() {
            return rows.end;
        }
        let (low, high) = (run_of(starts, rows.start), run_of(starts, rows.end - 1) + 1);
        match self.codes.lower_bound(low, high, code) {
            run if run == low => rows.start,
            run if run == high => rows.end,
            run => (starts.get(run) as usize).clamp(rows.start, rows.end),
        }
    }

    /// Fills `out` with the ids of the rows from `first` on.
    pub(super) fn decode(&self, first: usize, out: &mut [u64]) {
        let Some(starts) = &self.starts else {
            self.codes.unpack(first, out);
            return self.map.ids(out);
        };
        if out.is_empty() {
            return;
        }
        let end = first + out.len();
        let mut run = run_of(starts, first);
        let (mut ids, mut ends) = ([0; 64], [0; 64]);
        let (mut row, mut out) = (first, out);
        while row < end {
            let count = (starts.count() - run).min(64);
            self.codes.unpack(run, &mut ids[..count]);
            self.map.ids(&mut ids[..count]);
            // The ends are the starts of the runs after them; the last one's is the block's.
            let known = count.min(starts.count() - run - 1);
            starts.unpack(run + 1, &mut ends[..known]);
            ends[known..count].fill(self.row_count as u64);
            for (id, run_end) in ids[..count].iter().zip(&ends[..count]) {
                let next = (*run_end as usize).clamp(row, end);
                let (now, later) = out.split_at_mut(next - row);
                now.fill(*id);
                (row, out) = (next, later);
            }
            run += count;
            if run >= starts.count() {
                break;
            }
        }
    }
}

/// The run that a row lies in.
fn run_of(starts: &Packed<'_>, row: usize) -> usize {
    starts.lower_bound(0, starts.count(), row as u64 + 1).saturating_sub(1)
}

impl<'a> Map<'a> {
    fn new(head: &Head, bytes: &'a [u8]) -> Option<Self> {
        let count = usize::from(head.entry_count);
        if head.kind == TABLE {
            let (base, rest) = bytes.split_first_chunk::<8>()?;
            let entries = Packed::new(rest, head.entry_width, count)?;
            return Some(Map::Table { base: u64::from_le_bytes(*base), entries });
        }
        let (words, _) = bytes.get(..head.entries_len())?.as_chunks::<8>();
        let (bases, starts) = words.split_at(count);
        Some(match count {
            1 => Map::One(u64::from_le_bytes(bases[0])),
            _ => Map::Segments { bases, starts },
        })
    }

    /// The id of a code. Codes that no writer writes have some id.
    fn id(&self, code: u64) -> u64 {
        match self {
            Map::One(base) => base.wrapping_add(code),
            Map::Segments { bases, starts } => {
                let segment =
                    starts.iter().take_while(|start| u64::from_le_bytes(**start) <= code).count();
                let start =
                    segment.checked_sub(1).map_or(0, |last| u64::from_le_bytes(starts[last]));
                u64::from_le_bytes(bases[segment]).wrapping_add(code - start)
            }
            Map::Table { base, entries } => {
                let last = entries.count() - 1;
                base.wrapping_add(
                    entries.get(usize::try_from(code).map_or(last, |code| code.min(last))),
                )
            }
        }
    }

    /// The least code whose id is not below the given one.
    fn code(&self, id: u64) -> u64 {
        match self {
            Map::One(base) => id.saturating_sub(*base),
            Map::Segments { bases, starts } => {
                let above =
                    bases.iter().take_while(|base| u64::from_le_bytes(**base) <= id).count();
                let Some(segment) = above.checked_sub(1) else { return 0 };
                let start =
                    segment.checked_sub(1).map_or(0, |last| u64::from_le_bytes(starts[last]));
                let code = start.saturating_add(id - u64::from_le_bytes(bases[segment]));
                starts.get(segment).map_or(code, |next| code.min(u64::from_le_bytes(*next)))
            }
            Map::Table { base, entries } => match id.checked_sub(*base) {
                Some(above) => entries.lower_bound(0, entries.count(), above) as u64,
                None => 0,
            },
        }
    }

    /// Makes ids of codes.
    fn ids(&self, codes: &mut [u64]) {
        match self {
            Map::One(base) => codes.iter_mut().for_each(|code| *code = base.wrapping_add(*code)),
            Map::Segments { bases, starts } => {
                // From the last segment down: what a pass adds leaves a number above the starts of
                // the passes to come.
                for segment in (1..bases.len()).rev() {
                    let start = u64::from_le_bytes(starts[segment - 1]);
                    let before =
                        segment.checked_sub(2).map_or(0, |last| u64::from_le_bytes(starts[last]));
                    let own = u64::from_le_bytes(bases[segment]).wrapping_sub(start);
                    let gap = own
                        .wrapping_sub(u64::from_le_bytes(bases[segment - 1]).wrapping_sub(before));
                    for code in &mut *codes {
                        *code = code.wrapping_add(if *code >= start { gap } else { 0 });
                    }
                }
                let base = u64::from_le_bytes(bases[0]);
                codes.iter_mut().for_each(|code| *code = base.wrapping_add(*code));
            }
            Map::Table { base, entries } if codes.len() >= entries.count() => {
                let mut table = [0; TABLE_MAX];
                let known = &mut table[..entries.count()];
                entries.unpack(0, known);
                let last = known.len() as u64 - 1;
                for code in codes {
                    *code = base.wrapping_add(table[(*code).min(last) as usize % TABLE_MAX]);
                }
            }
            Map::Table { .. } => codes.iter_mut().for_each(|code| *code = self.id(*code)),
        }
    }
}
