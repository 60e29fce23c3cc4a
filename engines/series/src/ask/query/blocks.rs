//! Blocks asked as one: those of a data folder that overlap the times asked for, their series
//! merged by labels.

use std::collections::BTreeSet;
use std::sync::Mutex;

use manicule_core::bytes::DecodeError;
use manicule_core::postings::Found;
use manicule_format_prometheus::chunk::Aggregate;
use manicule_format_prometheus::{ChunkMeta, Interval, SeriesRef, SeriesWalk};
use manicule_store::store::RangedFile;
use manicule_store::threads;

use super::ahead::{Ahead, Asked};
use super::{Check, Selection, Work, label_names, label_values, select_sound};
use crate::ask::matcher::Matcher;
use crate::ask::selector::Selector;
use crate::block::data_folder::has_times;
use crate::block::salvage::Salvage;
use crate::block::samples::is_deleted;
use crate::block::{Block, BlockError};

/// Name and value of a label.
pub type Label<'b> = (&'b [u8], &'b [u8]);

/// Question to a block, with the matchers of one selector.
type Ask<'b, 'f> =
    dyn Fn(&'b Block, &[Matcher], &mut Work) -> Result<Vec<&'b [u8]>, DecodeError> + Sync + 'f;

/// Blocks that are asked together.
#[derive(Clone, Debug)]
pub struct Blocks<'b> {
    blocks: Vec<&'b Block>,
    times: Option<Interval>,
    salvage: Option<&'b Salvage>,
    aggregate: Option<Aggregate>,
    /// Whether samples of the series are going to be read.
    with_samples: bool,
}

impl<'b> Blocks<'b> {
    /// Those of the blocks that overlap the times; without times, and of an index by itself, all.
    pub fn new(blocks: &'b [Block], times: Option<Interval>) -> Self {
        let overlaps = |block: &&Block| match (block.meta(), times) {
            (Some(meta), Some(times)) => has_times(meta, times),
            _ => true,
        };
        let blocks = blocks.iter().filter(overlaps).collect();
        Blocks { blocks, times, salvage: None, aggregate: None, with_samples: false }
    }

    /// Leaves out series and chunks that are damaged, and adds them to the salvage.
    #[must_use]
    pub fn skip_damaged(self, salvage: Option<&'b Salvage>) -> Self {
        Blocks { salvage, ..self }
    }

    /// Of these blocks only what they have of other times: of a part of those asked for.
    #[must_use]
    pub fn at(self, times: Interval) -> Self {
        Blocks { times: Some(times), ..self }
    }

    /// Reads an aggregate in the place of samples.
    pub(super) fn of_aggregate(self, aggregate: Option<Aggregate>) -> Self {
        Blocks { aggregate, ..self }
    }

    /// Leaves out blocks by their resolution.
    pub(super) fn retain(&mut self, keeps: impl Fn(i64) -> bool) {
        self.blocks.retain(|block| keeps(block.resolution()));
    }

    /// Samples of the series that are asked for are going to be read: where they are elsewhere,
    /// those of many series are brought at once, from the first on. Else that begins after the
    /// first whose samples are read.
    #[must_use]
    pub fn with_samples(self) -> Self {
        Blocks { with_samples: true, ..self }
    }

    /// Whether only some times are asked for.
    pub(super) fn has_times(&self) -> bool {
        self.times.is_some()
    }

    /// The blocks.
    pub fn iter(&self) -> impl Iterator<Item = &'b Block> + '_ {
        self.blocks.iter().copied()
    }

