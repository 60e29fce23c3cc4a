//! The type of a column that says where a text matches.

use crate::answer::{Field, Held, Kind};

static PART: [Field; 2] = [Field::new("start", Kind::Int, ""), Field::new("length", Kind::Int, "")];

static ITEM: Field = Field::new("item", Kind::Struct(Held::Static(&PART)), "").or_null();

/// Parts of a text: where each starts, and its length.
pub(super) const MATCHES: Kind = Kind::List(Held::Static(&ITEM));
