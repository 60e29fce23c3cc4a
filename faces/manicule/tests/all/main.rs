//! What is open, asked by several threads at once, and looked at again.

mod addresses;
mod code;
mod find;
mod reports;
mod row_rounds;
mod rows;
mod series;

use std::fmt::Debug;
use std::thread;

/// Number of threads that ask at once, and how often each does.
const THREADS: usize = 4;
const ROUNDS: usize = 8;

/// Asks by many threads at once; all answers are the first's.
fn ask_at_once<T: Debug + PartialEq + Send + Sync>(ask: impl Fn() -> T + Sync) -> T {
    let first = ask();
    thread::scope(|scope| {
        for _ in 0..THREADS {
            scope.spawn(|| (0..ROUNDS).for_each(|_| assert_eq!(ask(), first)));
        }
    });
    first
}
