//! The index of a block written anew from its own series, and in the same pass what other systems keep beside it.
//!
//! The files are written aside, synced, and renamed one by one, the index last: what has its name is whole.
//!
//! Bytes:   docs/formats/prometheus.md
//! Callers: faces/manicule

use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use manicule_core::bytes::DecodeError;

use crate::merge::{MergeError, io_at};
use crate::write::{
    Outputs, SideFile, SymbolChoice, SymbolSets, WriteOptions, Written, write_index_with,
};
use crate::{Block, BlockError};

/// Thanos's name for its side file.
const INDEX_HEADER: &str = "index-header";
/// Mimir's.
const SPARSE_HEADER: &str = "sparse-index-header";
const ASIDE: &str = ".tmp";

/// What is written.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ReindexOptions {
    /// How many bytes of memory the writer may take for posting lists; more lists take more passes.
    pub memory: u64,
    /// Which symbols the index has: those of the old one, or those that are used.
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

/// Writes `index` into a folder, and the side files that are wanted. Files of these names are replaced.
///
/// Costs ten bytes of memory a series and 24 a chunk on top of what the options say. An index of version 2 with all its
/// symbols comes out byte for byte; one of version 1 becomes one of version 2.
pub fn reindex(
    block: &Block,
    folder: &Path,
    options: &ReindexOptions,
) -> Result<Written, MergeError> {
    let sets = series_of(block).map_err(|source| {
        MergeError::Block(BlockError::Damaged { path: block.index_path(), source })
    })?;
    fs::create_dir_all(folder).map_err(io_at(folder))?;
    let mut index = Aside::create(folder, "index")?;
    let mut header = Aside::when(options.index_header, folder, INDEX_HEADER)?;
    let mut sparse = Aside::when(options.sparse_header, folder, SPARSE_HEADER)?;
    let write_options = WriteOptions {
        memory: options.memory,
        symbols: options.symbols,
        label_indices: options.label_indices,
    };
    let outputs = Outputs {
        index: &mut index.file,
        index_header: header.as_mut().map(|aside| &mut aside.file as &mut dyn SideFile),
        sparse_header: sparse.as_mut().map(|aside| &mut aside.file as &mut dyn Write),
    };
    let (pairs, source) = (sets.pairs(), sets.source());
    let written =
        write_index_with(block.index(), pairs, source, write_options, outputs, options.threads)?;
    for aside in header.into_iter().chain(sparse) {
        aside.publish()?;
    }
    index.publish()?;
    File::open(folder).and_then(|folder| folder.sync_all()).map_err(io_at(folder))?;
    Ok(written)
}

/// The series of a block as numbers of its symbols.
fn series_of(block: &Block) -> Result<SymbolSets, DecodeError> {
    let index = block.index();
    let mut sets = SymbolSets::default();
    let mut walk = index.walk();
    for series in index.all_postings()?.iter() {
        walk.read(series)?;
        sets.push(walk.symbols().iter().copied(), walk.chunks().iter().copied());
    }
    Ok(sets)
}

/// A file that gets its name when it is whole; it goes when that doesn't come to pass.
struct Aside {
    path: PathBuf,
    aside: PathBuf,
    file: File,
    is_published: bool,
}

impl Aside {
    fn create(folder: &Path, name: &str) -> Result<Self, MergeError> {
        let aside = folder.join(format!("{name}{ASIDE}"));
        let mut open = OpenOptions::new();
        let file = open.write(true).create(true).truncate(true).open(&aside);
        let file = file.map_err(io_at(&aside))?;
        Ok(Aside { path: folder.join(name), aside, file, is_published: false })
    }

    fn when(is_wanted: bool, folder: &Path, name: &str) -> Result<Option<Self>, MergeError> {
        is_wanted.then(|| Aside::create(folder, name)).transpose()
    }

    fn publish(mut self) -> Result<(), MergeError> {
        let done: io::Result<()> =
            self.file.sync_all().and_then(|()| fs::rename(&self.aside, &self.path));
        self.is_published = done.is_ok();
        done.map_err(io_at(&self.path))
    }
}

impl Drop for Aside {
    fn drop(&mut self) {
        if !self.is_published {
            // Nothing reads it; the next run writes over it.
            let _ = fs::remove_file(&self.aside);
        }
    }
}
