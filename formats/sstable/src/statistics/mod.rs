//! Statistics.db: what a table holds, and the header by which Data.db is read.
//!
//! Bytes:   docs/formats/sstable.md, Statistics.db
//! Callers: engines/rows

mod sections;

pub use sections::StatisticsFile;
