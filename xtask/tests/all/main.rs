//! All tests of this crate from outside, in one program: it is linked once.

mod circles;
mod docs;
mod rooms;
mod tuples;
mod unsafe_doors;
mod widths;
