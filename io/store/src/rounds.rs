//! Rounds of a thread: how many requests to stores elsewhere had to end, one after the other,
//! before its next one begins.
//!
//! A thread of [`threads`](crate::threads) begins with those of the thread that starts it, and that
//! one goes on with the most of those that it has waited for. So a call makes as many rounds
//! whichever thread was faster.

use std::cell::Cell;

thread_local! {
    static ENDED: Cell<u64> = const { Cell::new(0) };
}

/// Rounds that have ended on this thread, or before it began.
pub fn ended() -> u64 {
    ENDED.get()
}

/// A request of this thread has ended, or of one that it has waited for: the last of that many.
pub fn reach(rounds: u64) {
    ENDED.set(ended().max(rounds));
}

/// This thread begins the work of another, of which that many have ended.
pub(crate) fn begin(rounds: u64) {
    ENDED.set(rounds);
}
