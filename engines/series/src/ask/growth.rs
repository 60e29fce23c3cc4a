//! Growth between two blocks: by metric, by label, by label pair.
//!
//! The series of both are walked side by side in the order of their labels, so that a series is
//! known to be new, gone or in both. What a side has of a label pair is added up as they pass.
//! Beside the mapped files this holds some 150 bytes a label pair. As in an analysis, what
//! tombstones delete takes its space until a compaction, and counts.

use std::cmp::{Ordering, Reverse};

use manicule_core::bytes::DecodeError;
use manicule_core::idmap::PairIds;
use manicule_format_prometheus::{
    LIST_FRAME_LEN, PairIndex, SeriesRef, SeriesWalk, list_place_len, string_len,
};
use manicule_store::store::RangedFile;

use crate::ask::analyze::of_chunks;
use crate::ask::matcher::METRIC_NAME;
use crate::ask::matcher::Matcher;
use crate::ask::query::refs_of;
use crate::block::{Block, BlockError};

/// Counts of something before and now, and how many of them are others.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Change {
    /// In the old block.
    pub before: u64,
    /// In the new one.
    pub now: u64,
    /// Only in the new one.
    pub added: u64,
    /// Only in the old one.
    pub removed: u64,
}

impl Change {
    /// Growth; below zero if it shrank.
    pub fn growth(&self) -> i64 {
        self.now as i64 - self.before as i64
    }
}

/// Lengths before and now.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Lens {
    /// In the old block.
    pub before: u64,
    /// In the new one.
    pub now: u64,
}

impl Lens {
    /// Growth; below zero if it shrank.
    pub fn growth(&self) -> i64 {
        self.now as i64 - self.before as i64
    }
}

/// A label or a label pair that changed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Grown {
    /// The label.
    pub name: Vec<u8>,
    /// Its value, where it is about a pair or a metric.
    pub value: Option<Vec<u8>>,
    /// The series that have it.
    pub series: Change,
    /// The values, where it is about a label.
    pub values: Option<Change>,
    /// The bytes of the samples of these series, where both blocks have samples.
    pub sample_len: Option<Lens>,
    /// Bytes of the index: posting lists, entries of their table, text of values. Not reported
    /// where matchers choose series: a list is then only partly looked at.
    pub index_len: Option<Lens>,
}

impl Grown {
    /// By what rows are ordered: series, then samples, then what came beside as much that went.
    fn growth(&self) -> (i64, i64, u64) {
        (self.series.growth(), self.sample_len.map_or(0, |len| len.growth()), self.series.added)
    }

    /// Whether the old block hadn't got it.
    pub fn is_new(&self) -> bool {
        self.series.before == 0
    }

    /// Whether the new block hasn't got it.
    pub fn is_gone(&self) -> bool {
        self.series.now == 0
    }
}

/// Rows that changed, the largest growth first; those that shrank by the most first.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct GrownList {
    /// Those that grew, as far as the limit goes.
    pub grew: Vec<Grown>,
    /// Number of those that grew.
    pub grew_count: u64,
    /// Those that shrank, as far as the limit goes.
    pub shrank: Vec<Grown>,
    /// Number of those that shrank.
    pub shrank_count: u64,
}

impl GrownList {
    fn of(mut rows: Vec<Grown>, limit: usize) -> Self {
        rows.sort_by(|left, right| {
            let key = |row: &Grown| Reverse(row.growth());
            key(left)
                .cmp(&key(right))
                .then_with(|| (&left.name, &left.value).cmp(&(&right.name, &right.value)))
        });
        let mut shrank = rows.split_off(rows.partition_point(|row| row.growth() > (0, 0, 0)));
        shrank.retain(|row| row.growth() < (0, 0, 0));
        shrank.sort_by_key(Grown::growth);
        let (grew_count, shrank_count) = (rows.len() as u64, shrank.len() as u64);
        rows.truncate(limit);
        shrank.truncate(limit);
        GrownList { grew: rows, grew_count, shrank, shrank_count }
    }
}

/// Growth between two blocks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Growth {
    /// All series that are looked at.
    pub series: Change,
    /// The bytes of their samples, where both blocks have samples.
    pub sample_len: Option<Lens>,
    /// The lengths of the indexes.
    pub index_len: Lens,
    /// By metric.
    pub metrics: GrownList,
    /// By label.
    pub names: GrownList,
    /// By label pair, without metrics.
    pub pairs: GrownList,
}

