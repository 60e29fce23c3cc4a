//! Blocks that were made, and what they leave out.

use std::borrow::Cow;
use std::path::Path;

use manicule_series::build::{BuildReport, Built};
use manicule_series::merge::{LeftOut, MergeReport, Merged};
use manicule_series::rewrite::{Effect, Rewritten};
use manicule_series::split::{IndexLens, IndexMax, SplitPart};
use manicule_series::write::Written;
use manicule_series::{Block, Meta};
use serde::ser::SerializeMap;

use crate::json::{Json, Report, part, report};

report!(of: Merged { ulid: of.meta.ulid, path: lossy(&of.path); Contents(&of.meta) });

report!(of: Built { ulid: of.meta.ulid, path: lossy(&of.path); Contents(&of.meta) });

/// What a block holds.
struct Contents<'m>(&'m Meta);

report!(of: Contents<'_> {
    min_time: of.0.min_time, max_time: of.0.max_time, series: of.0.stats.num_series,
    samples: of.0.stats.num_samples, chunks: of.0.stats.num_chunks,
});

/// Samples that a new block is made of: those it keeps, and those left out by reason.
#[derive(Clone, Copy, Debug)]
pub struct MadeOf<'m> {
    /// Those left out.
    pub left_out: &'m LeftOut,
    /// Number of those kept.
    pub kept: u64,
}

impl MadeOf<'_> {
    /// Number of samples of the sources that could be read.
    pub fn source(&self) -> u64 {
        let left = self.left_out;
        self.kept + left.outside + left.deleted + left.dropped + left.repeated + left.lost
    }
}

report!(of: MadeOf<'_> {
    source: of.source(), kept, deleted: of.left_out.deleted, dropped: of.left_out.dropped,
    repeated: of.left_out.repeated, lost: of.left_out.lost, outside: of.left_out.outside,
    tombstoned: of.left_out.tombstoned, uncounted: of.left_out.uncounted,
});

/// Without samples there is no block, and only what was left out is reported.
impl Report for MergeReport {
    fn entries<M: SerializeMap>(&self, to: &mut M) -> Result<(), M::Error> {
        let kept = self.meta.stats.num_samples;
        to.serialize_entry("source_samples", &Json(MadeOf { left_out: &self.left_out, kept }))?;
        if kept == 0 { Ok(()) } else { MergedFrom(self).entries(to) }
    }
}

struct MergedFrom<'m>(&'m MergeReport);

// Of a block that was not written there is neither name nor path.
report!(of: MergedFrom<'_> {
    ulid: of.0.block.as_ref().map(|block| &block.meta.ulid),
    path: of.0.block.as_ref().map(|block| lossy(&block.path)),
    parents: of.0.meta.compaction.parents.len(), level: of.0.meta.compaction.level;
    Contents(&of.0.meta),
});

report!(of: Rewritten {
    block: part(&of.block), series, dropped, united, emptied, unread,
    samples: Json(MadeOf { left_out: &of.left_out, kept: of.meta.stats.num_samples }),
});

report!(of: Effect { series, dropped, samples });

report!(of: SplitPart { part = number, of, block: Json(&of.block), index: Json(&of.index) });

report!(of: IndexLens {
    len = file, symbols, longest_list = list, postings_table = table,
});

/// A block with an index that may be too long, and the number of parts it is cut into.
#[derive(Clone, Copy, Debug)]
pub struct LongIndex<'l> {
    /// The block.
    pub block: &'l Block,
    /// The lengths of its index.
    pub index: &'l IndexLens,
    /// The most that they may be.
    pub max: IndexMax,
    /// Number of parts, 1 if it is not too long.
    pub parts: u32,
}

report!(of: LongIndex<'_> {
    path: lossy(of.block.path()), index: Json(of.index), index_max: of.max.file,
    section_max: of.max.section, parts,
});

report!(of: BuildReport { blocks: of.blocks.len(), samples, repeated, series });

report!(of: Written { len, series, symbols, lists });

fn lossy(path: &Path) -> Cow<'_, str> {
    path.to_string_lossy()
}
