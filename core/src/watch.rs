//! A long call, watched: how far it has come, and whether it shall end before its end.
//!
//! Whoever waits lends a [`Watch`] to the call, which goes through phases. Each phase has a
//! [`Meter`] that begins at nothing, rises, and ends at its whole. To count costs an addition: a
//! phase reports about a thousand times, in increasing order however many threads count.
//!
//! Nothing here starts a thread or reads a clock; a deadline comes with the clock that it is of.

use std::error::Error;
use std::fmt;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};

/// Number of reports of a phase of known length, about.
const REPORTS: u64 = 1000;

/// Number of units between two reports of a phase of unknown length.
const STRIDE: u64 = 1 << 16;

/// Maximum number of small items that a thread counts by itself before it looks up; see [`Steps`].
const STEPS_MAX: u64 = 256;

/// Phase of a call.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Phase {
    /// Listing what there is.
    Surveying,
    /// Reading the input.
    Reading,
    /// Comparing the input with what is there.
    Comparing,
    /// Making an index of documents.
    Indexing,
    /// Bringing several inputs into one.
    Merging,
    /// Bringing one input into several outputs.
    Splitting,
    /// Writing the output.
    Writing,
    /// Waiting until the disk has the output.
    Syncing,
    /// Checking bytes.
    Verifying,
}

impl Phase {
    /// The word for people.
    pub fn word(self) -> &'static str {
        match self {
            Phase::Surveying => "surveying",
            Phase::Reading => "reading",
            Phase::Comparing => "comparing",
            Phase::Indexing => "indexing",
            Phase::Merging => "merging",
            Phase::Splitting => "splitting",
            Phase::Writing => "writing",
            Phase::Syncing => "syncing",
            Phase::Verifying => "verifying",
        }
    }
}

/// Unit that a phase counts in.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Unit {
    /// Bytes.
    Bytes,
    /// Files or folders of a tree.
    Files,
    /// Three neighbouring bytes, as indexes of text list them.
    Grams,
    /// Series.
    Series,
    /// Samples.
    Samples,
    /// Trees of a backup.
    Trees,
    /// Partitions of a table.
    Partitions,
    /// Rows of a partition, or of an order of quads.
    Rows,
    /// Terms of a dictionary.
    Terms,
}

/// Progress of a call.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Progress {
    /// The current phase.
    pub phase: Phase,
    /// The unit counted.
    pub unit: Unit,
    /// The number of units done.
    pub done: u64,
    /// Of how much; `None` while nobody knows.
    pub all: Option<u64>,
}

/// A call was stopped by its watch.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Stopped;

impl fmt::Display for Stopped {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("stopped before its end")
    }
}

impl Error for Stopped {}

/// A deadline: a time, and the clock that will show it.
type Deadline = (u64, fn() -> u64);

/// Lent to a long call by whoever waits for it.
pub struct Watch<'w> {
    report: Option<&'w (dyn Fn(Progress) + Sync)>,
    stop: Option<&'w (dyn Fn() -> bool + Sync)>,
    deadline: Option<Deadline>,
    is_over: AtomicBool,
    deadline_passed: AtomicBool,
}

