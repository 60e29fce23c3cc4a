//! The encoding of a column that takes the fewest bytes.
//!
//! A frame's segments are cut at the widest gaps between the ids of a block, so that IRIs, strings
//! and numbers beside each other, or names from far ends of the dictionary, share one short code. A
//! table is the case in which every id is a segment of its own.
//!
//! Bytes:   docs/formats/leaf.md, section *columns*

use super::column::{FRAME, Head, SEGMENTS_MAX, TABLE, TABLE_MAX, start_width};
use crate::pack::{pack, packed_len, width_of};

/// Memory that choosing reuses.
#[derive(Debug, Default)]
pub(super) struct Chooser {
    /// The id of each run, and the row that it starts at.
    runs: Vec<u64>,
    starts: Vec<u64>,
    distinct: Vec<u64>,
    /// The widest gaps between distinct ids, widest first, and the index before each.
    gaps: Vec<(u64, usize)>,
}

/// A way to encode a column, and what it takes.
struct Way {
    /// Gaps that a frame is cut at; `None` for a table.
    gap_count: Option<usize>,
    width: u8,
    entries_len: usize,
}

/// How ids become codes.
enum Codes {
    /// The first ids of the segments, and their first codes.
    Frame { bases: Vec<u64>, starts: Vec<u64>, width: u8 },
    /// Indexes among the distinct ids.
    Table { width: u8, entry_width: u8 },
}

impl Codes {
    fn width(&self) -> u8 {
        match self {
            Codes::Frame { width, .. } | Codes::Table { width, .. } => *width,
        }
    }

    fn code(&self, distinct: &[u64], id: u64) -> u64 {
        match self {
            Codes::Frame { bases, starts, .. } => {
                let segment = bases.iter().take_while(|base| **base <= id).count() - 1;
                starts[segment] + (id - bases[segment])
            }
            Codes::Table { .. } => distinct.partition_point(|each| *each < id) as u64,
        }
    }
}

impl Chooser {
    /// Appends the head and the body of a column. There is at least one id.
    pub(super) fn put(&mut self, ids: &[u64], head: &mut Vec<u8>, body: &mut Vec<u8>) {
        self.find_runs(ids);
        self.distinct.clone_from(&self.runs);
        if !self.distinct.is_sorted() {
            self.distinct.sort_unstable();
        }
        self.distinct.dedup();
        widest_gaps(&self.distinct, &mut self.gaps);
        let start_width = start_width(ids.len());
        let with_runs = |width: u8| {
            packed_len(start_width, self.runs.len()) + packed_len(width, self.runs.len())
        };
        let without = |width: u8| packed_len(width, ids.len());
        let len = |way: &Way| way.entries_len + with_runs(way.width).min(without(way.width));
        let best = self.ways().min_by_key(len).expect("one segment is always possible");
        let codes = match best.gap_count {
            Some(count) => frame(&self.distinct, &self.gaps[..count]),
            None => Codes::Table { width: best.width, entry_width: self.entry_width() },
        };
        let has_runs = with_runs(codes.width()) < without(codes.width());
        self.write(ids, &codes, has_runs, head, body);
    }

    fn find_runs(&mut self, ids: &[u64]) {
        self.runs.clear();
        self.starts.clear();
        let mut last = None;
        for (row, id) in ids.iter().enumerate() {
            if last != Some(*id) {
                self.runs.push(*id);
                self.starts.push(row as u64);
                last = Some(*id);
            }
        }
    }

    /// The encodings: frames with more and more segments, and a table. None of them is made yet.
    fn ways(&self) -> impl Iterator<Item = Way> {
        let distinct = &self.distinct;
        let mut last_code = distinct[distinct.len() - 1] - distinct[0];
        let frames = (0..=self.gaps.len()).map(move |count| {
            // What lies in a gap has no codes.
            let closed = count.checked_sub(1).map_or(0, |last| self.gaps[last].0 - 1);
            last_code -= closed;
            let (width, entries_len) = (width_of(last_code), 8 * (2 * count + 1));
            Way { gap_count: Some(count), width, entries_len }
        });
        let table = (distinct.len() <= TABLE_MAX).then(|| {
            let entries_len = 8 + packed_len(self.entry_width(), distinct.len());
            Way { gap_count: None, width: width_of(distinct.len() as u64 - 1), entries_len }
        });
        frames.chain(table)
    }

    /// Width of the ids of a table, less their base.
    fn entry_width(&self) -> u8 {
        width_of(self.distinct[self.distinct.len() - 1] - self.distinct[0])
    }

    fn write(
        &self,
        ids: &[u64],
        codes: &Codes,
        has_runs: bool,
        head: &mut Vec<u8>,
        body: &mut Vec<u8>,
    ) {
        let (kind, entry_width, entry_count) = match codes {
            Codes::Frame { bases, .. } => (FRAME, 0, bases.len()),
            Codes::Table { entry_width, .. } => (TABLE, *entry_width, self.distinct.len()),
        };
        let run_count = if has_runs { self.runs.len() as u16 } else { 0 };
        let (width, entry_count) = (codes.width(), entry_count as u16);
        Head { kind, width, entry_width, entry_count, run_count }.put(head);
        if has_runs {
            pack(self.starts.iter().copied(), start_width(ids.len()), body);
        }
        match codes {
            Codes::Frame { bases, starts, .. } => {
                let words = bases.iter().chain(&starts[1..]);
                words.for_each(|word| body.extend_from_slice(&word.to_le_bytes()));
            }
            Codes::Table { entry_width, .. } => {
                let base = self.distinct[0];
                body.extend_from_slice(&base.to_le_bytes());
                pack(self.distinct.iter().map(|id| id - base), *entry_width, body);
            }
        }
        let coded = if has_runs { &self.runs } else { ids };
        pack(coded.iter().map(|id| codes.code(&self.distinct, *id)), width, body);
    }
}

/// Finds the widest gaps between ids, widest first.
fn widest_gaps(distinct: &[u64], widest: &mut Vec<(u64, usize)>) {
    widest.clear();
    for (index, pair) in distinct.windows(2).enumerate() {
        let gap = pair[1] - pair[0];
        let is_full = widest.len() == SEGMENTS_MAX - 1;
        // Two words a segment never pay for a gap that saves less than a bit of any row.
        if gap < 2 || (is_full && widest[widest.len() - 1].0 >= gap) {
            continue;
        }
        if is_full {
            widest.pop();
        }
        let place = widest.partition_point(|other| other.0 >= gap);
        widest.insert(place, (gap, index));
    }
}

/// The frame whose segments are cut at the given gaps.
fn frame(distinct: &[u64], gaps: &[(u64, usize)]) -> Codes {
    let mut cuts: Vec<usize> = gaps.iter().map(|gap| gap.1 + 1).collect();
    cuts.sort_unstable();
    let (mut bases, mut starts) = (vec![distinct[0]], vec![0]);
    for cut in &cuts {
        let (base, start) = (bases[bases.len() - 1], starts[starts.len() - 1]);
        starts.push(start + (distinct[cut - 1] - base) + 1);
        bases.push(distinct[*cut]);
    }
    let last = starts[starts.len() - 1] + (distinct[distinct.len() - 1] - bases[bases.len() - 1]);
    Codes::Frame { bases, starts, width: width_of(last) }
}
