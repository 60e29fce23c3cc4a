//! The meta file of a block against the name of its folder and what is in it.

use std::fs;
use std::io;
use std::path::Path;

use manicule_core::findings::Verdict;
use manicule_format_prometheus::{ChunkCounts, META_NAME, Meta};

use super::notes::{Named, find, warn};
use crate::block::BlockError;
use crate::block::parts::Folder;
use crate::block::signs::is_block_name;

/// Counts of a block's contents.
pub(super) struct Content {
    series: u64,
    chunks: ChunkCounts,
    /// The first and last time, where there is a chunk.
    times: Option<(i64, i64)>,
}

impl Content {
    pub(super) fn of(named: &Named, chunks: ChunkCounts) -> Self {
        let first = named.chunks.iter().map(|chunk| chunk.meta.min_time).min();
        let last = named.chunks.iter().map(|chunk| chunk.meta.max_time).max();
        Content { series: named.index.series_count, chunks, times: first.zip(last) }
    }
}

/// Verifies the meta file. `content`: where all of the block could be read. `deleted`: intervals of
/// tombstones, where these were looked at.
pub(super) fn check(
    block: &Folder,
    content: Option<Content>,
    deleted: Option<u64>,
    verdict: &mut Verdict,
) -> Result<(), BlockError> {
    let file = block.part(META_NAME);
    let path = file.path();
    let json = match file.read() {
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            find(verdict, &path, "is missing".to_owned());
            return Ok(());
        }
        json => json.map_err(BlockError::io(&path))?,
    };
    let meta = match Meta::decode(&json) {
        Ok(meta) => meta,
        Err(error) => {
            find(verdict, &path, error.to_string());
            return Ok(());
        }
    };
    names(block, &meta, verdict);
    times(&path, &meta, content.as_ref(), verdict);
    if let Some(content) = content {
        counts(&path, &meta, &content, verdict);
    }
    if let Some(deleted) = deleted.filter(|deleted| *deleted != meta.stats.num_tombstones) {
        let got = meta.stats.num_tombstones;
        warn(verdict, &path, format!("numTombstones: wanted {deleted}, got {got}"));
    }
    Ok(())
}

/// A block is called as its folder, and all blocks that it comes from have such names.
fn names(block: &Folder, meta: &Meta, verdict: &mut Verdict) {
    let (path, own) = (block.part(META_NAME).path(), block.path());
    let whole = block.is_local().then(|| fs::canonicalize(&own).ok()).flatten();
    let folder = whole.unwrap_or_else(|| own.clone());
    let folder = folder.file_name().unwrap_or_default().to_string_lossy().into_owned();
    if !is_block_name(meta.ulid.as_bytes()) {
        find(verdict, &path, format!("ulid: wanted 26 digits of base 32, got {:?}", meta.ulid));
    } else if !is_block_name(folder.as_bytes()) {
        let what = "is no name of a block, and no server takes the folder for one";
        warn(verdict, &own, format!("the name {folder:?} {what}"));
    } else if !meta.ulid.eq_ignore_ascii_case(&folder) {
        let ulid = &meta.ulid;
        find(verdict, &path, format!("ulid: wanted {folder}, as the folder is called, got {ulid}"));
    }
    let compaction = &meta.compaction;
    let parents = compaction.parents.iter().map(|parent| &parent.ulid);
    for other in
        compaction.sources.iter().chain(parents).filter(|other| !is_block_name(other.as_bytes()))
    {
        find(verdict, &path, format!("sources and parents: {other:?} is no name of a block"));
    }
    if compaction.level < 1 {
        find(verdict, &path, format!("level: wanted 1 or more, got {}", compaction.level));
    }
    if compaction.level == 1 && compaction.sources != [meta.ulid.clone()] {
        let what = "sources: a block of level 1 has itself as its only source";
        warn(verdict, &path, format!("{what}, got {:?}", compaction.sources));
    }
}

/// All samples lie in the times of the block: from the first, up to the last and not at it.
fn times(path: &Path, meta: &Meta, content: Option<&Content>, verdict: &mut Verdict) {
    let (min_time, max_time) = (meta.min_time, meta.max_time);
    if min_time > max_time {
        find(verdict, path, format!("maxTime: wanted {min_time} or more, got {max_time}"));
    }
    let Some((first, last)) = content.and_then(|content| content.times) else { return };
    if min_time > first {
        find(verdict, path, format!("minTime: wanted {first} at most, got {min_time}"));
    }
    if max_time <= last {
        find(verdict, path, format!("maxTime: wanted above {last}, got {max_time}"));
    }
}

/// Samples of chunks, or windows of aggregates.
pub(super) fn sample_count(chunks: &ChunkCounts) -> u64 {
    chunks.float_count + chunks.histogram_count + chunks.window_count
}

/// Whether samples are downsampled, and that chunks and meta file agree in it.
fn is_downsampled(path: &Path, meta: &Meta, chunks: &ChunkCounts, verdict: &mut Verdict) -> bool {
    let (resolution, windows) = (meta.resolution(), chunks.window_count);
    let raw = chunks.float_count + chunks.histogram_count;
    if resolution == 0 && windows > 0 {
        let what = "thanos.downsample.resolution: wanted above 0, as chunks hold aggregates, got 0";
        find(verdict, path, what.to_owned());
    } else if resolution > 0 && raw > 0 {
        let what = format!("{raw} samples that aren't downsampled, in a block that is");
        warn(verdict, path, what);
    }
    resolution > 0 || windows > 0
}

/// The counts are those of the content. Samples of each kind are counted since Prometheus 3; in a
/// downsampled block those that it was made of.
fn counts(path: &Path, meta: &Meta, content: &Content, verdict: &mut Verdict) {
    let (stats, chunks) = (&meta.stats, &content.chunks);
    let mut rows = vec![
        ("numSamples", stats.num_samples, sample_count(chunks)),
        ("numSeries", stats.num_series, content.series),
        ("numChunks", stats.num_chunks, chunks.chunk_count),
    ];
    let is_raw = !is_downsampled(path, meta, chunks, verdict);
    if is_raw && (stats.num_float_samples > 0 || stats.num_histogram_samples > 0) {
        rows.push(("numFloatSamples", stats.num_float_samples, chunks.float_count));
        rows.push(("numHistogramSamples", stats.num_histogram_samples, chunks.histogram_count));
    }
    for (key, got, want) in rows {
        if got != want {
            find(verdict, path, format!("{key}: wanted {want}, got {got}"));
        }
    }
}
