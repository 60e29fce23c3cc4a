//! Manicule ☞: the indexes that real systems keep, and one question over all of them: where is it?
//!
//! This is the façade that programs use; the command line, SQL, HTTP and Python faces are built on it.

pub mod blocks;
pub mod cache;
pub mod inspect;
pub mod kinds;
pub mod output;
pub mod shards;
pub mod times;

pub use manicule_code as code;
pub use manicule_core::{pattern, watch};
pub use manicule_series as series;
