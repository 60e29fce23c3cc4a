//! The part *series*: each entry encoded and checked, and its reference dropped into the lists of its pairs.
//!
//! Callers: write/writer

use manicule_core::postings::Scatter;
use manicule_core::sorted::Strings;
use manicule_format_prometheus::{ChunkMeta, ChunkRef, SERIES_ALIGN, SeriesPayload, put_padding};

use super::plan::{ALL_SERIES, Plan};
use super::writer::{FILE_LEN_MAX, IndexWriter, Progress, too_long};
use super::{Source, WriteError};

/// What the series before has to do with the next one.
#[derive(Debug, Default)]
pub(super) struct SeriesState {
    payload: SeriesPayload,
    /// The lists of the series before.
    before: Vec<u32>,
    has_before: bool,
    last_chunk: Option<ChunkRef>,
    /// Of each series, when postings take further passes.
    pub(super) refs: Vec<u32>,
}

impl<T: Strings, S: Source> IndexWriter<T, S> {
    pub(super) fn step_series(
        &mut self,
        out: &mut Vec<u8>,
        budget: usize,
    ) -> Result<Progress, WriteError> {
        if self.place == 0 {
            self.toc.series = self.at;
            self.begin_postings();
        }
        let keep_refs = self.postings.has_further_windows();
        let (start, enough) = (out.len(), out.len().saturating_add(budget));
        let file_at = self.at;
        let IndexWriter { strings, source, plan, series, postings, .. } = self;
        while out.len() < enough {
            let place = self.place;
            let Some(labels) = source.labels(place)? else {
                return self.end_series();
            };
            put_padding(file_at + (out.len() - start) as u64, SERIES_ALIGN, out);
            let at = file_at + (out.len() - start) as u64;
            let Ok(reference) = u32::try_from(at / SERIES_ALIGN) else {
                return Err(too_long("the file", at, FILE_LEN_MAX));
            };
            if keep_refs {
                series.refs.push(reference);
            }
            series
                .labels(labels, reference, plan, &mut postings.scatter)
                .map_err(|fault| fault.into_error(place, labels, plan, strings))?;
            series.chunks(place, source.chunks(place)?)?;
            series.payload.put(out);
            self.place += 1;
        }
        Ok(Progress::More)
    }

    fn end_series(&mut self) -> Result<Progress, WriteError> {
        if self.place != u64::from(self.series_count()) || !self.postings.is_filled(&self.lens) {
            return Err(WriteError::SourceChanged);
        }
        Ok(Progress::Finished)
    }
}

/// What is wrong with the labels of a series.
enum Fault {
    UnknownPair(u32),
    /// The label at this place doesn't come behind the one before.
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

impl SeriesState {
    /// Encodes the labels and gives the reference to their lists. Lists are numbered in the order of names and values:
    /// series compare as their lists do.
    #[inline]
    fn labels(
        &mut self,
        labels: &[u32],
        reference: u32,
        plan: &Plan,
        scatter: &mut Scatter,
    ) -> Result<(), Fault> {
        let slot = reference.to_be_bytes();
        scatter.put(ALL_SERIES, slot);
        self.payload.begin(labels.len());
        let before_len = self.before.len();
        self.before.resize(labels.len().max(before_len), 0);
        let mut rises = !self.has_before;
        self.has_before = true;
        let mut name_before = 0;
        for (at, (&pair, before)) in labels.iter().zip(&mut self.before).enumerate() {
            let list = *plan.list_of.get(pair as usize).ok_or(Fault::UnknownPair(pair))?;
            let label = &plan.labels[list as usize];
            if label.name_rank() <= name_before {
                return Err(Fault::Label(at));
            }
            name_before = label.name_rank();
            if !rises {
                if at < before_len && list < *before {
                    return Err(Fault::Series);
                }
                rises = at >= before_len || list > *before;
            }
            *before = list;
            self.payload.label(label);
            scatter.put(list, slot);
        }
        self.before.truncate(labels.len());
        match rises {
            true => Ok(()),
            false if labels.len() == before_len => Err(Fault::Duplicate),
            false => Err(Fault::Series),
        }
    }

    /// Checks and encodes the chunks.
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
        self.payload.chunks(chunks);
        Ok(())
    }
}
