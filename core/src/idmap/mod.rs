//! Maps from what a thing is to its dense number.
//!
//! Callers: engines/series (label pairs)

mod pairs;

pub use pairs::PairIds;
