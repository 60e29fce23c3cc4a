//! Paths of snapshots searched by a condition: restic's patterns, or the blobs and trees that they
//! need.
//!
//! What a folder holds depends on its tree, and on what the condition keeps of the path above: a
//! state. Each tree is read once for each state that leads to it, by all threads, however many
//! snapshots and paths do; that is nearly always one. The paths are spelled out afterwards, through
//! folders only that lead to a match.

mod finds;
mod level;
mod look;
mod merged;
mod packs;
mod patterns;
mod pieces;
mod walk;

pub use finds::{Finds, Match};
pub use look::{Look, State};
pub use merged::Members;
pub use packs::{begun, blobs_of_packs, header_of_pack};
pub use patterns::{Patterns, PatternsError};
pub use pieces::Pieces;