    /// The names of labels, sorted: of all series without selectors, else of those that one of them
    /// selects.
    pub fn label_names(
        &self,
        selectors: &[Selector],
        work: &mut Work,
    ) -> Result<Vec<&'b [u8]>, BlockError> {
        self.united(selectors, work, &|block, matchers, work| {
            label_names(block.index(), matchers, work)
        })
    }

    /// The values of a label, sorted: of all series without selectors, else of those that one of
    /// them selects.
    pub fn label_values(
        &self,
        name: &[u8],
        selectors: &[Selector],
        work: &mut Work,
    ) -> Result<Vec<&'b [u8]>, BlockError> {
        self.united(selectors, work, &|block, matchers, work| {
            label_values(block.index(), name, matchers, work)
        })
    }

    /// Union of each block's answers to each selector, sorted and without duplicates.
    fn united(
        &self,
        selectors: &[Selector],
        work: &mut Work,
        ask: &Ask<'b, '_>,
    ) -> Result<Vec<&'b [u8]>, BlockError> {
        let answers = self.each(work, |block, work| {
            work.ask(block.index());
            let mut own = Vec::new();
            if selectors.is_empty() {
                own.push(ask(block, &[], work).map_err(block.in_index())?);
            }
            for selector in selectors {
                own.push(ask(block, selector.matchers(), work).map_err(block.in_index())?);
            }
            Ok(own)
        })?;
        let mut answers = answers.concat();
        Ok(match answers.len() {
            1 => answers.remove(0),
            _ => answers.concat().into_iter().collect::<BTreeSet<_>>().into_iter().collect(),
        })
    }

    /// Asks each block: side by side where they are elsewhere, as most of an answer is waiting
    /// there.
    fn each<R: Send>(
        &self,
        work: &mut Work,
        ask: impl Fn(&'b Block, &mut Work) -> Result<R, BlockError> + Sync,
    ) -> Result<Vec<R>, BlockError> {
        if !self.blocks.iter().any(|block| block.is_elsewhere()) {
            return self.blocks.iter().map(|block| ask(block, work)).collect();
        }
        let answers = threads::map_waiting(self.blocks.len(), |place| {
            let mut own = Work::default();
            (ask(self.blocks[place], &mut own), own)
        });
        let answers = answers.into_iter().map(|(answer, own)| {
            work.add(&own);
            answer
        });
        answers.collect()
    }

    /// Number of series that the selectors select, where that is known without reading series: of
    /// one block and without times, if nothing of it is deleted.
    pub fn count(
        &self,
        selectors: &[Selector],
        work: &mut Work,
    ) -> Result<Option<u64>, BlockError> {
        let [block] = self.blocks[..] else { return Ok(None) };
        if self.times.is_some() || !block.tombstones().is_empty() {
            return Ok(None);
        }
        let selected = self.select_any(block, selectors, work).map_err(block.in_index())?;
        Ok(Some(selected.len() as u64))
    }

    /// The series that one of the selectors selects, in the order of their labels.
    pub fn series<'m>(
        &self,
        selectors: &'m [Selector],
        work: &mut Work,
    ) -> Result<MergedSeries<'b, 'm>, BlockError> {
        let always = Interval { min_time: i64::MIN, max_time: i64::MAX };
        let (asked_times, asked) = (self.times.unwrap_or(always), Asked::default());
        let cursors = self.each(work, |block, work| {
            let selected = self.select_any(block, selectors, work).map_err(block.in_index())?;
            let check =
                |selector: &'m Selector| Check::new(block.index(), selector.matchers().iter());
            let checks = selectors.iter().map(check);
            let mut cursor = Cursor {
                block,
                series: selected.into_refs().into_iter(),
                checks: checks.collect(),
                times: self.times,
                salvage: self.salvage,
                walk: block.index().walk(),
                decoded_count: 0,
                ahead: Ahead::of(block, asked_times, self.with_samples, asked.clone()),
            };
            let head = cursor.next(&[])?;
            Ok((cursor, head))
        })?;
        Ok(MergedSeries { cursors, aggregate: self.aggregate })
    }

    /// The series of a block that one of the selectors selects.
    fn select_any(
        &self,
        block: &'b Block,
        selectors: &[Selector],
        work: &mut Work,
    ) -> Result<Selection<'b>, DecodeError> {
        work.ask(block.index());
        let mut all = Selection::from(Found::EMPTY);
        for selector in selectors {
            all = all.unite(select_sound(block, selector.matchers(), work, self.salvage)?);
        }
        work.series_matched += all.len() as u64;
        Ok(all)
    }
}

