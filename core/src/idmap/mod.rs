//! Maps from what a thing is to its dense number.
//!
//! Callers: engines/series (label pairs)

mod keys;
mod pairs;

pub use keys::KeyIds;
pub use pairs::PairIds;
