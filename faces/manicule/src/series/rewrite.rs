//! A block written again with other series, labels or samples.

use std::path::PathBuf;
use std::slice;

use manicule_core::watch::Watch;
use manicule_series::rewrite as engine;
use manicule_series::rewrite::RewriteOptions;
pub use manicule_series::rewrite::{Deletion, Effect, Relabel, Rewritten, RuleRef, Rules};
use manicule_series::{ExternalLabels, Salvage, Target};
use manicule_store::context::Context;

use super::WRITE_MEMORY;
use super::blocks::open_block;
use super::error::Error;
use super::names::fresh_names;
use super::target::{Made, Output, Writes, count_beside, salvage};

/// Arguments of a rewrite.
#[derive(Debug)]
pub struct RewriteCall {
    /// The block, or its address.
    pub block: PathBuf,
    /// Output folder of the new one, or an address of one.
    pub output: PathBuf,
    /// External labels for the meta file, as Thanos has them; of none those of the block stay.
    pub external_labels: ExternalLabels,
    /// Rules of the change.
    pub rules: Rules,
    /// Memory of posting lists in bytes, approximate.
    pub memory: u64,
    /// Whether the block is written; see [`is_sound`].
    pub writes: Writes,
    /// Whether series and chunks that are damaged are left out.
    pub skip_damaged: bool,
}

impl RewriteCall {
    /// A rewrite without a rule: samples deleted by tombstones go, and nothing else.
    pub fn new(block: PathBuf, output: PathBuf) -> Self {
        let (rules, memory) = (Rules::default(), WRITE_MEMORY);
        let (writes, external_labels) = (Writes::Always, ExternalLabels::new());
        RewriteCall { block, output, external_labels, rules, memory, writes, skip_damaged: false }
    }
}

/// Whether a rewrite did what its rules say: each had an effect, no label lost its name, no sample
/// was lost to another of the same time, and all that was dropped could be counted.
pub fn is_sound(done: &Rewritten) -> bool {
    let is_meant = |effect: &Effect| effect.nameless == 0 && !effect.is_idle();
    done.effects.iter().all(is_meant) && done.left_out.lost == 0 && done.left_out.uncounted == 0
}

/// Writes a block again. The input stays.
///
/// ```
/// use manicule::series::{RewriteCall, Selector, rewrite};
/// use manicule::watch::Watch;
///
/// # let folder = tempfile::tempdir()?;
/// # let (text, data) = (folder.path().join("up.txt"), folder.path().join("data"));
/// # std::fs::write(&text, "up{job=\"a\"} 1 0\nup{job=\"b\"} 1 60\n# EOF\n")?;
/// # let inputs = vec![manicule::series::build::Input::File(text)];
/// # let built = manicule::series::build(&manicule::series::BuildCall::new(inputs, data.clone()), &Watch::none())?;
/// # let block = built.blocks[0].path.clone();
/// let mut call = RewriteCall::new(block, folder.path().join("rewritten"));
/// call.rules.drop.push(Selector::parse(r#"{job="a"}"#)?);
/// let rewritten = rewrite(&call, &Watch::none())?;
/// assert_eq!((rewritten.report.series, rewritten.report.dropped), (2, 1));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn rewrite(call: &RewriteCall, watch: &Watch<'_>) -> Result<Made<Rewritten>, Error> {
    let _held = Context::current().hold(call.memory).map_err(Error::Memory)?;
    let output = Output::at(&call.output, &call.external_labels)?;
    let block = open_block(&call.block)?;
    if !call.skip_damaged {
        block.prove()?;
    }
    let ulid = fresh_names()?();
    let run = |target: Option<&Target>, salvage: &Salvage| {
        let skip_damaged = call.skip_damaged.then_some(salvage);
        let options = RewriteOptions { ulid, memory: call.memory, skip_damaged };
        engine::rewrite(&block, target, &call.rules, &options, watch)
    };
    if call.writes == Writes::IfSound {
        let salvage = Salvage::new(0);
        let report = run(None, &salvage)?;
        if !is_sound(&report) {
            return Ok(made(report, salvage, 0, true));
        }
    }
    let target =
        (call.writes != Writes::Never).then(|| output.open(slice::from_ref(&block))).transpose()?;
    let salvage = salvage();
    let report = run(target.as_ref(), &salvage)?;
    let beside = |_| count_beside(&call.output, slice::from_ref(&block));
    let parents_beside = report.block.iter().map(beside).sum();
    Ok(made(report, salvage, parents_beside, false))
}

fn made(
    report: Rewritten,
    salvage: Salvage,
    parents_beside: u64,
    is_refused: bool,
) -> Made<Rewritten> {
    let (block_count, left_out) = (1, Vec::new());
    Made { report, salvage, block_count, parents_beside, is_refused, left_out }
}
