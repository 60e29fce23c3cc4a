//! Tables for other programs: record batches of Arrow, written as its own files and streams or as Parquet, and read from Parquet.
//!
//! What the columns are is decided by the kind whose rows they hold: graph/columns, rows/arrow.
//!
//! Callers: graph, rows

mod file;
mod read;

pub(crate) use file::TableFile;
pub use file::{TableError, TableFormat};
pub(crate) use read::ParquetRows;
