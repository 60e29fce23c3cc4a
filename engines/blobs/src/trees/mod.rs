//! Trees: walked, each distinct one once, and what they hold in memory.
//!
//! Callers: cost, usage, faces/manicule

mod forest;
mod gather;
mod paths;
mod walk;

pub(crate) use forest::{BlobNo, Forest, Part, TreeNo};
pub(crate) use gather::{gap_in_words, gather};
pub use paths::{Below, each_path};
