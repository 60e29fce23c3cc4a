//! SSTables of Cassandra and ScyllaDB: which files make a table, where a partition is, which of its rows a slice has.
//!
//! Bytes:   docs/formats/sstable.md
//! Callers: faces/manicule

mod cursor;
mod error;
mod lookup;
pub mod merge;
pub mod scan;
pub mod slice;
pub mod table;

pub use error::RowsError;
/// What callers name of the format.
pub use manicule_format_sstable::{Component, DumpForm};
