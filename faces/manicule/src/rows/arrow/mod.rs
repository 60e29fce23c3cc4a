//! Values of Arrow's columns as those of CQL: what is read of Parquet. The other way is that of all
//! answers (`rows/typed/`, `answer/arrow.rs`).

mod value;

pub(super) use value::value_of;
