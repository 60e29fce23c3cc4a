//! Work on several threads: one counter that deals chunks out, one hand-out in order, one job
//! beside another.
//!
//! The caller's own thread always works too, so one thread starts none. A number of threads is the
//! most that a job may have: as many are started as the [`Context`] of the caller has permits for,
//! and they work within it. A closure gets its chunks as an iterator and keeps its buffers, counts
//! and visitors in local variables: nothing is locked and nothing is called by a pointer for an
//! item. To stop early, leave the loop.

use std::ops::Range;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::sync::mpsc::{Receiver, sync_channel};
use std::sync::{Mutex, MutexGuard};
use std::thread::{Scope, ScopedJoinHandle, scope};

use crate::context::{Context, Permit};
use crate::rounds;

/// Maximum number of results that a thread has ready before the taker has asked for them.
const READY_MAX: usize = 2;

/// A range, dealt out chunk by chunk. Each thread that iterates over a reference gets chunks that
/// no other gets.
#[derive(Debug)]
pub struct Chunks {
    next: AtomicUsize,
    end: usize,
    len: usize,
}

impl Chunks {
    /// Chunks of `len` numbers; the last one may be shorter.
    pub fn new(range: Range<usize>, len: usize) -> Self {
        assert!(len > 0, "a chunk holds at least one");
        Chunks { next: AtomicUsize::new(range.start), end: range.end, len }
    }
}

impl Iterator for &Chunks {
    type Item = Range<usize>;

    fn next(&mut self) -> Option<Range<usize>> {
        let start = self.next.fetch_add(self.len, Relaxed);
        (start < self.end).then(|| start..self.end.min(start + self.len))
    }
}

/// Runs the same work on every thread.
pub fn run(threads: usize, work: impl Fn() + Sync) {
    let context = Context::current();
    let others = others(&context, threads);
    scope(|scope| {
        let others: Vec<_> = (0..others.count()).map(|_| start(scope, &context, &work)).collect();
        work();
        others.into_iter().for_each(joined);
    });
}

/// Runs a task for each number below `count`, in any order.
pub fn each(threads: usize, count: usize, task: impl Fn(usize) + Sync) {
    let numbers = Chunks::new(0..count, 1);
    run(threads.min(count), || (&numbers).flatten().for_each(&task));
}

/// Runs the same work on every thread and joins the results, the caller's first.
pub fn fold<R: Send>(
    threads: usize,
    work: impl Fn() -> R + Sync,
    join: impl FnMut(R, R) -> R,
) -> R {
    fold_after(threads, || (), work, join).1
}

/// The same, with something that the caller's thread does before it works too, while the others
/// begin.
pub fn fold_after<A, R: Send>(
    threads: usize,
    before: impl FnOnce() -> A,
    work: impl Fn() -> R + Sync,
    join: impl FnMut(R, R) -> R,
) -> (A, R) {
    let context = Context::current();
    let others = others(&context, threads);
    scope(|scope| {
        let start = |_| start(scope, &context, &work);
        let others: Vec<_> = (0..others.count()).map(start).collect();
        let before = before();
        let own = work();
        (before, others.into_iter().map(joined).fold(own, join))
    })
}

/// Does the work of each number below `count`; the results come in the order of the numbers.
pub fn map<R: Send>(threads: usize, count: usize, work: impl Fn(usize) -> R + Sync) -> Vec<R> {
    let numbers = Chunks::new(0..count, 1);
    let some = || (&numbers).flatten().map(|number| (number, work(number))).collect::<Vec<_>>();
    let mut results = fold(threads.min(count), some, |mut all, mut more| {
        all.append(&mut more);
        all
    });
    results.sort_by_key(|(number, _)| *number);
    results.into_iter().map(|(_, result)| result).collect()
}

/// The most threads that wait for stores in one call of [`map_waiting`]; as many short requests may
/// be in flight to a bucket.
const WAITING_MAX: usize = 128;

/// As [`map`], for work that mostly waits for a store elsewhere. Permits are for processors, and
/// whoever waits has none: two cores wait on 128 threads too. Which thread does what is known
/// beforehand, and with it how many rounds all take.
pub fn map_waiting<R: Send>(count: usize, work: impl Fn(usize) -> R + Sync) -> Vec<R> {
    let threads = count.clamp(1, WAITING_MAX);
    let some = |first: usize| (first..count).step_by(threads).map(&work).collect::<Vec<_>>();
    let context = Context::current();
    let mut all = scope(|scope| {
        let others = (1..threads).map(|first| start(scope, &context, move || some(first)));
        let others: Vec<_> = others.collect();
        let own = some(0);
        [own]
            .into_iter()
            .chain(others.into_iter().map(joined))
            .map(Vec::into_iter)
            .collect::<Vec<_>>()
    });
    (0..count).map(|number| all[number % threads].next().expect("one for each number")).collect()
}

/// Works on each item, of which there are as many as threads wanted; the results come in the order
/// of the items.
pub fn one_each<T: Send, R: Send>(
    items: impl IntoIterator<Item = T>,
    work: impl Fn(T) -> R + Sync,
) -> Vec<R> {
    let items: Vec<_> = items.into_iter().map(|item| Mutex::new(Some(item))).collect();
    map(items.len(), items.len(), |number| {
        work(lock(&items[number]).take().expect("each number is dealt once"))
    })
}

