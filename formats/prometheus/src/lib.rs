//! Prometheus blocks: index, chunk segments, tombstones, meta file.
//!
//! Bytes:   docs/formats/prometheus.md
//! Callers: engines/series

pub mod chunk;
mod crc;
mod cut;
mod index;
mod meta;
mod refs;
mod segment;
mod tombstones;
mod ulid;
mod varint;

pub use crc::crc32c;
pub use cut::{ChunkPlace, SEGMENT_LEN_MAX, SegmentCut, encode_chunk};
pub use index::{
    Chunks, INDEX_MAGIC, Index, LabelSymbols, Pair, PairIndex, PostingList, SERIES_ALIGN, Series,
    SymbolIndex, TOC_LEN, Toc, Version,
};
pub use meta::{Compaction, META_VERSION, Meta, MetaError, Parent, Stats};
pub use refs::{ChunkMeta, ChunkRef, SeriesRef};
pub use segment::{RawChunk, SEGMENT_HEADER, SEGMENT_HEADER_LEN, SEGMENT_MAGIC, Segment};
pub use tombstones::{Interval, TOMBSTONES_MAGIC, TombstoneEntry, Tombstones};
pub use ulid::{NotUlid, Ulid};
pub use varint::{put_uvarint, put_varint};