impl<'w> Watch<'w> {
    /// Nobody looks on; [`Watch::cancel`] can still end the call.
    pub const fn none() -> Watch<'static> {
        Watch {
            report: None,
            stop: None,
            deadline: None,
            is_over: AtomicBool::new(false),
            deadline_passed: AtomicBool::new(false),
        }
    }

    /// `report` is called with progress, `stop` asked whether to end: both often, and by several
    /// threads.
    pub fn new(report: &'w (dyn Fn(Progress) + Sync), stop: &'w (dyn Fn() -> bool + Sync)) -> Self {
        Watch { report: Some(report), stop: Some(stop), ..Watch::none() }
    }

    /// Ends the call when the clock shows this time.
    pub fn until(self, time_ns: u64, clock: fn() -> u64) -> Self {
        Watch { deadline: Some((time_ns, clock)), ..self }
    }

    /// Ends the call from now on.
    pub fn cancel(&self) {
        self.is_over.store(true, Relaxed);
    }

    /// Whether the call shall end. Once it shall, it always shall.
    pub fn is_over(&self) -> bool {
        if self.is_over.load(Relaxed) {
            return true;
        }
        let is_late = self.deadline.is_some_and(|(time_ns, clock)| clock() >= time_ns);
        if is_late {
            self.deadline_passed.store(true, Relaxed);
        }
        let is_over = is_late || self.stop.is_some_and(|stop| stop());
        if is_over {
            self.cancel();
        }
        is_over
    }

    /// An error if the call shall end.
    pub fn check(&self) -> Result<(), Stopped> {
        if self.is_over() { Err(Stopped) } else { Ok(()) }
    }

    /// Whether the deadline ended the call.
    pub fn deadline_passed(&self) -> bool {
        self.deadline_passed.load(Relaxed)
    }

    /// Begins a phase, of a length that is known.
    pub fn phase(&self, phase: Phase, unit: Unit, all: u64) -> Meter<'_> {
        self.meter(Some(Counted { phase, unit }), Some(all))
    }

    /// Begins a phase of unknown length.
    pub fn endless(&self, phase: Phase, unit: Unit) -> Meter<'_> {
        self.meter(Some(Counted { phase, unit }), None)
    }

    /// For a part of a phase that counts in other units: it can be stopped, and reports nothing.
    pub fn silent(&self) -> Meter<'_> {
        self.meter(None, None)
    }

    fn meter(&self, counted: Option<Counted>, all: Option<u64>) -> Meter<'_> {
        let every = all.map_or(STRIDE, |all| (all / REPORTS).max(1));
        let (done, due, order) = (AtomicU64::new(0), AtomicU64::new(every), Mutex::new(()));
        let meter = Meter { watch: self, counted, all, every, done, due, order };
        meter.report(all);
        meter
    }
}

impl fmt::Debug for Watch<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Watch")
            .field("deadline", &self.deadline.map(|deadline| deadline.0))
            .field("is_over", &self.is_over)
            .finish_non_exhaustive()
    }
}

/// What a meter counts: the units of a phase.
#[derive(Clone, Copy, Debug)]
struct Counted {
    phase: Phase,
    unit: Unit,
}

/// Counter of a phase's progress. Any number of threads may add to it.
#[derive(Debug)]
pub struct Meter<'m> {
    watch: &'m Watch<'m>,
    counted: Option<Counted>,
    all: Option<u64>,
    /// Number of units between reports.
    every: u64,
    done: AtomicU64,
    /// Count at which the next report is due.
    due: AtomicU64,
    /// Held while reporting, so that reports rise.
    order: Mutex<()>,
}

impl<'m> Meter<'m> {
    /// Adds work that is done.
    #[inline]
    pub fn add(&self, more: u64) {
        let done = self.done.fetch_add(more, Relaxed) + more;
        if done >= self.due.load(Relaxed) {
            self.report_if_due();
        }
    }

    /// Raises the work that is done in all to this, unless it already was more.
    pub fn reach(&self, done: u64) {
        self.done.fetch_max(done, Relaxed);
        self.add(0);
    }

    /// Adds work that is done; an error if the call shall end.
    pub fn step(&self, more: u64) -> Result<(), Stopped> {
        self.add(more);
        self.watch.check()
    }

    /// Counts many small items on one thread.
    pub fn steps(&self) -> Steps<'_, 'm> {
        let every = self.every.min(STEPS_MAX);
        Steps { meter: self, count: 0, every }
    }

    /// The watch that it reports to.
    pub fn watch(&self) -> &'m Watch<'m> {
        self.watch
    }

    /// All is done.
    pub fn end(self) {
        let done = self.done.load(Relaxed);
        let all = self.all.unwrap_or(done);
        self.done.store(all, Relaxed);
        self.report(Some(all));
    }

    /// Reports, unless another thread did so while this one waited for its turn.
    #[cold]
    fn report_if_due(&self) {
        // The thread that panicked here was the reporter: its panic ends the call, and progress is
        // of no more use.
        let Ok(_order) = self.order.lock() else { return };
        if self.done.load(Relaxed) >= self.due.load(Relaxed) {
            self.report_in_order(self.all);
        }
    }

    fn report(&self, all: Option<u64>) {
        let Ok(_order) = self.order.lock() else { return };
        self.report_in_order(all);
    }

