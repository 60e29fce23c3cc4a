//! The runtime that all buckets of a process share, and calls that wait for what runs in it.

use std::future::Future;
use std::io;
use std::mem;
use std::process;
use std::sync::mpsc::{self, RecvTimeoutError};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use manicule_core::watch::Stopped;
use tokio::runtime::{Builder, Runtime};

/// Threads of the runtime. They wait, decrypt and copy; TLS takes a core for each GB a second.
const THREADS: usize = 2;

/// How often a call that waits asks whether it shall end.
const LOOK_UP: Duration = Duration::from_millis(20);

/// Asked whether a call shall end before its end.
pub(crate) type Stop = Arc<dyn Fn() -> bool + Send + Sync>;

/// The runtime, which begins with the first call and lives as long as the process. The child of a
/// fork begins another: the threads of this one stay with its parent.
fn runtime() -> io::Result<Arc<Runtime>> {
    static RUNTIME: Mutex<Option<(u32, Arc<Runtime>)>> = Mutex::new(None);
    let (own, mut kept) = (process::id(), RUNTIME.lock().unwrap_or_else(PoisonError::into_inner));
    match &*kept {
        Some((of, runtime)) if *of == own => return Ok(Arc::clone(runtime)),
        _ => {}
    }
    let mut builder = Builder::new_multi_thread();
    builder.worker_threads(THREADS).thread_name("manicule-bucket").enable_all();
    let runtime = Arc::new(builder.build()?);
    if let Some((_, parents)) = kept.replace((own, Arc::clone(&runtime))) {
        // To end it would be to wait for its threads.
        mem::forget(parents);
    }
    Ok(runtime)
}

/// Runs a future to its end. The caller may itself be in some runtime: it waits as for a disk.
/// When `stop` says so the future is dropped, which ends its requests in flight.
pub(crate) fn wait<T: Send + 'static>(
    stop: Option<&Stop>,
    future: impl Future<Output = T> + Send + 'static,
) -> io::Result<T> {
    let (sender, receiver) = mpsc::sync_channel(1);
    let task = runtime()?.spawn(async move {
        // Whoever has waited may have been stopped.
        let _ = sender.send(future.await);
    });
    loop {
        match receiver.recv_timeout(LOOK_UP) {
            Ok(done) => return Ok(done),
            Err(RecvTimeoutError::Disconnected) => {
                return Err(io::Error::other("a request ended without an answer"));
            }
            Err(RecvTimeoutError::Timeout) => {
                if stop.is_some_and(|stop| stop()) {
                    task.abort();
                    return Err(io::Error::other(Stopped));
                }
            }
        }
    }
}
