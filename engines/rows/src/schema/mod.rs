//! The schema of a table, of which an SSTable has the types and the names of columns outside of the
//! key: united over SSTables, named by a CQL file, and left beside what is written.

mod beside;
mod folder;
mod names;
mod united;

pub use beside::{carry_schema, leave_schema};
pub use names::{Named, key_names};
pub use united::{Difference, United};