    /// Reports while `order` is held.
    fn report_in_order(&self, all: Option<u64>) {
        let (Some(report), Some(Counted { phase, unit })) = (self.watch.report, self.counted)
        else {
            self.due.store(u64::MAX, Relaxed);
            return;
        };
        let done = self.done.load(Relaxed);
        self.due.store(done.saturating_add(self.every), Relaxed);
        report(Progress { phase, unit, done: all.map_or(done, |all| done.min(all)), all });
    }
}

/// Counts small items of one thread, and adds them to its meter many at a time: nothing shared is
/// touched for an item.
#[derive(Debug)]
pub struct Steps<'s, 'm> {
    meter: &'s Meter<'m>,
    count: u64,
    every: u64,
}

impl Steps<'_, '_> {
    /// Adds to the number of steps done; an error if the call shall end.
    #[inline]
    pub fn add(&mut self, more: u64) -> Result<(), Stopped> {
        self.count += more;
        if self.count < self.every {
            Ok(())
        } else {
            self.meter.step(std::mem::take(&mut self.count))
        }
    }
}

impl Drop for Steps<'_, '_> {
    fn drop(&mut self) {
        self.meter.add(self.count);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn reports(call: impl FnOnce(&Watch<'_>)) -> Vec<(u64, Option<u64>)> {
        let reports = Mutex::new(Vec::new());
        let report = |at: Progress| reports.lock().unwrap().push((at.done, at.all));
        call(&Watch::new(&report, &|| false));
        reports.into_inner().unwrap()
    }

    #[test]
    fn a_phase_begins_rises_and_ends_at_its_whole() {
        let few = reports(|watch| {
            let meter = watch.phase(Phase::Reading, Unit::Series, 3);
            let mut steps = meter.steps();
            (0..3).for_each(|_| steps.add(1).unwrap());
            drop(steps);
            meter.end();
        });
        assert_eq!(few, [0, 1, 2, 3, 3].map(|done| (done, Some(3))));
        // More than was thought is never more than all.
        let more = reports(|watch| {
            let meter = watch.phase(Phase::Reading, Unit::Bytes, 10);
            [7, 7].into_iter().for_each(|len| meter.add(len));
            meter.end();
        });
        assert_eq!(more, [0, 7, 10, 10].map(|done| (done, Some(10))));
    }

    #[test]
    fn a_phase_of_unknown_length_says_at_its_end_how_long_it_was() {
        let got = reports(|watch| {
            let meter = watch.endless(Phase::Writing, Unit::Bytes);
            (0..3).for_each(|_| meter.add(STRIDE / 2));
            meter.end();
        });
        let all = 3 * STRIDE / 2;
        assert_eq!(got, [(0, None), (STRIDE, None), (all, Some(all))]);
    }

    #[test]
    fn reports_are_few_and_rise_whatever_the_threads() {
        let all = 1_000_000;
        let got = reports(|watch| {
            let meter = watch.phase(Phase::Verifying, Unit::Bytes, all);
            std::thread::scope(|scope| {
                (0..4).for_each(|_| drop(scope.spawn(|| (0..all / 4).for_each(|_| meter.add(1)))));
            });
            meter.end();
        });
        assert!(got.is_sorted() && got.len() as u64 <= REPORTS + 10, "{} reports", got.len());
        assert_eq!((got.first(), got.last()), (Some(&(0, Some(all))), Some(&(all, Some(all)))));
    }

    #[test]
    fn a_call_ends_when_asked_to_or_at_its_deadline_and_stays_ended() {
        let (asked, nothing) = (AtomicBool::new(true), |_| {});
        let stop = || asked.swap(false, Relaxed);
        let watch = Watch::new(&nothing, &stop);
        assert_eq!((watch.check(), watch.check()), (Err(Stopped), Err(Stopped)));
        assert!(!watch.deadline_passed());
        let watch = Watch::none().until(5, || 5);
        assert_eq!(watch.silent().step(1), Err(Stopped));
        assert!(watch.deadline_passed());
        let watch = Watch::none().until(6, || 5);
        assert!(!watch.is_over());
        watch.cancel();
        assert!(watch.is_over() && !watch.deadline_passed());
    }
}
