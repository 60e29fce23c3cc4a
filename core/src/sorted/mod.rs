//! Strings held once, and put in the order of their bytes.
//!
//! | shape | what it costs |
//! |---|---|
//! | [`Arena`] | its bytes, and 8 a string |
//! | [`Interner`] | an arena, and about 14 bytes a string for the table that finds it |
//! | [`sorted`] | 16 bytes a string while it sorts, 4 in the end |
//! | [`StepSort`] | a sort that can be paused and resumed |

mod arena;
mod hash;
mod intern;
mod order;
mod steps;

pub use arena::{Arena, Strings};
pub use hash::{HashKeys, Numbers, hash};
pub use intern::Interner;
pub use order::{StringSort, equal, prefix, sorted};
pub use steps::StepSort;
