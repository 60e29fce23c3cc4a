//! The index of a block written again from its own series, and in the same pass what other systems
//! keep beside it.
//!
//! The files are written aside, synced, and renamed one by one, the index last: what has its name
//! is whole.
//!
//! Bytes:   docs/formats/prometheus.md

use std::fs;
use std::io::Write;
use std::path::Path;

use manicule_core::watch::{Phase, Unit, Watch};
use manicule_store::publish::{Aside, SHARED};
use manicule_store::{Disk, SharedFiles};

use crate::block::Block;
use crate::make::merge::{MergeError, io_at};
use crate::make::write::{
    Outputs, SideFile, SymbolChoice, SymbolSets, WriteOptions, Written, write_index_with,
};

const INDEX: &str = "index";
/// Thanos's name for its side file.
const INDEX_HEADER: &str = "index-header";
/// Mimir's.
const SPARSE_HEADER: &str = "sparse-index-header";
const ASIDE: &str = ".tmp";

/// Options of what is written.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ReindexOptions {
    /// Memory limit of the writer for posting lists, in bytes; more lists take more passes.
    pub memory: u64,
    /// Symbols of the index: those of the old one, or those that are used.
    pub symbols: SymbolChoice,
    /// The label indices of old readers, too.
    pub label_indices: bool,
    /// Thanos's `index-header`, too.
    pub index_header: bool,
    /// Mimir's `sparse-index-header`, too.
    pub sparse_header: bool,
    /// From two on, one encodes and another writes.
    pub threads: usize,
}

/// Writes `index` into a folder, and the side files that are wanted. Files of these names are
/// replaced.
///
/// Costs ten bytes of memory a series and 24 a chunk on top of what the options say. An index of
/// version 2 with all its symbols comes out byte for byte; one of version 1 becomes one of version
/// 2.
pub fn reindex(
    block: &Block,
    folder: &Path,
    options: &ReindexOptions,
    watch: &Watch<'_>,
) -> Result<Written, MergeError> {
    reindex_through(&Disk::shared(), block, folder, options, watch)
}

/// As [`reindex`], with every file written through `files`.
pub fn reindex_through(
    files: &SharedFiles,
    block: &Block,
    folder: &Path,
    options: &ReindexOptions,
    watch: &Watch<'_>,
) -> Result<Written, MergeError> {
    let sets = series_of(block, watch)?;
    fs::create_dir_all(folder).map_err(io_at(folder))?;
    let aside = |name: &str| {
        let path = folder.join(format!("{name}{ASIDE}"));
        Aside::create(files, &path, SHARED).map_err(io_at(&path))
    };
    let mut index = aside(INDEX)?;
    let mut header = options.index_header.then(|| aside(INDEX_HEADER)).transpose()?;
    let mut sparse = options.sparse_header.then(|| aside(SPARSE_HEADER)).transpose()?;
    let write_options = WriteOptions {
        memory: options.memory,
        symbols: options.symbols,
        label_indices: options.label_indices,
    };
    let outputs = Outputs {
        index: index.file(),
        index_header: header.as_mut().map(|aside| aside.file() as &mut dyn SideFile),
        sparse_header: sparse.as_mut().map(|aside| aside.file() as &mut dyn Write),
    };
    let (pairs, source) = (sets.pairs(), sets.source());
    let (symbols, threads) = (block.index(), options.threads);
    let writing = watch.endless(Phase::Writing, Unit::Bytes);
    let written =
        write_index_with(symbols, pairs, source, write_options, outputs, threads, &writing)?;
    writing.end();
    let side_files = [(header, INDEX_HEADER), (sparse, SPARSE_HEADER)];
    for (aside, name) in side_files.into_iter().chain([(Some(index), INDEX)]) {
        let path = folder.join(name);
        aside.map_or(Ok(()), |aside| aside.publish(&path)).map_err(io_at(&path))?;
    }
    files.sync_folder(folder).map_err(io_at(folder))?;
    Ok(written)
}

/// The series of a block as numbers of its symbols.
fn series_of(block: &Block, watch: &Watch<'_>) -> Result<SymbolSets, MergeError> {
    let index = block.index();
    let mut sets = SymbolSets::default();
    let mut walk = index.walk();
    let all = index.all_postings().map_err(block.in_index())?;
    let reading = watch.phase(Phase::Reading, Unit::Series, all.len() as u64);
    let mut steps = reading.steps();
    for series in all.iter() {
        walk.read(series).map_err(block.in_index())?;
        sets.push(walk.symbols().iter().copied(), walk.chunks().iter().copied());
        steps.add(1)?;
    }
    drop(steps);
    reading.end();
    Ok(sets)
}
