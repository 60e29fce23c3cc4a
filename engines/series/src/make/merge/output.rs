//! A block that is being written from chunks as they come: of series the label pairs and the places
//! of the chunks are kept until the index is written from them. Without a draft it is only counted.
//!
//! Bytes:   docs/formats/prometheus.md

use std::path::PathBuf;

use manicule_core::sorted::Strings;
use manicule_core::watch::Meter;
use manicule_format_prometheus::chunk::Encoding;
use manicule_format_prometheus::{ChunkMeta, META_NAME, Meta, Stats, Tombstones};

use super::recode::OutChunk;
use super::symbols::{Label, Pairs};
use super::{MergeError, io_at};
use crate::block::BlockError;
use crate::block::open::TOMBSTONES;
use crate::make::publish::Draft;
use crate::make::segments::SegmentWriter;
use crate::make::write::{Joined, Rows, SymbolChoice, WriteOptions, Written, write_index};

/// The block as it grows.
#[derive(Debug)]
pub(crate) struct Output {
    files: Option<Files>,
    pairs: Pairs,
    labels: Rows<u32>,
    chunks: Rows<ChunkMeta>,
    pub(crate) stats: Stats,
    /// Of the series that is being written.
    series_chunks: Vec<ChunkMeta>,
}

/// The files that are written while chunks come.
#[derive(Debug)]
struct Files {
    folder: PathBuf,
    segments: SegmentWriter,
}

impl Output {
    pub(crate) fn create(draft: Option<&Draft>, pairs: Pairs) -> Result<Self, MergeError> {
        let files = draft.map(|draft| {
            let folder = draft.path().to_owned();
            let segments = SegmentWriter::create(draft.files(), &folder).map_err(io_at(&folder))?;
            Ok::<_, MergeError>(Files { folder, segments })
        });
        Ok(Output {
            files: files.transpose()?,
            pairs,
            labels: Rows::default(),
            chunks: Rows::default(),
            stats: Stats::default(),
            series_chunks: Vec::new(),
        })
    }

    /// Adds a series with its chunks, unless there are none.
    pub(crate) fn series<'c>(
        &mut self,
        labels: &[Label],
        mut next: impl FnMut() -> Result<Option<OutChunk<'c>>, BlockError>,
    ) -> Result<(), MergeError> {
        if let Some(files) = &mut self.files {
            files.segments.begin_series();
        }
        self.series_chunks.clear();
        let chunks_before = self.stats.num_chunks;
        while let Some(chunk) = next()? {
            self.chunk(&chunk)?;
        }
        if self.stats.num_chunks > chunks_before {
            self.stats.num_series += 1;
        }
        if !self.series_chunks.is_empty() {
            let pairs = &mut self.pairs;
            self.labels.push(labels.iter().map(|label| pairs.number(*label)));
            self.chunks.push(self.series_chunks.iter().copied());
        }
        Ok(())
    }

    fn chunk(&mut self, chunk: &OutChunk<'_>) -> Result<(), MergeError> {
        let samples = chunk.sample_count()?;
        if let Some(Files { folder, segments }) = &mut self.files {
            let place = segments.push(chunk.encoding, &chunk.data);
            let reference = place.map_err(io_at(&folder.join("chunks")))?;
            let &OutChunk { min_time, max_time, .. } = chunk;
            self.series_chunks.push(ChunkMeta { min_time, max_time, reference });
        }
        self.stats.num_chunks += 1;
        self.stats.num_samples += samples;
        // Of aggregates Thanos leaves the counts of the samples that they were made of; which of
        // these are left is not known.
        match Encoding::from_number(chunk.encoding) {
            Some(encoding) if encoding.is_float() => self.stats.num_float_samples += samples,
            Some(_) => self.stats.num_histogram_samples += samples,
            None => {}
        }
        Ok(())
    }

    /// Writes everything but the chunks; `meter` counts the index's bytes.
    pub(crate) fn finish(
        self,
        strings: impl Strings,
        symbols: SymbolChoice,
        memory: u64,
        draft: &Draft,
        meta: &mut Meta,
        meter: &Meter<'_>,
    ) -> Result<Written, MergeError> {
        let folder = draft.path();
        if let Some(files) = self.files {
            files.segments.finish().map_err(io_at(&folder.join("chunks")))?;
        }
        let path = folder.join("index");
        let mut file = draft.create("index").map_err(io_at(&path))?;
        let source = Joined { labels: &self.labels, chunks: &self.chunks };
        let options = WriteOptions { memory, symbols, label_indices: false };
        let written = write_index(strings, self.pairs.list, source, options, &mut file, meter)?;
        draft.write_meta(meta).map_err(io_at(&folder.join(META_NAME)))?;
        let tombstones = draft.write(TOMBSTONES, &Tombstones::default().encode());
        tombstones.map_err(io_at(&folder.join(TOMBSTONES)))?;
        Ok(written)
    }
}
