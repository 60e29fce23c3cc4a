//! What is read of series: the samples of raw blocks, or one aggregate of downsampled ones.
//!
//! Thanos keeps beside raw blocks others of the same series with a point every five minutes, and
//! every hour. A point stands for several samples, so it has no value: it has aggregates. Blocks
//! of several resolutions hold the same times twice or more, and are never mixed.

use std::collections::BTreeSet;
use std::fmt;

use manicule_core::ErrorClass;
use manicule_format_prometheus::chunk::Aggregate;

use super::blocks::{Blocks, Label, MergedRow};

/// Name of the label that says which aggregate of a series a line has.
pub const AGGREGATE_LABEL: &str = "__aggregate__";
/// Name of the label that says how far apart its points are.
pub const RESOLUTION_LABEL: &str = "__resolution__";

/// One aggregate of a series, at one resolution.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Downsampled {
    /// Milliseconds between its points.
    pub resolution: i64,
    /// The aggregate.
    pub aggregate: Aggregate,
}

/// A resolution as people write it: `raw`, `5m`, `1h`.
#[derive(Clone, Copy, Debug)]
pub struct ShownResolution(pub i64);

impl fmt::Display for ShownResolution {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let units = [(3_600_000, "h"), (60_000, "m"), (1000, "s"), (1, "ms")];
        match units.into_iter().find(|unit| self.0 % unit.0 == 0) {
            _ if self.0 == 0 => out.write_str("raw"),
            Some((len, unit)) => write!(out, "{}{unit}", self.0 / len),
            None => unreachable!("every number is a multiple of 1"),
        }
    }
}

/// What is chosen of raw and downsampled blocks; by default everything.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Choice {
    /// Only blocks of this resolution in milliseconds; 0 are raw ones.
    pub resolution: Option<i64>,
    /// Only this aggregate, of downsampled blocks. It is read as if it were the samples.
    pub aggregate: Option<Aggregate>,
}

/// Error of a choice that the blocks don't have, or that leaves several things to read.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum ChoiceError {
    /// No block is of the resolution, or none is downsampled.
    None {
        /// What was chosen.
        choice: Choice,
        /// The resolutions of the blocks.
        resolutions: Vec<i64>,
    },
    /// The aggregate is there in several resolutions.
    Several {
        /// The aggregate.
        aggregate: Aggregate,
        /// The resolutions of the blocks that have it.
        resolutions: Vec<i64>,
    },
}

impl ChoiceError {
    /// Class of the error.
    pub fn class(&self) -> ErrorClass {
        ErrorClass::Asked
    }
}

impl fmt::Display for ChoiceError {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let shown = |resolutions: &[i64]| {
            let shown = resolutions.iter().map(|own| ShownResolution(*own).to_string());
            shown.collect::<Vec<_>>().join(" and ")
        };
        match self {
            ChoiceError::None { choice, resolutions } => {
                let there = shown(resolutions);
                match (choice.resolution, choice.aggregate) {
                    (Some(0), Some(_)) => out.write_str("raw blocks have no aggregates"),
                    (Some(resolution), None) => {
                        let wanted = ShownResolution(resolution);
                        write!(out, "no block has the resolution {wanted}; they are {there}")
                    }
                    (resolution, _) => {
                        let wanted = resolution.map(|own| format!(" to {}", ShownResolution(own)));
                        let wanted = wanted.unwrap_or_default();
                        write!(
                            out,
                            "no block is downsampled{wanted}, so there are no aggregates; they \
                             are {there}"
                        )
                    }
                }
            }
            ChoiceError::Several { aggregate, resolutions } => write!(
                out,
                "blocks of {} have a {}, of other windows: choose a resolution",
                shown(resolutions),
                aggregate.name()
            ),
        }
    }
}

impl std::error::Error for ChoiceError {}

