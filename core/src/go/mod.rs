//! Go's own ways of writing things down, for formats and messages of systems that are written in
//! Go.

mod glob;
pub mod json;
mod path;
mod quote;
mod unquote;
mod url;

pub use glob::{BadGlob, Glob};
pub use path::{clean, fields, to_lower};
pub use quote::{code_point, quote, quote_char, quote_char_or_end};
pub use unquote::{NotQuoted, unquote};
pub use url::Url;
