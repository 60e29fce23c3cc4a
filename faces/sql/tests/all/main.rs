//! All tests of this crate from outside, in one program: it is linked once.

mod addresses;
mod catalogs;
mod equal;
mod guide;
mod joins;
mod program;
mod questions;
mod yard;
