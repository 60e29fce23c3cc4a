//! All tests of this crate from outside, in one program: it is linked once.

mod explain;
mod golden;
mod optionals;
mod paths;
mod queries;
mod random;
mod shop;
mod updates;
mod w3c;
