//! Whether an answer with an index is the answer of the tree as it is now: after everything that
//! can be done to a tree, while it is being done, after crashes, and with a cache that is broken,
//! full or another user's.
//!
//! The judge is the program that `MANICULE_RG` names, or `rg` on the path; if there is none, our
//! own plain walk. `MANICULE_SEED` sets the first seed, `MANICULE_ROUNDS` the number of rounds,
//! `MANICULE_KEEP` keeps the tree of a failure.

mod candidates;
mod crash;
mod during;
mod faults;
mod freshness;
mod judge;
mod missed;
mod stores;
mod yard;
