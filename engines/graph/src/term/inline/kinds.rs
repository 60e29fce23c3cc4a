//! What the tags of inlined literals say of their payloads.
//!
//! Bytes:   docs/formats/leaf.md, "Inlined literals"

use manicule_format_leaf::Tag;

use super::tags;

/// Namespace of the datatypes of XML Schema.
pub const XSD: &str = "http://www.w3.org/2001/XMLSchema#";

/// A datatype whose values are integers.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct IntegerType {
    /// IRI of the datatype.
    pub datatype: &'static str,
    /// Least value that is inlined.
    pub min: i64,
    /// Greatest value that is inlined.
    pub max: i64,
}

const INLINED_MIN: i64 = -(1 << 55);
const INLINED_MAX: i64 = (1 << 55) - 1;

macro_rules! integer_types {
    ($($name:literal $min:expr, $max:expr;)*) => {
        [$(IntegerType {
            datatype: concat!("http://www.w3.org/2001/XMLSchema#", $name), min: $min, max: $max,
        }),*]
    };
}

/// The datatypes by their tags, from [`tags::INTEGER`] on. A literal beyond the bounds of its
/// datatype has no value and is text.
pub const INTEGER_TYPES: [IntegerType; 13] = integer_types![
    "integer" INLINED_MIN, INLINED_MAX;
    "long" INLINED_MIN, INLINED_MAX;
    "int" i32::MIN as i64, i32::MAX as i64;
    "short" i16::MIN as i64, i16::MAX as i64;
    "byte" i8::MIN as i64, i8::MAX as i64;
    "nonNegativeInteger" 0, INLINED_MAX;
    "positiveInteger" 1, INLINED_MAX;
    "nonPositiveInteger" INLINED_MIN, 0;
    "negativeInteger" INLINED_MIN, -1;
    "unsignedLong" 0, INLINED_MAX;
    "unsignedInt" 0, u32::MAX as i64;
    "unsignedShort" 0, u16::MAX as i64;
    "unsignedByte" 0, u8::MAX as i64;
];

/// The tag and the bounds of an integer type by its local name.
pub(super) fn integer_type(local: &str) -> Option<(Tag, &'static IntegerType)> {
    let is_it = |of: &&IntegerType| &of.datatype[XSD.len()..] == local;
    let at = INTEGER_TYPES.iter().position(|of| is_it(&of))?;
    Some((Tag(tags::INTEGER.0 + at as u8), &INTEGER_TYPES[at]))
}

/// How the zone of a date or time is written.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Zone {
    /// Not at all.
    None,
    /// As Z.
    Utc,
    /// As hours and minutes.
    Offset,
}

/// What a tag says of its payload.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Kind {
    Boolean,
    Integer(&'static IntegerType),
    /// With this number of digits after the point.
    Decimal(u8),
    Double,
    Float,
    Date(Zone),
    /// With three digits after the point, or with none.
    DateTime(Fraction, Zone),
}

/// How many digits a second has after the point.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Fraction {
    None,
    Three,
}

impl Kind {
    pub(super) fn datatype(self) -> &'static str {
        match self {
            Kind::Boolean => "http://www.w3.org/2001/XMLSchema#boolean",
            Kind::Integer(of) => of.datatype,
            Kind::Decimal(_) => "http://www.w3.org/2001/XMLSchema#decimal",
            Kind::Double => "http://www.w3.org/2001/XMLSchema#double",
            Kind::Float => "http://www.w3.org/2001/XMLSchema#float",
            Kind::Date(_) => "http://www.w3.org/2001/XMLSchema#date",
            Kind::DateTime(..) => "http://www.w3.org/2001/XMLSchema#dateTime",
        }
    }
}

const ZONES: [Zone; 3] = [Zone::None, Zone::Utc, Zone::Offset];

/// What a tag says; none if it is that of no inlined literal.
pub(super) fn kind(tag: Tag) -> Option<Kind> {
    let after = |first: Tag, count: usize| {
        tag.0.checked_sub(first.0).map(usize::from).filter(|at| *at < count)
    };
    if let Some(at) = after(tags::INTEGER, INTEGER_TYPES.len()) {
        return Some(Kind::Integer(&INTEGER_TYPES[at]));
    }
    if let Some(digits) = after(tags::DECIMAL, usize::from(tags::DECIMAL_DIGITS_MAX) + 1) {
        return Some(Kind::Decimal(digits as u8));
    }
    if let Some(at) = after(tags::DATE, 3) {
        return Some(Kind::Date(ZONES[at]));
    }
    if let Some(at) = after(tags::DATE_TIME, 3) {
        return Some(Kind::DateTime(Fraction::None, ZONES[at]));
    }
    if let Some(at) = after(tags::DATE_TIME_MS, 3) {
        return Some(Kind::DateTime(Fraction::Three, ZONES[at]));
    }
    match tag {
        tags::BOOLEAN => Some(Kind::Boolean),
        tags::DOUBLE => Some(Kind::Double),
        tags::FLOAT => Some(Kind::Float),
        _ => None,
    }
}
