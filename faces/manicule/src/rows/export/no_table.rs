//! `table.rs` in a build without Arrow and Parquet: there is no table to write.

use std::convert::Infallible;
use std::marker::PhantomData;

use manicule_rows::Type;

use super::record::Record;
use crate::rows::error::Error;
use crate::tables::{TableError, TableFormat};

/// A table that can't be begun.
pub(in crate::rows) struct Table<'t> {
    never: Infallible,
    types: PhantomData<&'t Type>,
}

impl<'t> Table<'t> {
    pub(super) fn new(
        _: TableFormat,
        _: &[(String, &'t Type)],
        _: &[String],
    ) -> Result<Self, Error> {
        Err(TableError::NotBuilt.into())
    }

    pub(super) fn add<E>(
        &mut self,
        _: &dyn Record,
        _: &mut impl FnMut(&[u8]) -> Result<(), E>,
    ) -> Result<(), E> {
        match self.never {}
    }

    pub(super) fn end<E>(self, _: &mut impl FnMut(&[u8]) -> Result<(), E>) -> Result<(), E> {
        match self.never {}
    }
}
