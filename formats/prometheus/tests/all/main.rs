//! All tests of this crate from outside, in one program: it is linked once.

mod aggregates;
mod chunks;
mod example;
mod golden;
mod random_chunks;
mod support;
mod verify;
