//! `table.rs` in a build without Arrow and Parquet.

use std::io::Write;

use oxrdf::Term;

use super::call::TableCall;
use crate::graph::Error;
use crate::tables::TableError;

pub(in crate::graph) fn write_table<R>(
    _: &[String],
    _: impl Iterator<Item = Result<R, Error>>,
    _: impl Fn(&R) -> &[Option<Term>],
    _: &TableCall,
    _: &mut dyn Write,
) -> Result<(), Error> {
    Err(TableError::NotBuilt.into())
}

pub(in crate::graph) fn write_boolean(
    _: bool,
    _: &TableCall,
    _: &mut dyn Write,
) -> Result<(), Error> {
    Err(TableError::NotBuilt.into())
}
