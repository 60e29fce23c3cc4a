//! The dictionary: terms by their ids, and ids by terms. Segments are files, pieces are in memory
//! and come after them.

mod memo;
mod merged;
mod piece;
mod segment;

pub use memo::Memo;
pub use merged::{MergedTerms, merged_segment};
pub use piece::{PerTag, Piece, TEXT_TAGS, place_of};
pub use segment::Segment;
