//! Without Arrow and Parquet.

use std::convert::Infallible;
use std::io::Write;

use super::column::Batch;
use super::field::Field;
use crate::tables::{TableError, TableFormat};

pub(super) struct Packed(Infallible);

impl Packed {
    pub(super) fn begin(_: TableFormat, _: &[Field]) -> Result<Packed, TableError> {
        Err(TableError::NotBuilt)
    }

    pub(super) fn write(&mut self, _: Batch, _: &mut dyn Write) -> Result<(), TableError> {
        match self.0 {}
    }

    pub(super) fn end(self, _: &mut dyn Write) -> Result<(), TableError> {
        match self.0 {}
    }
}
