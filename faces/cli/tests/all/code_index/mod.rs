//! `manicule code index` as a user calls it, and killed at any moment.

mod crash;
mod options;
mod place;
