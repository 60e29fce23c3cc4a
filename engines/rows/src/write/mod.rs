//! SSTables written: their data and every component beside them, in one pass, published whole with
//! TOC.txt last.
//!
//! The same rows give the same bytes, which are Cassandra's where it writes the same rows: nothing
//! here asks for a time, an id or a random number.

mod beside;
mod bounds;
mod copy;
mod data;
mod draft;
mod extract;
mod facts;
mod load;
mod mark;
mod merge;
mod origin;
mod out;
mod purge;
mod rebuild;
mod row_parts;
mod salvage;
mod split;
mod table;
mod written;

pub use data::Compress;
pub use draft::{Target, generations};
pub use extract::{ExtractOptions, extract};
pub use facts::{NewFact, TakeFact, write_facts};
pub use load::{LoadOptions, Loaded, NewRow, NewValue, Stamp, TakeRow, load};
pub use mark::{Marked, mark};
pub use merge::{MergeOptions, Merged, merge};
pub use purge::Purge;
pub use rebuild::{RebuildOptions, rebuild};
pub use salvage::{SalvageOptions, salvage};
pub use split::{SplitOptions, split};
pub use written::Written;

/// What callers name of the codecs.
pub use manicule_core::compress::Codec;
