//! Prometheus blocks: index, chunk segments, tombstones, meta file.
//!
//! Bytes:   docs/formats/prometheus.md
//! Callers: engines/series

mod crc;
mod index;
mod refs;

pub use crc::crc32c;
pub use index::{
    Chunks, INDEX_MAGIC, Index, LabelSymbols, Pair, PairIndex, PostingList, SERIES_ALIGN, Series,
    SymbolIndex, TOC_LEN, Toc, Version,
};
pub use refs::{ChunkMeta, ChunkRef, SeriesRef};
