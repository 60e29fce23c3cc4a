//! All tests of this crate from outside, in one program: it is linked once.

mod ahead;
mod cache;
mod check;
mod claims;
mod doubled;
mod find;
mod listed;
mod memory;
mod relative;
mod repair;
