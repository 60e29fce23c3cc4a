//! SSTables of Cassandra and ScyllaDB: every byte of their files, in every version since Cassandra 3.0.
//!
//! Bytes:   docs/formats/sstable.md
//! Callers: engines/rows

mod component;
mod data;
mod deletion;
mod error;
mod header;
mod index;
mod prefix;
mod shortened;
mod statistics;
mod trie;
mod types;
mod verify;
mod version;
mod vint;

pub use component::{Component, Descriptor, Layout};
pub use data::{
    Cell, Cells, Frame, FrameKind, Liveness, Marker, Parsed, PartitionHead, Row, RowPart, RowShape,
    Sequence, Shard, ShardKind, Shards, Unfiltered,
};
pub use deletion::{Deletion, DeletionForm, NO_LOCAL_TIME, NO_TIMESTAMP};
pub use error::SstableError;
pub use header::{Column, DELETION_TIME_EPOCH, Header, TIMESTAMP_EPOCH};
pub use index::{Block, IndexEntry, Promoted};
pub use prefix::{Components, Prefix, PrefixBuf, PrefixKind, Values};
pub use statistics::StatisticsFile;
pub use trie::{
    FOOTER_LEN, Floor, Footer, From, Lookup, Node, PartitionPayload, PartitionPlace, Payload,
    RowPayload, RowsEntry, Step, TRIE_PAGE_LEN, Transition, TriePage, TrieWalk, Until,
    put_partition_key, put_prefix,
};
pub use types::{Elements, TYPE_DEPTH_MAX, Type, TypeError, UserType, Value, quoted_name};
pub use verify::{PartitionTrieCheck, Place, PromotedCheck, SeparatorCheck};
pub use version::Version;
pub use vint::{ReadVint, VINT_LEN_MAX, put_vint, split_vint, unfold, vint_len};
