//! Statistics.db: what a table holds, and the header by which Data.db is read.
//!
//! Bytes:   docs/formats/sstable.md, Statistics.db

mod bins;
mod cardinality;
mod distinct;
mod fields;
mod histogram;
mod marks;
mod sections;
mod text;
mod tombstones;
mod write;

pub use bins::TombstoneBins;
pub use cardinality::Cardinality;
pub use distinct::DistinctKeys;
pub use fields::{ClusteringBounds, LogPosition, Marks, Statistics};
pub use histogram::Histogram;
pub use marks::put_marks;
pub use sections::{StatisticsFile, Validation};
pub use text::BoundsText;
pub use tombstones::TombstoneHistogram;
pub use write::put_statistics;
