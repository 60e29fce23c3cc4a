//! Blocks merged into one, by the rules of Prometheus's compactor.
//!
//! The symbol tables are merged once; series are merged by numbers then, their chunks copied byte for byte where they
//! overlap nothing. One pass: chunks are written as they come, of series the label pairs and the places of the chunks
//! are kept (4 bytes a label, 24 a chunk) until the index is written from them.
//!
//! | file | decides |
//! |---|---|
//! | symbols.rs | which number a symbol and a label pair has in the merged block |
//! | input.rs | which series and chunks of a block are left |
//! | chunks.rs, heap.rs | which chunks of a series overlap |
//! | chain.rs | which samples of overlapping chunks are kept |
//! | recode.rs | how samples become chunks again |
//! | output.rs | which files a new block gets |
//! | meta.rs | what the merged block says of itself |
//!
//! Bytes:   docs/formats/prometheus.md
//! Callers: faces/manicule

mod chain;
mod chunks;
mod heap;
mod input;
mod meta;
mod output;
mod recode;
mod symbols;

use std::error::Error;
use std::fmt;
use std::io;
use std::path::{Path, PathBuf};

use manicule_format_prometheus::{Interval, Meta, Ulid};

pub(crate) use self::chunks::{ChunkRun, MergedChunks};
use self::heap::Heap;
use self::input::Input;
pub(crate) use self::meta::merged as merged_meta;
pub(crate) use self::output::Output;
use self::symbols::MergedSymbols;
pub(crate) use self::symbols::{Label, Pairs};
use crate::write::{SymbolChoice, WriteError};
use crate::{Block, BlockError, Target};

/// How blocks are merged.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct MergeOptions {
    /// The name of the merged block.
    pub ulid: Ulid,
    /// How many bytes of memory the writer of the index may take for posting lists; more lists take more passes.
    pub memory: u64,
}

/// A block that was made.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Merged {
    /// Where it is.
    pub path: PathBuf,
    /// What its meta file says.
    pub meta: Meta,
}

/// Why a block was not made from others. Nothing is there then.
#[derive(Debug)]
#[non_exhaustive]
pub enum MergeError {
    /// No block was given.
    NoBlocks,
    /// A block can't be read.
    Block(BlockError),
    /// An index by itself was given. It has no chunks to merge.
    NotBlock {
        /// The index.
        path: PathBuf,
    },
    /// The index can't be written.
    Index(WriteError),
    /// A file can't be written.
    Io {
        /// The file or folder.
        path: PathBuf,
        /// Why it can't be.
        source: io::Error,
    },
}

impl fmt::Display for MergeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            MergeError::NoBlocks => f.write_str("no block to merge"),
            MergeError::Block(error) => error.fmt(f),
            MergeError::NotBlock { path } => {
                write!(f, "{}: an index by itself has no chunks, it is no block", path.display())
            }
            MergeError::Index(error) => error.fmt(f),
            MergeError::Io { path, source } => write!(f, "{}: {source}", path.display()),
        }
    }
}

// What others say is part of the error's own words.
impl Error for MergeError {}

impl From<BlockError> for MergeError {
    fn from(error: BlockError) -> Self {
        MergeError::Block(error)
    }
}

impl From<WriteError> for MergeError {
    fn from(error: WriteError) -> Self {
        MergeError::Index(error)
    }
}

pub(crate) fn io_at(path: &Path) -> impl FnOnce(io::Error) -> MergeError {
    let path = path.to_owned();
    move |source| MergeError::Io { path, source }
}

/// Merges blocks into a new one. The given order is that of the parents in the meta file. `None` if no sample is left:
/// then no block is made. The given blocks stay as they are.
pub fn merge(
    blocks: &[Block],
    target: &Target,
    options: &MergeOptions,
) -> Result<Option<Merged>, MergeError> {
    let metas = blocks.iter().map(|block| {
        block.meta().ok_or_else(|| MergeError::NotBlock { path: block.path().to_owned() })
    });
    let metas: Vec<&Meta> = metas.collect::<Result<_, _>>()?;
    if blocks.is_empty() {
        return Err(MergeError::NoBlocks);
    }
    let mut meta = merged_meta(options.ulid, &metas);
    let draft = target.draft(options.ulid).map_err(io_at(target.path()))?;
    let symbols = MergedSymbols::new(blocks);
    let range = Interval { min_time: meta.min_time, max_time: meta.max_time.saturating_sub(1) };
    let mut inputs = Vec::with_capacity(blocks.len());
    for (block, number_of) in blocks.iter().zip(&symbols.number_of) {
        inputs.push(Input::new(block, number_of, range)?);
    }
    let pairs = Pairs::new(symbols.strings.len());
    let output = Output::create(&draft, pairs).and_then(|output| merge_series(inputs, output))?;
    meta.stats = output.stats;
    if meta.stats.num_samples == 0 {
        return Ok(None);
    }
    let memory = options.memory;
    output.finish(&symbols.strings, SymbolChoice::All, memory, &draft, &meta)?;
    let path = draft.publish().map_err(io_at(target.path()))?;
    Ok(Some(Merged { path, meta }))
}

/// Brings the series of all inputs to the output, in the order of labels.
fn merge_series<'o>(
    mut inputs: Vec<Input<'_>>,
    mut output: Output<'o>,
) -> Result<Output<'o>, MergeError> {
    let mut heap = Heap::new();
    // Those whose series is at its turn, in the order in which the heap gave them.
    let mut current: Vec<usize> = (0..inputs.len()).collect();
    loop {
        for at in current.drain(..) {
            if inputs[at].advance()? {
                heap.push(at, |l, r| inputs[*l].labels < inputs[*r].labels);
            }
        }
        while let Some(&next) = heap.peek() {
            if current
                .first()
                .is_some_and(|&first: &usize| inputs[first].labels != inputs[next].labels)
            {
                break;
            }
            current.extend(heap.pop(|l, r| inputs[*l].labels < inputs[*r].labels));
        }
        match current[..] {
            [] => return Ok(output),
            [only] => {
                let mut run = inputs[only].run();
                output.series(&inputs[only].labels, || run.next())?;
            }
            [first, ..] => {
                let runs = current.iter().map(|&at| inputs[at].run());
                let mut merged = MergedChunks::new(runs)?;
                output.series(&inputs[first].labels, || merged.next())?;
            }
        }
    }
}