/// Runs a job on another thread while the caller's does its own.
pub fn beside<A: Send, B>(aside: impl FnOnce() -> A + Send, here: impl FnOnce() -> B) -> (A, B) {
    let context = Context::current();
    let _permit = context.permits().take_even_over(1);
    scope(|scope| {
        let aside = start(scope, &context, aside);
        let here = here();
        (joined(aside), here)
    })
}

/// Permits for the threads beside the caller's.
fn others(context: &Context, threads: usize) -> Permit<'_> {
    context.permits().take_free(threads.saturating_sub(1))
}

/// A thread that gives its result, and the number of rounds that have ended on it.
type Started<'s, R> = ScopedJoinHandle<'s, (R, u64)>;

/// Starts a thread that works within a context.
fn start<'s, R: Send + 's>(
    scope: &'s Scope<'s, '_>,
    context: &'s Context,
    work: impl FnOnce() -> R + Send + 's,
) -> Started<'s, R> {
    let ended = rounds::ended();
    scope.spawn(move || {
        rounds::begin(ended);
        (context.enter(work), rounds::ended())
    })
}

/// Makes a value for each number below `count` on `threads` threads beside the caller's, which
/// takes them in the order of the numbers. A thread is at most three values ahead of the taker.
/// When the taker returns early, making ends too.
pub fn in_order<T: Send, R>(
    threads: usize,
    count: usize,
    make: impl Fn(usize) -> T + Sync,
    take: impl FnOnce(InOrder<T>) -> R,
) -> R {
    in_order_ahead(threads, count, READY_MAX, make, take)
}

/// [`in_order`] for values that take much memory: beside the one that a thread has just made, it
/// has at most `ready_max` ready.
pub fn in_order_ahead<T: Send, R>(
    threads: usize,
    count: usize,
    ready_max: usize,
    make: impl Fn(usize) -> T + Sync,
    take: impl FnOnce(InOrder<T>) -> R,
) -> R {
    let context = Context::current();
    let permit = context.permits().take_one_at_least(threads);
    let (threads, make) = (permit.count(), &make);
    scope(|scope| {
        let lane = |thread: usize| {
            let (sender, receiver) = sync_channel(ready_max);
            let making = start(scope, &context, move || {
                // Nobody receives any more once the taker has returned.
                (thread..count).step_by(threads).all(|number| sender.send(make(number)).is_ok())
            });
            (making, receiver)
        };
        let (making, lanes): (Vec<_>, _) = (0..threads).map(lane).unzip();
        let taken = take(InOrder { lanes, numbers: 0..count });
        making.into_iter().for_each(|thread| {
            joined(thread);
        });
        taken
    })
}

/// Values as [`in_order`] hands them out.
#[derive(Debug)]
pub struct InOrder<T> {
    lanes: Vec<Receiver<T>>,
    numbers: Range<usize>,
}

impl<T> Iterator for InOrder<T> {
    type Item = T;

    fn next(&mut self) -> Option<T> {
        let number = self.numbers.next()?;
        Some(self.lanes[number % self.lanes.len()].recv().expect("a thread makes all its values"))
    }
}

/// As [`in_order_ahead`], where each number has any number of values, which `make` hands to a
/// function one by one. That says whether more are taken.
pub fn several_in_order<T: Send, R>(
    threads: usize,
    count: usize,
    ready_max: usize,
    make: impl Fn(usize, &mut dyn FnMut(T) -> bool) + Sync,
    take: impl FnOnce(SeveralInOrder<T>) -> R,
) -> R {
    let context = Context::current();
    let permit = context.permits().take_one_at_least(threads);
    let (threads, make) = (permit.count(), &make);
    scope(|scope| {
        let lane = |thread: usize| {
            let (sender, receiver) = sync_channel(ready_max);
            let making = start(scope, &context, move || {
                (thread..count).step_by(threads).all(|number| {
                    make(number, &mut |value| sender.send(Some(value)).is_ok());
                    sender.send(None).is_ok()
                })
            });
            (making, receiver)
        };
        let (making, lanes): (Vec<_>, _) = (0..threads).map(lane).unzip();
        let taken = take(SeveralInOrder { lanes, numbers: 0..count });
        making.into_iter().for_each(|thread| {
            joined(thread);
        });
        taken
    })
}

/// Values as [`several_in_order`] hands them out.
#[derive(Debug)]
pub struct SeveralInOrder<T> {
    /// A value, or none where those of a number end.
    lanes: Vec<Receiver<Option<T>>>,
    numbers: Range<usize>,
}

impl<T> Iterator for SeveralInOrder<T> {
    type Item = T;

    fn next(&mut self) -> Option<T> {
        while !self.numbers.is_empty() {
            let lane = &self.lanes[self.numbers.start % self.lanes.len()];
            match lane.recv().expect("a thread makes all its values") {
                None => self.numbers.start += 1,
                value => return value,
            }
        }
        None
    }
}

