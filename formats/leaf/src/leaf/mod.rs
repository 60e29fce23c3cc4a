//! Leaves: rows of ids in one order, strictly increasing, in blocks whose columns are packed and
//! searched as they lie.
//!
//! ```text
//! | 16 head, its detail: order, 3 zero |
//! | blocks, back to back |
//! | directory: for each block | columns × u64 first row | u32 offset | u32 position of its first row | u32 CRC-32 | |
//! | columns × u64 last row | u32 row_count | u32 directory offset | u32 block_count | u32 CRC-32 of head, directory and footer |
//! ```
//!
//! Bytes:   docs/formats/leaf.md, section *leaf*

mod block;
mod choose;
mod column;
mod footer;
mod outline;
mod read;
mod rows;
#[cfg(test)]
mod tests;
mod verify;
mod write;

pub use block::Block;
pub use footer::{BlockChecks, LeafShape};
pub use outline::outline_leaf;
pub use read::Leaf;
pub use rows::Rows;
pub use verify::verify_leaf;
pub use write::LeafWriter;

/// The most rows of a block.
pub const BLOCK_ROWS_MAX: usize = 2048;
/// Rows of a block as a writer of whole leaves cuts them. Blocks of 25,000 rows are 9 % smaller,
/// and a cold read is several times cheaper here.
pub const BLOCK_ROWS: usize = 1024;
