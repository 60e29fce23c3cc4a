//! Tables of Prometheus blocks.

mod blocks;
mod columns;
mod labels;
mod opened;
mod samples;
mod selected;
#[expect(clippy::module_inception, reason = "the kind and what it lists have one name")]
mod series;

pub(crate) use blocks::BLOCKS;
pub(crate) use labels::LABELS;
pub(crate) use samples::SAMPLES;
pub(crate) use series::SERIES;