impl<'b> Blocks<'b> {
    /// Only the blocks that have what is chosen. Times may have left none before; then there is
    /// nothing to choose from.
    pub fn choose(mut self, choice: Choice) -> Result<Self, ChoiceError> {
        let resolutions: BTreeSet<i64> = self.iter().map(|block| block.resolution()).collect();
        self.retain(|resolution| {
            choice.resolution.is_none_or(|wanted| resolution == wanted)
                && (choice.aggregate.is_none() || resolution > 0)
        });
        let left: BTreeSet<i64> = self.iter().map(|block| block.resolution()).collect();
        match (choice.aggregate, left.len()) {
            (_, 0) if !resolutions.is_empty() => {
                Err(ChoiceError::None { choice, resolutions: resolutions.into_iter().collect() })
            }
            (Some(aggregate), 2..) => {
                Err(ChoiceError::Several { aggregate, resolutions: left.into_iter().collect() })
            }
            _ => Ok(self.of_aggregate(choice.aggregate)),
        }
    }
}

/// What series with blocks of these resolutions have: raw samples, which are none, and each
/// aggregate of each resolution.
pub(crate) fn streams(resolutions: impl Iterator<Item = i64>) -> Vec<Option<Downsampled>> {
    let mut downsampled: Vec<i64> = resolutions.filter(|resolution| *resolution > 0).collect();
    downsampled.sort_unstable();
    downsampled.dedup();
    let mut streams = vec![None];
    for resolution in downsampled {
        let of = |aggregate| Some(Downsampled { resolution, aggregate });
        streams.extend(Aggregate::ALL.map(of));
    }
    streams
}

impl MergedRow<'_> {
    /// What there is to read of it, raw samples (`None`) first. Some of it may turn out to have no
    /// sample: a raw sample of a downsampled block is rare, and not all aggregates need be there.
    pub fn streams(&self) -> Vec<Option<Downsampled>> {
        let resolutions = self.parts.iter().map(|part| part.block.resolution());
        match self.aggregate {
            None => streams(resolutions),
            Some(aggregate) => resolutions
                .take(1)
                .map(|resolution| Some(Downsampled { resolution, aggregate }))
                .collect(),
        }
    }

    /// How lines of it are told from others of its series: by nothing where they are raw samples,
    /// or what was chosen.
    pub fn shown(&self, stream: Option<Downsampled>) -> Option<Downsampled> {
        stream.filter(|_| self.aggregate.is_none())
    }

    /// Hands out the labels that lines of it have: those of an aggregate that wasn't chosen are
    /// [`AGGREGATE_LABEL`] and [`RESOLUTION_LABEL`] more.
    pub fn labels_of<R>(
        &self,
        stream: Option<Downsampled>,
        take: impl FnOnce(&[Label<'_>]) -> R,
    ) -> R {
        let Some(Downsampled { resolution, aggregate }) = self.shown(stream) else {
            return take(&self.labels);
        };
        let resolution = ShownResolution(resolution).to_string();
        let mut labels = self.labels.clone();
        labels.push((AGGREGATE_LABEL.as_bytes(), aggregate.name().as_bytes()));
        labels.push((RESOLUTION_LABEL.as_bytes(), resolution.as_bytes()));
        labels.sort_unstable();
        take(&labels)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn resolutions_are_written_in_the_largest_unit() {
        for (resolution, want) in [
            (0, "raw"),
            (300_000, "5m"),
            (3_600_000, "1h"),
            (7_200_000, "2h"),
            (5_400_000, "90m"),
            (15_000, "15s"),
            (1, "1ms"),
        ] {
            assert_eq!(ShownResolution(resolution).to_string(), want);
        }
    }

    #[test]
    fn what_can_not_be_chosen_is_said() {
        let sum = Some(Aggregate::Sum);
        for (resolution, aggregate, want) in [
            (Some(300_000), None, "no block has the resolution 5m; they are raw and 1h"),
            (
                Some(300_000),
                sum,
                "no block is downsampled to 5m, so there are no aggregates; they are raw and 1h",
            ),
            (Some(0), sum, "raw blocks have no aggregates"),
            (None, sum, "no block is downsampled, so there are no aggregates; they are raw and 1h"),
        ] {
            let choice = Choice { resolution, aggregate };
            let error = ChoiceError::None { choice, resolutions: vec![0, 3_600_000] };
            assert_eq!(error.to_string(), want);
        }
    }
}
