//! Prometheus blocks: index, chunk segments, tombstones, meta file.
//!
//! Bytes:   docs/formats/prometheus.md

mod bucket_index;
mod bucket_meta;
pub mod chunk;
mod crc;
mod cut;
mod index;
mod index_header;
mod marks;
mod meta;
mod outline;
mod refs;
mod sections;
mod segment;
mod signs;
mod sparse_header;
mod tombstones;
mod ulid;
mod verify;

pub use bucket_index::{
    BUCKET_INDEX_NAME, BucketIndex, IndexedBlock, MARKERS_NAME, MIMIR_CLUSTER_NAME,
    TENANT_MARK_NAME, marked_block, tenant_mark_time,
};
pub use bucket_meta::ExternalLabels;
pub use crc::crc32c;
pub use cut::{ChunkPlace, SEGMENT_LEN_MAX, SegmentCut, encode_chunk};
pub use index::{
    Chunks, INDEX_HEADER, INDEX_MAGIC, Index, LIST_ALIGN, LIST_FRAME_LEN, LabelBytes, LabelSymbols,
    Pair, PairIndex, PostingList, SERIES_ALIGN, Section, Series, SeriesEncoder, SeriesSums,
    SeriesWalk, SymbolIndex, TOC_LEN, Toc, Version, index_ends, label_index_place_len,
    list_place_len, put_label_index_place, put_list_place, put_padding, put_string, string_len,
};
pub use index_header::{
    INDEX_HEADER_END_LEN, INDEX_HEADER_MAGIC, INDEX_HEADER_START_LEN, index_header_end,
    index_header_start,
};
pub use marks::{
    DELETION_MARK_NAME, Mark, MarkKind, NO_COMPACT_MARK_NAME, NO_DOWNSAMPLE_MARK_NAME,
};
pub use meta::{Compaction, META_VERSION, Meta, MetaError, Parent, Stats};
pub use outline::outline;
pub use refs::{ChunkMeta, ChunkRef, SeriesRef};
pub use sections::short_name;
pub use segment::{RawChunk, SEGMENT_HEADER, SEGMENT_HEADER_LEN, SEGMENT_MAGIC, Segment};
pub use signs::{
    BLOCK_PARTS, FileKind, HEAD_CHUNKS_NAME, INDEX_HEADER_NAME, INDEX_NAME, LOG_NAME, META_NAME,
    SPARSE_HEADER_NAME, is_block_name, is_head_chunks, is_log_segment, is_of_block, is_of_data,
    is_unfinished,
};
pub use sparse_header::{SPARSE_HEADER_SAMPLING, SparseHeader};
pub use tombstones::{Interval, TOMBSTONES_MAGIC, TombstoneEntry, Tombstones};
pub use ulid::{NotUlid, Ulid};
pub use verify::{
    ChunkCounts, FoundSeries, Gaps, NamedChunk, VerifiedIndex, verify_chunks, verify_index,
    verify_index_header, verify_lone_segment, verify_segment, verify_sparse_header,
    verify_tombstones,
};
