//! Threads that do one job after another.

use std::io;
use std::sync::mpsc::{Receiver, SyncSender, TrySendError, sync_channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::thread;

use crate::rounds;

/// Maximum number of threads that wait for a job.
const WAITING_MAX: usize = 8;

pub(super) type Job = Box<dyn FnOnce() + Send>;

/// Threads that wait for a job. Dropped, it ends those that wait.
#[derive(Debug, Default)]
pub(super) struct Crew {
    /// Of each, where it gets its one next job.
    waiting: Mutex<Vec<SyncSender<Job>>>,
}

impl Crew {
    /// Does a job: on a thread that waits, else on a new one.
    pub(super) fn give(self: &Arc<Self>, job: Job) -> io::Result<()> {
        let ended = rounds::ended();
        let job: Job = Box::new(move || {
            rounds::begin(ended);
            job();
        });
        let waiting = self.waiting().pop();
        let job = match waiting {
            None => job,
            Some(thread) => match thread.try_send(job) {
                Ok(()) => return Ok(()),
                Err(TrySendError::Full(job) | TrySendError::Disconnected(job)) => job,
            },
        };
        let crew = Arc::downgrade(self);
        let run = move || {
            job();
            while let Some(job) = next(&crew) {
                job();
            }
        };
        thread::Builder::new().name("answer".to_owned()).spawn(run).map(drop)
    }

    fn waiting(&self) -> MutexGuard<'_, Vec<SyncSender<Job>>> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Puts a thread on the list of those that wait, unless it is full.
    fn enlist(&self) -> Option<Receiver<Job>> {
        let mut waiting = self.waiting();
        (waiting.len() < WAITING_MAX).then(|| {
            let (sender, jobs) = sync_channel(1);
            waiting.push(sender);
            jobs
        })
    }
}

/// Waits for a job; none where the thread shall end. The crew is not held meanwhile.
fn next(crew: &Weak<Crew>) -> Option<Job> {
    let jobs = crew.upgrade()?.enlist()?;
    jobs.recv().ok()
}
