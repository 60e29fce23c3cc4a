//! Tables of Prometheus blocks.

mod blocks;
mod columns;
mod labels;
mod opened;
mod samples;
mod selected;
#[expect(clippy::module_inception, reason = "the kind and what it lists have one name")]
mod series;

pub(super) use blocks::BLOCKS;
pub(super) use labels::LABELS;
pub(super) use samples::SAMPLES;
pub(super) use series::SERIES;
