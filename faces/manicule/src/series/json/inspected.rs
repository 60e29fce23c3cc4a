//! Blocks and their files, as `inspect` shows them.

use std::path::Path;

use crate::json::{Entry, Json, Shown, list, report};
use manicule_series::{
    BlockFacts, BlockInspection, BlockSummary, ChunkContent, ChunkRow, IndexInspection, Interval,
    Mark, SegmentInspection,
};

report!(of: BlockInspection {
    path: of.path.to_string_lossy(), len: of.len(), meta, index: Json(&of.index),
    tombstones = tombstone_count, tombstone_series = tombstone_series_count,
    marks: list(&of.marks), segments: list(&of.segments);
    Entry("resolution_ms", of.resolution()),
});

report!(of: IndexInspection {
    len, version, symbols = symbol_count, series = series_count, names = name_count,
    pairs = pair_count, sections: list(&of.outline.rows),
});

report!(of: SegmentInspection { name, len });

report!(of: Mark { file: of.kind.file_name(), id, time, reason, details });

report!(of: BlockSummary {
    path: of.path.to_string_lossy();
    of.block.as_ref().ok().map(Line), Entry("error", of.block.as_ref().err().map(Shown)),
});

/// A block in short.
struct Line<'b>(&'b BlockFacts);

report!(of: Line<'_> {
    len: of.0.len(), meta: of.0.meta, series: of.0.series_count, marks: list(&of.0.marks),
});

/// Sums of the blocks of a data folder.
#[derive(Clone, Copy, Debug)]
pub struct DataFolder<'d> {
    /// The folder.
    pub path: &'d Path,
    /// Its blocks.
    pub blocks: &'d [BlockSummary],
}

impl DataFolder<'_> {
    /// The blocks that could be read.
    fn read(&self) -> impl Iterator<Item = &BlockFacts> {
        self.blocks.iter().flat_map(|block| &block.block)
    }

    fn sample_count(&self) -> u64 {
        self.read().flat_map(|block| &block.meta).map(|meta| meta.stats.num_samples).sum()
    }
}

report!(of: DataFolder<'_> {
    path: of.path.to_string_lossy(), blocks: of.blocks.len(),
    blocks_damaged: of.blocks.len() - of.read().count(),
    len: of.read().map(BlockFacts::len).sum::<u64>(), samples: of.sample_count(),
});

report!(of: ChunkRow {
    offset = at, len; of.content.as_ref().ok(), Entry("error", of.content.as_ref().err().map(Shown)),
});

report!(of: ChunkContent {
    encoding, samples = sample_count, min_time: of.times.unzip().0, max_time: of.times.unzip().1,
});

/// Deleted times of a series in a file of tombstones.
#[derive(Clone, Copy, Debug)]
pub struct Deleted {
    /// Reference of the series.
    pub series: u32,
    /// The times.
    pub times: Interval,
}

report!(of: Deleted { series, min_time: of.times.min_time, max_time: of.times.max_time });
