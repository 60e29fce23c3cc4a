//! Calls of the façade: each on a thread, with a permit, within the server's memory, until its
//! deadline or until its client has left.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::time::Duration;

use axum::body::Body;
use manicule::cache::now_ns;
use manicule::context::Context;
use manicule::watch::Watch;
use manicule::{ErrorClass, Failure};
use tokio::sync::Semaphore;

use crate::answer::{Out, answer};
use crate::turn::{Leaving, Turn};

/// What calls share. A clone is the same.
#[derive(Clone, Debug)]
pub(crate) struct Calls {
    shared: Arc<Shared>,
}

#[derive(Debug)]
struct Shared {
    context: Context,
    permits: Arc<Semaphore>,
    bounds: Bounds,
}

/// What a call may take.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Bounds {
    /// Number of calls at a time; others wait.
    pub(crate) calls: usize,
    /// Time of a call, and how long it waits for its permit.
    pub(crate) time: Duration,
    /// Bytes that one call may hold.
    pub(crate) memory: u64,
}

impl Calls {
    pub(crate) fn new(context: Context, bounds: Bounds) -> Calls {
        let permits = Arc::new(Semaphore::new(bounds.calls));
        Calls { shared: Arc::new(Shared { context, permits, bounds }) }
    }

    /// What a call may take.
    pub(crate) fn bounds(&self) -> Bounds {
        self.shared.bounds
    }

    /// The context of all calls.
    pub(crate) fn context(&self) -> &Context {
        &self.shared.context
    }

    /// Number of calls that run now.
    pub(crate) fn running(&self) -> usize {
        self.shared.bounds.calls - self.shared.permits.available_permits()
    }

    /// Does a call on a thread of its own. Dropped, it ends the call.
    pub(crate) async fn run<T: Send + 'static>(
        &self,
        job: impl FnOnce(&Watch<'_>) -> Result<T, Failure> + Send + 'static,
    ) -> Result<T, Failure> {
        self.run_and_wait(job, Ok).await
    }

    /// Does a call, and then, with its permit given back, what waits for others: for the disk. That
    /// is done in any case, whether the client has left or not.
    pub(crate) async fn run_and_wait<A, T: Send + 'static>(
        &self,
        job: impl FnOnce(&Watch<'_>) -> Result<A, Failure> + Send + 'static,
        wait: impl FnOnce(A) -> Result<T, Failure> + Send + 'static,
    ) -> Result<T, Failure> {
        let turn = self.turn().await?;
        let leaving = Leaving::default();
        let (shared, left) = (Arc::clone(&self.shared), Arc::clone(&leaving.0));
        let done = tokio::task::spawn_blocking(move || {
            let done = shared.watched(&left, shared.bounds.time, job);
            drop(turn);
            done.and_then(|done| Failure::caught(|| shared.context.enter(|| wait(done))))
        });
        joined(done.await)
    }

    /// Does a call on the thread that asks, and that serves connections: one of a time that nobody
    /// notices. `None` where no permit is free.
    pub(crate) fn here<T>(
        &self,
        time: Duration,
        job: impl FnOnce(&Watch<'_>) -> Result<T, Failure>,
    ) -> Option<Result<T, Failure>> {
        let _permit = self.shared.permits.try_acquire().ok()?;
        Some(self.shared.watched(&AtomicBool::new(false), time, job))
    }

    /// Does a call that writes its answer as it is computed, on a thread of its own. An error
    /// before the first buffer is full is returned; a later one breaks the answer off. The body,
    /// dropped, ends the call.
    pub(crate) async fn stream(
        &self,
        job: impl FnOnce(&mut Out, &Watch<'_>) -> Result<(), Failure> + Send + 'static,
    ) -> Result<Body, Failure> {
        let turn = self.turn().await?;
        let leaving = Leaving::default();
        let (shared, left) = (Arc::clone(&self.shared), Arc::clone(&leaving.0));
        let time = shared.bounds.time;
        answer(turn, leaving, move |out| shared.watched(&left, time, |watch| job(out, watch))).await
    }

    async fn turn(&self) -> Result<Turn, Failure> {
        let permits = Arc::clone(&self.shared.permits);
        let permit = match Arc::clone(&permits).try_acquire_owned() {
            Ok(permit) => Some(permit),
            Err(_) => {
                let wait = Arc::clone(&permits).acquire_owned();
                let waited = tokio::time::timeout(self.shared.bounds.time, wait).await;
                let busy = || Failure::new(ErrorClass::Busy, "the server has too many calls");
                waited.map_err(|_| busy())?.ok()
            }
        };
        Ok(Turn { permits, permit })
    }
}

impl Shared {
    /// Does a job within the context, watched.
    fn watched<T>(
        &self,
        left: &AtomicBool,
        time: Duration,
        job: impl FnOnce(&Watch<'_>) -> Result<T, Failure>,
    ) -> Result<T, Failure> {
        let stop = || left.load(Relaxed);
        let late = now_ns().saturating_add(u64::try_from(time.as_nanos()).unwrap_or(u64::MAX));
        let report = |_| {};
        let watch = Watch::new(&report, &stop).until(late, now_ns);
        let done = Failure::caught(|| self.context.enter(|| job(&watch)));
        match done {
            Err(failure) if failure.class() == ErrorClass::Stopped && watch.deadline_passed() => {
                let text = format!("the call took longer than {} s", time.as_secs_f64());
                Err(Failure::new(ErrorClass::Stopped, text))
            }
            done => done,
        }
    }
}

/// The result of a thread's work. A call's panic is an error already: what is left is the end of
/// the runtime.
fn joined<T>(done: Result<Result<T, Failure>, tokio::task::JoinError>) -> Result<T, Failure> {
    done.unwrap_or_else(|error| Err(Failure::new(ErrorClass::Stopped, error)))
}
