//! Values of CQL as columns of Arrow, and back: what Parquet is written of and read into.

mod build;
mod kinds;
mod value;

pub(super) use build::Building;
pub(super) use kinds::{check_parts, field_of, text_field_of};
pub(super) use value::value_of;
