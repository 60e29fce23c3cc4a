//! Blocks merged into one.

use std::path::PathBuf;

use manicule_core::watch::Watch;
use manicule_series::merge as engine;
pub use manicule_series::merge::{LeftOut, MergeError, MergeOptions, MergeReport, Merged};
use manicule_series::{Block, ExternalLabels, LeftOut as BlockLeftOut, Salvage, Target};
use manicule_store::context::Context;

use super::MERGE_MEMORY;
use super::blocks::open_blocks;
use super::error::Error;
use super::names::fresh_names;
use super::target::{Made, Output, Writes, count_beside, salvage};

/// Arguments of a merge.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MergeCall {
    /// Blocks, and folders of blocks, or addresses of them. Their order is that of the parents in
    /// the meta file, and decides which of two samples of one time is kept.
    pub inputs: Vec<PathBuf>,
    /// Output folder of the block, which may be that of the inputs; or an address of one.
    pub output: PathBuf,
    /// External labels for the meta file, as Thanos has them; of none those of the blocks stay.
    pub external_labels: ExternalLabels,
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
        let external_labels = ExternalLabels::new();
        MergeCall { inputs, output, external_labels, memory, writes, skip_damaged }
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
    let output = Output::at(&call.output, &call.external_labels)?;
    let (blocks, left_out) = open(call, &salvage)?;
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
            let (parents_beside, is_refused) = (0, true);
            return Ok(Made { report, salvage, block_count, parents_beside, is_refused, left_out });
        }
    }
    let target = (call.writes != Writes::Never).then(|| output.open(&blocks)).transpose()?;
    let report = run(target.as_ref(), &salvage)?;
    let parents_beside = report.block.iter().map(|_| count_beside(&call.output, &blocks)).sum();
    Ok(Made { report, salvage, block_count, parents_beside, is_refused: false, left_out })
}

/// Opens the blocks in the order in which they are given, and names those that are left out.
fn open(call: &MergeCall, salvage: &Salvage) -> Result<(Vec<Block>, Vec<BlockLeftOut>), Error> {
    let (mut blocks, mut left_out) = (Vec::new(), Vec::new());
    for input in &call.inputs {
        let opened = open_blocks(input, call.skip_damaged.then_some(salvage))?;
        blocks.extend(opened.0);
        left_out.extend(opened.1);
    }
    Ok((blocks, left_out))
}
