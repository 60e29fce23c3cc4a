//! `parquet.rs` in a build without Arrow and Parquet.

use std::path::Path;

use manicule_core::watch::Meter;

use super::slots::{Slots, TakeFields};
use crate::rows::error::Error;
use crate::tables::TableError;

pub(super) fn read(_: &Path, _: &Slots, _: &Meter<'_>, _: TakeFields<'_>) -> Result<(), Error> {
    Err(TableError::NotBuilt.into())
}
