//! Shares of memory, permits, threads that inherit their context, and threads that stay.

use std::panic::AssertUnwindSafe;
use std::sync::mpsc::channel;
use std::thread;

use manicule_core::ErrorClass;

use super::*;
use crate::threads;

fn context(memory: u64, threads: usize) -> Context {
    Context::new(ContextOptions { memory, threads, ..ContextOptions::NONE })
}

#[test]
fn a_share_takes_of_both() {
    let context = context(100, 0);
    let (one, other) = (context.memory().share(80), context.memory().share(200));
    let mut held = one.take(50).unwrap();
    let over = one.take(31).unwrap_err();
    assert_eq!((over.limit_bytes, over.wanted_bytes), (80, 81));
    assert_eq!(over.class(), ErrorClass::TooMuch, "its own limit");
    let over = other.take(51).unwrap_err();
    assert_eq!((over.limit_bytes, over.wanted_bytes), (100, 101));
    assert_eq!(over.class(), ErrorClass::Busy, "there is room once the other has ended");
    assert_eq!(other.take(101).unwrap_err().class(), ErrorClass::TooMuch, "there never is");
    assert_eq!((context.memory().held_bytes(), other.held_bytes()), (50, 0));

    held.raise(80).unwrap();
    held.raise(60).unwrap();
    assert_eq!((held.bytes(), context.memory().held_bytes()), (80, 80));
    assert!(held.raise(81).is_err());
    drop(held);
    assert_eq!((context.memory().held_bytes(), context.memory().peak_bytes()), (0, 80));
    assert_eq!(context.hold(101).unwrap_err().class(), ErrorClass::TooMuch);
    assert_eq!(context.hold(100).unwrap().bytes(), 100);
}

#[test]
fn permits_are_taken_as_far_as_they_go() {
    let permits = Permits::new(3);
    let two = permits.take_free(2);
    let one = permits.take_free(9);
    assert_eq!((two.count(), one.count(), permits.take_free(9).count()), (2, 1, 0));
    assert_eq!(permits.take_one_at_least(9).count(), 1);
    assert_eq!((permits.taken(), permits.peak()), (3, 4));
    drop((two, one));
    assert_eq!((permits.taken(), permits.take_one_at_least(2).count()), (0, 2));
}

/// All that threads do, with fewer threads than are asked for.
#[test]
fn jobs_are_done_with_the_threads_that_are_free() {
    for free in [0, 1, 2, usize::MAX] {
        let context = context(0, free);
        context.enter(|| {
            assert_eq!(threads::map(4, 9, |number| number), Vec::from_iter(0..9));
            assert_eq!(threads::one_each(0..5, |number| number), Vec::from_iter(0..5));
            assert_eq!(
                threads::in_order(4, 9, |number| number, Vec::from_iter),
                [0, 1, 2, 3, 4, 5, 6, 7, 8]
            );
            let twice = |number, give: &mut dyn FnMut(usize) -> bool| {
                assert!(give(number) && give(number));
            };
            let all = threads::several_in_order(4, 3, 1, twice, Vec::from_iter);
            assert_eq!(all, [0, 0, 1, 1, 2, 2]);
            assert_eq!(threads::beside(|| 1, || 2), (1, 2));
        });
        assert_eq!(context.permits().taken(), 0);
        assert_eq!(context.permits().peak(), free.clamp(1, 4));
    }
}

#[test]
fn threads_work_within_the_context_of_who_starts_them() {
    let context = context(7, 9);
    let limits = context.enter(|| {
        threads::map(3, 20, |_| {
            let inner = threads::beside(|| Context::current().hold(8).is_err(), || true);
            inner.0 && Context::current().hold(7).is_ok() || Context::current().hold(8).is_err()
        })
    });
    assert_eq!(limits, [true; 20]);
    assert!(Context::current().hold(1 << 40).is_ok(), "the process has no limit");
}

#[test]
fn a_panic_leaves_the_context() {
    let context = context(7, 1);
    let within = AssertUnwindSafe(|| context.enter(|| panic!("within")));
    let panicked = std::panic::catch_unwind(within);
    assert!(panicked.is_err());
    assert!(Context::current().hold(8).is_ok());
}

#[test]
fn a_thread_that_has_done_its_job_does_the_next() {
    let context = context(7, 0);
    let run = || {
        let (sender, receiver) = channel();
        let done = move || sender.send((thread::current().id(), Context::current().hold(8)));
        context.spawn(move || done().unwrap()).unwrap();
        let (thread, held) = receiver.recv().unwrap();
        assert!(held.is_err(), "it works within the context");
        thread
    };
    let first = run();
    // It puts itself on the list after its job.
    let again = (0..1000).any(|_| {
        thread::yield_now();
        run() == first
    });
    assert!(again);

    // Jobs that wait for each other each have a thread.
    let (sender, receiver) = channel::<()>();
    let (ended, end) = channel();
    context.spawn(move || ended.send(receiver.recv().is_err()).unwrap()).unwrap();
    context.spawn(move || drop(sender)).unwrap();
    assert_eq!(end.recv(), Ok(true));
}

#[test]
fn pages_are_one_cache() {
    let context = context(0, 0);
    let (one, other) = (context.pages().unwrap(), context.clone().pages().unwrap());
    assert!(Arc::ptr_eq(&one, &other));
}
