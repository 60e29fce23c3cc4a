//! The samples of a series from all blocks that have it, by time; and values as text.

use std::fmt;

use manicule_format_prometheus::Interval;
use manicule_format_prometheus::chunk::{Sample, Value};
use manicule_store::threads;

use super::{Downsampled, MergedRow, Part};
use crate::block::BlockError;
use crate::block::samples::SeriesSamples;
use crate::openmetrics::put_api_float;

impl<'b> MergedRow<'b> {
    /// Its samples of these times, without what is deleted: of a chosen aggregate, or those of raw
    /// blocks. Fails where blocks are downsampled and nothing is chosen.
    pub fn samples(&self, times: Interval) -> Result<MergedSamples<'b>, BlockError> {
        if self.aggregate.is_some() {
            return self.samples_of(self.streams().first().copied().flatten(), times);
        }
        self.check_raw()?;
        self.samples_of(None, times)
    }

    /// Fails where one of its blocks is downsampled.
    pub(super) fn check_raw(&self) -> Result<(), BlockError> {
        match self.parts.iter().find(|part| part.block.resolution() > 0) {
            None => Ok(()),
            Some(part) => Err(BlockError::Downsampled {
                path: part.block.path().to_owned(),
                why: "it has aggregates instead of samples, one must be chosen".to_owned(),
            }),
        }
    }

    /// Makes sure that samples of some times can be read in blocks that have it; brings those that
    /// are elsewhere.
    pub(super) fn ready(&self, parts: &[&Part<'_>], times: Interval) -> Result<(), BlockError> {
        if self.asked.as_ref().is_some_and(|asked| asked.note()) {
            // Of series after the first their walk brings them.
            let bring = |place: usize| parts[place].bring_chunks(times);
            threads::map_waiting(parts.len(), bring).into_iter().collect::<Result<(), _>>()?;
        }
        for part in parts {
            part.block.need_samples()?;
            if part.block.is_elsewhere() {
                part.bring_chunks(times)?;
            }
        }
        Ok(())
    }

    /// Its raw samples of these times, or those of an aggregate of the blocks of its resolution;
    /// without what is deleted. A block is asked for what it has.
    pub fn samples_of(
        &self,
        stream: Option<Downsampled>,
        times: Interval,
    ) -> Result<MergedSamples<'b>, BlockError> {
        let mut parts = Vec::with_capacity(self.parts.len());
        let is_asked = |part: &&Part<'_>| {
            stream.is_none_or(|stream| stream.resolution == part.block.resolution())
        };
        let asked: Vec<&Part<'_>> = self.parts.iter().filter(is_asked).collect();
        self.ready(&asked, times)?;
        for part in asked {
            let samples = part.block.samples(part.series, times.min_time, times.max_time);
            let samples = samples.map_err(part.block.in_index())?;
            let samples = samples.skip_damaged(self.salvage);
            let samples = samples.of_aggregate(stream.map(|stream| stream.aggregate));
            let mut part = Samples { samples, head: None };
            part.step()?;
            parts.push(part);
        }
        Ok(MergedSamples { parts })
    }
}

/// Samples of one series, increasing in time. Of samples of the same time the first block's is
/// kept.
pub struct MergedSamples<'b> {
    parts: Vec<Samples<'b>>,
}

/// The samples of one block, with the one that comes next.
struct Samples<'b> {
    samples: SeriesSamples<'b>,
    head: Option<Sample>,
}

impl Samples<'_> {
    /// Goes on to the next sample; gives the one that stood there.
    fn step(&mut self) -> Result<Option<Sample>, BlockError> {
        let next = self.samples.next().transpose();
        let next = next.map_err(|error| self.samples.damaged(error))?;
        Ok(std::mem::replace(&mut self.head, next))
    }
}

impl MergedSamples<'_> {
    /// The next sample.
    #[expect(clippy::should_implement_trait, reason = "its error ends it, an iterator would go on")]
    pub fn next(&mut self) -> Result<Option<Sample>, BlockError> {
        if let [only] = &mut self.parts[..] {
            return only.step();
        }
        let times = self.parts.iter().filter_map(|part| part.head.as_ref());
        let Some(time) = times.map(|sample| sample.time).min() else { return Ok(None) };
        let mut found = None;
        for part in &mut self.parts {
            if part.head.as_ref().is_some_and(|sample| sample.time == time) {
                let sample = part.step()?;
                found = found.or(sample);
            }
        }
        Ok(found)
    }
}

/// A value as the HTTP API writes it: the shortest digits that read back, with an exponent below
/// 1e-6 and from 1e21 on.
/// Of a histogram count and sum.
#[derive(Clone, Copy, Debug)]
pub struct ShownValue<'v>(pub &'v Value);

impl fmt::Display for ShownValue<'_> {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            Value::Float(value) => float(*value, out),
            Value::Histogram(histogram) => {
                write!(out, "{{count:{}, sum:", histogram.count)?;
                float(histogram.sum, out)?;
                out.write_str("}")
            }
            Value::FloatHistogram(histogram) => {
                out.write_str("{count:")?;
                float(histogram.count, out)?;
                out.write_str(", sum:")?;
                float(histogram.sum, out)?;
                out.write_str("}")
            }
        }
    }
}

fn float(value: f64, out: &mut fmt::Formatter<'_>) -> fmt::Result {
    let mut shown = Vec::with_capacity(24);
    put_api_float(value, &mut shown);
    out.write_str(str::from_utf8(&shown).expect("digits"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    #[allow(clippy::excessive_precision, reason = "exactly between two shorter ones")]
    fn values_are_written_as_prometheus_writes_them() {
        for (value, want) in [
            (0.0, "0"),
            (-0.0, "-0"),
            (1.0, "1"),
            (44.5, "44.5"),
            (123_456_789_012.0, "123456789012"),
            (0.000_001, "0.000001"),
            (0.000_000_12, "1.2e-07"),
            // As near to ...63: the even digit.
            (94_316_539_697_488.625, "94316539697488.62"),
            (94_316_539_697_488.375, "94316539697488.38"),
            (1e21, "1e+21"),
            (-1.5e300, "-1.5e+300"),
            (1e20, "100000000000000000000"),
            (f64::NAN, "NaN"),
            (f64::INFINITY, "+Inf"),
            (f64::NEG_INFINITY, "-Inf"),
        ] {
            assert_eq!(ShownValue(&Value::Float(value)).to_string(), want);
        }
    }
}
