//! What a selector gives at steps of time.

use manicule_format_prometheus::Interval;
use manicule_format_prometheus::chunk::{Sample, Value};

use super::asked::{At, Timed};
use crate::ask::query::MergedSamples;
use crate::block::BlockError;

/// The times at which an expression is asked: the first, then one every `step`, until the last.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Steps {
    /// Milliseconds since 1970.
    pub start: i64,
    /// Milliseconds since 1970; not before the start.
    pub end: i64,
    /// Milliseconds; more than 0.
    pub step: i64,
}

impl Steps {
    /// One time.
    pub fn at(time: i64) -> Steps {
        Steps { start: time, end: time, step: 1 }
    }

    /// The times.
    pub fn times(self) -> impl Iterator<Item = i64> {
        let next = move |time: &i64| time.checked_add(self.step).filter(|time| *time <= self.end);
        std::iter::successors(Some(self.start), next)
    }
}

impl Timed {
    /// The time whose samples the step at a time shows.
    fn shown_at(&self, time: i64, steps: &Steps) -> i64 {
        let time = match self.at {
            None => time,
            Some(At::Time(time)) => time,
            Some(At::Start) => steps.start,
            Some(At::End) => steps.end,
        };
        time.saturating_sub(self.offset)
    }

    /// The times whose samples are looked at, both included: those at most `back` milliseconds
    /// before a step, the end of which does not count.
    pub fn times(&self, steps: &Steps, back: i64) -> Interval {
        let first = self.shown_at(steps.start, steps);
        let min_time = first.saturating_sub(back).saturating_add(1);
        Interval { min_time, max_time: self.shown_at(steps.end, steps) }
    }
}

/// Hands out, of one series, each step's time and value: of its newest sample that is at most
/// `lookback` milliseconds old. Steps without one, and those after the series has ended, are left
/// out.
pub fn each_point<E: From<BlockError>>(
    samples: &mut MergedSamples<'_>,
    timed: &Timed,
    steps: &Steps,
    lookback: i64,
    each: &mut dyn FnMut(i64, &Value) -> Result<(), E>,
) -> Result<(), E> {
    let mut before: Option<Sample> = None;
    let mut next = samples.next()?;
    for time in steps.times() {
        let shown_at = timed.shown_at(time, steps);
        while next.as_ref().is_some_and(|sample| sample.time <= shown_at) {
            before = next;
            next = samples.next()?;
        }
        let is_new = |sample: &&Sample| sample.time > shown_at.saturating_sub(lookback);
        match before.as_ref().filter(is_new) {
            Some(sample) if !sample.value.is_stale() => each(time, &sample.value)?,
            None if next.is_none() && timed.at.is_none() => return Ok(()),
            _ => {}
        }
    }
    Ok(())
}
