//! Values as texts: the JSON of sstabledump, the plain form that Cassandra's tools print keys in,
//! literals of CQL.

mod digits;
mod inet;
mod json;
mod literal;
mod plain;
mod read;
mod read_plain;
mod read_simple;
mod scalar;
#[cfg(test)]
mod tests;
mod time;

pub use json::put_json_string;
pub use plain::PlainForm;
pub use read::{LiteralError, read_values};
pub use time::{put_instant, put_instant_micros};
