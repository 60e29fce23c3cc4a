//! `manicule code index` as a user calls it, and killed at any moment.

mod compound;
mod crash;
mod git;
mod options;
mod place;
mod symbols;
