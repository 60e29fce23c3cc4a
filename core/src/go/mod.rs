//! Go's own ways of writing things down, for formats and messages of systems that are written in Go.
//!
//! Callers: engines/code, engines/series, formats/restic

pub mod json;
mod quote;
mod unquote;

pub use quote::{code_point, quote, quote_char, quote_char_or_end};
pub use unquote::{NotQuoted, unquote};
