//! All tests of this crate from outside, in one program: it is linked once.

mod facts;
mod public;
mod random;
mod support;
mod written;
