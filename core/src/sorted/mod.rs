//! Strings held once, and put in the order of their bytes.
//!
//! | shape | what it costs |
//! |---|---|
//! | [`Arena`] | its bytes, and 8 a string |
//! | [`Interner`] | an arena, and about 10 bytes a string for the table that finds it |
//! | [`sorted`] | 16 bytes a string while it sorts, 4 in the end |
//!
//! Callers: engines/series (symbols, label values)

mod arena;
mod intern;
mod order;

pub use arena::{Arena, Strings};
pub use intern::{Interner, hash};
pub use order::{equal, prefix, sorted};
