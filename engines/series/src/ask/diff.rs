//! Two blocks compared, or the blocks of two data folders: which series only one of them has, and
//! of those that both have, which differ in samples or in how these are cut into chunks.
//!
//! What is deleted by tombstones counts as gone. Chunks that are equal to the byte are not decoded.
//! Whether a counter was reset is not compared: it depends on where chunks begin. Of downsampled
//! blocks each aggregate of each resolution is compared, so that a raw block and one made of it
//! have no sample in common.

use std::cmp::Ordering;

use manicule_format_prometheus::chunk::Sample;
use manicule_format_prometheus::{ChunkMeta, Interval, RawChunk, SeriesRef, SeriesWalk};
use manicule_store::store::RangedFile;

use crate::ask::query::{Blocks, Downsampled, MergedRow, Part, Work, streams};
use crate::ask::selector::Selector;
use crate::block::samples::SeriesSamples;
use crate::block::samples::{is_cut, is_deleted, is_same};
use crate::block::{Block, BlockError};

/// The labels of a series, by name.
pub type LabelList<'b> = [(&'b [u8], &'b [u8])];

/// Difference between blocks in a series.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Difference {
    /// Only the left one has it.
    OnlyLeft,
    /// Only the right one has it.
    OnlyRight,
    /// Both have its samples, in other chunks.
    Chunks,
    /// The samples differ.
    Samples(SampleDifference),
}

/// Difference between the samples of a series.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct SampleDifference {
    /// Samples whose times only the left one has.
    pub only_left: u64,
    /// Samples whose times only the right one has.
    pub only_right: u64,
    /// Samples of times that both have, with other values.
    pub changed: u64,
    /// The first time of any of these.
    pub first: i64,
}

impl SampleDifference {
    fn joined(one: Option<Self>, other: Option<Self>) -> Option<Self> {
        let (Some(one), Some(other)) = (one, other) else { return one.or(other) };
        Some(SampleDifference {
            only_left: one.only_left + other.only_left,
            only_right: one.only_right + other.only_right,
            changed: one.changed + other.changed,
            first: one.first.min(other.first),
        })
    }
}

/// Counts of the series that differ, by kind of difference.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct DiffSums {
    /// Series that are the same in both.
    pub same: u64,
    /// Series that only the left one has.
    pub only_left: u64,
    /// Series that only the right one has.
    pub only_right: u64,
    /// Series with the same samples in other chunks.
    pub chunks: u64,
    /// Series with other samples.
    pub samples: u64,
}

impl DiffSums {
    /// Whether the blocks differ.
    pub fn differ(&self) -> bool {
        self.only_left + self.only_right + self.chunks + self.samples > 0
    }

    fn count(&mut self, difference: Option<Difference>) {
        match difference {
            None => self.same += 1,
            Some(Difference::OnlyLeft) => self.only_left += 1,
            Some(Difference::OnlyRight) => self.only_right += 1,
            Some(Difference::Chunks) => self.chunks += 1,
            Some(Difference::Samples(_)) => self.samples += 1,
        }
    }
}

