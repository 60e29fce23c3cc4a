//! What is left out because its bytes are damaged, so that the rest can be read.
//!
//! A chunk is damaged when its checksum or its encoding is wrong; a series when its entry in the
//! index is; a block when it can't be opened. Where a posting list is damaged nothing is left out:
//! the series are asked instead.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Mutex, MutexGuard, PoisonError};

use manicule_core::bytes::DecodeError;
use manicule_format_prometheus::chunk::Contents;
use manicule_format_prometheus::{ChunkMeta, PairIndex, SeriesRef};

use super::error::BlockError;
use super::open::Block;
use crate::ask::selector::ShownLabels;

/// Part of a block that is damaged.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum DamagedPart {
    /// A block: nothing of it can be read.
    Block,
    /// The list of all series: those that no other list names are left out.
    AllSeries,
    /// A series with all its samples.
    Series {
        /// Offset of its entry in the index.
        at: u64,
    },
    /// All chunks of a file that is missing.
    Segment {
        /// Number of the file, from 0.
        number: u32,
        /// Number of chunks that series name in it.
        chunk_count: u64,
    },
    /// A chunk with its samples.
    Chunk {
        /// The labels of the series, as they are shown.
        series: String,
        /// Its place and its times.
        chunk: ChunkMeta,
    },
}

/// Something that was left out.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Damage {
    /// The block's folder.
    pub block: PathBuf,
    /// The damaged part.
    pub part: DamagedPart,
    /// The error, with its place.
    pub error: String,
}

/// Damage left out so far, as a list that ends at a length, and as counts that don't.
#[derive(Debug)]
pub struct Salvage {
    list_max: usize,
    list: Mutex<Vec<Damage>>,
    blocks: AtomicU64,
    series: AtomicU64,
    chunks: AtomicU64,
}

impl Salvage {
    /// Nothing yet; so much is listed at most.
    pub fn new(list_max: usize) -> Self {
        let [blocks, series, chunks] = [0; 3].map(AtomicU64::new);
        Salvage { list_max, list: Mutex::default(), blocks, series, chunks }
    }

    /// A block that can't be opened.
    pub fn block(&self, path: &Path, error: &BlockError) {
        self.blocks.fetch_add(1, Relaxed);
        self.add(path, || (DamagedPart::Block, error.to_string()));
    }

    pub(crate) fn series(&self, block: &Block, series: SeriesRef, error: &DecodeError) {
        self.series.fetch_add(1, Relaxed);
        let at = block.index().series_at(series);
        self.add(block.path(), || (DamagedPart::Series { at }, error.to_string()));
    }

    pub(crate) fn chunk(
        &self,
        block: &Block,
        series: SeriesRef,
        chunk: &ChunkMeta,
        error: &DecodeError,
    ) {
        self.chunks.fetch_add(1, Relaxed);
        if !block.segments().has(chunk.reference) {
            return self.segment(block, chunk, error);
        }
        self.add(block.path(), || {
            let (series, chunk) = (shown(block, series), *chunk);
            (DamagedPart::Chunk { series, chunk }, error.to_string())
        });
    }

    /// Counts a chunk of a missing file with the others.
    fn segment(&self, block: &Block, chunk: &ChunkMeta, error: &DecodeError) {
        let missing = chunk.reference.segment();
        let mut list = self.listed();
        let has_room = list.len() < self.list_max;
        let listed = list.iter_mut().rev().find_map(|damage| match &mut damage.part {
            DamagedPart::Segment { number, chunk_count }
                if *number == missing && damage.block == block.path() =>
            {
                Some(chunk_count)
            }
            _ => None,
        });
        match listed {
            Some(count) => *count += 1,
            None if has_room => {
                let part = DamagedPart::Segment { number: missing, chunk_count: 1 };
                let (block, error) = (block.path().to_owned(), error.to_string());
                list.push(Damage { block, part, error });
            }
            None => {}
        }
    }

    fn add(&self, block: &Path, damage: impl FnOnce() -> (DamagedPart, String)) {
        let mut list = self.listed();
        if list.len() < self.list_max {
            let (part, error) = damage();
            list.push(Damage { block: block.to_owned(), part, error });
        }
    }

    /// Damage left out, in the order in which it was met.
    pub fn list(&self) -> Vec<Damage> {
        self.listed().clone()
    }

    fn listed(&self) -> MutexGuard<'_, Vec<Damage>> {
        self.list.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Numbers of blocks, series and chunks that were left out.
    pub fn counts(&self) -> (u64, u64, u64) {
        (self.blocks.load(Relaxed), self.series.load(Relaxed), self.chunks.load(Relaxed))
    }

    /// Whether nothing was left out.
    pub fn is_empty(&self) -> bool {
        self.counts() == (0, 0, 0) && self.listed().is_empty()
    }
}

/// The labels of a series.
fn shown(block: &Block, series: SeriesRef) -> String {
    let index = block.index();
    let string = |symbol| index.symbol(symbol).unwrap_or_default();
    let mut labels = Vec::new();
    if let Ok(series) = index.series(series) {
        let found = series.labels().map_while(Result::ok);
        labels.extend(found.map(|(name, value)| (string(name), string(value))));
    }
    ShownLabels(&labels).to_string()
}

impl Block {
    /// A chunk; with a salvage also decoded to its end, so that what comes of it comes whole.
    pub(crate) fn sound_chunk(
        &self,
        meta: &ChunkMeta,
        salvage: Option<&Salvage>,
    ) -> Result<Contents<'_>, DecodeError> {
        let contents = self.chunk(meta.reference)?.contents()?;
        if salvage.is_some() {
            for chunk in contents.chunks() {
                chunk.samples()?.try_for_each(|sample| sample.map(drop))?;
            }
        }
        Ok(contents)
    }

    /// An error if the list of a series' chunks can't be read.
    pub(crate) fn check_chunk_list(&self, series: SeriesRef) -> Result<(), DecodeError> {
        self.index().series(series)?.chunks()?.try_for_each(|chunk| chunk.map(drop))
    }

    /// All series; with a salvage those that any list names, where the list of all is damaged.
    pub(crate) fn all_series(
        &self,
        salvage: Option<&Salvage>,
    ) -> Result<Vec<SeriesRef>, DecodeError> {
        let index = self.index();
        let error = match (index.all_postings(), salvage) {
            (Err(error), Some(_)) if !error.is_unread() => error,
            (all, _) => return Ok(all?.iter().collect()),
        };
        let mut found = Vec::new();
        for pair in index.names().flat_map(|name| name.1).map(PairIndex) {
            // A list that can't be read: its series have other labels too.
            match index.postings(pair) {
                Ok(list) => found.extend(list.iter()),
                Err(error) if error.is_unread() => return Err(error),
                Err(_) => {}
            }
            if found.len() > 1 << 20 {
                sort(&mut found);
            }
        }
        sort(&mut found);
        if let Some(salvage) = salvage {
            salvage.add(self.path(), || (DamagedPart::AllSeries, error.to_string()));
        }
        Ok(found)
    }
}

fn sort(found: &mut Vec<SeriesRef>) {
    found.sort_unstable();
    found.dedup();
}
