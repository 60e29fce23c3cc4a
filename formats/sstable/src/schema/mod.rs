//! The schema of a table as CQL: made from its header; read for the names that no header has, and
//! for headers of new SSTables.

mod error;
mod kind;
mod read;
mod table;
mod tokens;
mod words;
mod write;

pub use error::SchemaError;
pub use read::read_schema;
pub use table::{Property, SchemaColumn, SchemaTable};
pub use write::{KeyNames, put_schema};