/// Tells what grew from one block to another, among the series that satisfy the matchers, or among
/// all.
pub fn growth(
    before: &Block,
    now: &Block,
    matchers: &[Matcher],
    limit: usize,
) -> Result<Growth, BlockError> {
    let has_samples = before.meta().is_some() && now.meta().is_some();
    let mut table = Table::default();
    let (mut left, mut right) =
        (Cursor::new(before, matchers, has_samples)?, Cursor::new(now, matchers, has_samples)?);
    let mut all = Row::default();
    while left.is_there || right.is_there {
        let order = match (left.is_there, right.is_there) {
            (true, true) => left.walk.labels().cmp(right.walk.labels()),
            (true, false) => Ordering::Less,
            _ => Ordering::Greater,
        };
        if order != Ordering::Greater {
            let is_shared = order == Ordering::Equal;
            table.add(BEFORE, &mut left, is_shared, &mut all);
            left.advance()?;
        }
        if order != Ordering::Less {
            table.add(NOW, &mut right, false, &mut all);
            right.advance()?;
        }
    }
    let with_index = matchers.is_empty();
    if with_index {
        table.add_index(BEFORE, before).map_err(before.in_index())?;
        table.add_index(NOW, now).map_err(now.in_index())?;
    }
    let len = |block: &Block| block.index().bytes().len() as u64;
    Ok(Growth {
        series: all.series(),
        sample_len: has_samples.then(|| all.sample_len()),
        index_len: Lens { before: len(before), now: len(now) },
        metrics: table.pairs(true, has_samples, with_index, limit),
        pairs: table.pairs(false, has_samples, with_index, limit),
        names: table.names(has_samples, with_index, limit),
    })
}

/// The sides of a row.
const BEFORE: usize = 0;
const NOW: usize = 1;

/// A block's series, standing at one.
struct Cursor<'b> {
    block: &'b Block,
    rest: std::vec::IntoIter<SeriesRef>,
    walk: SeriesWalk<'b, RangedFile>,
    is_there: bool,
    /// The labels of the series before, to see that they rise.
    last: Vec<(&'b [u8], &'b [u8])>,
    /// The number of the pair that came at each place.
    ids: Vec<u32>,
    has_samples: bool,
    sample_len: u64,
}

impl<'b> Cursor<'b> {
    fn new(block: &'b Block, matchers: &[Matcher], has_samples: bool) -> Result<Self, BlockError> {
        let index = block.index();
        let refs = refs_of(index, matchers).map_err(block.in_index())?;
        let (rest, walk, last, ids) = (refs.into_iter(), index.walk(), Vec::new(), Vec::new());
        let (is_there, sample_len) = (false, 0);
        let mut cursor = Cursor { block, rest, walk, is_there, last, ids, has_samples, sample_len };
        cursor.advance()?;
        Ok(cursor)
    }

    fn advance(&mut self) -> Result<(), BlockError> {
        self.last.clear();
        if self.is_there {
            self.last.extend_from_slice(self.walk.labels());
        }
        let Some(series) = self.rest.next() else {
            self.is_there = false;
            return Ok(());
        };
        let block = self.block;
        self.walk.read(series).map_err(block.in_index())?;
        if self.is_there && self.walk.labels() <= self.last.as_slice() {
            let (what, at) =
                ("series in the order of their labels", block.index().series_at(series));
            let (want, got) = (series.0.into(), series.0.into());
            return Err(block.in_index()(DecodeError::Corrupt { what, at, want, got }));
        }
        self.is_there = true;
        if self.has_samples {
            self.sample_len = of_chunks(block, self.walk.chunks())?;
        }
        Ok(())
    }
}

/// Row of a label pair, with both sides.
#[derive(Clone, Copy, Default)]
struct Row {
    series: [u64; 2],
    shared: u64,
    sample_len: [u64; 2],
    index_len: [u64; 2],
}

impl Row {
    fn add(&mut self, side: usize, sample_len: u64, is_shared: bool) {
        self.series[side] += 1;
        self.sample_len[side] += sample_len;
        self.shared += u64::from(is_shared);
    }

