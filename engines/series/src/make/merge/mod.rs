//! Blocks merged into one, by the rules of Prometheus's compactor.
//!
//! The symbol tables are merged once; series are merged by numbers then, their chunks copied byte
//! for byte where they overlap nothing. One pass: chunks are written as they come, of series the
//! label pairs and the places of the chunks are kept (4 bytes a label, 24 a chunk) until the index
//! is written from them.
//!
//! | file | decides |
//! |---|---|
//! | symbols.rs | which number a symbol and a label pair has in the merged block |
//! | input.rs | which series and chunks of a block are left |
//! | chunks.rs, heap.rs | which chunks of a series overlap |
//! | chain.rs | which samples of overlapping chunks are kept |
//! | recode.rs | how samples become chunks again |
//! | ledger.rs | which samples are left out, and why |
//! | output.rs | which files a new block gets |
//! | meta.rs | what the merged block says of itself |
//!
//! Bytes:   docs/formats/prometheus.md

mod chain;
mod chunks;
mod heap;
mod input;
mod ledger;
mod meta;
mod output;
mod recode;
mod symbols;

use std::error::Error;
use std::fmt;
use std::io;
use std::path::{Path, PathBuf};

use manicule_core::ErrorClass;
use manicule_core::watch::{Meter, Phase, Stopped, Unit, Watch};
use manicule_format_prometheus::{Interval, Meta, Ulid};
use manicule_store::store::StoreError;

pub(crate) use self::chunks::{ChunkRun, MergedChunks};
use self::heap::Heap;
use self::input::Input;
pub use self::ledger::LeftOut;
pub(crate) use self::ledger::{Gone, Ledger};
pub(crate) use self::meta::merged as merged_meta;
pub(crate) use self::output::Output;
pub(crate) use self::recode::OutChunk;
use self::symbols::MergedSymbols;
pub(crate) use self::symbols::{Label, Pairs};
use crate::ask::query::ShownResolution;
use crate::block::salvage::Salvage;
use crate::block::{Block, BlockError};
use crate::make::publish::{Draft, Target};
use crate::make::write::{SymbolChoice, WriteError};

/// Options of a merge.
#[derive(Clone, Copy, Debug)]
pub struct MergeOptions<'s> {
    /// The name of the merged block.
    pub ulid: Ulid,
    /// Memory limit of the index writer for posting lists, in bytes; more lists take more passes.
    pub memory: u64,
    /// Series and chunks that are damaged are left out and added to it; else the first one is an
    /// error.
    pub skip_damaged: Option<&'s Salvage>,
}

/// A block that was made.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Merged {
    /// Path of the block.
    pub path: PathBuf,
    /// Contents of its meta file.
    pub meta: Meta,
}

/// Report of a merge.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct MergeReport {
    /// The new block; `None` if no sample is left, or if nothing was to be written.
    pub block: Option<Merged>,
    /// Contents of its meta file, as written or as it would be.
    pub meta: Meta,
    /// Number of series of the blocks, each counted by itself.
    pub series: u64,
    /// The samples that it doesn't have: with those that it has they are the samples of the blocks.
    pub left_out: LeftOut,
}

/// Error of making a block from others. Nothing is there then.
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
    /// Blocks of different resolutions: what is made of them would be neither raw nor downsampled.
    Resolutions {
        /// One of the blocks.
        one: PathBuf,
        /// Milliseconds between its points; 0 if it is raw.
        resolution: i64,
        /// Another one.
        other: PathBuf,
        /// Milliseconds between its points.
        other_resolution: i64,
    },
    /// The index can't be written.
    Index(WriteError),
    /// A file can't be written.
    Io {
        /// The file or folder.
        path: PathBuf,
        /// Cause, as the system says it.
        source: io::Error,
    },
    /// Its watch stopped it.
    Stopped,
}

impl MergeError {
    /// Class of the error.
    pub fn class(&self) -> ErrorClass {
        match self {
            MergeError::NoBlocks | MergeError::NotBlock { .. } | MergeError::Resolutions { .. } => {
                ErrorClass::Asked
            }
            MergeError::Block(error) => error.class(),
            MergeError::Index(error) => error.class(),
            MergeError::Io { source, .. } => ErrorClass::of_io(source),
            MergeError::Stopped => ErrorClass::Stopped,
        }
    }
}

impl fmt::Display for MergeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            MergeError::NoBlocks => f.write_str("no block to merge"),
            MergeError::Block(error) => error.fmt(f),
            MergeError::NotBlock { path } => {
                write!(f, "{}: an index by itself has no chunks, it is no block", path.display())
            }
            MergeError::Resolutions { one, resolution, other, other_resolution } => write!(
                f,
                "{} is {} and {} is {}: only blocks of one resolution can be merged",
                one.display(),
                ShownResolution(*resolution),
                other.display(),
                ShownResolution(*other_resolution)
            ),
            MergeError::Index(error) => error.fmt(f),
            MergeError::Io { path, source } => write!(f, "{}: {source}", path.display()),
            MergeError::Stopped => Stopped.fmt(f),
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
        match error {
            WriteError::Stopped => MergeError::Stopped,
            error => MergeError::Index(error),
        }
    }
}

