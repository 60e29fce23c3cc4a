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

/// Runs tasks side by side, each with the number of others that its requests have to wait for, and
/// hands on what they give as they end. A task is made once fewer than twice `count_max` are there:
/// 10,000 that wait would take 60 MB.
pub(crate) async fn beside<T: Send + 'static, F: Future<Output = T> + Send + 'static>(
    tasks: impl Iterator<Item = (u64, F)>,
    count_max: usize,
    take: &mut impl FnMut(T),
) -> io::Result<()> {
    let mut running = Beside::new();
    for (rounds, task) in tasks {
        if running.count() >= 2 * count_max
            && let Some(done) = running.next().await
        {
            take(done?);
        }
        running.begin(rounds, task);
    }
    while let Some(done) = running.next().await {
        take(done?);
    }
    Ok(())
}

/// Tasks side by side. With the value they end.
#[derive(Debug)]
pub(crate) struct Beside<T> {
    tasks: JoinSet<(T, u64)>,
    /// Number of requests that had ended before the first of them.
    before: u64,
}

impl<T: Send + 'static> Beside<T> {
    pub(crate) fn new() -> Self {
        Beside { tasks: JoinSet::new(), before: Chain::current().rounds() }
    }

    /// Number of tasks that have not been taken.
    pub(crate) fn count(&self) -> usize {
        self.tasks.len()
    }

    /// Begins a task, whose requests have to wait for this many others that began before.
    pub(crate) fn begin(&mut self, rounds: u64, future: impl Future<Output = T> + Send + 'static) {
        let rounds = self.before + rounds;
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

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use super::*;

    #[test]
    fn tasks_are_made_as_others_end() {
        let (made, taken) = (Cell::new(0_u64), Cell::new(0));
        let tasks = (0..1000).map(|number| {
            made.set(made.get() + 1);
            (number / 100, async move { number })
        });
        let mut take = |_| {
            // And the one that is begun next.
            assert!(made.get() - taken.get() <= 2 * 5 + 1, "{made:?} {taken:?}");
            taken.set(taken.get() + 1);
        };
        let runtime = tokio::runtime::Builder::new_current_thread().build().expect("a runtime");
        let counted = after(3, async {
            beside(tasks, 5, &mut take).await.expect("no task panics");
            Chain::current().rounds()
        });
        // Of none of them a request has ended: the last ones wait for nine others after three.
        assert_eq!(runtime.block_on(counted), 3 + 9);
        assert_eq!((made.get(), taken.get()), (1000, 1000));
    }
}
