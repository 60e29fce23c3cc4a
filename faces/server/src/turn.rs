//! A call's permit, and what ends a call whose client has left.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// Ends a call when it is dropped, as it is when the client has left.
#[derive(Debug, Default)]
pub(crate) struct Leaving(pub(crate) Arc<AtomicBool>);

impl Drop for Leaving {
    fn drop(&mut self) {
        self.0.store(true, Relaxed);
    }
}

/// The permit of a call, which it gives back while it waits for its client.
#[derive(Debug)]
pub(crate) struct Turn {
    pub(crate) permits: Arc<Semaphore>,
    pub(crate) permit: Option<OwnedSemaphorePermit>,
}

impl Turn {
    /// Gives the permit back while `wait` runs.
    pub(crate) async fn aside<T>(&mut self, wait: impl Future<Output = T>) -> T {
        self.permit = None;
        let done = wait.await;
        // It is closed never.
        self.permit = Arc::clone(&self.permits).acquire_owned().await.ok();
        done
    }
}
