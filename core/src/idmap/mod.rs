//! Maps from what a thing is to its dense number, or to a small value.
//!
//! | shape | from | to |
//! |---|---|---|
//! | [`Growing`] | ids of 32 bytes, as they come | a value of a fixed size, several for an id |
//! | [`Frozen`] | ids of 32 bytes in order, read where they lie | a value of `W` bytes, several for an id |
//! | [`KeyIds`] | keys of 64 bits | their number |
//! | [`PairIds`] | label pairs | their number |
//!
//! Callers: engines/series (label pairs), engines/blobs (ids)

mod blocks;
mod error;
mod frozen;
mod growing;
mod keys;
mod lookup;
mod pairs;
mod prefetch;
mod repeats;
mod seed;
mod table;
#[cfg(test)]
mod tests;

pub use error::GrowError;
pub use frozen::{Frozen, Verify, freeze};
pub use growing::{Entry, Growing};
pub use keys::KeyIds;
pub use lookup::{IdBytes, Lookup};
pub use pairs::PairIds;
pub use seed::Seed;