    fn join(&mut self, other: &Row) {
        for side in [BEFORE, NOW] {
            self.series[side] += other.series[side];
            self.sample_len[side] += other.sample_len[side];
            self.index_len[side] += other.index_len[side];
        }
        self.shared += other.shared;
    }

    fn series(&self) -> Change {
        let [before, now] = self.series;
        Change { before, now, added: now - self.shared, removed: before - self.shared }
    }

    fn sample_len(&self) -> Lens {
        let [before, now] = self.sample_len;
        Lens { before, now }
    }

    fn index_len(&self) -> Lens {
        let [before, now] = self.index_len;
        Lens { before, now }
    }
}

/// The rows of all label pairs of both sides, by their numbers.
#[derive(Default)]
struct Table {
    ids: PairIds,
    rows: Vec<Row>,
}

impl Table {
    /// Adds the series at which a side stands.
    fn add(&mut self, side: usize, cursor: &mut Cursor<'_>, is_shared: bool, all: &mut Row) {
        all.add(side, cursor.sample_len, is_shared);
        let Cursor { walk, ids, sample_len, .. } = cursor;
        for (place, (name, value)) in walk.labels().iter().enumerate() {
            let id = match ids.get(place) {
                Some(before) => self.ids.id_behind(*before, name, value),
                None => self.ids.id(name, value),
            };
            match ids.get_mut(place) {
                Some(before) => *before = id,
                None => ids.push(id),
            }
            self.row(id).add(side, *sample_len, is_shared);
        }
    }

    fn row(&mut self, id: u32) -> &mut Row {
        let id = id as usize;
        if id >= self.rows.len() {
            self.rows.resize(id + 1, Row::default());
        }
        &mut self.rows[id]
    }

    /// Adds what each pair takes in a side's index.
    fn add_index(&mut self, side: usize, block: &Block) -> Result<(), DecodeError> {
        let index = block.index();
        for (name, range) in index.names() {
            for pair in range.map(PairIndex) {
                let Some(place) = index.pair(pair) else { continue };
                let lists = LIST_FRAME_LEN + 4 * index.postings(pair)?.len() as u64;
                let table = list_place_len(name, place.value, place.list_at);
                let id = self.ids.id(name, place.value);
                self.row(id).index_len[side] += lists + table + string_len(place.value);
            }
        }
        Ok(())
    }

    /// The pairs that changed: metrics, or all others.
    fn pairs(&self, metrics: bool, samples: bool, index: bool, limit: usize) -> GrownList {
        let rows = (0u32..).zip(&self.rows).filter_map(|(id, row)| {
            let name = self.ids.name(self.ids.name_of(id));
            let is_wanted = (name == METRIC_NAME.as_bytes()) == metrics && row.is_changed();
            is_wanted.then(|| Grown {
                value: Some(self.ids.value(id).to_vec()),
                ..row.grown(name, samples, index)
            })
        });
        GrownList::of(rows.collect(), limit)
    }

    /// The labels that changed.
    fn names(&self, samples: bool, index: bool, limit: usize) -> GrownList {
        let mut sums = vec![(Row::default(), Change::default()); self.ids.name_count() as usize];
        for (id, row) in (0u32..).zip(&self.rows) {
            let (sum, values) = &mut sums[self.ids.name_of(id) as usize];
            sum.join(row);
            let [before, now] = row.series.map(|count| u64::from(count > 0));
            values.before += before;
            values.now += now;
            values.added += u64::from(now > before);
            values.removed += u64::from(before > now);
        }
        let rows = (0u32..).zip(&sums).filter(|(_, (row, _))| row.is_changed());
        let rows = rows.map(|(name, (row, values))| Grown {
            values: Some(*values),
            ..row.grown(self.ids.name(name), samples, index)
        });
        GrownList::of(rows.collect(), limit)
    }
}

impl Row {
    fn is_changed(&self) -> bool {
        let [before, now] = self.series;
        let [len_before, len_now] = self.sample_len;
        before != now || len_before != len_now || now != self.shared
    }

    fn grown(&self, name: &[u8], samples: bool, index: bool) -> Grown {
        Grown {
            name: name.to_vec(),
            value: None,
            series: self.series(),
            values: None,
            sample_len: samples.then(|| self.sample_len()),
            index_len: index.then(|| self.index_len()),
        }
    }
}
