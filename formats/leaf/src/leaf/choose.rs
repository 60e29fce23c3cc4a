//! The encoding of a column that takes the fewest bytes.
//!
//! A frame's segments are cut at the widest gaps between the ids of a block, so that IRIs, strings and numbers beside each other, or
//! names from far ends of the dictionary, share one short code. A table is the case in which every id is a segment of its own.
//!
//! Bytes:   docs/formats/leaf.md, section *columns*
//! Callers: leaf/write

use super::column::{FRAME, Head, SEGMENTS_MAX, TABLE, TABLE_MAX, start_width};
use crate::pack::{pack, packed_len, width_of};

/// Memory that choosing reuses.
#[derive(Debug, Default)]
pub(super) struct Chooser {
    /// The id of each run, and the row that it starts at.
    runs: Vec<u64>,
    starts: Vec<u64>,
    distinct: Vec<u64>,
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
        let start_width = start_width(ids.len());
        let with_runs = |width: u8| {
            packed_len(start_width, self.runs.len()) + packed_len(width, self.runs.len())
        };
        let without = |width: u8| packed_len(width, ids.len());
        let (codes, _) = self
            .ways()
            .map(|(codes, entries_len)| {
                let len = entries_len + with_runs(codes.width()).min(without(codes.width()));
                (codes, len)
            })
            .min_by_key(|(_, len)| *len)
            .expect("one segment is always possible");
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

    /// The encodings, each with the length of its entries.
    fn ways(&self) -> impl Iterator<Item = (Codes, usize)> {
        let distinct = &self.distinct;
        let gaps = widest_gaps(distinct);
        let frames = (0..=gaps.len()).map(move |count| {
            let codes = frame(distinct, &gaps[..count]);
            (codes, 8 * (2 * count + 1))
        });
        let table = (distinct.len() <= TABLE_MAX).then(|| {
            let entry_width = width_of(distinct[distinct.len() - 1] - distinct[0]);
            let width = width_of(distinct.len() as u64 - 1);
            (Codes::Table { width, entry_width }, 8 + packed_len(entry_width, distinct.len()))
        });
        frames.chain(table)
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

/// The indexes before the widest gaps between ids, widest first.
fn widest_gaps(distinct: &[u64]) -> Vec<usize> {
    let mut widest: Vec<(u64, usize)> = Vec::with_capacity(SEGMENTS_MAX);
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
    widest.into_iter().map(|gap| gap.1).collect()
}

/// The frame whose segments are cut at the given gaps.
fn frame(distinct: &[u64], gaps: &[usize]) -> Codes {
    let mut cuts: Vec<usize> = gaps.iter().map(|gap| gap + 1).collect();
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
