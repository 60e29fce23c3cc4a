//! A search that asks: which of a file's blocks holds a key, where looking at a block costs a read.
//!
//! The search names positions, the caller reads and compares what lies there and reports it, until
//! one place is left. So it knows no file, no key and no order: the same search serves mapped
//! bytes, pages of a cache and objects in a store.
//!
//! | strategy | probes of 303,031 blocks | for |
//! |---|---|---|
//! | bisection | 18 to 19, one a round | local files |
//! | 8 ways | 42 at most, 7 a round, 6 rounds | a store where a round is dear |
//! | interpolation | 2 where keys are even, up to 6 where they are random | a file whose sampled keys are even |
//!
//! In pages of 4 KiB of Index.db, mean and maximum of 400 searches for even, uniform, quadratic,
//! exponential and bursty keys: bisection 18.6 and 20 for each; as [`plan`] chooses after the first
//! searches 2.1, 3.2, 18.6, 18.6, 18.6.

mod evenness;
mod line;
mod plan;
mod search;
mod side;
#[cfg(test)]
mod tests;
mod ways;

pub use evenness::{Evenness, Verdict};
pub use plan::{Plan, ReadCost, plan};
pub use search::{Search, Strategy};
pub use side::Side;
