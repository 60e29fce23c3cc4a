//! Contents of a block, without reading its series: sizes, sections, counts.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use manicule_core::bytes::{FileBytes, Outline};
pub use manicule_format_prometheus::outline;
use manicule_format_prometheus::{INDEX_NAME, META_NAME, Mark, MarkKind, Meta, Segment, Stats};
use manicule_store::store::{Fetched, Listed, Name, RangedFile, Store, StoreError};

use super::catalogue::{Row, nothing, of_listing};
use super::elsewhere::{Wanted, no_index, open_each};
use super::error::BlockError;
use super::listed::try_blocks;
use super::marks::marks_of;
use super::open::{Block, CHUNKS, TOMBSTONES, decode_tombstones, no_tombstones, part};
use super::parts::Folder;
use super::segments::{segment_number, segment_paths};

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
        resolution(self.meta.as_ref())
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
    /// Its contents in short, or why they can't be read.
    pub block: Result<BlockFacts, BlockError>,
}

/// Contents of a block in short.
#[derive(Clone, Debug)]
pub struct BlockFacts {
    /// Its meta file; an index by itself has none.
    pub meta: Option<Meta>,
    /// Series: at an address as its meta file counts them, if it does.
    pub series_count: u64,
    /// Length of its index in bytes.
    pub index_len: u64,
    /// Length of its segments in bytes.
    pub chunk_len: u64,
    /// Deleted times.
    pub tombstone_count: u64,
    /// Marks of those who keep it.
    pub marks: Vec<Mark>,
}

impl BlockFacts {
    /// Length of index and chunks in bytes.
    pub fn len(&self) -> u64 {
        self.index_len + self.chunk_len
    }

    /// Whether they take none; no index does.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Milliseconds between the points of a downsampled block.
    pub fn resolution(&self) -> Option<i64> {
        resolution(self.meta.as_ref())
    }
}

impl From<BlockInspection> for BlockFacts {
    fn from(block: BlockInspection) -> Self {
        BlockFacts {
            series_count: block.index.series_count,
            index_len: block.index.len,
            chunk_len: block.len() - block.index.len,
            tombstone_count: block.tombstone_count,
            meta: block.meta,
            marks: block.marks,
        }
    }
}

fn resolution(meta: Option<&Meta>) -> Option<i64> {
    meta.map(Meta::resolution).filter(|resolution| *resolution > 0)
}

/// Tells what the blocks of a data folder hold, by the first time that is in them.
pub fn summarise(path: &Path) -> Result<Vec<BlockSummary>, BlockError> {
    let tried = try_blocks(path, |path| {
        Ok(BlockSummary { block: Ok(inspect(path)?.into()), path: path.to_owned() })
    })?;
    let failed = tried.failed.into_iter();
    let failed = failed.map(|(path, error)| BlockSummary { path, block: Err(error) });
    Ok(by_time(tried.opened.into_iter().chain(failed).collect()))
}

/// The same of the blocks in a store's own folder, marked ones too, by what is listed of them and
/// by their meta files. Opened are those alone whose meta file doesn't count their series: to list
/// 10,000 blocks is not to read 10,000 indexes.
pub fn summarise_in(files: &Fetched) -> Result<Vec<BlockSummary>, BlockError> {
    let (store, root) = (files.store(), Name::root());
    let listed = store.list(&root)?;
    if listed.iter().any(|entry| entry.name == META_NAME) {
        let block = Block::open_in(files, &root).and_then(|block| inspect_in(files, &root, &block));
        let block = block.map(BlockFacts::from);
        return Ok(vec![BlockSummary { path: store.show(&root), block }]);
    }
    let rows = of_listing(files, listed, None, &MarkKind::ALL, &|_| true)?;
    if rows.is_empty() {
        return Err(nothing(files));
    }
    let deleted: Vec<Name> = rows.iter().filter_map(tombstones_of).collect();
    let read = if deleted.is_empty() { Vec::new() } else { store.read_all(&deleted, u64::MAX) };
    let mut tombstones: HashMap<Name, _> = deleted.into_iter().zip(read).collect();
    let facts = rows.into_iter().map(|row| {
        let read = tombstones_of(&row).and_then(|file| tombstones.remove(&file));
        (row.folder.clone(), facts(store, row, read))
    });
    let mut facts: Vec<(Name, Result<BlockFacts, BlockError>)> = facts.collect();
    count_series(files, &mut facts);
    let summaries =
        facts.into_iter().map(|(folder, block)| BlockSummary { path: store.show(&folder), block });
    Ok(by_time(summaries.collect()))
}

/// The file of a block's deleted times, if it is there.
fn tombstones_of(row: &Row) -> Option<Name> {
    row.seen.as_ref()?.entry(TOMBSTONES).map(|_| part(&row.folder, TOMBSTONES))
}

/// What is known of a block that is not open; `tombstones` are those that were read.
fn facts(
    store: &dyn Store,
    row: Row,
    tombstones: Option<Result<Vec<u8>, StoreError>>,
) -> Result<BlockFacts, BlockError> {
    let Row { folder, known, marks, seen } = row;
    let (meta, seen) = (known?.meta.unwrap_or_default(), seen.unwrap_or_default());
    let len = |entry: &Listed| entry.len.unwrap_or_default();
    let Some(index) = seen.entry(INDEX_NAME) else {
        return Err(no_index(store, &folder));
    };
    let file = part(&folder, TOMBSTONES);
    let tombstones = match tombstones {
        Some(bytes) => decode_tombstones(store, &file, &bytes?)?,
        None => no_tombstones(store, &file, &meta)?,
    };
    let segments = seen.chunks.iter().filter(|entry| segment_number(&entry.name).is_some());
    Ok(BlockFacts {
        series_count: meta.stats.num_series,
        index_len: len(index),
        chunk_len: segments.map(len).sum(),
        tombstone_count: tombstones.interval_count(),
        meta: Some(meta),
        marks,
    })
}

/// Number of blocks that are open at once: each is some files.
const OPEN_MAX: usize = 64;

/// Opens the blocks whose meta file counts nothing, and counts their series.
fn count_series(files: &Fetched, facts: &mut [(Name, Result<BlockFacts, BlockError>)]) {
    let counts_nothing =
        |facts: &BlockFacts| facts.meta.as_ref().is_some_and(|meta| meta.stats == Stats::default());
    let uncounted = facts.iter_mut().filter(|(_, facts)| facts.as_ref().is_ok_and(counts_nothing));
    let mut uncounted: Vec<_> = uncounted.collect();
    for some in uncounted.chunks_mut(OPEN_MAX) {
        let wanted = |(folder, facts): &(Name, Result<BlockFacts, BlockError>)| {
            let meta = facts.as_ref().ok().and_then(|facts| facts.meta.clone());
            Wanted { folder: folder.clone(), meta, seen: None }
        };
        let wanted = some.iter().map(|block| wanted(block)).collect();
        for ((_, facts), block) in some.iter_mut().zip(open_each(files, wanted)) {
            let count = block.map(|block| block.index().series_count().unwrap_or_default());
            match (count, &mut *facts) {
                (Ok(count), Ok(facts)) => facts.series_count = count,
                (Err(error), facts) => *facts = Err(error),
                (Ok(_), Err(_)) => {}
            }
        }
    }
}

fn by_time(mut blocks: Vec<BlockSummary>) -> Vec<BlockSummary> {
    let time = |block: &BlockSummary| {
        block.block.as_ref().ok().and_then(|block| Some(block.meta.as_ref()?.min_time))
    };
    blocks.sort_by_key(|block| (time(block), block.path.clone()));
    blocks
}
