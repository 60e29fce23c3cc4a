//! A call: on a thread of the context, off Python's lock, ended by Ctrl-C.

use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::mpsc::{RecvTimeoutError, sync_channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::{self, ThreadId};
use std::time::Duration;

use manicule::context::{Context, ContextOptions};
use manicule::watch::{Progress, Watch};
use manicule::{ErrorClass, Failure};
use pyo3::prelude::*;

use crate::errors::raised;

/// How often whoever waits looks for a signal.
pub(crate) const LOOK_UP: Duration = Duration::from_millis(20);

/// What calls share. Locked only by who has Python's lock: a fork leaves both free.
static SHARED: Mutex<Shared> = Mutex::new(Shared { context: None, main: None });

struct Shared {
    /// Memory, cache and threads of all calls.
    context: Option<Context>,
    /// The thread on which Python handles signals.
    main: Option<ThreadId>,
}

fn shared() -> MutexGuard<'static, Shared> {
    SHARED.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The context of all calls.
pub(crate) fn context() -> Context {
    shared().context.get_or_insert_with(|| Context::new(ContextOptions::NONE)).clone()
}

/// Notes the thread on which Python handles signals, where it is this one.
pub(crate) fn know_main_thread(py: Python<'_>) -> PyResult<()> {
    let threading = py.import("threading")?;
    let current = threading.call_method0("current_thread")?;
    if current.is(&threading.call_method0("main_thread")?) {
        shared().main = Some(thread::current().id());
    }
    Ok(())
}

/// Whether this thread is the one on which Python handles signals. No other one may wait for
/// Python's lock while it is waited for.
pub(crate) fn is_main_thread() -> bool {
    SHARED.try_lock().is_ok_and(|shared| shared.main == Some(thread::current().id()))
}

/// Bounds what all calls together take from here on: memory and pages that are kept, in bytes, and
/// the number of threads.
#[pyfunction]
#[pyo3(signature = (memory=None, cache=None, threads=None))]
pub(crate) fn limit(memory: Option<u64>, cache: Option<u64>, threads: Option<usize>) {
    let ContextOptions { memory: all, cache_bytes, threads: any } = ContextOptions::NONE;
    shared().context = Some(Context::new(ContextOptions {
        memory: memory.unwrap_or(all),
        cache_bytes: cache.unwrap_or(cache_bytes),
        threads: threads.unwrap_or(any),
    }));
}

/// In the child of a fork: threads of the context are gone.
#[pyfunction]
pub(crate) fn after_fork() {
    let mut shared = shared();
    shared.context = None;
    shared.main = Some(thread::current().id());
}

/// Does a job off Python's lock. Signals are handled meanwhile, and one that raises (Ctrl-C does)
/// ends the job. `progress` is called with the word for the phase, what is done and of how much.
pub(crate) fn run<T: Send + 'static>(
    py: Python<'_>,
    progress: Option<&Bound<'_, PyAny>>,
    job: impl FnOnce(&Watch<'_>) -> Result<T, Failure> + Send + 'static,
) -> PyResult<T> {
    let (sender, receiver) = sync_channel(1);
    let stopped = Arc::new(AtomicBool::new(false));
    let seen: Arc<Mutex<Option<Progress>>> = Arc::default();
    let (stop, last) = (Arc::clone(&stopped), Arc::clone(&seen));
    let is_shown = progress.is_some();
    let work = move || {
        let report = |progress| {
            if is_shown {
                *last.lock().unwrap_or_else(PoisonError::into_inner) = Some(progress);
            }
        };
        let stop = || stop.load(Relaxed);
        let done = Failure::caught(|| job(&Watch::new(&report, &stop)));
        // Whoever waits stays until it is done.
        let _ = sender.send(done);
    };
    context().spawn(work).map_err(|error| {
        raised(py, &Failure::new(ErrorClass::Failed, format!("no thread for a call: {error}")))
    })?;
    let progress = progress.map(|progress| progress.clone().unbind());
    let look_up = move || {
        Python::attach(|py| {
            let last = seen.lock().unwrap_or_else(PoisonError::into_inner).take();
            if let (Some(show), Some(Progress { phase, done, all, .. })) = (&progress, last) {
                show.call1(py, (phase.word(), done, all))?;
            }
            py.check_signals()
        })
    };
    let (done, error) = py.detach(move || {
        let mut error = None;
        loop {
            match receiver.recv_timeout(LOOK_UP) {
                Ok(done) => return (done, error),
                Err(RecvTimeoutError::Timeout) if error.is_none() => {
                    error = look_up().err();
                    stopped.store(error.is_some(), Relaxed);
                }
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => unreachable!("a job says its end"),
            }
        }
    });
    match error {
        Some(error) => Err(error),
        None => done.map_err(|failure| raised(py, &failure)),
    }
}
