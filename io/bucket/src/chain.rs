//! Rounds: how many requests had to wait for each other.
//!
//! Each task of a call has a chain, the number of requests that have ended before its next one
//! begins. Tasks side by side begin with the chain of the task that makes them, and that one goes
//! on with the longest of theirs. So a call makes as many rounds on a slow machine as on a fast
//! one: it is no clock that says which requests went out together.

use std::future::Future;
use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use tokio::task::JoinSet;

tokio::task_local! {
    static CHAIN: Chain;
}

/// The number of requests that have ended before the next one of a task begins, one by one.
#[derive(Clone, Debug)]
pub(crate) struct Chain(Arc<AtomicU64>);

impl Chain {
    fn after(rounds: u64) -> Self {
        Chain(Arc::new(AtomicU64::new(rounds)))
    }

    /// That of the task that runs.
    pub(crate) fn current() -> Self {
        CHAIN.try_with(Chain::clone).unwrap_or_else(|_| Chain::after(0))
    }

    pub(crate) fn rounds(&self) -> u64 {
        self.0.load(Relaxed)
    }

    /// A request has ended that is the last of this number.
    pub(crate) fn reach(&self, rounds: u64) {
        self.0.fetch_max(rounds, Relaxed);
    }
}

/// A future whose requests follow this number of others.
pub(crate) fn after<F: Future>(rounds: u64, future: F) -> impl Future<Output = F::Output> {
    CHAIN.scope(Chain::after(rounds), future)
}

/// Tasks side by side. With the value they end.
#[derive(Debug)]
pub(crate) struct Beside<T> {
    tasks: JoinSet<(T, u64)>,
}

impl<T: Send + 'static> Beside<T> {
    pub(crate) fn new() -> Self {
        Beside { tasks: JoinSet::new() }
    }

    /// Begins a task, whose requests have to wait for this many others that began before.
    pub(crate) fn begin(&mut self, rounds: u64, future: impl Future<Output = T> + Send + 'static) {
        let rounds = Chain::current().rounds() + rounds;
        self.tasks.spawn(after(rounds, async { (future.await, Chain::current().rounds()) }));
    }

    /// What the next task gives that ends; `None` where there is none.
    pub(crate) async fn next(&mut self) -> Option<io::Result<T>> {
        let done = self.tasks.join_next().await?;
        Some(done.map_err(io::Error::other).map(|(output, rounds)| {
            Chain::current().reach(rounds);
            output
        }))
    }
}
