//! Numbers of the tags of inlined literals: one for each datatype and, where it is needed to print
//! a value, each way of writing it.
//!
//! Bytes:   docs/formats/leaf.md, "Inlined literals"

use manicule_format_leaf::Tag;

/// xsd:boolean: 0 or 1.
pub const BOOLEAN: Tag = Tag(16);
/// xsd:integer: the value plus 2^55. Those of [`INTEGER_TYPES`](super::INTEGER_TYPES) follow.
pub const INTEGER: Tag = Tag(17);
/// xsd:decimal without a point: the value plus 2^55. Those with one to seven digits after the point
/// follow: value times a power of ten, plus 2^55.
pub const DECIMAL: Tag = Tag(32);
/// Greatest number of digits after the point.
pub const DECIMAL_DIGITS_MAX: u8 = 7;
/// xsd:date without a zone: days since 0001-01-01.
pub const DATE: Tag = Tag(40);
/// xsd:date in UTC, written Z.
pub const DATE_UTC: Tag = Tag(41);
/// xsd:date with an offset: | 45 bits minutes since the day before 0001-01-01 in UTC | 11 bits offset in minutes plus 840 |.
pub const DATE_OFFSET: Tag = Tag(42);
/// xsd:dateTime without a zone, in seconds since 0001-01-01.
pub const DATE_TIME: Tag = Tag(43);
/// xsd:dateTime in UTC, written Z.
pub const DATE_TIME_UTC: Tag = Tag(44);
/// xsd:dateTime with an offset: | 45 bits seconds in UTC | 11 bits offset in minutes plus 840 |.
pub const DATE_TIME_OFFSET: Tag = Tag(45);
/// xsd:dateTime with three digits after the point, without a zone: in milliseconds.
pub const DATE_TIME_MS: Tag = Tag(46);
/// The same in UTC.
pub const DATE_TIME_MS_UTC: Tag = Tag(47);
/// The same with an offset of quarters of an hour: | 49 bits milliseconds in UTC | 7 bits quarters plus 56 |.
pub const DATE_TIME_MS_OFFSET: Tag = Tag(48);
/// xsd:double whose last eight bits are zero: its upper 56 bits, so that they compare as numbers.
pub const DOUBLE: Tag = Tag(56);
/// xsd:float: its 32 bits, so that they compare as numbers.
pub const FLOAT: Tag = Tag(57);
