//! JSON as Go's `encoding/json` has it, for formats of systems that are written in Go: read with
//! the same verdicts and the same values, and written with the same escapes.
//!
//! A text is read value by value. The caller knows which values it wants and asks for them in the
//! text's own order; what it doesn't know it skips:
//!
//! ```
//! use manicule_core::go::json::Json;
//!
//! let mut json = Json::new(br#"{"later": [{}], "OFFSET": 7, "offset": 9, "name": "a\u00e9"}"#);
//! let (mut offset, mut name) = (0, String::new());
//! if json.object()? {
//!     while let Some(field) = json.field()? {
//!         match field.among(&["name", "offset"]) {
//!             Some("name") => name = json.string()?.map_or(name, |text| text.decode().into_owned()),
//!             Some("offset") => offset = json.u64()?.unwrap_or(offset),
//!             _ => json.skip()?,
//!         }
//!     }
//! }
//! json.end()?;
//! assert_eq!((offset, name.as_str()), (9, "aé"));
//! # Ok::<(), manicule_core::go::json::JsonError>(())
//! ```
//!
//! Go's rules that this keeps:
//! * A field's name matches exactly or else in another case ([`Text::among`]). A field that occurs
//!   twice comes twice: who assigns each time has the last, as Go does.
//! * `null` leaves what is there: [`Json::object`] and [`Json::list`] return `false` for it,
//!   numbers, strings and flags `None`. To Go, `null` in place of a list empties it.
//! * Integers have neither fraction nor exponent, and fit their type; `-0` is none without a sign.
//! * Bytes that aren't UTF-8 may occur in strings: each is read as U+FFFD. So is half a surrogate
//!   pair.
//! * Lists and objects nest [`DEPTH_MAX`] deep at most. Nothing here recurses.
//! * After the value only white space may follow ([`Json::end`]). A byte order mark is an error.
//!
//! One difference: an error ends the reading at once, where Go reads on to find errors of syntax
//! first. The verdict is the same.

mod error;
mod read;
mod text;
mod write;

pub use error::JsonError;
pub use read::{DEPTH_MAX, Json, Kind};
pub use text::Text;
pub use write::{JsonWriter, put_string};

#[cfg(test)]
mod tests;
