//! One block from its samples: chunks series by series, then index, tombstones and meta file.

use std::io::{self, BufWriter, Write};
use std::ops::Range;

use manicule_core::watch::Meter;
use manicule_format_prometheus::chunk::{Encoding, XorEncoder};
use manicule_format_prometheus::{
    ChunkMeta, ChunkRef, Compaction, META_VERSION, Meta, Stats, Tombstones,
};
use manicule_store::Spill;

use super::cut::ChunkCut;
use super::error::BuildError;
use super::log::Log;
use super::names::Names;
use crate::make::publish::Draft;
use crate::make::segments::SegmentWriter;
use crate::make::write::{Rows, Source, SymbolChoice, WriteError, WriteOptions, write_index};

/// A sample of a series that is known.
type Sample = (i64, f64);

/// Plan of a block.
#[derive(Clone, Copy, Debug)]
pub(super) struct BlockPlan<'b> {
    pub(super) names: &'b Names,
    /// All label pairs, as the index writer wants them.
    pub(super) pairs: &'b [(u32, u32)],
    /// All series, in the order of their labels.
    pub(super) order: &'b [u32],
    /// Chunks end at multiples of it.
    pub(super) chunk_range: i64,
    /// Maximum number of samples in memory at a time, unless one series has more.
    pub(super) window: usize,
    /// Memory limit of the index writer, in bytes.
    pub(super) index_memory: u64,
}

/// Facts for the meta file, and the number of samples that had the time of another one.
#[derive(Debug)]
struct Sums {
    min_time: i64,
    max_time: i64,
    samples: u64,
    chunks: u64,
    repeated: u64,
}

/// Writes a block into its draft; `meter` counts the samples. Returns its meta file, and how many
/// samples were left out because their series had one of the same time before.
pub(super) fn write_block(
    draft: &Draft,
    log: &Log,
    spill: Option<&Spill>,
    plan: &BlockPlan<'_>,
    meter: &Meter<'_>,
) -> Result<(Meta, u64), BuildError> {
    let mut counts = vec![0u32; plan.names.count() as usize];
    log.each(spill, |record| counts[record.series as usize] += 1)?;
    let present: Vec<u32> =
        plan.order.iter().copied().filter(|series| counts[*series as usize] > 0).collect();
    let mut writer = SegmentWriter::create(draft.files(), draft.path())?;
    let mut chunks = Rows::default();
    let mut sums =
        Sums { min_time: i64::MAX, max_time: i64::MIN, samples: 0, chunks: 0, repeated: 0 };
    let mut steps = meter.steps();
    for places in windows(&present, &counts, plan.window) {
        let mut window = Window::place(&present[places], &counts);
        log.each(spill, |record| {
            window.put(record.series, (record.time, record.value));
        })?;
        for samples in window.series() {
            steps.add(samples.len() as u64)?;
            let samples = in_order(samples, &mut sums.repeated);
            write_series(samples, plan.chunk_range, &mut writer, &mut chunks, &mut sums)?;
        }
    }
    writer.finish()?;
    let source = BlockSource { present: &present, names: plan.names, chunks: &chunks };
    write_files(draft, source, plan, &meter.watch().silent())?;
    let mut meta = meta(draft, &sums, present.len() as u64);
    draft.write_meta(&mut meta)?;
    Ok((meta, sums.repeated))
}

/// Stretches of series that have no more samples than fit, at least one series each.
fn windows(present: &[u32], counts: &[u32], samples_max: usize) -> Vec<Range<usize>> {
    let (mut windows, mut begin, mut samples) = (Vec::new(), 0, 0);
    for (place, series) in present.iter().enumerate() {
        let count = counts[*series as usize] as usize;
        if place > begin && samples + count > samples_max {
            windows.push(begin..place);
            (begin, samples) = (place, 0);
        }
        samples += count;
    }
    if begin < present.len() {
        windows.push(begin..present.len());
    }
    windows
}

/// The samples of some series, each at its place after those of the series before.
struct Window {
    /// Slot of the next sample of each series, by its number; none for a series of another window.
    next: Vec<u64>,
    /// End of the samples of each series, in the order of series.
    ends: Vec<usize>,
    samples: Vec<Sample>,
}

const ELSEWHERE: u64 = u64::MAX;

impl Window {
    fn place(present: &[u32], counts: &[u32]) -> Self {
        let mut next = vec![ELSEWHERE; counts.len()];
        let (mut ends, mut at) = (Vec::with_capacity(present.len()), 0);
        for series in present {
            next[*series as usize] = at as u64;
            at += counts[*series as usize] as usize;
            ends.push(at);
        }
        Window { next, ends, samples: vec![(0, 0.0); at] }
    }

    #[inline]
    fn put(&mut self, series: u32, sample: Sample) {
        let next = &mut self.next[series as usize];
        if *next != ELSEWHERE {
            self.samples[*next as usize] = sample;
            *next += 1;
        }
    }

