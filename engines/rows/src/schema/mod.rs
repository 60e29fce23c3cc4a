//! The schema of a table, of which an SSTable has the types and the names of columns outside of the key: united over SSTables,
//! named by a CQL file.
//!
//! Callers: faces/manicule

mod folder;
mod names;
mod united;

pub use names::{Named, key_names};
pub use united::{Difference, United};
