//! SSTables of Cassandra and ScyllaDB: a [`Table`] is opened once, and what reads it is a method of
//! it: slices, schema, search, dump, export, lists of its partitions and tombstones. SSTables are
//! verified, rebuilt, salvaged, merged, written of rows. Each module holds a verb, its call, and
//! its report.
//!
//! Nothing here writes into a table that is there, but [`mark`]: what is written is a new one.

#[cfg(feature = "tables")]
mod arrow;
mod backups;
mod below;
mod columns;
mod dump;
mod error;
mod export;
mod facts;
mod find;
mod holders;
pub mod inspect;
pub mod json;
mod keys;
mod listing;
mod load;
mod mark;
mod open;
mod overview;
mod partitions;
mod place;
mod schema;
mod shape;
mod slice;
mod stats;
mod table;
mod tombstones;
pub(crate) mod typed;
mod verify;
mod write;

pub use backups::{Backup, BackupFiles, BackupNode, backups_at};
pub use below::{Below, Copies, tables_below};
pub use columns::{ColumnCounts, ColumnShare, Shares};
pub use dump::{DumpCall, DumpLayout, Loss, LossKind, Selection, dump_damaged};
pub use error::Error;
pub use export::{ExportCall, ExportFormat, LiveCounts};
pub(crate) use export::{RecordField, text_of};
pub(crate) use facts::word_of;
pub use find::{FindCall, FindCounts, Found, FoundRow};
pub use holders::Holders;
pub use load::{InputFormat, RowTimes, WriteCall, write};
pub use mark::{MarkCall, Marked, Repaired, mark};
pub use open::OpenCall;
pub use overview::{Blocker, Expired, Overview, Overviews, expired};
pub use partitions::{
    PartitionOptions, PartitionPass, PartitionReport, PartitionSize, RankedBy, Times,
    TombstoneCounts,
};
pub use place::Place;
pub use schema::Schema;
pub(crate) use shape::{RowPass, Shape};
pub use slice::{SLICE_CACHE_BYTES, Search, Slice, SliceCall, SliceItem, SliceWork, View};
pub use stats::Stats;
pub use table::{Sstables, Table};
pub use tombstones::{
    AGE_LIMITS_S, GC_GRACE_S, PartitionTombstones, TombstoneKind, TombstoneReport, Tombstones,
    TombstonesCall,
};
pub use verify::{Depth, VerifyCall, verify};
pub use write::{
    Codec, Compress, ExtractCall, INDEX_BLOCK_LEN, MergeCall, Merged, Purge, RebuildCall,
    SalvageCall, SplitCall, Taken, Version, Written, merge, rebuild, salvage,
};

pub(crate) use manicule_rows::export::{Fact, LiveRow};
/// What the verbs' reports and errors are made of.
pub use manicule_rows::merge::{
    CellPath, MergedCell, MergedCells, MergedColumn, MergedColumns, MergedMarker, MergedRow,
};
pub use manicule_rows::schema::{Difference, Named};
pub use manicule_rows::slice::Direction;
pub(crate) use manicule_rows::slice::{Bounds, Edge};
pub use manicule_rows::table::{Ahead, Compression, LeftOut, Listed, Sstable, SstableStats};
pub use manicule_rows::write::Loaded;
pub use manicule_rows::{
    BoundsText, Deletion, FactKind, Histogram, KeyNames, Liveness, NO_LOCAL_TIME, Partitioner,
    PlainForm, PrefixBuf, RowsError, Token, Type, put_instant, put_instant_micros, put_json_string,
    quoted_name,
};