impl From<Stopped> for MergeError {
    fn from(_: Stopped) -> Self {
        MergeError::Stopped
    }
}

pub(crate) fn io_at(path: &Path) -> impl FnOnce(io::Error) -> MergeError {
    move |source| MergeError::Io { path: path.to_owned(), source }
}

/// Merges blocks into a new one, and counts what it leaves out. The given order is that of the
/// parents in the meta file. If no sample is left no block is made. The given blocks stay as they
/// are. Without a target nothing is written, and the report is the same.
pub fn merge(
    blocks: &[Block],
    target: Option<&Target>,
    options: &MergeOptions<'_>,
    watch: &Watch<'_>,
) -> Result<MergeReport, MergeError> {
    let metas = blocks.iter().map(|block| {
        block.meta().ok_or_else(|| MergeError::NotBlock { path: block.path().to_owned() })
    });
    let metas: Vec<&Meta> = metas.collect::<Result<_, _>>()?;
    if blocks.is_empty() {
        return Err(MergeError::NoBlocks);
    }
    check_resolutions(blocks)?;
    let mut meta = merged_meta(options.ulid, &metas);
    let draft = draft_in(target, options.ulid)?;
    let symbols = MergedSymbols::new(blocks);
    let range = Interval { min_time: meta.min_time, max_time: meta.max_time.saturating_sub(1) };
    let ledger = Ledger::new(0, options.skip_damaged);
    let mut inputs = Vec::with_capacity(blocks.len());
    for (block, number_of) in blocks.iter().zip(&symbols.number_of) {
        inputs.push(Input::new(block, number_of, range, &ledger)?);
    }
    let series = inputs.iter().map(Input::series_count).sum();
    let mut output = Output::create(draft.as_ref(), Pairs::new(symbols.strings.len()))?;
    let merging = watch.phase(Phase::Merging, Unit::Series, series);
    merge_series(inputs, &ledger, &mut output, &merging)?;
    merging.end();
    meta.stats = output.stats;
    ledger.check_samples(&blocks.iter().collect::<Vec<_>>(), meta.stats.num_samples)?;
    let mut made = None;
    if let Some(draft) = draft.filter(|_| meta.stats.num_samples > 0) {
        let memory = options.memory;
        let writing = watch.endless(Phase::Writing, Unit::Bytes);
        output.finish(&symbols.strings, SymbolChoice::All, memory, &draft, &mut meta, &writing)?;
        let path = publish(draft, &writing)?;
        writing.end();
        made = Some(Merged { path, meta: meta.clone() });
    }
    Ok(MergeReport { block: made, meta, series, left_out: ledger.left_out() })
}

fn check_resolutions(blocks: &[Block]) -> Result<(), MergeError> {
    for (one, other) in blocks.iter().zip(blocks.iter().skip(1)) {
        let (resolution, other_resolution) = (one.resolution(), other.resolution());
        if resolution != other_resolution {
            let (one, other) = (one.path().to_owned(), other.path().to_owned());
            return Err(MergeError::Resolutions { one, resolution, other, other_resolution });
        }
    }
    Ok(())
}

/// The folder that a block is written into, if it is to be written.
pub(crate) fn draft_in(target: Option<&Target>, ulid: Ulid) -> Result<Option<Draft>, MergeError> {
    let draft = |target: &Target| target.draft(ulid).map_err(io_at(target.path()));
    target.map(draft).transpose()
}

/// Makes a block visible.
pub(crate) fn publish(draft: Draft, meter: &Meter<'_>) -> Result<PathBuf, MergeError> {
    draft.publish(meter).map_err(|error| match error {
        error if error.is_stopped() => MergeError::Stopped,
        StoreError { file: path, source } => MergeError::Io { path, source },
    })
}

/// Brings the series of all inputs to the output, in the order of labels.
fn merge_series(
    mut inputs: Vec<Input<'_>>,
    ledger: &Ledger<'_>,
    output: &mut Output,
    meter: &Meter<'_>,
) -> Result<(), MergeError> {
    let mut steps = meter.steps();
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
            [] => return Ok(()),
            [only] => {
                let mut run = inputs[only].run();
                output.series(&inputs[only].labels, || run.next())?;
            }
            [first, ..] => {
                let runs = current.iter().map(|&at| inputs[at].run());
                let mut merged = MergedChunks::new(runs, ledger)?;
                output.series(&inputs[first].labels, || merged.next())?;
            }
        }
        steps.add(current.len() as u64)?;
    }
}
