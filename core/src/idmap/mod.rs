//! Maps from what a thing is to its dense number, or to a small value.
//!
//! | shape | from | to | bytes an entry |
//! |---|---|---|---|
//! | [`Growing`] | ids of 32 bytes, as they come | a value of a fixed size, several for an id | 32 and the value, 6.4 to 9.6 |
//! | [`Frozen`] | ids of 32 bytes in order, read where they lie | `W` bytes, several for an id | 32 + `W`, 0.8 |
//! | [`KeyIds`] | keys of 64 bits | their number | 17 |
//! | [`PairIds`] | label pairs | their number | the strings, 8, the table |
//!
//! A [`Growing`] map whose count is known ([`Growing::with_capacity`]) takes 54.5 bytes an entry
//! with values of 16 bytes; one that has just grown up to 57.7. An entry that repeats an id needs
//! no place in the table but 8 to 16 bytes in a list, and 15 to 30 for each such id. A map has at
//! most 2^32 - 8,192 entries, a frozen one 2^32 - 1.
//!
//! What an operation costs at 5 million random ids with values of 16 bytes, in ns of processor
//! time, on two virtual cores that were shared with other work (medians of three rounds by turns;
//! the ratios count). Beside it in the same run: hashbrown's table of numbers over a vector, by
//! eight bytes of the id as its hash (ids can be ground to defeat it), and by a hash like
//! [`Seed`]'s; and open addressing with words of 32 bits of that hash and a number.
//!
//! | | [`Growing`] | [`Frozen`] | hashbrown, bytes of the id | hashbrown, seeded | open words, seeded |
//! |---|---|---|---|---|---|
//! | bytes an entry | 54.5 | 48.8 | 56.4 | 56.4 | 61.4 |
//! | [`Lookup::find`], known id | 136 | 181 | 107 | 131 | 111 |
//! | [`Lookup::find`], unknown id | 63 | 165 | 46 | 60 | 155 |
//! | [`Lookup::find_each`], known ids | 74 | 115 | 112 | 130 | 66 |
//! | [`Lookup::find_each`], unknown ids | 37 | 107 | 45 | 57 | 73 |
//! | [`Lookup::iter`], an entry | 5.4 | 5.4 | 5.5 | 5.7 | |
//! | building, count known | 57 ([`Growing::extend`]), 136 ([`Growing::insert`]) | 161 ([`freeze`]) | 80 | 107 | 78 |
//! | building, count unknown | 125, 209 | | 176 | 240 | |
//!
//! Single lookups cost what they cost in hashbrown's seeded table; [`Lookup::find_each`] is the way
//! to ask for many.
//! Opening a frozen map of 5 million entries takes 1 ms, with all entries checked 57 ms.
//!
//! Several threads fill one map by lists of their own, each added by [`Growing::extend`] under a
//! lock. Reading an index of restic took a prototype 150 ns an entry where hashbrown's table above
//! was built in 24, so a thread holds the lock for a ninth of its time: on a few cores that leaves
//! no serial tail, and a map need not be divided by hashes.

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
mod tags;
#[cfg(test)]
mod tests;

pub use error::GrowError;
pub use frozen::{Frozen, FrozenBytes, InPlace, Verify, freeze};
pub use growing::{Entry, Growing};
pub use keys::KeyIds;
pub use lookup::{IdBytes, Lookup};
pub use pairs::PairIds;
pub use seed::Seed;
