//! SSTables of Cassandra and ScyllaDB: every byte of their files, in every version since Cassandra
//! 3.0.
//!
//! Bytes:   docs/formats/sstable.md

mod component;
mod compression;
mod crc;
mod data;
mod deletion;
mod digest;
mod dump;
mod error;
mod filter;
mod filter_bits;
mod header;
mod index;
mod manager;
mod medusa;
mod outline;
mod place;
mod prefix;
mod samples;
mod schema;
mod scylla;
mod shortened;
mod statistics;
mod summary;
mod toc;
mod token;
mod transaction;
mod trie;
mod types;
mod unread;
mod verify;
mod version;
mod vint;

pub use component::{Component, Descriptor, Layout};
pub use compression::{
    CHUNK_SUM_LEN, Chunk, CompressionHead, CompressionInfo, Compressor, Dictionary,
    put_compression_head,
};
pub use crc::{ChunkSums, SumsOfChunks};
pub use data::{
    Cell, Cells, Frame, FrameKind, KEY_LEN_MAX, Liveness, Marker, Parsed, PartitionHead, Row,
    RowHead, RowPart, RowShape, RowWriter, Sequence, Shard, ShardKind, Shards, Unfiltered,
};
pub use deletion::{Deletion, DeletionForm, NO_LOCAL_TIME, NO_TIMESTAMP};
pub use digest::{put_digest, read_digest};
pub use dump::{Dump, DumpForm, DumpLayout, DumpPlace};
pub use error::SstableError;
pub use filter::{Filter, FilterHead};
pub use filter_bits::FilterBits;
pub use header::{Column, DELETION_TIME_EPOCH, Header, TIMESTAMP_EPOCH, column_key};
pub use index::{Block, BlockCutter, IndexEntry, Promoted, put_index_entry, put_promoted_head};
pub use manager::{ManagerTable, read_manager_manifest};
pub use medusa::{
    ManifestError, MedusaObject, MedusaTable, read_medusa_hosts, read_medusa_manifest,
};
pub use outline::outline;
pub use place::Place;
pub use prefix::{Components, Prefix, PrefixBuf, PrefixKind, Values};
pub use samples::{INDEX_INTERVAL, Samples};
pub use schema::{
    KeyNames, Property, SchemaColumn, SchemaError, SchemaTable, put_schema, read_schema,
};
pub use scylla::{ColumnKind, LargeData, ScyllaFeatures, ScyllaFile, ScyllaSchema, ScyllaTag};
pub use statistics::{
    BoundsText, Cardinality, ClusteringBounds, DistinctKeys, Histogram, LogPosition, Marks,
    Statistics, StatisticsFile, TombstoneBins, TombstoneHistogram, Validation, put_marks,
    put_statistics,
};
pub use summary::{Sample, Summary, SummaryHead};
pub use toc::{put_toc, read_toc};
pub use token::{KeyHash, Partitioner, Token};
pub use transaction::{Transaction, is_transaction_log};
pub use trie::{
    FOOTER_LEN, Floor, Footer, Lookup, Node, PartitionPayload, PartitionPlace, Payload, RowPayload,
    RowsEntry, Step, TRIE_PAGE_LEN, Transition, TriePage, TrieWalk, Until, WalkFrom,
    put_byte_ordered_key, put_partition_key, put_prefix,
};
pub use types::{
    Elements, LiteralError, Parts, PlainForm, TYPE_DEPTH_MAX, Type, TypeError, UserType, Value,
    put_instant, put_instant_micros, put_json_string, quoted_name, read_values,
};
pub use unread::UnreadVersion;
pub use verify::{Pages, PartitionTrieCheck, PromotedCheck, SeparatorCheck};
pub use version::Version;
pub use vint::{ReadVint, VINT_LEN_MAX, put_vint, split_vint, unfold, vint_len};
