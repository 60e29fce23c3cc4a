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
pub use file::TableFile;
pub use format::{TableError, TableFormat, check_built};
#[cfg(feature = "tables")]
pub(crate) use read::ParquetRows;

/// The error that a panic becomes, if it is one of a library about a file that it reads: for the
/// hook of a program whose panics abort, as no call can give it back then. Other panics are
/// nobody's error.
pub fn library_panic(panic: &(dyn std::any::Any + Send)) -> Option<String> {
    #[cfg(feature = "tables")]
    return read::library_panic(panic);
    #[cfg(not(feature = "tables"))]
    {
        let _ = panic;
        None
    }
}