/// Compares two blocks, and hands out the series that differ in the order of their labels; goes on
/// until `each` says `false`.
pub fn diff(
    left: &Block,
    right: &Block,
    each: &mut dyn FnMut(&LabelList<'_>, Difference) -> bool,
) -> Result<DiffSums, BlockError> {
    let (mut left, mut right) = (Cursor::new(left)?, Cursor::new(right)?);
    let mut sums = DiffSums::default();
    loop {
        let order = match (left.series, right.series) {
            (None, None) => return Ok(sums),
            (Some(_), None) => Ordering::Less,
            (None, Some(_)) => Ordering::Greater,
            (Some(_), Some(_)) => left.labels().cmp(right.labels()),
        };
        let difference = match order {
            Ordering::Less => Some(Difference::OnlyLeft),
            Ordering::Greater => Some(Difference::OnlyRight),
            Ordering::Equal => compare(&left, &right)?,
        };
        sums.count(difference);
        let labels = if order == Ordering::Greater { right.labels() } else { left.labels() };
        if difference.is_some_and(|difference| !each(labels, difference)) {
            return Ok(sums);
        }
        if order != Ordering::Greater {
            left.advance()?;
        }
        if order != Ordering::Less {
            right.advance()?;
        }
    }
}

/// Compares the blocks of two data folders, each taken as one: a series has the samples of all its
/// blocks. How these are cut into blocks and chunks is not compared, so that a folder and its
/// compacted copy are the same. Hands out as [`diff`].
pub fn diff_all(
    left: &[Block],
    right: &[Block],
    each: &mut dyn FnMut(&LabelList<'_>, Difference) -> bool,
) -> Result<DiffSums, BlockError> {
    let (left, right) = (Blocks::new(left, None), Blocks::new(right, None));
    let everything = [Selector::everything()];
    let mut ours = left.series(&everything, &mut Work::default())?;
    let mut theirs = right.series(&everything, &mut Work::default())?;
    let (mut one, mut other) = (ours.next()?, theirs.next()?);
    let mut sums = DiffSums::default();
    loop {
        let (order, labels) = match (&one, &other) {
            (None, None) => return Ok(sums),
            (Some(one), None) => (Ordering::Less, &one.labels),
            (None, Some(other)) => (Ordering::Greater, &other.labels),
            (Some(one), Some(other)) => {
                let order = one.labels.cmp(&other.labels);
                (order, if order == Ordering::Greater { &other.labels } else { &one.labels })
            }
        };
        let difference = match (order, &one, &other) {
            (Ordering::Equal, Some(one), Some(other)) => compare_rows(one, other)?,
            (Ordering::Greater, ..) => Some(Difference::OnlyRight),
            _ => Some(Difference::OnlyLeft),
        };
        sums.count(difference);
        if difference.is_some_and(|difference| !each(labels, difference)) {
            return Ok(sums);
        }
        if order != Ordering::Greater {
            one = ours.next()?;
        }
        if order != Ordering::Less {
            other = theirs.next()?;
        }
    }
}

/// Compares a series of several blocks.
fn compare_rows(
    left: &MergedRow<'_>,
    right: &MergedRow<'_>,
) -> Result<Option<Difference>, BlockError> {
    if are_same_chunks(left, right)? {
        return Ok(None);
    }
    let all = Interval { min_time: i64::MIN, max_time: i64::MAX };
    let parts = left.parts.iter().chain(&right.parts);
    let mut found = None;
    for stream in streams(parts.map(|part| part.block.resolution())) {
        let (mut ours, mut theirs) =
            (left.samples_of(stream, all)?, right.samples_of(stream, all)?);
        let samples = compare_samples(&mut || ours.next(), &mut || theirs.next())?;
        found = SampleDifference::joined(found, samples);
    }
    Ok(found.map(Difference::Samples))
}

/// Whether the chunks are equal to the byte and nothing of them is deleted: then nothing is
/// decoded.
fn are_same_chunks(left: &MergedRow<'_>, right: &MergedRow<'_>) -> Result<bool, BlockError> {
    let chunks =
        |row: &MergedRow<'_>| row.parts.iter().map(|part| part.chunks.len()).sum::<usize>();
    let has_deleted = |row: &MergedRow<'_>| {
        row.parts.iter().any(|part| !part.block.deleted(part.series).is_empty())
    };
    if chunks(left) != chunks(right) || has_deleted(left) || has_deleted(right) {
        return Ok(false);
    }
    let (ours, theirs) =
        (left.parts.iter().flat_map(of_part), right.parts.iter().flat_map(of_part));
    for ((left, ours), (right, theirs)) in ours.zip(theirs) {
        let (ours, theirs) = (chunk_of(left, ours)?, chunk_of(right, theirs)?);
        if (ours.encoding, ours.data) != (theirs.encoding, theirs.data) {
            return Ok(false);
        }
    }
    Ok(true)
}

/// The chunks of a part, each with its block.
fn of_part<'p>(part: &'p Part<'_>) -> impl Iterator<Item = (&'p Block, &'p ChunkMeta)> {
    part.chunks.iter().map(|chunk| (part.block, chunk))
}

/// A block, standing at a series.
struct Cursor<'b> {
    block: &'b Block,
    rest: std::vec::IntoIter<SeriesRef>,
    series: Option<SeriesRef>,
    /// Standing at it.
    walk: SeriesWalk<'b, RangedFile>,
}

impl<'b> Cursor<'b> {
    fn new(block: &'b Block) -> Result<Self, BlockError> {
        let refs: Vec<_> = block.index().all_postings().map_err(block.in_index())?.iter().collect();
        let walk = block.index().walk();
        let mut cursor = Cursor { block, rest: refs.into_iter(), series: None, walk };
        cursor.advance()?;
        Ok(cursor)
    }

    /// Goes on to the next series of which not everything is deleted.
    fn advance(&mut self) -> Result<(), BlockError> {
        loop {
            self.series = self.rest.next();
            let Some(series) = self.series else { return Ok(()) };
            self.walk.read(series).map_err(self.block.in_index())?;
            if self.deleted().is_empty() || self.chunks().next().is_some() {
                return Ok(());
            }
        }
    }

    /// The labels of the series at which it stands.
    fn labels(&self) -> &[(&'b [u8], &'b [u8])] {
        self.walk.labels()
    }

