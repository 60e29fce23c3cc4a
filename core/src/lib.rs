//! Everything that lives in memory only: bytes, posting lists, pattern analysis.
//!
//! This room knows numbers, strings, lists and searches. It knows no file, no thread, no clock and
//! nobody's format.

pub mod blocks;
pub mod bytes;
pub mod civil;
pub mod compress;
mod failure;
pub mod findings;
pub mod go;
pub mod hex;
pub mod idmap;
pub mod lists;
pub mod pattern;
pub mod postings;
pub mod sorted;
pub mod watch;
mod work;

pub use failure::ErrorClass;
