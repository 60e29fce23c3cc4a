//! SSTables of Cassandra and ScyllaDB: opened and dumped. Each module holds a verb, its call, and its report.
//!
//! Nothing here writes beside a table.
//!
//! Callers: faces

mod dump;
mod error;
mod open;

pub use dump::{DumpCall, dump};
pub use error::Error;
pub use open::{Open, OpenCall, open};

/// What the verbs' reports and errors are made of.
pub use manicule_rows::RowsError;
pub use manicule_rows::table::{LeftOut, Listed, Sstable};
