//! SSTables of Cassandra and ScyllaDB: which files make a table, where a partition is, which of its
//! rows a slice has.
//!
//! Bytes:   docs/formats/sstable.md

pub mod backups;
mod cursor;
mod emptied;
mod error;
pub mod export;
mod fact;
mod gathered;
pub mod inspect;
mod lookup;
mod manager;
pub mod merge;
pub mod scan;
pub mod schema;
pub mod signs;
pub mod slice;
pub mod table;
pub mod verify;
pub mod write;

pub use error::RowsError;
pub use fact::FactKind;
/// What callers name of the format.
pub use manicule_format_sstable::{
    BoundsText, Component, Deletion, DumpForm, DumpLayout, Elements, Header, Histogram,
    INDEX_INTERVAL, KeyNames, LiteralError, Liveness, Marks, NO_LOCAL_TIME, Partitioner, Parts,
    PlainForm, PrefixBuf, Property, SchemaTable, Token, Type, Value, Version, put_instant,
    put_instant_micros, put_json_string, put_schema, quoted_name, read_schema, read_values,
};

/// Least chance of a false answer that a filter is made for.
pub const FILTER_CHANCE_MIN: f64 = manicule_format_sstable::FilterBits::CHANCE_MIN;
