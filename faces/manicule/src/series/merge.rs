//! Blocks merged into one.

use std::path::PathBuf;

use manicule_core::watch::Watch;
use manicule_series::merge as engine;
pub use manicule_series::merge::{LeftOut, MergeError, MergeOptions, MergeReport, Merged};
use manicule_series::{Block, Salvage, Target, open_named};
use manicule_store::context::Context;

use super::MERGE_MEMORY;
use super::error::Error;
use super::names::fresh_names;
use super::target::{Made, Writes, count_beside, open_target, salvage};

/// Arguments of a merge.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MergeCall {
    /// Blocks, and folders of blocks. Their order is that of the parents in the meta file, and
    /// decides which of two samples of one time is kept.
    pub inputs: Vec<PathBuf>,
    /// Output folder of the block, which may be that of the inputs.
    pub output: PathBuf,
    /// Memory of posting lists in bytes, approximate.
    pub memory: u64,
    /// Whether the block is written; a merge is sound if it loses no sample to another of the same
    /// time.
    pub writes: Writes,
    /// Whether blocks, series and chunks that are damaged are left out.
    pub skip_damaged: bool,
}

impl MergeCall {
    /// A merge that refuses damaged blocks.
    pub fn new(inputs: Vec<PathBuf>, output: PathBuf) -> Self {
        let (memory, writes, skip_damaged) = (MERGE_MEMORY, Writes::Always, false);
        MergeCall { inputs, output, memory, writes, skip_damaged }
    }
}

/// Merges blocks into one, as Prometheus's compactor does. The inputs stay.
///
/// ```
/// use manicule::series::{MergeCall, merge};
/// use manicule::watch::Watch;
///
/// # let folder = tempfile::tempdir()?;
/// # let (text, data) = (folder.path().join("up.txt"), folder.path().join("data"));
/// # std::fs::write(&text, "up{job=\"a\"} 1 0\nup{job=\"b\"} 1 60\n# EOF\n")?;
/// # let inputs = vec![manicule::series::build::Input::File(text)];
/// # let built = manicule::series::build(&manicule::series::BuildCall::new(inputs, data.clone()), &Watch::none())?;
/// # let block = built.blocks[0].path.clone();
/// let merged = merge(&MergeCall::new(vec![data], folder.path().join("merged")), &Watch::none())?;
/// assert_eq!(merged.report.meta.stats.num_samples, 2);
/// assert!(merged.report.block.is_some_and(|block| block.path.join("index").exists()));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn merge(call: &MergeCall, watch: &Watch<'_>) -> Result<Made<MergeReport>, Error> {
    let _held = Context::current().hold(call.memory).map_err(Error::Memory)?;
    let salvage = salvage();
    let blocks = open(call, &salvage)?;
    if !call.skip_damaged {
        blocks.iter().try_for_each(Block::prove)?;
    }
    let ulid = fresh_names()?();
    let run = |target: Option<&Target>, salvage: &Salvage| {
        let skip_damaged = call.skip_damaged.then_some(salvage);
        let options = MergeOptions { ulid, memory: call.memory, skip_damaged };
        engine::merge(&blocks, target, &options, watch)
    };
    let block_count = blocks.len() as u64;
    if call.writes == Writes::IfSound {
        let salvage = Salvage::new(0);
        let report = run(None, &salvage)?;
        if report.left_out.lost > 0 {
            return Ok(Made { report, salvage, block_count, parents_beside: 0, is_refused: true });
        }
    }
    let target = (call.writes != Writes::Never).then(|| open_target(&call.output)).transpose()?;
    let report = run(target.as_ref(), &salvage)?;
    let parents_beside = report.block.iter().map(|_| count_beside(&call.output, &blocks)).sum();
    Ok(Made { report, salvage, block_count, parents_beside, is_refused: false })
}

/// Opens the blocks in the order in which they are given.
fn open(call: &MergeCall, salvage: &Salvage) -> Result<Vec<Block>, Error> {
    let mut blocks = Vec::new();
    for input in &call.inputs {
        blocks.extend(open_named(input, call.skip_damaged.then_some(salvage))?);
    }
    Ok(blocks)
}
