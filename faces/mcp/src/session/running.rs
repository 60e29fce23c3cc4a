//! Calls that run, by the ids of their requests.

use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use crate::json_rpc::Id;

/// A call that runs.
#[derive(Debug)]
pub(super) struct Running {
    is_cancelled: AtomicBool,
    ends_at: Option<Instant>,
}

impl Running {
    /// Whether it shall end: it was cancelled, or takes too long.
    pub(super) fn is_over(&self) -> bool {
        self.is_cancelled.load(Relaxed) || self.ends_at.is_some_and(|end| Instant::now() >= end)
    }
}

/// Why a call is not begun.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Refusal {
    /// One of its id runs.
    SameId,
    /// This many run.
    Many(usize),
}

/// Calls that have begun.
#[derive(Default)]
struct Open {
    /// Those that run. The id of one that has ended is free before its answer is out: a client that
    /// has the answer may use it again at once.
    running: HashMap<Id, Arc<Running>>,
    /// Number of those that run or have an answer that is not out yet.
    unanswered: usize,
}

/// Calls that run.
pub(super) struct Calls {
    open: Mutex<Open>,
    /// One has been answered.
    answered: Condvar,
    count_max: usize,
}

impl Calls {
    pub(super) fn new(count_max: usize) -> Calls {
        Calls { open: Mutex::default(), answered: Condvar::new(), count_max }
    }

    fn open(&self) -> MutexGuard<'_, Open> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Begins a call, whose end and whose answer are to be told.
    pub(super) fn begin(&self, id: &Id, timeout: Duration) -> Result<Arc<Running>, Refusal> {
        let mut open = self.open();
        if open.running.contains_key(id) {
            return Err(Refusal::SameId);
        }
        if open.running.len() >= self.count_max {
            return Err(Refusal::Many(open.running.len()));
        }
        let ends_at = Instant::now().checked_add(timeout);
        let call = Arc::new(Running { is_cancelled: AtomicBool::new(false), ends_at });
        open.running.insert(id.clone(), Arc::clone(&call));
        open.unanswered += 1;
        Ok(call)
    }

    /// Ends a call that runs; of another id nothing is done.
    pub(super) fn cancel(&self, id: &Id) {
        if let Some(call) = self.open().running.get(id) {
            call.is_cancelled.store(true, Relaxed);
        }
    }

    /// A call has come to its end. Whether it was cancelled.
    pub(super) fn end(&self, id: &Id) -> bool {
        let call = self.open().running.remove(id);
        call.is_some_and(|call| call.is_cancelled.load(Relaxed))
    }

    /// The answer of a call that has ended is out, or it has none.
    pub(super) fn answered(&self) {
        self.open().unanswered -= 1;
        self.answered.notify_all();
    }

    /// Ends all.
    pub(super) fn end_all(&self) {
        self.open().running.values().for_each(|call| call.is_cancelled.store(true, Relaxed));
    }

    /// Waits until each has been answered.
    pub(super) fn wait(&self) {
        let waited = self.answered.wait_while(self.open(), |open| open.unanswered > 0);
        drop(waited.unwrap_or_else(PoisonError::into_inner));
    }
}
