//! Whole blocks from text, as `promtool tsdb create-blocks-from openmetrics` makes them, in one
//! pass over the text.
//!
//! Samples are kept by block as they come, 20 bytes each, in memory or in a file without a name.
//! When all have come, each block's are counted by series, placed in the order of series, and cut
//! into chunks as Prometheus's head cuts them. Beyond what the peer does, samples may come in any
//! order of time; of several samples of a series and a time the first one stays, where the peer
//! keeps it, or ends with an error if 5,000 samples lie between them.

mod block;
mod cut;
mod error;
mod log;
mod names;

pub use error::BuildError;

use std::collections::HashMap;
use std::io::{self, Read};
use std::ops::Range;
use std::path::PathBuf;

use block::BlockPlan;
use log::{Log, Record};
use manicule_core::watch::{Phase, Unit, Watch};
use manicule_format_prometheus::{Meta, Ulid};
use manicule_store::Spill;
use names::Names;

use crate::make::publish::{Draft, Target};
use crate::openmetrics::{Dialect, Parser, TextError};

/// The shortest range of a block: two hours, in milliseconds.
pub const BLOCK_RANGE: i64 = 2 * 3_600_000;

/// The range of blocks that promtool picks for the longest one that is allowed: two hours times a
/// power of three, up to the ninth.
pub fn block_range(longest: i64) -> i64 {
    let ranges = (0..10).map(|power| BLOCK_RANGE * 3i64.pow(power));
    ranges.take_while(|range| *range <= longest).last().unwrap_or(BLOCK_RANGE)
}

/// Options of a build.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct BuildOptions {
    /// Blocks begin and end at multiples of it, in milliseconds; see [`block_range`].
    pub range: i64,
    /// About how many bytes samples may take in memory; more wait in a file. The labels of all
    /// series, and the samples of one series in one block, come on top.
    pub memory: u64,
}

/// A block that was built.
#[derive(Clone, Debug)]
pub struct Built {
    /// Path of the block.
    pub path: PathBuf,
    /// Its meta file.
    pub meta: Meta,
}

/// Report of a build: what became of the samples.
#[derive(Clone, Debug, Default)]
pub struct BuildReport {
    /// The blocks, by time.
    pub blocks: Vec<Built>,
    /// Number of samples in the texts.
    pub samples: u64,
    /// Number of those left out, because their series had one of the same time before.
    pub repeated: u64,
    /// Number of series.
    pub series: u32,
}

/// Blocks in the making.
#[derive(Debug)]
pub struct Builder<N> {
    target: Target,
    options: BuildOptions,
    /// Names for blocks.
    next_ulid: N,
    names: Names,
    logs: Vec<Log>,
    log_of: HashMap<i64, usize>,
    /// The times of the block that the sample before was in, and its log.
    current: (Range<i64>, usize),
    /// Memory held by the logs.
    memory: u64,
    /// Samples that memory is too small for. The draft's folder is where their file had its name
    /// for a moment: what a killed run leaves is swept with it.
    spill: Option<(Spill, Draft)>,
}

/// A share of the memory is for samples as they come, the rest for those of a block, and for its
/// index.
const LOG_SHARE: u64 = 2;
const WINDOW_SHARE: u64 = 4;

impl<N: FnMut() -> Ulid> Builder<N> {
    /// Nothing yet. `next_ulid` gives each block a name of its own.
    pub fn new(target: Target, options: BuildOptions, next_ulid: N) -> Self {
        assert!(options.range > 0, "a block has a length");
        Builder {
            target,
            options,
            next_ulid,
            names: Names::default(),
            logs: Vec::new(),
            log_of: HashMap::new(),
            current: (0..0, 0),
            memory: 0,
            spill: None,
        }
    }

    /// Takes the samples of a text. After an error the builder is of no more use.
    pub fn read(&mut self, text: impl Read, dialect: Dialect) -> Result<(), BuildError> {
        let mut parser = Parser::new(text, dialect);
        while let Some(sample) = parser.next_sample()? {
            let series = self.names.series(&sample).map_err(TextError::Syntax)?;
            let record = Record { series, time: sample.time, value: sample.value };
            if !self.current.0.contains(&record.time) {
                self.turn_to(record.time);
            }
            self.memory += self.logs[self.current.1].push(record) as u64;
            if self.memory > self.options.memory / LOG_SHARE {
                self.spill()?;
            }
        }
        Ok(())
    }

    /// Finds the log of the block that a time is in.
    fn turn_to(&mut self, time: i64) {
        let range = self.options.range;
        let number = time.div_euclid(range);
        let log = *self.log_of.entry(number).or_insert_with(|| {
            self.logs.push(Log::default());
            self.logs.len() - 1
        });
        let begin = number.saturating_mul(range);
        self.current = (begin..begin.saturating_add(range), log);
    }

    fn spill(&mut self) -> io::Result<()> {
        if self.spill.is_none() {
            let draft = self.target.draft((self.next_ulid)())?;
            let spill = Spill::create(draft.files(), &draft.path().join("samples"))?;
            self.spill = Some((spill, draft));
        }
        let (spill, _) = self.spill.as_ref().expect("it was made above");
        self.memory = 0;
        self.logs.iter_mut().try_for_each(|log| log.spill(spill))
    }

    /// Writes and publishes the blocks, one after the other. Those that are there when it is
    /// stopped stay.
    pub fn finish(mut self, watch: &Watch<'_>) -> Result<BuildReport, BuildError> {
        let order = self.names.sorted();
        let pairs = self.names.sets().pairs();
        let plan = BlockPlan {
            names: &self.names,
            pairs: &pairs,
            order: &order,
            // The peer gives its head twice the range of the block, so that no sample is too old
            // for it.
            chunk_range: self.options.range.saturating_mul(2),
            window: (self.options.memory / WINDOW_SHARE) as usize / size_of::<(i64, f64)>(),
            index_memory: self.options.memory / WINDOW_SHARE,
        };
        let samples = self.logs.iter().map(Log::count).sum();
        let mut report =
            BuildReport { samples, series: self.names.count(), ..BuildReport::default() };
        let mut numbers: Vec<(i64, usize)> = self.log_of.into_iter().collect();
        numbers.sort_unstable();
        let spill = self.spill.as_ref().map(|(spill, _)| spill);
        let writing = watch.phase(Phase::Writing, Unit::Samples, samples);
        for (_, number) in numbers {
            let log = std::mem::take(&mut self.logs[number]);
            let draft = self.target.draft((self.next_ulid)())?;
            let (meta, repeated) = block::write_block(&draft, &log, spill, &plan, &writing)?;
            report.blocks.push(Built { path: draft.publish(&watch.silent())?, meta });
            report.repeated += repeated;
        }
        writing.end();
        Ok(report)
    }

    /// Memory held by labels and samples, in bytes.
    pub fn memory(&self) -> u64 {
        self.memory + self.names.memory() as u64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_are_two_hours_times_a_power_of_three() {
        let hour = 3_600_000;
        for (longest, want) in
            [(0, 2), (2, 2), (5, 2), (6, 6), (24, 18), (54, 54), (1 << 40, 39366)]
        {
            assert_eq!(
                block_range((longest * hour as i128).min(i64::MAX.into()) as i64),
                want * hour as i64
            );
        }
    }
}
