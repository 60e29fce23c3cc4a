//! Contents of a block, without reading its series: sizes, sections, counts.

use std::path::{Path, PathBuf};

use manicule_core::bytes::Outline;
pub use manicule_format_prometheus::outline;
use manicule_format_prometheus::{Mark, Meta, Segment};

use manicule_store::store::RangedFile;

use super::error::BlockError;
use super::listed::try_blocks;
use super::marks::marks_of;
use super::open::Block;
use super::segments::segment_paths;

/// A block, or an index by itself.
#[derive(Clone, Debug)]
pub struct BlockInspection {
    /// Its folder, or the file of an index.
    pub path: PathBuf,
    /// Its meta file; an index by itself has none.
    pub meta: Option<Meta>,
    /// Its index.
    pub index: IndexInspection,
    /// Its segments.
    pub segments: Vec<SegmentInspection>,
    /// Deleted times, and how many series have such.
    pub tombstone_count: u64,
    /// Number of series with deleted times.
    pub tombstone_series_count: u64,
    /// Marks of those who keep it: that it is to be deleted, or left alone.
    pub marks: Vec<Mark>,
}

/// An index.
#[derive(Clone, Debug)]
pub struct IndexInspection {
    /// Length in bytes.
    pub len: u64,
    /// Its version.
    pub version: u8,
    /// Its sections.
    pub outline: Outline,
    /// Strings in its symbol table.
    pub symbol_count: u64,
    /// Series.
    pub series_count: u64,
    /// Label names.
    pub name_count: u64,
    /// Label pairs.
    pub pair_count: u64,
}

/// A file of chunks.
#[derive(Clone, Debug)]
pub struct SegmentInspection {
    /// Name of the file.
    pub name: String,
    /// Length in bytes.
    pub len: u64,
}

impl BlockInspection {
    /// Milliseconds between the points of a downsampled block.
    pub fn resolution(&self) -> Option<i64> {
        self.meta.as_ref().map(Meta::resolution).filter(|resolution| *resolution > 0)
    }

    /// Length of index and chunks in bytes.
    pub fn len(&self) -> u64 {
        self.index.len + self.segments.iter().map(|segment| segment.len).sum::<u64>()
    }

    /// Whether they take none; no index does.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

/// Tells what a block holds, or an index by itself. Opens it, and reads the list of all series.
pub fn inspect(path: &Path) -> Result<BlockInspection, BlockError> {
    let block = Block::open(path)?;
    let index = block.index();
    let file = if block.meta().is_some() { path.join("index") } else { path.to_owned() };
    let damaged = || BlockError::damaged(&file);
    let all_series = index.all_postings().map_err(damaged())?;
    let inspected = IndexInspection {
        len: index.bytes().len() as u64,
        version: index.version() as u8,
        outline: outline(index.bytes()).map_err(damaged())?,
        symbol_count: index.symbol_count().into(),
        series_count: all_series.len() as u64,
        name_count: index.names().len() as u64,
        pair_count: u64::from(index.pair_count()) - u64::from(index.all_series().is_some()),
    };
    let folder = path.join("chunks");
    let paths = match block.meta() {
        Some(_) => segment_paths(&folder).map_err(BlockError::io(&folder))?,
        None => Vec::new(),
    };
    let segment = |(path, segment): (&PathBuf, &Segment<RangedFile>)| {
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        SegmentInspection { name, len: segment.bytes().len() as u64 }
    };
    Ok(BlockInspection {
        path: path.to_owned(),
        meta: block.meta().cloned(),
        index: inspected,
        segments: paths.iter().zip(block.segments().iter()).map(segment).collect(),
        tombstone_count: block.tombstones().interval_count(),
        tombstone_series_count: block.tombstones().series().count() as u64,
        marks: marks_of(path).into_iter().flatten().collect(),
    })
}

/// A block of a data folder, in a line.
#[derive(Debug)]
pub struct BlockSummary {
    /// Its folder.
    pub path: PathBuf,
    /// Its contents, or why they can't be read.
    pub block: Result<BlockInspection, BlockError>,
}

/// Tells what the blocks of a data folder hold, by the first time that is in them.
pub fn summarise(path: &Path) -> Result<Vec<BlockSummary>, BlockError> {
    let tried = try_blocks(path, |path| {
        Ok(BlockSummary { block: Ok(inspect(path)?), path: path.to_owned() })
    })?;
    let failed = tried.failed.into_iter();
    let failed = failed.map(|(path, error)| BlockSummary { path, block: Err(error) });
    let mut blocks: Vec<BlockSummary> = tried.opened.into_iter().chain(failed).collect();
    let time = |block: &BlockSummary| {
        block.block.as_ref().ok().and_then(|block| Some(block.meta.as_ref()?.min_time))
    };
    blocks.sort_by_key(|block| (time(block), block.path.clone()));
    Ok(blocks)
}
