//! Terms whose text matches, with how often each is used: IRIs, literals and triple terms, those of
//! the newest commits too.
//!
//! Each term is looked at once, where the dictionary has it, however many quads name it. Of a
//! literal the lexical form is matched, of an IRI the whole, of a triple term each of its parts.
//! Blank nodes have no text.
//!
//! | file | what |
//! |---|---|
//! | terms.rs | the search |
//! | values.rs | literals that are no text of the dictionary: numbers, dates, booleans |
//! | uses.rs | counts of the quads that a term is in |

mod terms;
mod uses;
mod values;

pub use terms::{FindCall, FindCounts, Found, find};
pub use uses::Uses;