    fn series(&mut self) -> impl Iterator<Item = &mut [Sample]> {
        let mut rest = &mut self.samples[..];
        let mut begin = 0;
        self.ends.iter().map(move |end| {
            let (samples, behind) = std::mem::take(&mut rest).split_at_mut(end - begin);
            (rest, begin) = (behind, *end);
            samples
        })
    }
}

/// Sorts samples by time. Of several with the same time the first that came stays.
fn in_order<'s>(samples: &'s mut [Sample], repeated: &mut u64) -> &'s [Sample] {
    if samples.is_sorted_by(|before, after| before.0 < after.0) {
        return samples;
    }
    samples.sort_by_key(|sample| sample.0);
    let mut kept = 1;
    for at in 1..samples.len() {
        if samples[at].0 != samples[kept - 1].0 {
            samples[kept] = samples[at];
            kept += 1;
        }
    }
    *repeated += (samples.len() - kept) as u64;
    &samples[..kept]
}

fn write_series(
    samples: &[Sample],
    chunk_range: i64,
    writer: &mut SegmentWriter,
    chunks: &mut Rows<ChunkMeta>,
    sums: &mut Sums,
) -> io::Result<()> {
    let mut metas = Vec::new();
    let mut cut = ChunkCut::new(chunk_range);
    let mut chunk = XorEncoder::new();
    let (mut first, mut last) = (0, 0);
    writer.begin_series();
    let mut end = |chunk: XorEncoder, min_time: i64, max_time: i64| -> io::Result<()> {
        let reference: ChunkRef = writer.push(Encoding::Xor as u8, &chunk.finish())?;
        metas.push(ChunkMeta { min_time, max_time, reference });
        Ok(())
    };
    for &(time, value) in samples {
        if chunk.count() > 0 && cut.ends(&chunk, time) {
            end(std::mem::take(&mut chunk), first, last)?;
        }
        if chunk.count() == 0 {
            first = time;
            cut.begin(time);
        } else {
            cut.go_on(time);
        }
        last = time;
        chunk.push(time, value);
    }
    end(chunk, first, last)?;
    sums.min_time = sums.min_time.min(samples[0].0);
    sums.max_time = sums.max_time.max(last);
    sums.samples += samples.len() as u64;
    sums.chunks += metas.len() as u64;
    chunks.push(metas);
    Ok(())
}

/// The series of a block, for the index.
struct BlockSource<'b> {
    present: &'b [u32],
    names: &'b Names,
    chunks: &'b Rows<ChunkMeta>,
}

impl Source for BlockSource<'_> {
    #[inline]
    fn labels(&mut self, place: u64) -> Result<Option<&[u32]>, WriteError> {
        let series = self.present.get(place as usize);
        Ok(series.and_then(|series| self.names.sets().series().get(u64::from(*series))))
    }

    #[inline]
    fn chunks(&mut self, place: u64) -> Result<&[ChunkMeta], WriteError> {
        Ok(self.chunks.get(place).unwrap_or_default())
    }
}

fn write_files(
    draft: &Draft,
    source: BlockSource<'_>,
    plan: &BlockPlan<'_>,
    meter: &Meter<'_>,
) -> Result<(), BuildError> {
    let options = WriteOptions {
        memory: plan.index_memory,
        symbols: SymbolChoice::Used,
        label_indices: false,
    };
    let mut file = BufWriter::new(draft.create("index")?);
    write_index(plan.names.sets(), plan.pairs.to_vec(), source, options, &mut file, meter)?;
    file.flush()?;
    draft.write("tombstones", &Tombstones::default().encode())?;
    Ok(())
}

fn meta(draft: &Draft, sums: &Sums, series: u64) -> Meta {
    let ulid = draft.ulid().to_string();
    Meta {
        ulid: ulid.clone(),
        min_time: sums.min_time,
        max_time: sums.max_time.saturating_add(1),
        stats: Stats {
            num_samples: sums.samples,
            num_float_samples: sums.samples,
            num_series: series,
            num_chunks: sums.chunks,
            ..Stats::default()
        },
        compaction: Compaction { level: 1, sources: vec![ulid], ..Compaction::default() },
        version: META_VERSION,
        ..Meta::default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn samples_are_sorted_and_the_first_of_a_time_stays() {
        let mut repeated = 0;
        let mut samples = [(3, 1.0), (1, 2.0), (3, 3.0), (2, 4.0), (1, 5.0)];
        assert_eq!(in_order(&mut samples, &mut repeated), [(1, 2.0), (2, 4.0), (3, 1.0)]);
        assert_eq!(repeated, 2);
        let mut samples = [(1, 1.0)];
        assert_eq!(in_order(&mut samples, &mut repeated), [(1, 1.0)]);
        assert_eq!(repeated, 2);
    }

    #[test]
    fn windows_hold_what_fits_and_a_series_at_least() {
        let counts = [5, 0, 1, 9, 2, 2, 1];
        assert_eq!(windows(&[0, 2, 3, 4, 5, 6], &counts, 6), [0..2, 2..3, 3..6]);
        assert_eq!(windows(&[3], &counts, 1), vec![0..1]);
        assert!(windows(&[], &counts, 6).is_empty());
    }
}