    /// Its chunks that are not deleted as a whole.
    fn chunks(&self) -> impl Iterator<Item = &ChunkMeta> {
        self.walk.chunks().iter().filter(|chunk| !is_deleted(chunk, self.deleted()))
    }

    fn deleted(&self) -> &'b [Interval] {
        self.series.map_or(&[], |series| self.block.deleted(series))
    }

    /// Whether some samples of these chunks are deleted.
    fn is_cut(&self, chunks: &[&ChunkMeta]) -> bool {
        chunks.iter().any(|chunk| is_cut(chunk, self.deleted()))
    }

    /// The raw samples, or those of an aggregate if the block has its resolution.
    fn samples(
        &self,
        stream: Option<Downsampled>,
    ) -> Result<Option<SeriesSamples<'b>>, BlockError> {
        if stream.is_some_and(|stream| stream.resolution != self.block.resolution()) {
            return Ok(None);
        }
        let series = self.series.expect("it stands at a series");
        let samples = self.block.samples(series, i64::MIN, i64::MAX);
        let samples = samples.map_err(self.block.in_index())?;
        Ok(Some(samples.of_aggregate(stream.map(|stream| stream.aggregate))))
    }
}

fn chunk_of<'b>(block: &'b Block, chunk: &ChunkMeta) -> Result<RawChunk<'b>, BlockError> {
    block.chunk(chunk.reference).map_err(block.in_chunk(chunk.reference))
}

/// Compares a series that both have.
fn compare(left: &Cursor<'_>, right: &Cursor<'_>) -> Result<Option<Difference>, BlockError> {
    let left_chunks: Vec<&ChunkMeta> = left.chunks().collect();
    let right_chunks: Vec<&ChunkMeta> = right.chunks().collect();
    let is_cut = left.deleted() != right.deleted()
        && (left.is_cut(&left_chunks) || right.is_cut(&right_chunks));
    // An index by itself has no samples: its chunks' times are all there is.
    let has_samples = left.block.meta().is_some() && right.block.meta().is_some();
    let mut same = !is_cut && left_chunks.len() == right_chunks.len();
    for (left_chunk, right_chunk) in left_chunks.iter().zip(&right_chunks) {
        same = same
            && (left_chunk.min_time, left_chunk.max_time)
                == (right_chunk.min_time, right_chunk.max_time);
        if !same || !has_samples {
            continue;
        }
        let ours = chunk_of(left.block, left_chunk)?;
        let theirs = chunk_of(right.block, right_chunk)?;
        same = (ours.encoding, ours.data) == (theirs.encoding, theirs.data);
    }
    if same || !has_samples {
        return Ok((!same).then_some(Difference::Chunks));
    }
    let mut found = None;
    for stream in streams([left.block, right.block].into_iter().map(Block::resolution)) {
        let (mut ours, mut theirs) = (left.samples(stream)?, right.samples(stream)?);
        let samples = compare_samples(&mut || step(&mut ours), &mut || step(&mut theirs))?;
        found = SampleDifference::joined(found, samples);
    }
    Ok(Some(found.map_or(Difference::Chunks, Difference::Samples)))
}

fn step(samples: &mut Option<SeriesSamples<'_>>) -> Result<Option<Sample>, BlockError> {
    let Some(samples) = samples else { return Ok(None) };
    samples.next().transpose().map_err(|error| samples.damaged(error))
}

/// Gives the next sample of a series.
type Next<'a> = dyn FnMut() -> Result<Option<Sample>, BlockError> + 'a;

fn compare_samples(
    next_left: &mut Next<'_>,
    next_right: &mut Next<'_>,
) -> Result<Option<SampleDifference>, BlockError> {
    let (mut one, mut other) = (next_left()?, next_right()?);
    let mut found: Option<SampleDifference> = None;
    loop {
        let order = match (&one, &other) {
            (None, None) => return Ok(found),
            (Some(_), None) => Ordering::Less,
            (None, Some(_)) => Ordering::Greater,
            (Some(one), Some(other)) => one.time.cmp(&other.time),
        };
        let at = if order == Ordering::Greater { &other } else { &one };
        let first = at.as_ref().map_or(0, |sample| sample.time);
        let is_same = one.as_ref().zip(other.as_ref()).is_some_and(|(l, r)| is_same(l, r));
        if !is_same {
            let none = SampleDifference { first, ..SampleDifference::default() };
            let found = found.get_or_insert(none);
            match order {
                Ordering::Less => found.only_left += 1,
                Ordering::Greater => found.only_right += 1,
                Ordering::Equal => found.changed += 1,
            }
        }
        if order != Ordering::Greater {
            one = next_left()?;
        }
        if order != Ordering::Less {
            other = next_right()?;
        }
    }
}
