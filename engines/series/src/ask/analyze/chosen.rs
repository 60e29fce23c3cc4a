//! Series chosen for an analysis, and rows of it by size.

use manicule_core::watch::{Phase, Unit, Watch};
use manicule_format_prometheus::{Index, PairIndex, PostingList, SeriesRef};
use manicule_store::store::RangedFile;

use crate::ask::matcher::Matcher;
use crate::ask::query::refs_of;
use crate::block::{Block, BlockError};

/// A name or value, or a label pair, and how much of it there is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Count {
    /// The count.
    pub count: u64,
    /// The name of a label.
    pub name: Vec<u8>,
    /// The value, where a list is about pairs or about metrics.
    pub value: Option<Vec<u8>>,
}

impl Count {
    pub(crate) fn of_pair(index: &Index<RangedFile>, count: u64, pair: u32) -> Self {
        let pair = index.pair(PairIndex(pair)).expect("a pair of the table");
        Count { count, name: pair.name.to_vec(), value: Some(pair.value.to_vec()) }
    }
}

/// The rows with the largest counts, then the lowest numbers.
pub(super) fn top(mut rows: Vec<(u64, u32)>, limit: usize) -> Vec<(u64, u32)> {
    let order = |row: &(u64, u32)| (std::cmp::Reverse(row.0), row.1);
    if limit < rows.len() {
        rows.select_nth_unstable_by_key(limit, order);
        rows.truncate(limit);
    }
    rows.sort_unstable_by_key(order);
    rows
}

/// The series that are looked at, and how long each lasts.
pub(super) struct Chosen {
    /// Increasing.
    pub(super) refs: Vec<SeriesRef>,
    /// From the first time of the first chunk to the last of the last; in the order of `refs`.
    lasts: Vec<u64>,
    /// Duration of each of them, if it is the same.
    uniform: Option<u64>,
    /// Whether these are all series of the block.
    is_all: bool,
    pub(super) times: (i64, i64),
    /// The place in `refs` of each reference from the first on, plus one; 0 is none. Only where it
    /// is needed.
    places: std::cell::OnceCell<Vec<u32>>,
}

impl Chosen {
    pub(super) fn read(
        block: &Block,
        matchers: &[Matcher],
        watch: &Watch<'_>,
    ) -> Result<Self, BlockError> {
        let index = block.index();
        let refs = refs_of(index, matchers).map_err(block.in_index())?;
        let reading = watch.phase(Phase::Reading, Unit::Series, refs.len() as u64);
        let mut steps = reading.steps();
        let mut lasts = Vec::with_capacity(refs.len());
        let (mut min_time, mut max_time) = (i64::MAX, i64::MIN);
        let mut walk = index.walk();
        for series in &refs {
            walk.read_chunks(*series).map_err(block.in_index())?;
            steps.add(1).map_err(BlockError::stopped(block.path()))?;
            let chunks = walk.chunks();
            let (Some(first), Some(last)) = (chunks.first(), chunks.last()) else {
                lasts.push(0);
                continue;
            };
            lasts.push(last.max_time.wrapping_sub(first.min_time) as u64);
            min_time = min_time.min(first.min_time);
            max_time = max_time.max(last.max_time);
        }
        drop(steps);
        reading.end();
        let times = match block.meta() {
            Some(meta) => (meta.min_time, meta.max_time),
            None if min_time <= max_time => (min_time, max_time.saturating_add(1)),
            None => (0, 0),
        };
        let uniform = lasts.first().copied().filter(|first| lasts.iter().all(|own| own == first));
        let (is_all, places) = (matchers.is_empty(), std::cell::OnceCell::new());
        Ok(Chosen { refs, lasts, uniform, is_all, times, places })
    }

    fn first(&self) -> u32 {
        self.refs.first().map_or(0, |first| first.0)
    }

    /// A table over all references from the first to the last. Each of them was read, so that it is
    /// no longer than the index.
    fn places(&self) -> &[u32] {
        self.places.get_or_init(|| {
            let first = self.first();
            let len = self.refs.last().map_or(0, |last| (last.0 - first) as usize + 1);
            let mut places = vec![0; len];
            for (place, series) in (1u32..).zip(&self.refs) {
                places[(series.0 - first) as usize] = place;
            }
            places
        })
    }

    /// The places in `refs` of those of a list that are looked at.
    pub(crate) fn places_of<'a>(
        &'a self,
        list: PostingList<'a>,
    ) -> impl Iterator<Item = usize> + 'a {
        let (first, places) = (self.first(), self.places());
        list.as_bytes().iter().filter_map(move |series| {
            let series = u32::from_be_bytes(*series);
            let place = *places.get(series.wrapping_sub(first) as usize)?;
            (place as usize).checked_sub(1)
        })
    }

    /// Number of series of a list that are looked at, and how long they last together.
    pub(crate) fn count(&self, list: PostingList<'_>) -> (u64, u64) {
        let len = list.len() as u64;
        match (self.is_all, self.uniform) {
            (true, Some(each)) => (len, len.wrapping_mul(each)),
            _ => self.places_of(list).fold((0, 0), |(count, lasts), place| {
                (count + 1, lasts.wrapping_add(self.lasts[place]))
            }),
        }
    }

    /// Part of the block's time that some series don't last, in whole series: as promtool does, in
    /// wrapping integers and then in doubles.
    pub(super) fn share(&self, lasts: u64, count: u64) -> u64 {
        let range = self.times.1.wrapping_sub(self.times.0);
        let uncovered = (range as u64).wrapping_mul(count).wrapping_sub(lasts);
        (uncovered as f64 / range as f64) as u64
    }
}
