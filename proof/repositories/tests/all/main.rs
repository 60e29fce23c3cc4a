//! All tests of this crate from outside, in one program: it is linked once.

mod engine;
mod generated;
mod plain;
mod prune;
mod snapshots;
