//! Posting lists: increasing lists of document ids, built, stored and combined.
//!
//! A *document* is a number from 0 up to the *universe* (how many there are). A list says which
//! documents hold a thing: a gram, a label pair. There are these shapes, for the times of its life:
//!
//! | shape | when | what it costs |
//! |---|---|---|
//! | [`Append`] | building, sizes unknown | 32 bytes a list, and 3 bytes for 16 neighbouring documents |
//! | [`Positions`] | building lists of where rather than which | 24 bytes a list, and 1.2 times the stored distances |
//! | [`Scatter`] | building, lengths known | 4 bytes a list, and the stored items, or a window of them |
//! | [`encode_list`] | stored | 1.5 bits more than log2 of the mean gap for each document, or 1 bit a universe |
//! | [`DocSet`] | combining | 1 bit a document of the universe |
//! | [`Increasing`] | Prometheus's lists, combined where they lie | 4 bytes a number |
//! | [`Found`] | what combining those gives | nothing, 4 bytes a number, or 1 bit a number of a stretch |

mod append;
mod bits;
mod found;
pub mod increasing;
mod list;
mod positions;
mod probe;
mod scatter;
mod set;

pub use append::{Append, GROUP_LEN};
pub use bits::{Bits, BitsIter};
pub use found::{Found, Numbers};
pub use increasing::Increasing;
pub use list::{decode_list, encode_list};
pub use positions::Positions;
pub use probe::Probe;
pub use scatter::{LIST_LEN_MAX, Scatter, Slot};
pub use set::DocSet;
