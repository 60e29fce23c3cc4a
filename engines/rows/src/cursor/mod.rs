//! Which block of a partition a place is in, and which range deletion is open there.

mod blocks;
mod chain;
mod image;
mod place;
mod promoted;
mod tries;

pub(crate) use blocks::Cursor;
pub use place::Seek;
pub(crate) use place::{BlockPlace, Toward, Wanted};
