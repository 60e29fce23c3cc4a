//! Values of CQL in columns of answers: which kind a type is, and its values pushed.

mod decimal;
mod kinds;
mod push;

pub(crate) use decimal::{decimal_kind, push_decimal};
#[cfg(feature = "tables")]
pub(crate) use kinds::fields_of;
pub(crate) use kinds::{check_parts, field_of, text_field_of};
pub(crate) use push::push;
