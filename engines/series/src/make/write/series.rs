//! The part *series*: each entry encoded and checked, and its reference dropped into the lists of
//! its pairs.

use std::cmp::Ordering;

use manicule_core::postings::Scatter;
use manicule_core::sorted::Strings;
use manicule_format_prometheus::{ChunkMeta, ChunkRef, SERIES_ALIGN, SeriesEncoder, SeriesSums};

use super::error::WriteError;
use super::plan::{ALL_SERIES, Plan};
use super::postings::PostingsState;
use super::source::Source;
use super::state::{FILE_LEN_MAX, Progress, State, too_long};

/// State kept from step to step.
#[derive(Debug, Default)]
pub(super) struct SeriesState {
    sums: SeriesSums,
    order: Order,
    /// Of each series, when postings take further passes.
    pub(super) refs: Vec<u32>,
}

/// The series that the next one must come after.
#[derive(Debug, Default)]
struct Order {
    /// The lists of the series being written, then of the series before.
    lists: Vec<u32>,
    before: Vec<u32>,
    has_before: bool,
    last_chunk: Option<ChunkRef>,
}

impl SeriesState {
    pub(super) fn step(
        &mut self,
        state: &mut State<impl Strings, impl Source>,
        postings: &mut PostingsState,
        out: &mut Vec<u8>,
        budget: usize,
    ) -> Result<Progress, WriteError> {
        if state.place == 0 {
            state.toc.series = state.at;
        }
        let keep_refs = postings.has_further_windows();
        let enough = out.len().saturating_add(budget);
        let at = state.at;
        let State { strings, source, plan, place, .. } = state;
        let SeriesState { sums, order, refs } = self;
        let mut encoder = SeriesEncoder::new(out, at, sums);
        let mut progress = Progress::More;
        while encoder.out_len() < enough {
            let Some(labels) = source.labels(*place)? else {
                progress = Progress::Finished;
                break;
            };
            let at = encoder.begin(labels.len());
            let Ok(reference) = u32::try_from(at / SERIES_ALIGN) else {
                return Err(too_long("the file", at, FILE_LEN_MAX));
            };
            if keep_refs {
                refs.push(reference);
            }
            order
                .labels(labels, reference, plan, &mut postings.scatter, &mut encoder)
                .map_err(|fault| fault.into_error(*place, labels, plan, strings))?;
            let chunks = source.chunks(*place)?;
            order.chunks(*place, chunks)?;
            encoder.end(chunks);
            *place += 1;
        }
        encoder.finish();
        if progress == Progress::Finished {
            check(state, postings)?;
        }
        Ok(progress)
    }
}

/// Whether the pass gave the series that were counted.
fn check(
    state: &State<impl Strings, impl Source>,
    postings: &PostingsState,
) -> Result<(), WriteError> {
    if state.place != u64::from(state.series_count()) || !postings.is_filled(&state.lens) {
        return Err(WriteError::SourceChanged);
    }
    Ok(())
}

/// Error in the labels of a series.
enum Fault {
    UnknownPair(u32),
    /// The label at this place doesn't come after the one before.
    Label(usize),
    Series,
    Duplicate,
}

impl Fault {
    fn into_error(
        self,
        place: u64,
        labels: &[u32],
        plan: &Plan,
        strings: &impl Strings,
    ) -> WriteError {
        let name = |at: usize| {
            let list = plan.list_of[labels[at] as usize];
            plan.pair(strings, list).0.to_vec()
        };
        match self {
            Fault::UnknownPair(pair) => {
                WriteError::UnknownPair { place, pair, pairs: plan.list_of.len() as u32 }
            }
            Fault::Label(at) if name(at) == name(at - 1) => {
                WriteError::DuplicateLabel { place, name: name(at) }
            }
            Fault::Label(at) => WriteError::UnsortedLabels { place, name: name(at) },
            Fault::Series => WriteError::UnsortedSeries { place },
            Fault::Duplicate => WriteError::DuplicateSeries { place },
        }
    }
}

impl Order {
    /// Encodes the labels and gives the reference to their lists. Lists are numbered in the order
    /// of names and values: series compare as their lists do.
    #[inline]
    fn labels(
        &mut self,
        labels: &[u32],
        reference: u32,
        plan: &Plan,
        scatter: &mut Scatter,
        encoder: &mut SeriesEncoder<'_>,
    ) -> Result<(), Fault> {
        // Loop by loop, which is as fast as all at once: what each needs fits into the registers.
        let Order { lists, before, .. } = self;
        std::mem::swap(lists, before);
        lists.clear();
        for &pair in labels {
            lists.push(*plan.list_of.get(pair as usize).ok_or(Fault::UnknownPair(pair))?);
        }
        let is_first = !std::mem::replace(&mut self.has_before, true);
        match before.as_slice().cmp(lists) {
            _ if is_first => {}
            Ordering::Less => {}
            Ordering::Equal => return Err(Fault::Duplicate),
            Ordering::Greater => return Err(Fault::Series),
        }
        let mut name_before = 0;
        for (at, &list) in lists.iter().enumerate() {
            let label = &plan.labels[list as usize];
            if label.name_rank() <= name_before {
                return Err(Fault::Label(at));
            }
            name_before = label.name_rank();
            encoder.label(label);
        }
        let slot = reference.to_be_bytes();
        scatter.put(ALL_SERIES, slot);
        for &list in &*lists {
            scatter.put(list, slot);
        }
        Ok(())
    }

    /// Checks the chunks.
    #[inline]
    fn chunks(&mut self, place: u64, chunks: &[ChunkMeta]) -> Result<(), WriteError> {
        let mut before: Option<i64> = None;
        for &chunk in chunks {
            if let Some(last) = self.last_chunk
                && chunk.reference < last
            {
                let reference = chunk.reference;
                return Err(WriteError::ChunkReferenceFalls { place, reference, before: last });
            }
            if chunk.max_time < chunk.min_time {
                return Err(WriteError::ChunkEndsEarly { place, chunk });
            }
            if let Some(before) = before
                && chunk.min_time <= before
            {
                return Err(WriteError::ChunksOverlap { place, chunk, before });
            }
            before = Some(chunk.max_time);
            self.last_chunk = Some(chunk.reference);
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::make::write::{
        ChunksBy, IndexWriter, Joined, Part, Rows, SymbolChoice, WriteOptions,
    };

    #[test]
    fn a_file_ends_where_references_end() {
        let options = WriteOptions { memory: 0, symbols: SymbolChoice::All, label_indices: false };
        let strings: [&[u8]; 5] = [b"", b"a", b"1", b"2", b"3"];
        let mut labels = Rows::default();
        (0..3).for_each(|pair| labels.push([pair]));
        let source = Joined { labels: &labels, chunks: ChunksBy::new(|_, _| ()) };
        let pairs = vec![(1, 2), (1, 3), (1, 4)];
        let mut writer = IndexWriter::new(&strings[..], pairs, source, options);
        let mut out = Vec::new();
        while writer.part() != Part::Series {
            writer.finish_part(&mut out).unwrap();
        }
        // The last reference is that of the second series.
        writer.state.at = FILE_LEN_MAX - SERIES_ALIGN;
        out.clear();
        let error = writer.step(&mut out, usize::MAX).unwrap_err();
        let WriteError::TooLong { what, len, len_max } = error else { panic!("{error}") };
        assert_eq!((what, len), ("the file", FILE_LEN_MAX + SERIES_ALIGN));
        assert_eq!(len_max, FILE_LEN_MAX);
    }
}
