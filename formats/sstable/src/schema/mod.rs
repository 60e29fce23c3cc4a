//! The schema of a table as CQL: made from its header, and read for the names that no header has.
//!
//! Callers: engines/rows

mod error;
mod read;
mod tokens;
mod write;

pub use error::SchemaError;
pub use read::{SchemaTable, read_schema};
pub use write::{KeyNames, put_schema};
