//! The dictionary: terms by their ids, and ids by terms.
//!
//! Callers: overlay, store, snapshot

mod piece;

pub use piece::{PerTag, Piece, TEXT_TAGS, place_of};
