//! Contents of a block, without reading its series: sizes, sections, counts.

use std::path::{Path, PathBuf};

use manicule_core::bytes::{FileBytes, Outline};
pub use manicule_format_prometheus::outline;
use manicule_format_prometheus::{Mark, Meta, Segment};
use manicule_store::store::{Fetched, Name, RangedFile};
use manicule_store::threads;

use super::catalogue::open_listed_in;
use super::error::BlockError;
use super::listed::try_blocks;
use super::marks::marks_of;
use super::open::{Block, CHUNKS};
use super::opened::{LeftOut, Marked, Opened, Why};
use super::parts::Folder;
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
    let folder = path.join(CHUNKS);
    let paths = match block.meta() {
        Some(_) => segment_paths(&folder).map_err(BlockError::io(&folder))?,
        None => Vec::new(),
    };
    let name = |path: &PathBuf| path.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let marks = marks_of(&Folder::local(path)).into_iter().flatten().collect();
    inspected(&block, path, paths.iter().map(name), marks)
}

/// The same of a block that is open in a store that isn't local: of its index all is brought that
/// was not, of its chunks nothing. `folder` is its own.
pub fn inspect_in(
    files: &Fetched,
    folder: &Name,
    block: &Block,
) -> Result<BlockInspection, BlockError> {
    let index = block.index();
    let len = index.bytes().len() as u64;
    index.file().need(0..len).map_err(block.in_index())?;
    let marks = match block.meta() {
        Some(_) => marks_of(&Folder::open(files, folder)?).into_iter().flatten().collect(),
        None => Vec::new(),
    };
    inspected(block, block.path(), block.segments().names(), marks)
}

fn inspected(
    block: &Block,
    path: &Path,
    names: impl Iterator<Item = String>,
    marks: Vec<Mark>,
) -> Result<BlockInspection, BlockError> {
    let index = block.index();
    let file = block.index_path();
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
    let segment = |(name, segment): (String, &Segment<RangedFile>)| SegmentInspection {
        name,
        len: segment.bytes().len() as u64,
    };
    Ok(BlockInspection {
        path: path.to_owned(),
        meta: block.meta().cloned(),
        index: inspected,
        segments: names.zip(block.segments().iter()).map(segment).collect(),
        tombstone_count: block.tombstones().interval_count(),
        tombstone_series_count: block.tombstones().series().count() as u64,
        marks,
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
    Ok(by_time(tried.opened.into_iter().chain(failed).collect()))
}

/// The same of the blocks in a store's own folder, marked ones too: side by side, as [`inspect_in`]
/// brings of each.
pub fn summarise_in(files: &Fetched) -> Result<Vec<BlockSummary>, BlockError> {
    let Opened { blocks, left_out, .. } = open_listed_in(files, None, Marked::Read)?;
    let of_block = |place: usize| {
        let path = blocks[place].path().to_owned();
        let own = path.file_name().and_then(|name| Name::new(name.to_str()?));
        let block = inspect_in(files, &own.unwrap_or_default(), &blocks[place]);
        BlockSummary { path, block }
    };
    let failed = left_out.into_iter().filter_map(|LeftOut { path, why }| match why {
        Why::Failed(error) => Some(BlockSummary { path, block: Err(error) }),
        _ => None,
    });
    let of_blocks = threads::map_waiting(blocks.len(), of_block);
    Ok(by_time(of_blocks.into_iter().chain(failed).collect()))
}

fn by_time(mut blocks: Vec<BlockSummary>) -> Vec<BlockSummary> {
    let time = |block: &BlockSummary| {
        block.block.as_ref().ok().and_then(|block| Some(block.meta.as_ref()?.min_time))
    };
    blocks.sort_by_key(|block| (time(block), block.path.clone()));
    blocks
}
