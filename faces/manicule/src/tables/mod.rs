//! Tables for other programs: record batches of Arrow, written as its own files and streams or as
//! Parquet, and read from Parquet.
//!
//! Without the feature `tables` there are the names alone, and an error that says so.
//!
//! What the columns are is decided by the kind whose rows they hold: graph/columns, rows/arrow.

#[cfg(feature = "tables")]
mod file;
mod format;
#[cfg(feature = "tables")]
mod read;

#[cfg(feature = "tables")]
pub(crate) use file::TableFile;
pub use format::{TableError, TableFormat, check_built};
#[cfg(feature = "tables")]
pub(crate) use read::ParquetRows;
