//! A query that is asked: here, where its answer is short, else by a thread of the context whose
//! rows come while it goes on.
//!
//! The way of a query to a thread and of its answer back takes 7 us, a query that looks one thing
//! up 10. So each is begun here, within bounds; what passes them is dropped, unseen, and asked
//! again from a thread.

use std::ops::ControlFlow;
use std::process;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::available_parallelism;
use std::time::{Duration, Instant};
use std::vec::IntoIter;

use manicule::graph::{AnswerCall, Error, Part, QueryLimits, QueryThreads};
use manicule::watch::Watch;
use manicule::{ErrorClass, Failure};
use pyo3::prelude::*;

use super::errors::raised_graph;
use super::handle::Reading;
use crate::calls::{LOOK_UP, context};
use crate::errors::raised;

/// The bounds of a query that is asked by the thread that wants it: time, quads, rows.
const HERE: Duration = Duration::from_millis(2);
const HERE_QUADS: u64 = 20_000;
const HERE_PARTS: usize = 1000;

/// Maximum number of rows that are handed over together; the first come alone.
const BATCH: usize = 1024;
/// How long a row waits for others.
const GATHER: Duration = Duration::from_millis(5);
/// Number of batches that wait for whoever takes them.
const WAITING: usize = 4;

type Handed = Result<Vec<Part>, Failed>;

/// Why a query has ended before its end.
enum Failed {
    Graph(Error),
    Other(Failure),
}

impl Failed {
    fn raised(self, py: Python<'_>) -> PyErr {
        match self {
            Failed::Graph(error) => raised_graph(py, error),
            Failed::Other(failure) => raised(py, &failure),
        }
    }
}

/// The parts of an answer, as they come.
pub(super) struct Parts {
    ready: IntoIter<Part>,
    more: Option<More>,
}

/// What a thread still hands over. Dropped, it ends the thread's query.
struct More {
    batches: Mutex<Receiver<Handed>>,
    stop: Arc<AtomicBool>,
    /// The process in which the thread is.
    process: u32,
}

impl Drop for More {
    fn drop(&mut self) {
        self.stop.store(true, Relaxed);
    }
}

impl Parts {
    /// Asks a query.
    pub(super) fn asked(py: Python<'_>, store: Reading, call: AnswerCall) -> PyResult<Parts> {
        match py.detach(|| here(&store, &call)) {
            Some(Ok(parts)) => Ok(Parts { ready: parts.into_iter(), more: None }),
            Some(Err(failed)) => Err(failed.raised(py)),
            None => beside(py, store, call),
        }
    }

    /// The next part; none at the end.
    pub(super) fn next(&mut self, py: Python<'_>) -> PyResult<Option<Part>> {
        loop {
            if let Some(part) = self.ready.next() {
                return Ok(Some(part));
            }
            let Some(more) = &mut self.more else { return Ok(None) };
            if more.process != process::id() {
                let why = "the answer was begun before a fork; ask again in the child";
                return Err(raised(py, &Failure::asked(why)));
            }
            match more.next(py) {
                Ok(Some(batch)) => self.ready = batch.into_iter(),
                Ok(None) => self.more = None,
                Err(error) => {
                    self.more = None;
                    return Err(error);
                }
            }
        }
    }
}

impl More {
    fn next(&mut self, py: Python<'_>) -> PyResult<Option<Vec<Part>>> {
        let batches = &mut self.batches;
        loop {
            let receive = || {
                let receiver = batches.get_mut().unwrap_or_else(PoisonError::into_inner);
                receiver.recv_timeout(LOOK_UP)
            };
            match py.detach(receive) {
                Ok(batch) => return batch.map(Some).map_err(|failed| failed.raised(py)),
                Err(RecvTimeoutError::Disconnected) => return Ok(None),
                Err(RecvTimeoutError::Timeout) => py.check_signals()?,
            }
        }
    }
}

/// The whole answer within the bounds; none where it passes them.
fn here(store: &Reading, call: &AnswerCall) -> Option<Result<Vec<Part>, Failed>> {
    let limits = QueryLimits { quads_max: HERE_QUADS, ..call.limits };
    let call = AnswerCall { limits, ..call.clone() };
    let started = Instant::now();
    let (report, stop) = (|_| {}, || started.elapsed() > HERE);
    let (watch, mut parts) = (Watch::new(&report, &stop), Vec::new());
    let mut take = |part| {
        parts.push(part);
        if parts.len() > HERE_PARTS { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    };
    let answer = || Ok(context().enter(|| store.store().answer(&call, &watch, &mut take)));
    match Failure::caught(answer) {
        Err(failure) => Some(Err(Failed::Other(failure))),
        Ok(Err(error)) if matches!(error.class(), ErrorClass::TooMuch | ErrorClass::Stopped) => {
            None
        }
        Ok(Err(error)) => Some(Err(Failed::Graph(error))),
        Ok(Ok(())) if parts.len() > HERE_PARTS => None,
        Ok(Ok(())) => Some(Ok(parts)),
    }
}

/// The answer as a thread hands it over.
fn beside(py: Python<'_>, store: Reading, mut call: AnswerCall) -> PyResult<Parts> {
    call.limits.threads = QueryThreads::of(available_parallelism().map_or(1, usize::from));
    let (sender, receiver) = sync_channel(WAITING);
    let stop = Arc::new(AtomicBool::new(false));
    let stopped = Arc::clone(&stop);
    let job = move || {
        let (report, stop) = (|_| {}, || stopped.load(Relaxed));
        let watch = Watch::new(&report, &stop);
        let mut handed = HandOver { sender, batch: Vec::new(), batch_len: 1, last: Instant::now() };
        let answer = || Ok(store.store().answer(&call, &watch, &mut |part| handed.take(part)));
        let failed = match Failure::caught(answer) {
            Ok(Ok(())) => None,
            Ok(Err(error)) => Some(Failed::Graph(error)),
            Err(failure) => Some(Failed::Other(failure)),
        };
        let _ = handed.give();
        if let Some(failed) = failed {
            let _ = handed.sender.send(Err(failed));
        }
    };
    let no_thread = |error| {
        let failure = Failure::new(ErrorClass::Failed, format!("no thread for a query: {error}"));
        raised(py, &failure)
    };
    context().spawn(job).map_err(no_thread)?;
    let more = More { batches: Mutex::new(receiver), stop, process: process::id() };
    Ok(Parts { ready: Vec::new().into_iter(), more: Some(more) })
}

/// Parts on their way to whoever takes them.
struct HandOver {
    sender: SyncSender<Handed>,
    batch: Vec<Part>,
    batch_len: usize,
    last: Instant,
}

impl HandOver {
    fn take(&mut self, part: Part) -> ControlFlow<()> {
        self.batch.push(part);
        if self.batch.len() >= self.batch_len || self.last.elapsed() > GATHER {
            return self.give();
        }
        ControlFlow::Continue(())
    }

    /// Hands over what there is; nobody may want it any more.
    fn give(&mut self) -> ControlFlow<()> {
        let batch = std::mem::take(&mut self.batch);
        self.batch_len = BATCH.min(2 * self.batch_len);
        self.last = Instant::now();
        match self.sender.send(Ok(batch)) {
            Ok(()) => ControlFlow::Continue(()),
            Err(_) => ControlFlow::Break(()),
        }
    }
}