/// Locks what threads share. A thread that panicked while it held the lock ends the call with its
/// own panic.
pub fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().expect("no holder panics")
}

/// The value that threads have shared, once they are done.
pub fn unshared<T>(mutex: Mutex<T>) -> T {
    mutex.into_inner().expect("no holder panics")
}

/// The result of a thread, or its panic.
fn joined<R>(thread: Started<'_, R>) -> R {
    let (result, ended) = thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic));
    rounds::reach(ended);
    result
}

#[cfg(test)]
mod tests {
    use super::*;

    const THREADS: [usize; 5] = [0, 1, 2, 3, 9];

    #[test]
    fn chunks_cover_the_range_once() {
        for threads in THREADS {
            for (range, len) in [(0..0, 3), (5..6, 3), (2..101, 7), (0..64, 8)] {
                let chunks = Chunks::new(range.clone(), len);
                let some = || (&chunks).flatten().collect::<Vec<_>>();
                let mut all = fold(threads, some, |left, right| [left, right].concat());
                all.sort_unstable();
                assert_eq!(all, range.collect::<Vec<_>>(), "{threads} threads, chunks of {len}");
            }
        }
    }

    #[test]
    fn results_keep_the_order_of_their_numbers() {
        for threads in THREADS {
            assert_eq!(map(threads, 50, |number| number * 2), Vec::from_iter((0..100).step_by(2)));
            assert_eq!(
                in_order(threads, 50, |number| number, Vec::from_iter),
                Vec::from_iter(0..50)
            );
            for ready_max in [0, 1, 7] {
                let all = in_order_ahead(threads, 50, ready_max, |number| number, Vec::from_iter);
                assert_eq!(all, Vec::from_iter(0..50));
            }
            assert!(map(threads, 0, |number| number).is_empty());
            assert_eq!(in_order(threads, 0, |number| number, Iterator::count), 0);
        }
        let mut buffers = [1, 2, 3];
        let sums = one_each(buffers.iter_mut().zip([10, 20, 30]), |(buffer, more)| {
            *buffer += more;
            *buffer
        });
        assert_eq!((sums, buffers), (vec![11, 22, 33], [11, 22, 33]));
    }

    #[test]
    fn values_of_one_number_come_before_those_of_the_next() {
        let want: Vec<_> =
            (0..40).flat_map(|number| (0..number % 7).map(move |at| (number, at))).collect();
        for threads in THREADS {
            for ready_max in [0, 1, 7] {
                let make = |number: usize, give: &mut dyn FnMut((usize, usize)) -> bool| {
                    assert!((0..number % 7).all(|at| give((number, at))));
                };
                assert_eq!(several_in_order(threads, 40, ready_max, make, Vec::from_iter), want);
            }
        }
    }

    #[test]
    fn a_number_without_an_end_ends_with_its_taker() {
        let made = AtomicUsize::new(0);
        let make =
            |_, give: &mut dyn FnMut(usize) -> bool| while give(made.fetch_add(1, Relaxed)) {};
        assert_eq!(several_in_order(2, 9, 3, make, |values| values.take(5).count()), 5);
        assert!(made.into_inner() <= 5 + 2 * (3 + 2));
    }

    #[test]
    fn every_number_has_its_task() {
        for threads in THREADS {
            let done = Mutex::new(vec![0; 30]);
            each(threads, 30, |number| lock(&done)[number] += 1);
            assert_eq!(unshared(done), [1; 30]);
        }
    }

    #[test]
    fn a_taker_that_returns_early_ends_the_making() {
        let made = AtomicUsize::new(0);
        let count = |number| {
            made.fetch_add(1, Relaxed);
            number
        };
        let first = in_order(3, 1_000_000, count, |mut values| values.next());
        assert_eq!(first, Some(0));
        assert!(made.into_inner() <= 3 * (READY_MAX + 1) + 1);
    }

    #[test]
    fn one_job_runs_beside_another() {
        let (sender, receiver) = std::sync::mpsc::channel();
        let sum = || receiver.into_iter().sum::<u32>();
        let send = move || (1..=10).map(|number| sender.send(number).is_ok() as usize).sum();
        assert_eq!(beside(sum, send), (55, 10usize));
    }

    #[test]
    #[should_panic(expected = "the worker's own words")]
    fn a_panic_keeps_its_words() {
        beside(|| panic!("the worker's own words"), || ());
    }

    #[test]
    fn rounds_are_those_of_the_thread_that_makes_the_most() {
        rounds::begin(2);
        const SECOND: usize = 8;
        let begun = map_waiting(WAITING_MAX + SECOND, |number| {
            let begun = rounds::ended();
            rounds::reach(begun + if number == SECOND - 1 { 5 } else { 1 });
            begun
        });
        // The first threads have a second number each.
        const LAST: usize = WAITING_MAX + SECOND - 1;
        let want = (0..WAITING_MAX + SECOND).map(|number| match number {
            LAST => 2 + 5,
            WAITING_MAX.. => 2 + 1,
            _ => 2,
        });
        assert_eq!(begun, want.collect::<Vec<_>>());
        assert_eq!(rounds::ended(), 2 + 5 + 1);
    }
}
