//! SSTables of Cassandra and ScyllaDB: every byte of their files, in every version since Cassandra 3.0.
//!
//! Bytes:   docs/formats/sstable.md
//! Callers: engines/rows

mod component;
mod compression;
mod crc;
mod data;
mod deletion;
mod digest;
mod dump;
mod error;
mod filter;
mod header;
mod index;
mod outline;
mod prefix;
mod schema;
mod scylla;
mod shortened;
mod statistics;
mod summary;
mod toc;
mod token;
mod trie;
mod types;
mod unread;
mod verify;
mod version;
mod vint;

pub use component::{Component, Descriptor, Layout};
pub use compression::{CHUNK_SUM_LEN, Chunk, CompressionInfo, Compressor, Dictionary};
pub use crc::ChunkSums;
pub use data::{
    Cell, Cells, Frame, FrameKind, Liveness, Marker, Parsed, PartitionHead, Row, RowPart, RowShape,
    Sequence, Shard, ShardKind, Shards, Unfiltered,
};
pub use deletion::{Deletion, DeletionForm, NO_LOCAL_TIME, NO_TIMESTAMP};
pub use digest::read_digest;
pub use dump::{Dump, DumpForm, DumpLayout, DumpPlace};
pub use error::SstableError;
pub use filter::Filter;
pub use header::{Column, DELETION_TIME_EPOCH, Header, TIMESTAMP_EPOCH};
pub use index::{Block, IndexEntry, Promoted};
pub use outline::outline;
pub use prefix::{Components, Prefix, PrefixBuf, PrefixKind, Values};
pub use schema::{KeyNames, SchemaError, SchemaTable, put_schema, read_schema};
pub use scylla::{ColumnKind, LargeData, ScyllaFeatures, ScyllaFile, ScyllaSchema, ScyllaTag};
pub use statistics::{
    BoundsText, Cardinality, ClusteringBounds, Histogram, LogPosition, Statistics, StatisticsFile,
    TombstoneHistogram, Validation,
};
pub use summary::{Sample, Summary};
pub use toc::read_toc;
pub use token::{KeyHash, Partitioner, Token};
pub use trie::{
    FOOTER_LEN, Floor, Footer, Lookup, Node, PartitionPayload, PartitionPlace, Payload, RowPayload,
    RowsEntry, Step, TRIE_PAGE_LEN, Transition, TriePage, TrieWalk, Until, WalkFrom,
    put_byte_ordered_key, put_partition_key, put_prefix,
};
pub use types::{
    Elements, LiteralError, PlainForm, TYPE_DEPTH_MAX, Type, TypeError, UserType, Value,
    put_instant, put_instant_micros, put_json_string, quoted_name, read_values,
};
pub use unread::UnreadVersion;
pub use verify::{PartitionTrieCheck, Place, PromotedCheck, SeparatorCheck};
pub use version::Version;
pub use vint::{ReadVint, VINT_LEN_MAX, put_vint, split_vint, unfold, vint_len};