/// A series of one or more blocks.
#[derive(Clone, Debug)]
pub struct MergedRow<'b> {
    /// Its labels, by name.
    pub labels: Vec<Label<'b>>,
    /// The blocks that have it, in the order in which they were given.
    pub parts: Vec<Part<'b>>,
    pub(super) salvage: Option<&'b Salvage>,
    /// What is read in the place of samples, if it was chosen.
    pub(super) aggregate: Option<Aggregate>,
    /// Who reads its samples notes it.
    pub(super) asked: Option<Asked>,
}

/// A series in one block.
#[derive(Clone, Debug)]
pub struct Part<'b> {
    /// The block.
    pub block: &'b Block,
    /// Its reference there.
    pub series: SeriesRef,
    /// Its chunks that overlap the times asked for and are not deleted as a whole.
    pub chunks: Vec<ChunkMeta>,
}

impl Part<'_> {
    /// Brings its chunks of some times, which are elsewhere.
    pub(super) fn bring_chunks(&self, times: Interval) -> Result<(), BlockError> {
        let is_asked = |chunk: &&ChunkMeta| chunk.overlaps(times.min_time, times.max_time);
        let chunks = self.chunks.iter().filter(is_asked).map(|chunk| chunk.reference);
        self.block.bring_chunks(chunks.collect())
    }
}

/// The selected series of some blocks, in the order of their labels.
pub struct MergedSeries<'b, 'm> {
    /// Each with the series that comes next.
    cursors: Vec<(Cursor<'b, 'm>, Option<Head<'b>>)>,
    aggregate: Option<Aggregate>,
}

/// A series with its labels.
struct Head<'b> {
    labels: Vec<Label<'b>>,
    part: Part<'b>,
}

impl<'b> MergedSeries<'b, '_> {
    /// Number of series decoded so far.
    pub fn decoded_count(&self) -> u64 {
        self.cursors.iter().map(|cursor| cursor.0.decoded_count).sum()
    }

    /// Upper bound of the number of selected series, of all blocks, that have not come yet.
    pub fn left_count(&self) -> u64 {
        let left = |(cursor, head): &(Cursor<'_, '_>, Option<Head<'_>>)| {
            cursor.series.len() + usize::from(head.is_some())
        };
        self.cursors.iter().map(left).sum::<usize>() as u64
    }

    /// The next series.
    #[expect(clippy::should_implement_trait, reason = "its error ends it, an iterator would go on")]
    pub fn next(&mut self) -> Result<Option<MergedRow<'b>>, BlockError> {
        let heads = self.cursors.iter().enumerate();
        let heads = heads.filter_map(|(place, (_, head))| Some((head.as_ref()?, place)));
        // Of equal ones the first: all others that have the series come after it.
        let first = heads.min_by(|(one, _), (other, _)| one.labels.cmp(&other.labels));
        let Some((_, first)) = first else { return Ok(None) };
        if self.cursors.iter().any(|(cursor, _)| cursor.is_over()) {
            self.bring()?;
        }
        let ((cursor, head), others) =
            self.cursors[first..].split_first_mut().expect("a cursor at its place");
        let Head { labels, part } = head.take().expect("a series that is the least");
        *head = cursor.next(&labels)?;
        let (mut parts, salvage, asked) = (vec![part], cursor.salvage, cursor.ahead.asked());
        for (cursor, head) in others {
            if head.as_ref().is_some_and(|head| head.labels == labels) {
                let next = cursor.next(&labels)?;
                parts.extend(std::mem::replace(head, next).map(|head| head.part));
            }
        }
        Ok(Some(MergedRow { labels, parts, salvage, aggregate: self.aggregate, asked }))
    }
}

