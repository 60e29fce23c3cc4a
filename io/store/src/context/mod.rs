//! What the calls of a process share: one budget of memory, one cache of pages, permits for
//! threads, the threads that answers are produced on, and what opens addresses.
//!
//! A thread works within a context; threads that [`threads`](crate::threads) starts for it do so
//! too. So nothing is handed through the calls in between, as with the pools of rayon and the
//! handles of tokio: docs/design/0028-context.md says why.

mod addresses;
mod budget;
mod crew;
mod permits;
#[cfg(test)]
mod tests;

use std::cell::RefCell;
use std::io;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use crate::pages::{Cache, CacheOptions};
use crate::random;

pub use addresses::{Addresses, Cost};
pub use budget::{Budget, Held, OverBudget};
use crew::Crew;
pub use permits::{Permit, Permits};

/// Bytes of the cache of pages, unless a context says otherwise.
const CACHE_BYTES: u64 = 64 << 20;
/// Parts of the cache, each with a lock.
const CACHE_SHARDS: usize = 16;

thread_local! {
    /// The context that the thread works within; none is the process's.
    static CURRENT: RefCell<Option<Context>> = const { RefCell::new(None) };
}

/// What the calls that run within a context may take together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ContextOptions {
    /// Bytes of memory that all calls may hold at a time, the cache of pages not counted.
    pub memory: u64,
    /// Bytes of the cache of pages. It takes memory as it fills.
    pub cache_bytes: u64,
    /// Number of threads that calls may have beside their own. A call that finds none free does all
    /// on its own thread, and on one more where it needs a second.
    pub threads: usize,
}

impl ContextOptions {
    /// A cache of 64 MiB; memory and threads as each call asks.
    pub const NONE: ContextOptions =
        ContextOptions { memory: u64::MAX, cache_bytes: CACHE_BYTES, threads: usize::MAX };
}

/// Memory, cache and threads that calls share. A clone is the same context.
///
/// ```
/// use manicule_store::context::{Context, ContextOptions};
///
/// let context = Context::new(ContextOptions { memory: 1 << 20, ..ContextOptions::NONE });
/// let held = context.enter(|| Context::current().memory().take(1000))?;
/// assert_eq!(context.memory().held_bytes(), 1000);
/// drop(held);
/// assert_eq!(context.memory().held_bytes(), 0);
/// # Ok::<(), manicule_store::context::OverBudget>(())
/// ```
#[derive(Clone, Debug)]
pub struct Context {
    inner: Arc<Inner>,
}

#[derive(Debug)]
struct Inner {
    memory: Arc<Budget>,
    permits: Permits,
    cache_bytes: u64,
    /// Made when it is first asked for.
    pages: Mutex<Option<Arc<Cache>>>,
    crew: Arc<Crew>,
    addresses: OnceLock<Arc<dyn Addresses>>,
}

impl Context {
    /// A context of which nothing is taken.
    pub fn new(options: ContextOptions) -> Context {
        let ContextOptions { memory, cache_bytes, threads } = options;
        let inner = Inner {
            memory: Budget::new(memory),
            permits: Permits::new(threads),
            cache_bytes,
            pages: Mutex::default(),
            crew: Arc::default(),
            addresses: OnceLock::new(),
        };
        Context { inner: Arc::new(inner) }
    }

    /// That of the thread: the last one entered, else the process's, which has no limits.
    pub fn current() -> Context {
        CURRENT.with_borrow(Clone::clone).unwrap_or_else(Context::of_process)
    }

    /// That of the process, which has no limits.
    pub fn of_process() -> Context {
        static PROCESS: OnceLock<Context> = OnceLock::new();
        PROCESS.get_or_init(|| Context::new(ContextOptions::NONE)).clone()
    }

    /// Does a job within it: what the job opens and starts, it takes from here.
    pub fn enter<R>(&self, job: impl FnOnce() -> R) -> R {
        /// Sets back what was current, also where the job panics.
        struct Leave(Option<Context>);

        impl Drop for Leave {
            fn drop(&mut self) {
                CURRENT.set(self.0.take());
            }
        }

        let _leave = Leave(CURRENT.replace(Some(self.clone())));
        job()
    }

    /// The memory of all calls.
    pub fn memory(&self) -> &Arc<Budget> {
        &self.inner.memory
    }

    /// What a call holds that doesn't know beforehand how much it will: nothing yet.
    pub fn hold_nothing(&self) -> Held {
        Held::nothing_of(self.memory().share(u64::MAX))
    }

    /// Takes the memory of a call that says beforehand how much it may hold.
    pub fn hold(&self, bytes: u64) -> Result<Held, OverBudget> {
        self.memory().share(bytes).take(bytes)
    }

    /// The threads of all calls.
    pub fn permits(&self) -> &Permits {
        &self.inner.permits
    }

    /// The cache of pages.
    ///
    /// # Errors
    /// Where the system has no random bytes to seed it with.
    pub fn pages(&self) -> io::Result<Arc<Cache>> {
        let mut pages = self.inner.pages.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(pages) = &*pages {
            return Ok(Arc::clone(pages));
        }
        let (seed, limit_bytes) = (u64::from_ne_bytes(random()?), self.inner.cache_bytes);
        let cache = Cache::new(CacheOptions { limit_bytes, shard_count: CACHE_SHARDS, seed });
        Ok(Arc::clone(pages.insert(cache)))
    }

    /// What opens addresses within it: its own, else the process's.
    pub fn addresses(&self) -> Option<Arc<dyn Addresses>> {
        let own = self.inner.addresses.get().cloned();
        own.or_else(|| Context::of_process().inner.addresses.get().cloned())
    }

    /// Has addresses opened so within this context, unless something else does so already; what
    /// does is returned.
    pub fn open_addresses_by(&self, addresses: Arc<dyn Addresses>) -> Arc<dyn Addresses> {
        Arc::clone(self.inner.addresses.get_or_init(|| addresses))
    }

    /// Does a job on a thread beside the caller's, within this context. A thread that has done its
    /// job waits for another, with the buffers that it keeps. There is always one for a job, over
    /// the permits too, as jobs may wait for each other.
    ///
    /// # Errors
    /// Where the system gives no thread.
    pub fn spawn(&self, job: impl FnOnce() + Send + 'static) -> io::Result<()> {
        let context = self.clone();
        self.inner.crew.give(Box::new(move || {
            let _permit = context.permits().take_even_over(1);
            context.enter(job);
        }))
    }
}
