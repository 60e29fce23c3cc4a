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

/// Calls that run.
pub(super) struct Calls {
    running: Mutex<HashMap<Id, Arc<Running>>>,
    /// One has ended.
    ended: Condvar,
    count_max: usize,
}

impl Calls {
    pub(super) fn new(count_max: usize) -> Calls {
        Calls { running: Mutex::default(), ended: Condvar::new(), count_max }
    }

    fn running(&self) -> MutexGuard<'_, HashMap<Id, Arc<Running>>> {
        self.running.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Begins a call.
    pub(super) fn begin(&self, id: &Id, timeout: Duration) -> Result<Arc<Running>, Refusal> {
        let mut running = self.running();
        if running.contains_key(id) {
            return Err(Refusal::SameId);
        }
        if running.len() >= self.count_max {
            return Err(Refusal::Many(running.len()));
        }
        let ends_at = Instant::now().checked_add(timeout);
        let call = Arc::new(Running { is_cancelled: AtomicBool::new(false), ends_at });
        running.insert(id.clone(), Arc::clone(&call));
        Ok(call)
    }

    /// Ends a call that runs; of another id nothing is done.
    pub(super) fn cancel(&self, id: &Id) {
        if let Some(call) = self.running().get(id) {
            call.is_cancelled.store(true, Relaxed);
        }
    }

    /// A call has come to its end. Whether it was cancelled.
    pub(super) fn end(&self, id: &Id) -> bool {
        let call = self.running().remove(id);
        self.ended.notify_all();
        call.is_some_and(|call| call.is_cancelled.load(Relaxed))
    }

    /// Ends all.
    pub(super) fn end_all(&self) {
        self.running().values().for_each(|call| call.is_cancelled.store(true, Relaxed));
    }

    /// Waits until none runs.
    pub(super) fn wait(&self) {
        let waited = self.ended.wait_while(self.running(), |running| !running.is_empty());
        drop(waited.unwrap_or_else(PoisonError::into_inner));
    }
}