impl MergedSeries<'_, '_> {
    /// Brings series of all blocks of which those that were brought come to their end: equal series
    /// lie in many blocks, and one after the other each would wait for its own.
    #[cold]
    fn bring(&mut self) -> Result<(), BlockError> {
        let cursors: Vec<_> =
            self.cursors.iter_mut().map(|(cursor, _)| Mutex::new(cursor)).collect();
        let brought = threads::map_waiting(cursors.len(), |place| {
            let cursor = &mut *threads::lock(&cursors[place]);
            cursor.ahead.bring_more(cursor.block, cursor.series.as_slice())
        });
        brought.into_iter().collect()
    }
}

/// The selected series of a block.
struct Cursor<'b, 'm> {
    block: &'b Block,
    series: std::vec::IntoIter<SeriesRef>,
    checks: Vec<Check<'m>>,
    times: Option<Interval>,
    salvage: Option<&'b Salvage>,
    walk: SeriesWalk<'b, RangedFile>,
    decoded_count: u64,
    ahead: Ahead,
}

impl<'b> Cursor<'b, '_> {
    /// Whether its next series has to be brought.
    #[inline]
    fn is_over(&self) -> bool {
        self.ahead.is_over() && !self.series.as_slice().is_empty()
    }

    /// The next series that has something to show at the times asked for. Its labels must come
    /// after `before`.
    fn next(&mut self, before: &[Label<'b>]) -> Result<Option<Head<'b>>, BlockError> {
        while let Some(series) = self.series.next() {
            self.decoded_count += 1;
            if !self.ahead.pass() {
                self.ahead.bring(self.block, series, self.series.as_slice())?;
            }
            let head = read(self.block, series, self.times, &mut self.walk, &mut self.checks);
            let head = head.and_then(|head| match head {
                Some(head) if head.labels.as_slice() <= before && !before.is_empty() => {
                    let what = "series in the order of their labels";
                    let at = self.block.index().series_at(series);
                    let (want, got) = (u64::from(series.0), u64::from(series.0));
                    Err(DecodeError::Corrupt { what, at, want, got })
                }
                head => Ok(head),
            });
            match (head, self.salvage) {
                (Err(error), Some(salvage)) if !error.is_unread() => {
                    salvage.series(self.block, series, &error);
                }
                (head, _) => {
                    if let Some(head) = head.map_err(self.block.in_index())? {
                        return Ok(Some(head));
                    }
                }
            }
        }
        Ok(None)
    }
}

/// Reads a series and asks the matchers again, so that no posting list is believed that its series
/// contradicts. `None` if nothing of it lies within the times.
fn read<'b>(
    block: &'b Block,
    series: SeriesRef,
    times: Option<Interval>,
    walk: &mut SeriesWalk<'b, RangedFile>,
    checks: &mut [Check<'_>],
) -> Result<Option<Head<'b>>, DecodeError> {
    let index = block.index();
    walk.read(series)?;
    let symbols = walk.symbols();
    if let Some((first, others)) = checks.split_first_mut()
        && !others.iter_mut().any(|check| check.first_broken(index, symbols).is_none())
    {
        first.confirm(index, walk.start(), symbols)?;
    }
    let deleted = block.deleted(series);
    let is_shown = |chunk: &ChunkMeta| {
        let is_asked = times.is_none_or(|times| chunk.overlaps(times.min_time, times.max_time));
        is_asked && !is_deleted(chunk, deleted)
    };
    let all = walk.chunks();
    let chunks: Vec<ChunkMeta> = all.iter().copied().filter(is_shown).collect();
    if chunks.is_empty() && (!all.is_empty() || times.is_some()) {
        return Ok(None);
    }
    Ok(Some(Head { labels: walk.labels().to_vec(), part: Part { block, series, chunks } }))
}
