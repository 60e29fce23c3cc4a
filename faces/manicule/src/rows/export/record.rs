//! What is written of a row or a fact: fields of names, types and values.

use std::borrow::Cow;

use manicule_rows::Type;

/// A field of a record: name, type, value.
pub(crate) type Field<'v> = (&'v str, &'v Type, Option<Cow<'v, [u8]>>);

/// Something that has fields, the same ones in the same order as all others of its sheet.
pub(super) trait Record {
    fn each_field(&self, each: &mut dyn FnMut(&Field<'_>));
}
