//! The index writer: Prometheus index, version 2, with the bytes of Prometheus's own writer.
//!
//! Pairs are counted, so that the place of every posting list's item is known; then one pass over
//! the series encodes each of them and drops its reference into the lists of its pairs. Nothing is
//! sorted but strings and pairs, no file is read again, and lists that exceed the memory are filled
//! in windows, with another pass over the ids for each.
//!
//! Bytes:   docs/formats/prometheus.md

mod count;
mod error;
mod file;
mod intern;
mod label_indices;
mod options;
mod plan;
mod postings;
mod rows;
mod series;
mod source;
mod state;
mod symbols;
mod tables;
mod writer;

pub use error::WriteError;
pub use file::{Outputs, SideFile, Written, write_index, write_index_with};
pub use intern::{LabelSets, SortedSets};
pub use options::{SymbolChoice, WriteOptions};
pub use rows::LabelRows;
pub use source::{ChunkSource, ChunksBy, Joined, Rows, Source};
pub use symbols::SymbolSets;
pub use writer::{IndexWriter, Part};
