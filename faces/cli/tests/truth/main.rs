//! Whether an answer with an index is the answer of the tree as it is now: after everything that can be done to a tree,
//! while it is being done, after crashes, and with a cache that is broken, full or somebody else's.
//!
//! The judge is the program that `MANICULE_RG` names, or `rg` on the path; where there is none, our own plain walk.
//! `MANICULE_SEED` sets the first seed, `MANICULE_ROUNDS` how many rounds are tried, `MANICULE_KEEP` keeps the tree of a
//! failure.

mod candidates;
mod crash;
mod during;
mod faults;
mod freshness;
mod judge;
mod missed;
mod stores;
mod yard;
